"""Random objects of other clients: all are exported, and an edit changes nothing else.

`RANDOM_OBJECTS=500 RANDOM_SEED=7 pytest tests/tools/commands/export/test_random_objects.py` plays others.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.base import identity
from pulumi_clouddb.schema.defaults import without_defaults
from pulumi_clouddb.schema.values import whole_numbers
from real_server.play import make_world
from real_server.random_requests import COLLECTIONS, Bodies
from real_server.request import Values, filled
from support.declared import Program
from support.exported import Exported, export
from support.read_python import read_python
from support.read_typescript import read_typescript
from support.read_yaml import read_yaml
from support.sessions import ProviderProcess, config_for

pytestmark = [pytest.mark.slow, pytest.mark.beyond_the_description, pytest.mark.timeout(1200)]
COUNT, SEED = int(os.environ.get("RANDOM_OBJECTS", "60")), int(os.environ.get("RANDOM_SEED", "23"))
RESOURCE_OF = dict(
    zip(COLLECTIONS, ("Dashboard", "Alert", "SavedSearch", "Source", "Connection", "Webhook"), strict=True)
)
WEIGHTS = (6, 3, 2, 2, 1, 2)
TIMES = ("updatedAt",)
LANGUAGES = {"python": None, "python-plugin": read_python, "yaml": read_yaml, "typescript": read_typescript}
Key = tuple[str, str]
"""A resource and the id of its object."""

LOST = "the server deletes the alerts of"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A server with random objects."""
    with Sandbox(vocabulary="clickhouse") as running:
        with _client(running) as http:
            for collection in ("alerts", "dashboards", "saved-searches", "webhooks", "sources", "connections"):
                for each in listed(http, collection):
                    http.delete(f"{collection}/{each['id']}")
            source = random.Random(SEED)  # noqa: S311 (draws objects)
            world, bodies = make_world(http), Bodies(source)
            made = 0
            while made < COUNT:
                collection = source.choices(COLLECTIONS, WEIGHTS)[0]
                body = {**filled(bodies.one(collection), world)}
                if collection == "webhooks":
                    body["name"] = f"{body.get('name')} {made}"  # names of webhooks are unique
                made += http.post(collection, json=body).status_code == httpx.codes.OK
        yield running


def _client(sandbox: Sandbox) -> httpx.Client:
    token = {"Authorization": f"Bearer {sandbox.stack_token}"}
    return httpx.Client(base_url=f"{sandbox.url}/api/v2/", headers=token, timeout=60)


def listed(http: httpx.Client, collection: str) -> list[Values]:
    """Return all records of a collection."""
    found: list[Values] = http.get(collection).raise_for_status().json()["data"]
    return found


def records(sandbox: Sandbox) -> dict[tuple[str, str], Values]:
    """Return every record of the server by resource and id, without properties that each write changes."""
    with _client(sandbox) as http:
        return {
            (RESOURCE_OF[collection], each["id"]): {name: each[name] for name in each if name not in TIMES}
            for collection in COLLECTIONS
            for each in listed(http, collection)
        }


@pytest.fixture(scope="module")
def exports(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Exported]:
    """The export in each language."""
    folder = tmp_path_factory.mktemp("exports")
    return {language: export(sandbox, folder / language, language) for language in LANGUAGES}


def test_exports_of_random_objects_are_equal_in_all_languages(
    sandbox: Sandbox, exports: Mapping[str, Exported]
) -> None:
    """Each object of the server is in each program, or in a warning."""
    existing = records(sandbox)
    programs: list[Program] = [reader(exports[language].program) for language, reader in LANGUAGES.items() if reader]
    assert [each.problems for each in programs] == [[], [], []]
    first = declared(programs[0])
    assert [declared(each) == first for each in programs] == [True, True, True]
    named = Counter(each.kind for each in programs[0].resources.values())
    for kind, object_id in existing:
        exported = any(entry["id"] == object_id for entry in exports["python"].entries.values())
        assert exported or object_id in exports["python"].stderr, (kind, object_id)
    assert set(named) == {*RESOURCE_OF.values(), "OrganizationSettings", "Member"}  # each organization has these


def declared(program: Program) -> dict[str, tuple[str, Any]]:
    """Return the kind and the properties of each resource of a program, by its variable."""
    return {name: (each.kind, each.properties) for name, each in program.resources.items()}


def test_edit_of_a_random_object_changes_nothing_else(sandbox: Sandbox, tmp_path: Path) -> None:
    """Every object is imported, previewed without changes, and renamed; nothing else in any record differs.

    Null and absent properties are equal, and so are absent ones and those with the server's declared default: the
    inputs of an import leave them out.
    """
    process = ProviderProcess(config_for(sandbox), tmp_path)
    before, names = records(sandbox), dict[Key, str]()
    alerts_first = sorted(before, key=lambda key: key[0] != "Alert")  # an update of a dashboard can delete alerts
    for number, (kind, object_id) in enumerate(alerts_first):
        warned = len(process.warnings)
        own_id, live = lifecycle.read(process, RESOURCES[kind], object_id, {}, {})
        assert live is not None
        if any(LOST in each for each in process.warnings[warned:]):
            continue  # it cannot be edited, either
        inputs = whole_numbers(live.inputs)
        if RESOURCES[kind].check(process, inputs).failures:
            continue  # the export reports it
        assert process.changes(kind, live.state, inputs) == (), (kind, object_id)
        # Not longer than before, and unique, as required for webhooks.
        names[kind, object_id] = name = f"{(inputs.get('name') or '')[:-1]}{chr(0x4E00 + number)}"
        process.update(kind, own_id, live.state, {**inputs, "name": name})
    now = records(sandbox)
    assert len(names) > 0.9 * len(before)
    for key, was in before.items():
        renamed = {**was, "name": names[key]} if key in names else was
        assert meaning(key, now.get(key)) == meaning(key, renamed) or is_lost(key, process.warnings, now), (
            key,
            was,
            now.get(key),
        )
    assert now.keys() <= before.keys()
    process.client.close()


def meaning(key: Key, record: Values | None) -> Any:
    """Return a record without what is the same if it is left out."""
    model = RESOURCES[key[0]].type.inputs
    return record and {name: without_defaults(model, name, identity(value)) for name, value in record.items()}


def is_lost(key: Key, warnings: Sequence[str], now: Mapping[Key, Values]) -> bool:
    """Return whether an update of its dashboard deleted an alert, with a warning at the import or at the update."""
    kind, object_id = key
    return kind == "Alert" and key not in now and any(LOST in each or object_id in each for each in warnings)
