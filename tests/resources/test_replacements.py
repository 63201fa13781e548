"""Replacements that a person or a program asks for, of objects of whose name there may be only one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.commands.export.statements import Ref, Step
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing import CliStack, FakeEngineStack, stack_config
from support.engines import ENGINES
from support.five import TILES, dynamic_program, native_program

Kind = type[CliStack | FakeEngineStack]
SERVICE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
UNPROTECT = "set deletion_protection to false and run `pulumi up` once"
HOOK = {"name": "On call", "service": "generic", "url": "https://events.example.com/a"}


def steps(**service: Any) -> list[Step]:
    """Return a program of a service with a dashboard, a webhook and a key."""
    return [
        Step("orders", "Service", {**SERVICE, **service}),
        Step("board", "Dashboard", {"serviceId": Ref("orders.id"), "name": "Orders", "tiles": TILES}),
        Step("hook", "Webhook", HOOK),
        Step("key", "ApiKey", {"name": "ci", "roles": ["developer"]}),
    ]


def stack_of(kind: Kind, sandbox: Sandbox, program: str, folder: Path) -> CliStack | FakeEngineStack:
    """Bring a program up."""
    config = {**stack_config(sandbox), "clouddb:pollIntervalSeconds": "0.1"}
    stack = kind(program, config=config, work_dir=folder)
    stack.up()
    return stack


def one(sandbox: Sandbox, kind: str, name: str) -> str:
    """Return the id of the one object of a name."""
    (found,) = [id_ for id_, each in sandbox.objects(kind).items() if each["name"] == name]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_a_person_replaces_a_service_and_a_webhook(kind: Kind, sandbox: Sandbox, tmp_path: Path) -> None:
    """In dynamic mode the old one goes first, and what belongs to the service with it; each key works."""
    stack = stack_of(kind, sandbox, dynamic_program(steps()), tmp_path)
    before = [one(sandbox, "services", "Orders"), one(sandbox, "webhooks", "On call")]
    assert stack.preview(replace=["orders"]).ok
    assert stack.up(replace=["orders"]).ops("orders") == ["delete-replaced", "replace", "create-replacement"]
    assert stack.up(replace=["hook"]).ops("hook") == ["delete-replaced", "replace", "create-replacement"]
    after = [one(sandbox, "services", "Orders"), one(sandbox, "webhooks", "On call")]
    assert not set(before) & set(after)
    assert [stack.resource("orders").id, stack.resource("hook").id] == after
    assert stack.preview().no_changes


def test_a_protected_service_is_refused_before_anything_is_deleted(sandbox: Sandbox, tmp_path: Path) -> None:
    """With its dashboard: the error says what to do, and that leads out."""
    stack = stack_of(FakeEngineStack, sandbox, dynamic_program(steps(deletionProtection=True)), tmp_path)
    service = one(sandbox, "services", "Orders")
    board = one(sandbox, "dashboards", "Orders")
    refused = stack.up(replace=["orders"], expect_failure=True)
    assert f"To replace it, {UNPROTECT}, without replacing it." in str(refused.errors)
    assert (one(sandbox, "services", "Orders"), one(sandbox, "dashboards", "Orders")) == (service, board)
    stack.set_program(dynamic_program(steps(deletionProtection=False)))
    stack.up()
    stack.up(replace=["orders"])
    assert one(sandbox, "services", "Orders") != service


@pytest.mark.cli
def test_the_plugin_is_not_asked_which_goes_first(sandbox: Sandbox, tmp_path: Path) -> None:
    """Pulumi's engine takes no default from a plugin; the error names the option, and that leads out."""
    stack = stack_of(CliStack, sandbox, native_program(steps()), tmp_path)
    before = one(sandbox, "services", "Orders")
    refused = stack.up(replace=["orders"], expect_failure=True)
    assert "To replace it, set Pulumi's option deleteBeforeReplace on the resource." in str(refused.errors)
    stack.set_program(native_program(steps(), delete_before_replace="True"))
    for name in ("orders", "hook"):
        assert stack.preview(replace=[name]).ok
        stack.up(replace=[name])
    assert one(sandbox, "services", "Orders") != before
    assert stack.preview().no_changes


@pytest.mark.cli
def test_a_trigger_replaces_a_protected_service_after_a_run_without_it(sandbox: Sandbox, tmp_path: Path) -> None:
    """Each run with the trigger wants the replacement, so that it never stores that the protection is off."""

    def program(protected: bool, trigger: str) -> str:
        service = Step("orders", "Service", {**SERVICE, "deletionProtection": protected})
        return native_program([service], delete_before_replace="True", replacement_trigger=repr(trigger))

    stack = stack_of(CliStack, sandbox, program(True, "a"), tmp_path)
    before = one(sandbox, "services", "Orders")
    for protected in (True, False):
        stack.set_program(program(protected, "b"))
        refused = stack.up(expect_failure=True)
        advice = "Set deletionProtection to false and run `pulumi up` once, without deleting or replacing it."
        assert advice in str(refused.errors)
    for trigger in ("a", "b"):
        stack.set_program(program(False, trigger))
        stack.up()
    assert one(sandbox, "services", "Orders") != before


@pytest.mark.cli
def test_a_program_replaces_what_changes(sandbox: Sandbox, tmp_path: Path) -> None:
    """With `replace_on_changes`, what keeps its name goes first, as the diff says."""

    def program(description: str) -> str:
        hook = Step("hook", "Webhook", {**HOOK, "description": description})
        return native_program([hook], replace_on_changes='["description"]')

    stack = stack_of(CliStack, sandbox, program("a"), tmp_path)
    before = one(sandbox, "webhooks", "On call")
    stack.set_program(program("b"))
    assert stack.up().ops("hook") == ["delete-replaced", "replace", "create-replacement"]
    assert one(sandbox, "webhooks", "On call") != before
