"""Every rule about single resources under the real CLI: `pulumi preview --policy-pack` of programs of all cases.

In one program stand the resources that fail, pass and are not known yet, each for its own rule; a rule that is given
other settings in another case needs another program.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime import rpc

from policy.case import KINDS, Case, Values
from policy.cases import RESOURCE_CASES
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.schema.check import failures_of
from pulumi_clouddb.schema.rules import RuleContext
from pulumi_clouddb.testing import UNKNOWN, CliStack, Secret
from support.policy_project import Project

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not CliStack.available(), reason="there is no pulumi on PATH")]

CONFIG: dict[str, str | Secret] = {
    "clouddb:baseUrl": "https://api.clouddb.example",
    "clouddb:organizationId": "7f3c2a10-0000-4000-8000-000000000001",
    "clouddb:keyId": "key",
    "clouddb:keySecret": Secret("secret"),
    "clouddb:stackUrl": "https://stack.clouddb.example",
    "clouddb:stackToken": Secret("token"),
}
REFUSED_BY_CHECK = {"no-credentials-in-inputs Service", "no-credentials-in-inputs PipeScaling"}
"""Cases whose failing inputs the provider refuses itself, before a policy sees them."""

HEAD = """
import pulumi

unknown = pulumi.CustomResource("clouddb:index:ApiKey", "seed", {"name": "Seed", "roles": ["developer"]}).id
"""


def batches(cases: list[Case]) -> Iterator[list[Case]]:
    """Part cases into programs: those of one stack, in which no rule has two settings."""
    left = cases
    while left:
        stack, settings = (
            left[0].stack,
            {case.rule: case.settings for case in reversed(left) if case.stack == left[0].stack},
        )
        batch = [case for case in left if case.stack == stack and case.settings == settings[case.rule]]
        yield batch
        left = [case for case in left if case not in batch]


def id_of(case: Case) -> str:
    """Name a case."""
    return f"{case.rule} {case.about}"


def forms(case: Case) -> Iterator[tuple[str, Values, Mapping[str, Any]]]:
    """Yield what there is of a case in the program: its name, inputs and options."""
    if id_of(case) not in REFUSED_BY_CHECK:
        yield "fails", case.fails, case.options
    yield "passes", case.passes, case.passing_options
    yield "unknown", case.unknown, {}


def program(cases: list[Case], only: str = "") -> str:
    """Write the program of cases, in all their forms or in one."""
    lines = [HEAD]
    for number, case in enumerate(cases):
        for form, changes, options in forms(case):
            if only not in ("", form):
                continue
            token = KINDS[case.about].token
            inputs = code(dict(case.resource(True, changes).props))
            given = ", ".join(f"{name}={value!r}" for name, value in options.items())
            name = f"{form}-{number}"
            lines.append(f"pulumi.CustomResource({token!r}, {name!r}, {inputs}, pulumi.ResourceOptions({given}))")
    return "\n".join([*lines, ""])


def code(value: Any) -> str:
    """Write a value as Python, with what is secret and what is not known as the outputs that they are."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {code(each)}" for name, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(code, value)) + "]"
    if isinstance(value, Secret):
        return f"pulumi.Output.secret({code(value.value)})"
    return "unknown" if value is UNKNOWN else repr(value)


BATCHES = list(batches(RESOURCE_CASES))
REMEDIES = list(batches([case for case in RESOURCE_CASES if case.fixed is not None]))


def names_of(several: list[list[Case]]) -> list[str]:
    """Name programs."""
    return [f"{batch[0].stack} {len(batch)} cases" for batch in several]


@pytest.fixture
def project_of(tmp_path: Path) -> Callable[[list[Case], str], Project]:
    """Make the project of a program and of the stack that its cases are about."""

    def make(cases: list[Case], text: str) -> Project:
        for name in ("program", "project"):
            (tmp_path / name).mkdir()
        (tmp_path / "program" / "__main__.py").write_text(text, encoding="utf-8")
        config = {**CONFIG, **{key: value for case in cases for key, value in case.config.items()}}
        return Project(tmp_path / "project", tmp_path / "program", cases[0].stack, config)

    return make


@pytest.mark.parametrize("cases", BATCHES, ids=names_of(BATCHES))
def test_each_rule_is_told_where_it_is_broken_and_only_there(
    cases: list[Case], project_of: Callable[[list[Case], str], Project]
) -> None:
    """What breaks a rule is told with the words of the case; what keeps it, or is not known, is not told."""
    levels = {case.rule: {"enforcementLevel": "advisory", **case.settings} for case in cases}
    found = project_of(cases, program(cases)).preview({"all": "advisory", **levels})
    assert found.ok, found.output
    assert "can't run policy" not in found.output
    for number, case in enumerate(cases):
        told = [(each["resourceUrn"], each["message"]) for each in found.violations.get(case.rule, [])]
        for form, _, _ in forms(case):
            messages = [message for urn, message in told if urn.endswith(f"::{form}-{number}")]
            if form == "fails":
                assert any(case.says in message for message in messages), (id_of(case), messages)
            else:
                assert messages == [], (id_of(case), form)


@pytest.mark.parametrize("cases", REMEDIES, ids=names_of(REMEDIES))
def test_each_remediation_is_what_is_previewed(
    cases: list[Case], project_of: Callable[[list[Case], str], Project]
) -> None:
    """Each rule remediates its own resource, and leaves the others to theirs."""
    names = [f"fails-{number}" for number in range(len(cases))]
    levels = {
        case.rule: {
            "enforcementLevel": "remediate",
            **case.settings,
            "exceptions": [name for name, each in zip(names, cases, strict=True) if each.rule != case.rule] + ["seed"],
        }
        for case in cases
    }
    found = project_of(cases, program(cases, "fails")).preview({"all": "disabled", **levels})
    assert found.ok, found.output
    assert found.violations == {}
    for name, case in zip(names, cases, strict=True):
        (after,) = [
            each["after"] for each in found.remediations[case.rule] if each["resourceUrn"].endswith(f"::{name}")
        ]
        assert case.fixed is not None
        fixed = json.loads(json.dumps(case.fixed, default=lambda _: rpc.UNKNOWN))  # as the engine's events write it
        assert {name: after.get(name) for name in fixed} == fixed, id_of(case)


def test_check_refuses_what_the_table_says() -> None:
    """No case is left out that the provider would let through."""
    refused = {
        id_of(case)
        for case in RESOURCE_CASES
        if failures_of(KINDS[case.about].inputs, strip(case.resource(True, case.fails).props), RuleContext())
    }
    assert refused == REFUSED_BY_CHECK
