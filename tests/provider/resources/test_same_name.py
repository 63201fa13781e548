"""Two resources of a program whose objects get one name, though only one object may have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.sessions import ProviderProcess, config_for

UNIQUE = {wire.name: wire for wire in WIRE_LIVES if RESOURCES[wire.life.name].unique_by}


def check(run: ProviderProcess, kind: str, name: str, inputs: WireDict, old: WireDict | None = None) -> list[str]:
    """Check a resource of the program, with its old inputs if it is in state; return the failures."""
    session = run.for_resource(f"urn:pulumi:dev::shop::clouddb:index:{kind}::{name}")
    return list(map(str, lifecycle.check(session, RESOURCES[kind], inputs, (), old).failures))


@pytest.mark.parametrize("wire", UNIQUE.values(), ids=UNIQUE)
def test_second_new_object_is_refused(wire: WireLife, tmp_path: Path) -> None:
    """The preview names the other one; a repeated check of the same resource is accepted."""
    kind = wire.life.name
    with Sandbox(**wire.life.server) as sandbox:
        run = ProviderProcess(config_for(sandbox), tmp_path)
        inputs = fill(wire.before, wire.life.setting(sandbox))
        assert [check(run, kind, "first", inputs) for _ in range(2)] == [[], []]
        (failure,) = check(run, kind, "second", inputs)
        assert f"is being created by this program already, as {kind} 'first'; a second one" in failure
        preview = ProviderProcess(config_for(sandbox, previewOnly=True), tmp_path)
        assert [check(preview, kind, name, inputs) for name in ("first", "second")] == [[], []]
        assert [f"{kind} 'first' and {kind} 'second' have the same name" in each for each in preview.warnings] == [True]


NEW: WireDict = {}
ORDERS: WireDict = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
OTHER = {**ORDERS, "name": "Other"}
DUPLICATE = {**ORDERS, "allowDuplicateName": True}
NAMINGS: dict[str, tuple[tuple[WireDict, WireDict], tuple[WireDict, WireDict], bool]] = {
    "both have it": ((ORDERS, ORDERS), (ORDERS, ORDERS), False),
    "one has it, and another one gets it": ((ORDERS, ORDERS), (OTHER, ORDERS), True),
    "both get it": ((OTHER, ORDERS), (OTHER, ORDERS), True),
    "a new one gets the name that another one gets": ((OTHER, ORDERS), (NEW, ORDERS), True),
    "duplicates are allowed": ((NEW, DUPLICATE), (NEW, DUPLICATE), False),
    "the names differ": ((NEW, OTHER), (NEW, ORDERS), False),
}
"""The old and the new inputs of two services, and whether a warning names both."""


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("one", "other", "warned"), NAMINGS.values(), ids=NAMINGS)
def test_name_that_may_be_free(
    one: tuple[WireDict, WireDict],
    other: tuple[WireDict, WireDict],
    warned: bool,
    backwards: bool,
    neutral_sandbox: Sandbox,
    tmp_path: Path,
) -> None:
    """Which update comes first decides, so the preview only warns, once, in whatever order the engine checks."""
    run = ProviderProcess(config_for(neutral_sandbox), tmp_path)
    pair = [("one", *one), ("other", *other)]
    for name, old, new in (pair[::-1] if backwards else pair) * 2:
        assert check(run, "Service", name, new, old) == []
    expected = "Service 'one' and Service 'other' have the same name, and only one service may have it: service 'Or"
    assert [each.startswith(expected) for each in run.warnings] == [True] * warned


PASSED: dict[str, tuple[tuple[WireDict, WireDict], tuple[WireDict, WireDict], list[str]]] = {
    "a new one gets the name": (
        (ORDERS, OTHER),
        (NEW, ORDERS),
        ["Service 'other' gets the name that Service 'one' has"],
    ),
    "one after the other": (
        (ORDERS, OTHER),
        ({**ORDERS, "name": "Third"}, ORDERS),
        ["Service 'other' gets the name that Service 'one' has"],
    ),
    "they exchange their names": (
        (ORDERS, OTHER),
        (OTHER, ORDERS),
        [
            "Service 'one' gets the name that Service 'other' has",
            "Service 'other' gets the name that Service 'one' has",
        ],
    ),
}
"""The old and the new inputs of two services, and the warnings."""


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("one", "other", "warned"), PASSED.values(), ids=PASSED)
def test_name_passes_from_one_to_another(
    one: tuple[WireDict, WireDict],
    other: tuple[WireDict, WireDict],
    warned: list[str],
    backwards: bool,
    neutral_sandbox: Sandbox,
    tmp_path: Path,
) -> None:
    """The preview says which one must come first, in whatever order the engine checks."""
    run = ProviderProcess(config_for(neutral_sandbox), tmp_path)
    pair = [("one", *one), ("other", *other)]
    for name, old, new in (pair[::-1] if backwards else pair) * 2:
        assert check(run, "Service", name, new, old) == []
    assert sorted(each.partition(" until")[0] for each in run.warnings) == warned
    assert all("(dependsOn)" in each for each in run.warnings)


@pytest.mark.parametrize("wire", UNIQUE.values(), ids=UNIQUE)
def test_name_is_free_after_the_update(wire: WireLife, tmp_path: Path) -> None:
    """With dependsOn the engine updates the one first, and then checks and creates the other."""
    kind, name_of = wire.life.name, RESOURCES[wire.life.name].unique_by[0]
    if name_of in RESOURCES[kind].type.immutable:
        return
    with Sandbox(**wire.life.server) as sandbox:
        inputs = fill(wire.before, wire.life.setting(sandbox))
        object_id, state = ProviderProcess(config_for(sandbox), tmp_path).create(kind, inputs, urn="urn:a::b::c::one")
        run = ProviderProcess(config_for(sandbox), tmp_path)
        session, renamed = run.for_resource("urn:a::b::c::one"), {**inputs, name_of: "Another"}
        assert not lifecycle.check(session, RESOURCES[kind], renamed, old=inputs).failures
        lifecycle.diff(session, RESOURCES[kind], object_id, state, renamed)
        lifecycle.update(session, RESOURCES[kind], object_id, state, renamed)
        other = run.for_resource("urn:a::b::c::other")
        assert not lifecycle.check(other, RESOURCES[kind], inputs).failures
        assert lifecycle.create(other, RESOURCES[kind], inputs)
        assert not [each for each in run.warnings if "dependsOn" in each]
