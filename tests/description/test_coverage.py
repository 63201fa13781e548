"""Everything that the kept facts describe is sent or read, or has a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer

from description.__main__ import BODIES, NEW, main
from description.__main__ import advice as advice_of
from description.bodies import facts_of
from description.changes import CHANGED, Change
from description.declared import NOT_READ, NOT_SENT, PAGES_NOT_READ
from description.facts import CLOUD, OBSERVABILITY, kept, plain
from description.here import MISSING, NEW_THING, Coverage, coverage_of, owner_of, used
from description.overlay import OVERLAY
from description.places import Place, places
from description.test_changes import described

FILES = (CLOUD, OBSERVABILITY)


def covered() -> Iterator[tuple[Place, str | None, Coverage | str]]:
    """Yield each property and each value in the bodies of used operations, with whether it is sent or read."""
    for facts in (*map(kept, FILES), *map(facts_of, FILES)):
        for place, said in places(facts).items():
            if place.part not in BODIES or plain(place.operation) not in used():
                continue
            values = [value for word, value in said.facts if word == "member"]
            is_property = place.steps and place.steps[-1].startswith(".")
            for value in [*([None] if is_property else []), *values]:
                yield from ((place, value, each) for each in coverage_of(place, value))


def test_everything_described_is_sent_or_read_or_has_a_reason() -> None:
    """This is so with and without the overlay; NOT_SENT, NOT_READ and PAGES_NOT_READ have no other reasons."""
    missing, reasons = [], set()
    for place, value, found in covered():
        if found in MISSING:
            missing.append(f"{place.operation} {place.part} {place.path}" + (f"={value}" if value else ""))
        elif not isinstance(found, Coverage):
            reasons.add(found)
    assert missing == []
    rows = [*NOT_SENT.values(), *NOT_READ.values(), PAGES_NOT_READ]
    assert {reason for row in rows for reason in row.values()} == reasons


DASHBOARDS = "provider/pulumi_clouddb/things/dashboards"
ALERT = "provider/pulumi_clouddb/things/alerts/alert.py"
ALERT_PARTS = "provider/pulumi_clouddb/things/alerts/parts.py"

REPORTED: Mapping[str, tuple[str, Mapping[str, Any], str]] = {
    "a property of requests and responses": (
        "Alert",
        {"properties": {"planted": {"type": "string"}}},
        f"it is not read yet; programs cannot set it yet: declare it in {ALERT}",
    ),
    "a property of responses": (
        "AlertSilenced",
        {"properties": {"planted": {"type": "string"}}},
        f"it is not read yet: declare it in {ALERT}",
    ),
    "a value that is read as text": ("AlertState", {"enum": ["planted"]}, "it is read"),
    "a value of an open list": (
        "NumberFormatOutput",
        {"enum": ["planted"]},
        f"it is read; programs can set it, with a warning: declare it in {DASHBOARDS}/number_format.py",
    ),
    "a value of a closed list": (
        "AlertSource",
        {"enum": ["planted"]},
        f"check rejects it, because the list is closed; it is read: declare it in {ALERT_PARTS}",
    ),
    "an interval": (
        "AlertInterval",
        {"enum": ["2m"]},
        f"it is read; programs can set it, with a warning: declare it in {ALERT_PARTS}",
    ),
    "another limit": (
        "DashboardContainer",
        {"properties": {"tabs": {"maxItems": 25}}},
        f"declared here: 20; compare with {DASHBOARDS}/parts.py",
    ),
    "a limit that is declared": (
        "SavedFilterValue",
        {"properties": {"condition": {"maxLength": 10000}}},
        "it is declared so",
    ),
    "a limit that is not declared": (
        "AlertChannelWebhook",
        {"properties": {"webhookId": {"maxLength": 24}}},
        f"declared here: none; compare with {ALERT_PARTS}",
    ),
}
"""A named schema, what is added to it, and the advice for that."""


@pytest.mark.parametrize("case", REPORTED)
def test_report_says_what_a_change_asks_for(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It names the file with the declaration only if something is missing or differs there."""
    name, added, advice = REPORTED[case]
    document = described(kept(OBSERVABILITY))
    add(document["components"]["schemas"][name], added)
    (file := tmp_path / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(typer.Exit) as ended:
        main(str(file), machine=True)
    assert ended.value.exit_code == NEW
    assert [each["advice"] for each in json.loads(capsys.readouterr().out)["changes"]] == [advice]


def add(schema: dict[str, Any], added: Mapping[str, Any]) -> None:
    """Add properties and limits to a schema, and values to its enum."""
    for word, value in added.items():
        if isinstance(value, dict):
            add(schema.setdefault(word, {}), value)
        else:
            schema[word] = [*schema[word], *value] if isinstance(value, list) else value


def test_report_for_machines_has_the_entries_of_the_overlay_that_are_described(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They can be deleted."""
    (file := tmp_path / "openapi.json").write_text(json.dumps(described(facts_of(OBSERVABILITY))), encoding="utf-8")
    with pytest.raises(typer.Exit):
        main(str(file), machine=True)
    names = [each.name for each in OVERLAY if each.file == OBSERVABILITY]
    assert json.loads(capsys.readouterr().out)["overlay"] == names


VARIANTS = {"tile": ("TileConfig", "displayType"), "source": ("Source", "kind")}
"""A schema with several types, and the property whose value says which one it is."""


def report(document: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return the report for machines of a description."""
    (file := folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(typer.Exit):
        main(str(file), machine=True)
    return dict(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize(("name", "word"), VARIANTS.values(), ids=VARIANTS)
def test_new_variant_is_named_with_its_word_and_its_fields(
    name: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs that can set its neighbours cannot set it."""
    document = described(kept(OBSERVABILITY))
    fields = {word: {"type": "string", "enum": ["planted"]}, "petals": {"type": "integer"}}
    document["components"]["schemas"]["Planted"] = {"type": "object", "properties": fields}
    document["components"]["schemas"][name]["oneOf"].append({"$ref": "#/components/schemas/Planted"})
    found = report(document, tmp_path, capsys)["changes"]
    advice = {(each["what"], each["places"][0]["path"]): each["advice"] for each in found}
    declared = {path.rpartition(".")[2]: what for (what, path), text in advice.items() if "declare it in" in text}
    assert declared == {"petals": "property", word: "member"}
    assert any(what == "variant" and path.endswith("<Planted>") for what, path in advice)


def test_path_that_nothing_here_has_is_a_new_resource() -> None:
    """It is not of the thing whose address happens to begin like it."""
    assert owner_of("POST /api/v2/planted") == owner_of("GET /api/v2/planted/{id}") == NEW_THING
    assert owner_of("POST /api/v2/alerts/{id}/planted").file == ALERT


def test_limit_is_written_as_in_the_description() -> None:
    """All digits of a large number."""
    limit = ("maximum", "10737418240")
    place = next(each for each, said in places(kept(CLOUD)).items() if limit in said.facts and each.part == "request")
    change = Change(CHANGED, limit[0], limit[1], "7", (place,))
    assert limit[1] in advice_of(change, owner_of(place.operation))


def test_entry_of_the_overlay_whose_place_moved_is_not_to_be_deleted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named with the place that has its name now, in a variant of the schema."""
    of_schemas = [each for each in OVERLAY if each.file == OBSERVABILITY and each.at[0] == "schemas" and not each.adds]
    entry = next(each for each in of_schemas if each.at[2] == "properties")
    document = described(kept(OBSERVABILITY))
    schemas = document["components"]["schemas"]
    schemas["Planted"] = schemas[str(entry.at[1])]
    schemas[str(entry.at[1])] = {"oneOf": [{"$ref": "#/components/schemas/Planted"}, {"type": "string"}]}
    found = report(document, tmp_path, capsys)
    assert entry.name not in found["overlay"]
    assert [each.partition(".")[0] for each in found["moved"][entry.name]] == ["Planted"]
