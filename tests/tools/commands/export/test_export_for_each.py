"""An export of Terraform's modules and `for_each`: short names, loops, constants and no id of an object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pulumi
import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.engine.wire import codec
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.declared import mistakes
from support.exported import Exported, export, needed, plain, resolved
from support.read_python import read_python
from support.read_typescript import read_typescript
from support.registered import registered
from support.schema import SCHEMA
from support.shop import Shop


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Exported]]:
    """The export of the shop in Python and in TypeScript."""
    folder = tmp_path_factory.mktemp("shop")
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        file = folder / "terraform.tfstate"
        file.write_text(json.dumps(Shop(sandbox).state), encoding="utf-8")
        words = ("--from-terraform", str(file))
        yield {each: export(sandbox, folder / each, each, *words) for each in ("python", "python-plugin", "typescript")}


def test_program_is_as_an_engineer_would_have_written_it(exports: dict[str, Exported]) -> None:
    """Loops over the keys of `for_each`, one access list, references by key, and short names."""
    text = exports["python"].program
    assert len(exports["python"].entries) >= 40
    for each in (
        "for key, value in SHOP_SERVICES.items()\n",
        'f"shop-{key}"',
        "ip_access_list=IP_ACCESS_LIST,",
        "service_id=shop_services[key].id,",
        'pulumi.Output.concat("instance/", shop_services[key].id)',
        'f"clicks-{key}"',
    ):
        assert each in text, each
    assert not re.search(r"prod_prod|prod-prod|as_ratio|fill_nulls|IP_ACCESS_LIST_2|TILES", text)
    in_typescript = exports["typescript"].program
    for each in ("ipAccessList: ipAccessList", "serviceId: shopServices[key].id", "`instance/${shopServices[key].id}`"):
        assert each in in_typescript, each
    assert (text.count("IP_ACCESS_LIST = "), in_typescript.count("const ipAccessList = ")) == (1, 1)


@pytest.mark.slow
def test_loops_declare_the_objects_of_the_state(exports: dict[str, Exported]) -> None:
    """Python runs as the class of this package, and every resource has the inputs of the import that it needs."""
    exported = exports["python"]
    keys = set(re.findall(r'config.require_secret\("(\w+)"\)', exported.program))
    pulumi.runtime.set_all_config({f"project:{key}": f"the value of {key}" for key in keys})
    known = {key: (entry["id"], strip(codec.read(entry["outputs"]))) for key, entry in exported.entries.items()}
    declared = registered(exported.folder, known)
    pulumi.runtime.set_all_config({})
    assert declared.keys() == exported.entries.keys()
    for key, entry in exported.entries.items():
        expected, found = needed(key[0].rpartition(":")[2], plain(entry["inputs"])), plain(declared[key])
        assert {n: v for n, v in found.items() if n != "url"} == {n: v for n, v in expected.items() if n != "url"}, key


@pytest.mark.parametrize(("language", "reader"), [("python-plugin", read_python), ("typescript", read_typescript)])
def test_loops_of_other_languages_declare_the_same(language: str, reader: Any, exports: dict[str, Exported]) -> None:
    """With the same resource names; no id of an object is in the program, but for adopted keys."""
    program = reader(exports[language].program)
    assert mistakes(program, SCHEMA) == []
    entries = {(kind.rpartition(":")[2], name): each for (kind, name), each in exports["python"].entries.items()}
    assert {(each.kind, each.name) for each in program.resources.values()} == entries.keys()
    outputs = {
        each.variable: {**plain(entries[each.kind, each.name]["outputs"]), "id": entries[each.kind, each.name]["id"]}
        for each in program.resources.values()
    }
    for each in program.resources.values():
        written = {name: value for name, value in each.properties.items() if name != "url"}
        expected = needed(each.kind, plain(entries[each.kind, each.name]["inputs"]))
        assert resolved(written, outputs, {}) == {name: value for name, value in expected.items() if name != "url"}
    ids = [each["id"] for (kind, _), each in entries.items() if kind != "ApiKey"]
    assert [each for each in ids if each in exports[language].program] == []
