"""Any response: properties that were never sent cause no difference, and the next command can use the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import CloudDBError, InvalidResponseError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.resource.lifecycle import ReadResult
from pulumi_clouddb.schema.base import extras_of, wire_name, wire_names
from pulumi_clouddb.schema.values import WireDict
from support.replayed import Replayed, objects_in
from support.sessions import ProviderProcess, config_for

OTHER: tuple[object, ...] = ("other", 7, -1.5, True, ["other"], {"other": "1"}, {"other": 5}, [{"other": 5}], [5], None)
"""Values of every JSON type: those that fit a property are another value of it."""

CASES = [
    pytest.param(life, vocabulary, id=f"{life}, {vocabulary}")
    for life in WIRE_LIVES
    for vocabulary in ("neutral", "clickhouse")
    if vocabulary == "clickhouse" or not life.life.only
]


@dataclass
class Recorded:
    """A created object, and the recorded responses about it."""

    resource: AnyResource
    process: ProviderProcess
    transport: Replayed
    id: str
    inputs: WireDict
    state: WireDict

    def read(self, alter: Callable[[Any], None]) -> ReadResult | None:
        """Read the object from the recorded responses, after a change to them."""
        self.transport.alter = alter
        self.process.api.lists.clear()
        return lifecycle.read(self.process, self.resource, self.id, self.state, self.inputs)[1]


@contextmanager
def created(life: WireLife, vocabulary: str, folder: Path) -> Iterator[Recorded]:
    """Create the object of a life, read it once, and then only replay responses."""
    resource, transport = RESOURCES[life.life.name], Replayed()
    with Sandbox(vocabulary=vocabulary) as sandbox:
        config = config_for(sandbox, pollIntervalSeconds=0.05)
        process = ProviderProcess(config, folder, transport=transport)
        checked = resource.check(process, fill(life.before, life.life.setting(sandbox)))
        assert checked.failures == []
        object_id, state = process.create(life.life.name, checked.inputs)
        process.read(life.life.name, object_id, state)
        ProviderProcess(config, folder, transport=transport).read(life.life.name, object_id, state)
        transport.end()
        transport.offline = True
        yield Recorded(resource, process, transport, object_id, checked.inputs, state)
        transport.end()


@pytest.mark.parametrize(("life", "vocabulary"), CASES)
def test_unsent_property_is_no_difference(life: WireLife, vocabulary: str, tmp_path: Path) -> None:
    """After a refresh, neither a preview nor a replacement contains it."""
    with created(life, vocabulary, tmp_path) as it:
        unsent_names = unsent(it.resource, it.transport.sent)
        for value in OTHER:
            try:
                result = it.read(altering(it.id, set().union(*unsent_names.values()), value))
            except InvalidResponseError:
                continue  # the properties of its id are among them, so the object cannot be found
            assert result is not None
            difference = lifecycle.diff(it.process, it.resource, it.id, result.state, it.inputs)
            assert not unsent_names.keys() & {*difference.changed}, value
            assert not difference.replaces, value


def shares() -> Iterator[ParameterSet]:
    """Yield the cases with shares of the values: those of the cases of a resource are all; and slow ones with all."""
    of = [str(case.values[0].life.name) for case in CASES]  # type: ignore[union-attr]
    for number, (case, name) in enumerate(zip(CASES, of, strict=True)):
        turn, count = of[:number].count(name), of.count(name)
        yield pytest.param(*case.values, OTHER[turn::count], id=str(case.id))
        if count > 1:
            yield pytest.param(*case.values, OTHER, id=f"{case.id}, all", marks=pytest.mark.slow)


@pytest.mark.parametrize(("life", "vocabulary", "values"), [*shares()])
def test_state_after_any_response_is_usable(
    life: WireLife, vocabulary: str, values: tuple[object, ...], tmp_path: Path
) -> None:
    """A refresh reads any value of any property; then check, preview and diff work."""
    with created(life, vocabulary, tmp_path) as it:
        nested = it.transport.nested
        usable: set[str] = set()  # many values do not fit, and are read alike
        for names in properties(it.resource):
            for value, way in product(values, (altering, within) if names & nested else (altering,)):
                with suppress(CloudDBError):  # the list cannot be read
                    result = it.read(way(it.id, names, value))
                    assert result is not None
                    if repr(result) in usable:
                        continue
                    failures = lifecycle.check(it.process, it.resource, it.inputs, old=result.inputs).failures
                    assert not failures
                    assert_usable(it, result, (names, value))
                    usable.add(repr(result))


def assert_usable(it: Recorded, result: ReadResult, case: object) -> None:
    """Assert that diff and preview can use state and inputs."""
    try:
        with suppress_refused():
            lifecycle.diff(it.process, it.resource, it.id, result.state, it.inputs)
        with suppress_refused():
            lifecycle.preview(it.resource, it.id, result.state, it.inputs)
        with suppress_refused():
            lifecycle.diff(it.process, it.resource, it.id, result.state, result.inputs)
    except CloudDBError as error:
        raise AssertionError(f"{case}: {error}") from None


@contextmanager
def suppress_refused() -> Iterator[None]:
    """Accept the error about a change that cannot be made in place."""
    try:
        yield
    except CloudDBError as error:
        if "cannot change" not in str(error):
            raise


def properties(resource: AnyResource) -> list[set[str]]:
    """Return the names of each property in responses, except the id: on the wire, and in the model."""
    record = resource.type.record
    spelt = [{wire_name(record, each), extras_of(record, each).get("api") or each} for each in record.model_fields]
    return [each for each in spelt if "id" not in each]


def unsent(resource: AnyResource, sent: set[str]) -> dict[str, set[str]]:
    """Return the inputs that no request contained, each with its names in responses."""
    model, returned = resource.type.inputs, wire_names(resource.type.record)
    spelt = {
        wire_name(model, each): {wire_name(model, each), extras_of(model, each).get("api") or each}
        for each in model.model_fields
        if not extras_of(model, each).get("provider_only")
    }
    return {name: each for name, each in spelt.items() if not each & sent and name in returned}


def altering(own_id: str, names: set[str], value: object) -> Callable[[Any], None]:
    """Return a function that sets properties of an object in a response to a value."""

    def alter(body: Any) -> None:
        for each in objects_in(body):
            if own_id.rpartition("/")[2] in map(str, each.values()):
                each.update(dict.fromkeys(names, value))

    return alter


def within(own_id: str, names: set[str], value: object) -> Callable[[Any], None]:
    """Return a function that sets everything within properties of an object in a response to a value."""

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
