"""Whatever a server answers: what was never sent is no difference, and the next command can use the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import CloudDBError, InvalidResponseError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.resource.lifecycle import ReadResult
from pulumi_clouddb.schema.base import marks_of, wire_name, wire_names
from pulumi_clouddb.schema.values import WireDict
from support.replayed import Replayed, objects_in
from support.sessions import ProviderProcess, config_for

OTHER: tuple[object, ...] = ("other", 7, -1.5, True, ["other"], {"other": "1"}, {"other": 5}, [{"other": 5}], [5], None)
"""Values of every JSON type: those that fit a property are another value of it."""

CASES = [
    pytest.param(life, vocabulary, id=f"{life}, {vocabulary}")
    for life in WIRE_LIVES
    for vocabulary in ("neutral", "clickhouse")
    if vocabulary == "clickhouse" or not RESOURCES[life.life.name].type.only
]


@dataclass
class Made:
    """An object that was created, and the responses that show it."""

    resource: AnyResource
    process: ProviderProcess
    transport: Replayed
    id: str
    inputs: WireDict
    state: WireDict

    def read(self, alter: Callable[[Any], None]) -> ReadResult | None:
        """Read the object from the recorded responses, altered."""
        self.transport.alter = alter
        self.process.api.lists.clear()
        return lifecycle.read(self.process, self.resource, self.id, self.state, self.inputs)[1]


@contextmanager
def made(life: WireLife, vocabulary: str, folder: Path) -> Iterator[Made]:
    """Create the object of a life, read it once, and go offline."""
    resource, transport = RESOURCES[life.life.name], Replayed()
    with Sandbox(vocabulary=vocabulary) as sandbox:
        config = config_for(sandbox, pollIntervalSeconds=0.05)
        process = ProviderProcess(config, folder, transport=transport)
        checked = resource.check(process, fill(life.before, life.life.setting(sandbox)))
        if checked.failures:
            pytest.skip(f"this dialect has other inputs: {checked.failures[0]}")
        object_id, state = process.create(life.life.name, checked.inputs)
        process.read(life.life.name, object_id, state)
        ProviderProcess(config, folder, transport=transport).read(life.life.name, object_id, state)
        transport.offline = True
        yield Made(resource, process, transport, object_id, checked.inputs, state)


@pytest.mark.parametrize(("life", "vocabulary"), CASES)
def test_what_was_never_sent_is_no_difference(life: WireLife, vocabulary: str, tmp_path: Path) -> None:
    """After a refresh neither a preview nor a replacement shows it."""
    with made(life, vocabulary, tmp_path) as it:
        never = unsent(it.resource, it.transport.sent)
        for value in OTHER:
            try:
                found = it.read(altering(it.id, set().union(*never.values()), value))
            except InvalidResponseError:
                continue  # without the properties that its id consists of, nobody can find it
            assert found is not None
            difference = lifecycle.diff(it.process, it.resource, it.id, found.state, it.inputs)
            assert not never.keys() & {*difference.changed}, value
            assert not difference.replaces, value


@pytest.mark.parametrize(("life", "vocabulary"), CASES)
def test_the_next_command_can_use_the_state(life: WireLife, vocabulary: str, tmp_path: Path) -> None:
    """A refresh reads any value of any property; then a preview, an update and a deletion do what they can."""
    with made(life, vocabulary, tmp_path) as it:
        for names in properties(it.resource):
            for value in OTHER:
                for alter in (altering(it.id, names, value), within(it.id, names, value)):
                    with suppress(CloudDBError):  # the list is not readable
                        found = it.read(alter)
                        assert found is not None
                        refused = lifecycle.check(it.process, it.resource, it.inputs, old=found.inputs).failures
                        assert not refused
                        usable(it, found, (names, value))


def usable(it: Made, found: ReadResult, what: object) -> None:
    """Check that state and inputs are read again, and that a preview compares them."""
    try:
        with suppress_refused():
            lifecycle.diff(it.process, it.resource, it.id, found.state, it.inputs)
        with suppress_refused():
            lifecycle.preview(it.resource, it.id, found.state, it.inputs)
        with suppress_refused():
            lifecycle.diff(it.process, it.resource, it.id, found.state, found.inputs)
    except CloudDBError as error:
        raise AssertionError(f"{what}: {error}") from None


@contextmanager
def suppress_refused() -> Iterator[None]:
    """Let a change be refused that cannot be made in place."""
    try:
        yield
    except CloudDBError as error:
        if "cannot change" not in str(error):
            raise


def properties(resource: AnyResource) -> list[set[str]]:
    """Return the names of each property in responses, besides the id: that of the wire, and that of the attribute."""
    record = resource.type.record
    spelt = [{wire_name(record, each), marks_of(record, each).get("api") or each} for each in record.model_fields]
    return [each for each in spelt if "id" not in each]


def unsent(resource: AnyResource, sent: set[str]) -> dict[str, set[str]]:
    """Return the inputs that no request had, each with its names in responses."""
    model, answered = resource.type.inputs, wire_names(resource.type.record)
    spelt = {
        wire_name(model, each): {wire_name(model, each), marks_of(model, each).get("api") or each}
        for each in model.model_fields
        if not marks_of(model, each).get("provider_only")
    }
    return {name: each for name, each in spelt.items() if not each & sent and name in answered}


def altering(own_id: str, names: set[str], value: object) -> Callable[[Any], None]:
    """Return a function that gives properties of an object in a response another value."""

    def alter(body: Any) -> None:
        for each in objects_in(body):
            if own_id.rpartition("/")[2] in map(str, each.values()):
                each.update(dict.fromkeys(names, value))

    return alter


def within(own_id: str, names: set[str], value: object) -> Callable[[Any], None]:
    """Return a function that gives another value to all that is within properties of an object in a response."""

    def alter(body: Any) -> None:
        for each in objects_in(body):
            if own_id.rpartition("/")[2] in map(str, each.values()):
                each.update({name: _filled(each[name], value) for name in names & each.keys()})

    return alter


def _filled(old: Any, value: object) -> Any:
    if isinstance(old, dict):
        return {key: _filled(each, value) if isinstance(each, (dict, list)) else value for key, each in old.items()}
    if isinstance(old, list):
        return [_filled(each, value) if isinstance(each, (dict, list)) else value for each in old]
    return old
