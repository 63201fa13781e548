"""`make description` says of each kind of change what it asks for: a description with one of each kind is reported."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from typing import Any, NamedTuple

import pytest
import typer

from description.__main__ import COMPARE, NEW, main
from description.bodies import facts_of
from description.facts import CLOUD, kept, read
from description.overlay import OVERLAY
from description.test_changes import described

ORGANIZATION = "/v1/organizations/{organizationId}"
SERVICE = f"{ORGANIZATION}/services/{{serviceId}}"
THINGS = "provider/pulumi_clouddb/things"
PIPES = f"{THINGS}/pipes"
SERVICE_FILE = f"{THINGS}/services/service.py"
JSON = "application/json"

Document = dict[str, Any]
Edit = Callable[[Document, Document], object]
"""A change of the schemas and the paths of a description."""


class Kind(NamedTuple):
    """A kind of change.

    Attributes:
        edit: Makes the change.
        place: Path and operation, or for an operation, only that.
        change: The change in words.
        advice: What it asks for.
    """

    edit: Edit
    place: tuple[str, str]
    change: str
    advice: str


def with_word(schema: Document, word: str) -> Document:
    """Return a variant of a schema that is known by the value of `authentication`."""
    variant = copy.deepcopy(schema)
    variant["properties"] |= {"authentication": {"type": "string", "enum": [word]}, "planted": {"type": "integer"}}
    return variant


def in_variants(schemas: Document, name: str) -> None:
    """Give a schema two variants, each with all of its fields."""
    variants = [with_word(schemas[name], each) for each in ("SERVICE_ACCOUNT", "SERVICE_ACCOUNT_WORKLOAD_IDENTITY")]
    schemas[name] = {"oneOf": variants, "discriminator": {"propertyName": "authentication"}}


def operation(paths: Document, path: str, method: str) -> Document:
    """Return an operation."""
    found: Document = paths[path][method]
    return found


_READ = {"operationId": "planted", "responses": {"200": {"description": "", "content": {JSON: {"schema": {}}}}}}
_CREATE = f"POST {ORGANIZATION}/services"
_FUNCTION = f"POST {ORGANIZATION}/udfs"
_ORGANIZATIONS = "GET /v1/organizations"
_GET_SERVICE = f"GET {SERVICE}"
_SETTINGS = f"PUT {SERVICE}/clickpipes/{{clickPipeId}}/settings"

KINDS: Mapping[str, Kind] = {
    "operation": Kind(
        lambda _, paths: paths.update({f"{SERVICE}/planted": {"get": _READ}}),
        ("", f"GET {SERVICE}/planted"),
        "added operation",
        f"declare it in {THINGS}/services/api.py, or give the reason in tools/codegen/not_managed.py",
    ),
    "operation that is removed": Kind(
        lambda _, paths: paths.pop(f"{SERVICE}/password"),
        ("", f"PATCH {SERVICE}/password"),
        "removed operation",
        f"used here: see {THINGS}/services/api.py",
    ),
    "unused operation that is deprecated": Kind(
        lambda _, paths: operation(paths, f"{ORGANIZATION}/prometheus", "get").update(deprecated=True),
        ("", f"GET {ORGANIZATION}/prometheus"),
        "added deprecated",
        "nothing here uses the operation: compare its reason in tools/codegen/not_managed.py",
    ),
    "used operation that is deprecated": Kind(
        lambda _, paths: operation(paths, f"{SERVICE}/scaling", "patch").update(deprecated=False),
        ("", f"PATCH {SERVICE}/scaling"),
        "removed deprecated",
        f"see {THINGS}/services/api.py",
    ),
    "permission": Kind(
        lambda _, paths: operation(paths, SERVICE, "get").update(security=[{"basicAuth": ["planted:view"]}]),
        ("", _GET_SERVICE),
        "added permission planted:view",
        "keep the facts (WRITE=1) and run make generate: messages name the permissions",
    ),
    "parameter": Kind(
        lambda _, paths: operation(paths, "/v1/organizations", "get").update(
            parameters=[{"in": "query", "name": "limit", "schema": {"type": "integer"}}]
        ),
        ("query limit", _ORGANIZATIONS),
        "added parameter",
        f"see {THINGS}/organizations/api.py",
    ),
    "limit of a parameter": Kind(
        lambda _, paths: operation(paths, ORGANIZATION, "get")["parameters"][0]["schema"].update(maxLength=36),
        ("path organizationId", f"GET {ORGANIZATION}"),
        "added maxLength 36",
        f"see {THINGS}/organizations/api.py",
    ),
    "status of a failure": Kind(
        lambda _, paths: operation(paths, SERVICE, "get")["responses"].update({"451": {"description": ""}}),
        ("451", _GET_SERVICE),
        "added status",
        f"see {THINGS}/services/api.py",
    ),
    "status of a success without a body": Kind(
        lambda _, paths: operation(paths, SERVICE, "delete").update(responses={"204": {"description": ""}}),
        ("", f"DELETE {SERVICE}"),
        "added status 204",
        f"see {THINGS}/services/api.py",
    ),
    "large limits": Kind(
        lambda schemas, _: schemas["ClickPipeSettingsPutRequest"]["properties"][
            "object_storage_max_insert_bytes"
        ].update(maximum=10737418247),
        ("object_storage_max_insert_bytes", _SETTINGS),
        "maximum 53687091200 -> 10737418247",
        f"declared here: 10737418240; compare with {PIPES}/parts.py",
    ),
    "required property of a request": Kind(
        lambda schemas, _: schemas["ServicePostRequest"].update(required=["ipAccessList"]),
        ("ipAccessList", _CREATE),
        "added required",
        f"every request must have it: see {SERVICE_FILE}",
    ),
    "null in a request": Kind(
        lambda schemas, _: schemas["ServicePostRequest"]["properties"]["byocId"].update(type=["null", "string"]),
        ("byocId", _CREATE),
        "added nullable",
        f"requests may have null, which often clears it: see {SERVICE_FILE}",
    ),
    "property that is sent": Kind(
        lambda schemas, _: [each["properties"].pop("returnType") for each in schemas["UdfCreateRequest"]["oneOf"]],
        ("<type=executable>.returnType", _FUNCTION),
        "removed property",
        f"programs can set it: see {THINGS}/user_defined_functions/user_defined_function.py",
    ),
    "value that is sent": Kind(
        lambda schemas, _: schemas["ServicePostRequest"]["properties"]["tier"]["enum"].remove("dedicated_high_mem"),
        ("tier", _CREATE),
        "removed value dedicated_high_mem",
        f"programs can set it: see {SERVICE_FILE}",
    ),
    "property that another thing reads within the record": Kind(
        lambda schemas, _: schemas["ByocConfig"]["properties"].update(accountId={"type": "string"}),
        ("result[].byocConfig[].accountId", _ORGANIZATIONS),
        "added property",
        "it is read",
    ),
    "variant": Kind(
        lambda schemas, _: in_variants(schemas, "ClickPipeMutateBigQuerySource"),
        ("source.bigquery<authentication=SERVICE_ACCOUNT>", f"POST {SERVICE}/clickpipes"),
        "added variant authentication=SERVICE_ACCOUNT",
        f"compare with {PIPES}/databases.py",
    ),
    "word of a variant": Kind(
        lambda *_: None,
        ("source.bigquery<authentication=SERVICE_ACCOUNT>.authentication", f"POST {SERVICE}/clickpipes"),
        "added value SERVICE_ACCOUNT",
        "programs can set it",
    ),
    "field of a variant": Kind(
        lambda *_: None,
        ("source.bigquery<authentication=SERVICE_ACCOUNT>.planted", f"POST {SERVICE}/clickpipes"),
        "added property",
        f"programs cannot set it yet: declare it in {PIPES}/databases.py",
    ),
}
"""Each kind of change, with what is reported of one."""


RULE, OTHER_RULE = "They must be even.", "It can only be read-only if a dataWarehouseId is provided."
"""A new rule sentence, and one that is kept, and held, of one property."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report for machines of a description with all these changes."""
    document = described(kept(CLOUD))
    for each in KINDS.values():
        each.edit(document["components"]["schemas"], document["paths"])
    properties = document["components"]["schemas"]["ServicePostRequest"]["properties"]
    properties["minReplicas"]["description"] = f"Replicas. {RULE}\nThey may grow."
    properties["isReadonly"]["description"] = properties["tags"]["description"] = OTHER_RULE
    return reported(document, tmp_path_factory)


def reported(document: Document, folders: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the report for machines of a description."""
    folder = folders.mktemp("description")
    (file := folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    with redirect_stdout(io.StringIO()) as printed, pytest.raises(typer.Exit) as ended:
        main(str(file), machine=True)
    assert ended.value.exit_code == NEW
    return dict(json.loads(printed.getvalue()))


def in_words(change: Mapping[str, Any]) -> str:
    """Return a change as it is printed."""
    value = change["before"] or change["after"]
    if change["kind"] == "changed":
        return f"{change['what']} {change['before']} -> {change['after']}"
    what = "value" if change["what"] == "member" else change["what"]
    return f"{change['kind']} {what}" + (f" {value}" if value not in ("", "true") else "")


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_is_named_with_what_it_asks_for(report: dict[str, Any], kind: str) -> None:
    """Whatever else has changed."""
    _, place, change, advice = KINDS[kind]
    found = [
        each["advice"]
        for each in report["changes"]
        if place in {(at["path"], at["operation"]) for at in each["places"]} and in_words(each) == change
    ]
    assert found == [advice]


def test_no_field_that_moved_into_variants_is_removed(report: dict[str, Any]) -> None:
    """It is compared with that of each variant: the only removals are the planted ones."""
    removals = (
        each for each in report["changes"] if each["kind"] == "removed" and each["what"] in ("property", "member")
    )
    removed = {at["path"] for each in removals for at in each["places"]}
    assert not any("bigquery" in each for each in removed)
    assert any("returnType" in each for each in removed)


def test_entries_that_hide_a_change_are_named(report: dict[str, Any]) -> None:
    """One that replaces a fact, too: the tests go on with its fact, whatever the description has now."""
    assert report["otherwise"] == [
        "ClickPipeSettingsPutRequest.properties.object_storage_max_insert_bytes.maximum",
        f"{_GET_SERVICE}.permissions",
    ]


def test_entries_whose_place_moved_are_named_with_both_places(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Those that moved into variants are neither described nor described otherwise; a whole operation is described."""
    document = described(facts_of(CLOUD))
    schemas = document["components"]["schemas"]
    in_variants(schemas, "ClickPipeMutateBigQuerySource")
    schemas["ClickPipeSettings"]["properties"]["kafka_read_committed"] = {"type": "integer"}
    renamed = f"{SERVICE}/saved-queries/{{savedQueryId}}"
    document["paths"][renamed] = document["paths"].pop(f"{SERVICE}/saved-queries/{{queryId}}")
    found = reported(document, tmp_path_factory)
    at = "ClickPipeMutateBigQuerySource"
    assert found["moved"] == {
        f"{at}.properties.{name}": [f"{at}.oneOf.{number}.properties.{name}" for number in range(2)]
        for name in ("authentication", "projectId")
    }
    assert found["otherwise"] == ["ClickPipeSettings.properties.kafka_read_committed"]
    assert "adds" in COMPARE
    entries = [each for each in OVERLAY if each.file == CLOUD]
    facts = read(document)
    needed = {each.name for each in entries if each.is_needed(facts)}
    assert {*found["overlay"], *found["moved"], *found["otherwise"], *needed} == {each.name for each in entries}
    assert needed <= {f"{at}.required"}


def test_rule_sentences_are_named_with_what_becomes_of_them(report: dict[str, Any]) -> None:
    """A changed one with what became of the one before; one that is kept is new in another property."""
    rules = {each["text"]: each for each in report["rules"] if each["text"]}
    assert {*rules} == {RULE, OTHER_RULE}
    changed, known = rules[RULE], rules[OTHER_RULE]
    assert (changed["kind"], changed["places"]) == ("changed", ["ServicePostRequest.minReplicas"])
    assert (changed["here"].partition(":")[0], changed["resources"]) == ("new", ["Service"])
    assert "held: Service: minReplicas=1" in changed["before"][0]
    assert "Service.minReplicas must be given together with maxReplicas" in changed["stated"]
    assert (known["kind"], known["places"]) == ("added", ["ServicePostRequest.tags"])
    assert known["here"] == "held: Service: isReadonly=True fails at isReadonly"
    removed = [each for each in report["rules"] if each["kind"] == "removed"]
    assert all(each["places"] and each["digest"] for each in removed)
    assert len(removed) > 100
