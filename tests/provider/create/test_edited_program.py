"""A run creates an object and dies before state has it, and the program changes before the next run.

The recorded id proves that the object is ours. The next run updates it to the new program, or refuses and names the
property that no update changes; it never fails otherwise, and never creates a second object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import Inputs, fill, own_id
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.plain import PlainResource
from support.sessions import ProviderProcess, config_for

URN = "urn:pulumi:dev::shop::Kind::it"
WHERE = ("serviceId", "functionName")
"""The place of an object: one that was created in another place is not found, and is named."""

FIXED = {("Pipe", "destination")}
"""Properties that no update changes, though they are not immutable as a whole."""


def _edits() -> Iterator[Any]:
    """Yield each life with each property that the later program changes."""
    for wire in WIRE_LIVES:
        handler, options = RESOURCES[wire.life.name], RESOURCES[wire.life.name].type.provider_only
        if not isinstance(handler, PlainResource) or wire.life.stays:
            continue
        others: dict[str, Any] = {**{name: None for name in wire.before if name not in wire.after}, **wire.after}
        for name, value in {**wire.life.of_others, **others}.items():
            if name not in WHERE and name not in options and wire.before.get(name) != value:
                yield pytest.param(wire, name, value, id=f"{wire.name}-{name}")


@pytest.mark.slow
@pytest.mark.parametrize(("wire", "name", "value"), [*_edits()])
def test_edit_arrives_or_is_refused(wire: WireLife, name: str, value: Any, tmp_path: Path) -> None:
    """Each property is edited alone."""
    life = wire.life
    with Sandbox(vocabulary="clickhouse") as sandbox:  # in the neutral dialect, a lost key loses its secret
        names = life.setting(sandbox)
        before = fill(wire.before, names)
        edited: Inputs = {**before, name: _merged(before.get(name), fill(value, names))}
        edited = {each: item for each, item in edited.items() if item is not None}
        config = config_for(sandbox, pollIntervalSeconds=0.05)
        object_id, _ = ProviderProcess(config, tmp_path).create(life.name, before, urn=URN)
        existing = {own_id(life.kind, each) for each in sandbox.objects(life.kind)}
        process = ProviderProcess(config, tmp_path)
        failures = RESOURCES[life.name].check(process, edited).failures
        if failures:
            pytest.skip(f"check rejects this program: {failures[0]}")
        refusal = ""
        try:
            again, state = process.create(life.name, edited, urn=URN)
        except ResourceError as error:
            refusal = str(error)
        if refusal:
            assert name in refusal
            assert name in RESOURCES[life.name].type.immutable or (life.name, name) in FIXED
        else:
            assert again == object_id
            assert process.changes(life.name, state, edited) == ()
        assert {own_id(life.kind, each) for each in sandbox.objects(life.kind)} == existing


def _merged(old: Any, new: Any) -> Any:
    return {**old, **new} if isinstance(old, Mapping) and isinstance(new, Mapping) else new
