"""What servers add to the lists and objects of a program; docs/reliability.md has it as a table.

What a server adds in response to a write is the server's; what appears later is drift, and goes with the next update.
Fields of newer servers, which no program can set, are never drift.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.store import Store
from lives.life import fill, own_id
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.defaults import models_in
from pulumi_clouddb.schema.values import WireDict
from support.sessions import ProviderProcess, config_for

pytestmark = pytest.mark.beyond_the_description
"""The servers are newer than the description."""

ADDED = {"addedByNewerServers": {"level": "one"}}
ANY_NAMES = ("conditions",)
"""Objects whose entries have any names: a further one is the program's business, as in a list."""
OWN_COPY = "dashboards"
"""A dashboard's state has the server's form of the last response, which shows its drift; see tests/dashboards."""
CLOSED = ("keys", "services")
"""Objects without unknown entries in the sandbox: the test compares what the provider parses."""
LIVES = [life for life in WIRE_LIVES if not life.life.stays and life.life.kind != OWN_COPY]


def with_additions(value: Any) -> Any:
    """Return a value with another entry in each object within lists and objects."""
    if isinstance(value, dict):
        return {**{name: item if name in ANY_NAMES else with_additions(item) for name, item in value.items()}, **ADDED}
    return [with_additions(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("state", ["before", "after"])
@pytest.mark.parametrize("life", LIVES, ids=str)
def test_fields_of_newer_servers_are_no_drift(life: WireLife, state: str, tmp_path: Path) -> None:
    """This applies to fields in the first response, and to those that appear later."""
    name, kind = life.life.name, life.life.kind
    resource = RESOURCES[name]
    with Sandbox(**life.life.server) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path, sleep=lambda _: None)
        inputs = fill(getattr(life, state), life.life.setting(sandbox))
        inputs |= {"validateConnection": False} if "validateConnection" in resource.type.provider_only else {}
        id_, known = process.create(name, inputs, urn="urn:it")
        first = read(process, name, id_, known)
        assert not process.changes(name, first.state, inputs)
        if kind in CLOSED:
            objects = process.api.of(resource.collection)
            parsed = to_wire(objects.parsed(with_additions(objects.get(id_).answer)))
            assert all(resource.same(each, parsed[each], first.inputs[each]) for each in {*inputs} & {*parsed})
            return
        document = sandbox.objects(kind)[own_id(kind, id_)]
        more = {each: with_additions(item) for each, item in document.items() if isinstance(item, (dict, list))}
        sandbox.change(kind, own_id(kind, id_), **{each: more[each] for each in more if more[each] != document[each]})
        second = read(process, name, id_, first.state)
        assert second.inputs == first.inputs
        assert not process.changes(name, second.state, inputs)


def read(process: ProviderProcess, name: str, id_: str, state: dict[str, Any]) -> lifecycle.ReadResult:
    """Refresh an object, with new lists."""
    for each in RESOURCES.values():
        for service in {None, state.get("serviceId")}:
            process.api.of(each.collection, service).invalidate()
    return process.read(name, id_, state)


# -- further entries of lists, and of objects with any names -----------------------------------------------------------

MORE: dict[str, WireDict] = {
    "Service": {"tags": [{"key": "team", "value": "shop"}], "settings": {"keep_alive_timeout": "8"}},
    "PostgresService": {"pgBouncerConfig": {"default_pool_size": "20"}},
    "Alert": {"channels": [{"type": "webhook", "webhookId": "$webhook_id"}], "channel": None},
}
"""Lists and objects that no life has, of the vendor's servers."""

BY_SERVER, BY_HAND = "by-server", "by-hand"
TEXTS = {
    "ipAccessList": ("192.0.2.1", "192.0.2.2"),
    "pgConfig": ("lock_timeout", "wal_keep_size"),
    "channels": ("a" * 24, "b" * 24),
}
"""The texts of what the server, and of what somebody adds, if any text is not valid."""

ELSEWHERE = {
    "Dashboard": "state has the server's whole form; tests/provider/things/dashboards",
    "ByocInfrastructure.availabilityZoneSuffixes": "no server returns them",
    "ReversePrivateEndpoint.customPrivateDnsMappings": "the server computes the names",
    "UserDefinedFunction.arguments": "a version never changes: another one shows its number",
    "ApiKey.roles": "servers derive it from assignedRoleIds, and reversely",
    "QueryApiEndpoint.apiKeyIds": "the server returns only existing keys",
}
"""The lists and objects that are left out here, and why."""

STORED = {
    "settings": ("engine_settings", False),
    "pgConfig": ("postgres_configurations", True),
    "pgBouncerConfig": ("postgres_configurations", True),
}
"""The kind of the sandbox's documents with properties that objects do not have themselves, and if by name."""


def gains() -> Iterator[tuple[WireLife, str]]:
    """Yield each list, and each object with any names, that a program can set and a server returns."""
    seen = set()
    for life in WIRE_LIVES:
        type_ = RESOURCES[life.life.name].type
        given = {**MORE.get(life.life.name, {}), **life.after}
        for name in type_.containers:
            left_out = {life.life.name, place := f"{life.life.name}.{name}"}.intersection(ELSEWHERE)
            is_object = isinstance(given.get(name), dict) and name in models_in(type_.inputs)
            if given.get(name) and not (left_out or is_object or place in seen):
                seen.add(place)
                yield life, name


def another(value: Any, text: str) -> Any:
    """Return a value of the same form with other texts."""
    if isinstance(value, dict):
        return {name: another(item, text) for name, item in value.items()}
    if isinstance(value, list):
        return [another(item, text) for item in value]
    return text if isinstance(value, str) else value


def with_another(value: Any, text: str) -> Any:
    """Return a list or an object with one more entry, unless it has it already; a setting of Postgres is a number."""
    if isinstance(value, dict):
        return {**value, text: "100" if text in TEXTS["pgConfig"] else text}
    more = another(value[-1], text)
    return value if more in value else [*value, more]


@pytest.mark.parametrize(("life", "name"), [*gains()], ids=str)
def test_only_what_appears_later_is_drift(
    life: WireLife, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes with the next update, and what the server adds in response to that is the server's again."""
    kind, by_name = STORED.get(name, (life.life.kind, True))
    by_server, by_hand = TEXTS.get(name, (BY_SERVER, BY_HAND))
    more = MORE.get(life.life.name, {}) if name not in life.after else {}
    server = {**life.life.server, **({"vocabulary": "clickhouse"} if more else {})}
    put = Store.put
    seen: WireDict = {}

    def changed(document: WireDict, text: str) -> WireDict:
        if not by_name:
            return {**document, text: text}
        return {**document, name: with_another(document[name], text)} if document.get(name) else document

    def adding(self: Store, of: str, id_: str, document: WireDict, parent: str = "") -> None:
        if of == kind:
            seen.update(store=self, key=id_)
            document |= changed(document, by_server)  # the same object is the response
        put(self, of, id_, document, parent)

    with Sandbox(**server) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path, sleep=lambda _: None)
        names = {"webhook_id": str(sandbox.add("webhooks")["id"]), **life.life.setting(sandbox)}
        inputs = fill({**life.after, **more}, names)
        inputs = {each: value for each, value in inputs.items() if value is not None}
        monkeypatch.setattr(Store, "put", adding)
        id_, known = process.create(life.life.name, inputs, urn="urn:it")
        before = read(process, life.life.name, id_, known)
        assert not process.changes(life.life.name, before.state, inputs)
        store, key = seen["store"], seen["key"]
        put(store, kind, key, changed(store.get(kind, key), by_hand))
        found = read(process, life.life.name, id_, before.state)
        assert by_hand in json.dumps(found.inputs[name])
        assert by_server not in json.dumps(found.inputs[name])
        assert process.changes(life.life.name, found.state, inputs) == (name,)
        repaired = process.update(life.life.name, id_, found.state, inputs)
        assert by_hand not in json.dumps(store.get(kind, key))
        after = read(process, life.life.name, id_, repaired)
        assert after.inputs == before.inputs
        assert not process.changes(life.life.name, after.state, inputs)
