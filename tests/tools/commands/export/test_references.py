"""Exported programs refer to each other's objects wherever the id of one occurs, also within texts.

`REFERENCES_SEED=7 REFERENCES_COUNT=40 pytest tests/tools/commands/export/test_references.py` plays other inventories.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clouddb_tools.commands.export import python, typescript, yaml
from clouddb_tools.commands.export.graph import statements
from clouddb_tools.commands.export.reading import Found
from clouddb_tools.commands.export.statements import Joined, Ref, Step
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.resource.lifecycle import ReadResult
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support import declared
from support.declared import mistakes
from support.estate import NAMES
from support.exported import Exported, export, plain, resolved
from support.ids import LOGS
from support.read_python import read_python
from support.read_typescript import read_typescript
from support.read_yaml import read_yaml
from support.schema import SCHEMA

SEED, COUNT = int(os.environ.get("REFERENCES_SEED", "45")), int(os.environ.get("REFERENCES_COUNT", "2"))
READERS = {"python-plugin": read_python, "yaml": read_yaml, "typescript": read_typescript}
TEXTS = st.one_of(st.sampled_from(NAMES), st.text("ab${}\"'`\\\n #:-", min_size=1, max_size=20))


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_texts_with_references_round_trip(texts: list[str]) -> None:
    """In each language, whatever precedes and follows the reference."""
    parts: list[str | Ref] = []
    for text in texts:
        parts += [text, Ref("a.id")]
    step = Step("b", "Dashboard", {"name": Joined(tuple(parts)), "tiles": []})
    expected = declared.Joined(
        tuple(declared.Reference("a", ("id",)) if isinstance(part, Ref) else part for part in parts)
    )
    shop = Step("a", "Service", {"name": "x"})
    read = (
        read_python(python.python_program([shop, step], SCHEMA)),
        read_typescript(typescript.typescript_program([shop, step], SCHEMA)),
        read_yaml(yaml.yaml_resources([shop, step])),
    )
    for each in read:
        assert each.problems == []
        assert each.resources["b"].properties["name"] == expected


def found(kind: str, name: str, object_id: str, inputs: dict[str, Any], **more: Any) -> Found:
    """Return an object as read from the server."""
    return Found(kind, name, object_id, ReadResult({**inputs, **more.pop("outputs", {})}, inputs), **more)


SHOP, LAKE, BOARD = "6a1b0c2d-0000-4000-8000-00000000000a", "7a1b0c2d-0000-4000-8000-00000000000b", "8" * 24
WRITTEN: dict[str, tuple[str, object]] = {
    "a path": (f"instance/{SHOP}", Joined(("instance/", Ref("shop.id")))),
    "a word": (f"is {SHOP}.", Joined(("is ", Ref("shop.id"), "."))),
    "behind a hyphen": (f"service-{SHOP}-x", Joined(("service-", Ref("shop.id"), "-x"))),
    "twice": (f"{SHOP},{SHOP}", Joined((Ref("shop.id"), ",", Ref("shop.id")))),
    "two objects": (f"{SHOP}/{BOARD}", Joined((Ref("shop.id"), "/", Ref("board.id")))),
    "of another server": (f"/dashboards/{BOARD}?x", Joined(("/dashboards/", Ref("board.id"), "?x"))),
    "whole": (SHOP, Ref("shop.id")),
    "a part of a longer word": (f"instance/{SHOP}0", f"instance/{SHOP}0"),
    "unknown": (f"instance/{LAKE}", f"instance/{LAKE}"),
    "the name of a function": ("SELECT echo_string_upper(1)", "SELECT echo_string_upper(1)"),
}


@pytest.mark.parametrize(("text", "written"), WRITTEN.values(), ids=WRITTEN)
def test_ids_in_texts_are_references(text: str, written: object) -> None:
    """Only of objects that the program declares, and only ids that a server assigned."""
    objects = [
        found("Service", "shop", SHOP, {"name": "shop"}),
        found("Dashboard", "board", BOARD, {"name": "board", "serviceId": SHOP, "tiles": []}, service_id=SHOP),
        found("UserDefinedFunction", "echo", "echo_string_upper", {"name": "echo_string_upper"}),
        found("Role", "reader", "9" * 24, {"name": "reader", "policies": [{"resources": [text]}]}),
    ]
    steps, _ = statements(objects)
    (role,) = (each for each in steps if each.kind == "Role")
    assert role.properties["policies"][0]["resources"] == [written]


def test_resource_that_contains_its_own_id_says_so() -> None:
    """No resource can refer to itself."""
    tiles = [{"name": "x", "config": {"markdown": f"see /dashboards/{BOARD}"}}]
    (step,), _ = statements([found("Dashboard", "board", BOARD, {"name": "board", "tiles": tiles})])
    assert step.properties["tiles"] == tiles
    assert step.notes == ("tiles[0].config.markdown: the id of this resource itself.",)


def test_service_in_the_warehouse_of_another_refers_to_it() -> None:
    """The first service of a warehouse has its id as an output only."""
    outputs = {"outputs": {"dataWarehouseId": LAKE}}
    objects = [
        found("Service", "reads", BOARD, {"name": "reads", "dataWarehouseId": LAKE}),
        found("Service", "shop", SHOP, {"name": "shop"}, **outputs),
    ]
    first, second = statements(objects)[0]
    assert (first.name, second.properties["dataWarehouseId"]) == ("shop", Ref("shop.dataWarehouseId"))


PHRASES = (
    *("instance/{}", "organization/{}", "https://x.example.com/dashboards/{}?a=1", "`{}`", "${}", "{{{}}}", '"{}"'),
    *("a-{}_b", "{}", "\\{}", "two\n{}\nlines", "{}/{}", "'{}' ${{x}} $$ {}", "a$"),
)


class Inventory:
    """Services, keys, roles, dashboards, searches and hooks, whose texts contain ids of each other.

    Attributes:
        ids: The ids of the objects.
    """

    def __init__(self, sandbox: Sandbox, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 (draws texts)
        self.ids: list[str] = [str(sandbox.config["clouddb:organizationId"])]
        place = {"provider": "aws", "region": "us-east-1"}
        services: list[str | None] = [None]
        for number in range(self._random.randint(2, 4)):
            service = sandbox.add("services", name=f"service {number}", **place)
            services.append(service["id"])
        warehouse = service["dataWarehouseId"]
        with sandbox.management() as http:
            body = {"name": "reads", "dataWarehouseId": warehouse, "isReadonly": True, **place}
            made = http.post("/services", json=body).raise_for_status().json()
        self.ids += [*filter(None, services), made["result"]["service"]["id"]]
        for number in range(3):
            self.ids.append(sandbox.add_key(name=f"key {number}")["key"]["id"])
        for _ in range(6):
            in_service = {"serviceId": each} if (each := self._random.choice(services)) else {}
            self.ids.append(getattr(self, self._random.choice(("_board", "_search", "_hook")))(sandbox, in_service))
        for number in range(3):
            policy = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"]}
            policies = [{**policy, "resources": [self._text() for _ in range(3)]}]
            self.ids.append(sandbox.add("roles", name=f"role {number}", policies=policies)["id"])
        self.ids.append(warehouse)

    def _text(self) -> str:
        phrase = self._random.choice(PHRASES)
        return phrase.format(*self._random.choices(self.ids, k=2), x="x")

    def _board(self, sandbox: Sandbox, in_service: dict[str, str]) -> str:
        tile = {"x": 0, "y": 0, "w": 6, "h": 3}
        tiles = [
            {"name": f"tile {number}", **tile, "config": {"displayType": "markdown", "markdown": self._text()}}
            for number in range(3)
        ]
        name = f"board {len(self.ids)}"
        return str(sandbox.add("dashboards", name=name, tags=["x"], tiles=tiles, **in_service)["id"])

    def _search(self, sandbox: Sandbox, in_service: dict[str, str]) -> str:
        name = f"search {len(self.ids)}"
        where = self._text()
        return str(sandbox.add("saved_searches", name=name, sourceId=LOGS, where=where, **in_service)["id"])

    def _hook(self, sandbox: Sandbox, in_service: dict[str, str]) -> str:
        hook = {"service": "generic", "url": "https://hooks.example.com/x", "body": self._text()}
        return str(sandbox.add("webhooks", name=f"hook {len(self.ids)}", **hook, **in_service)["id"])


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Inventory, dict[str, Exported]]]:
    """Random inventories, each with its export in every language."""
    made = []
    for seed in range(SEED, SEED + COUNT):
        folder = tmp_path_factory.mktemp("references")
        with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
            inventory = Inventory(sandbox, seed)
            languages = ("python", *READERS)
            made.append((inventory, {each: export(sandbox, folder / each, each) for each in languages}))
    return made


def test_no_program_contains_the_id_of_its_own_object(
    exports: list[tuple[Inventory, dict[str, Exported]]],
) -> None:
    """But for ids that programs give: those of adopted keys; and where a comment says why."""
    for inventory, languages in exports:
        entries = languages["python"].entries
        adopted = {each["id"] for (kind, _), each in entries.items() if kind.endswith("ApiKey")}
        for language, exported in languages.items():
            texts = [each for each in sections(exported.program) if not re.search(r"(#|//) .*: the id of ", each)]
            literal = [text for text in texts if any(each in text for each in {*inventory.ids} - adopted)]
            assert literal == [], language


def sections(program: str) -> Iterator[str]:
    """Yield the statements of a program with the comments above them."""
    yield from re.split(r"\n\n(?=\S)|\n  (?=# |\w+:\n)", program)


def values(program: declared.Program) -> Iterator[Any]:
    """Yield all values in a program."""
    waiting: list[Any] = [each.properties for each in program.resources.values()]
    while waiting:
        value = waiting.pop()
        yield value
        value = value.properties if isinstance(value, declared.Typed) else value
        waiting += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


@pytest.mark.parametrize("language", READERS)
def test_texts_with_references_are_the_servers_texts(
    language: str, exports: list[tuple[Inventory, dict[str, Exported]]]
) -> None:
    """After references are resolved, each resource has the inputs of the import."""
    for _, languages in exports:
        program = READERS[language](languages[language].program)
        assert mistakes(program, SCHEMA) == []
        entries = languages["python"].entries
        live = {(name.rpartition(":")[2], key): each for (name, key), each in entries.items()}
        assert any(isinstance(each, declared.Joined) for each in values(program))
        outputs = {
            each.variable: {
                **plain(live[each.kind, each.name]["outputs"]),
                "id": live[each.kind, each.name]["id"].rpartition("/")[2],
            }
            for each in program.resources.values()
        }
        for each in program.resources.values():
            secret = {name for name, value in each.properties.items() if isinstance(value, declared.Setting)}
            expected = plain(live[each.kind, each.name]["inputs"])
            written = {name: value for name, value in each.properties.items() if name not in secret}
            assert resolved(written, outputs, {}) == {name: expected[name] for name in expected.keys() - secret}
