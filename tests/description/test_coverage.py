"""Everything that the kept facts describe is sent or read, or has a reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from description.__main__ import BODIES
from description.__main__ import advice as advice_of
from description.bodies import facts_of
from description.changes import CHANGED, Change
from description.declared import NOT_READ, NOT_SENT, PAGES_NOT_READ
from description.facts import CLOUD, OBSERVABILITY, kept, plain
from description.here import MISSING, NEW_THING, Coverage, coverage_of, owner_of, used
from description.overlay import OVERLAY
from description.places import Place, places
from description.test_changes import described
from description.test_reported import reported

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

REPORTED: Mapping[str, tuple[str, Mapping[str, Any], str, str]] = {
    "a property of requests and responses": (
        "Alert",
        {"properties": {"petals": {"type": "string"}}},
        "petals",
        f"it is not read yet; programs cannot set it yet: declare it in {ALERT}",
    ),
    "a property of responses": (
        "AlertSilenced",
        {"properties": {"roots": {"type": "string"}}},
        "roots",
        f"it is not read yet: declare it in {ALERT}",
    ),
    "a value that is read as text": ("AlertState", {"enum": ["budding"]}, "budding", "it is read"),
    "a value of an open list": (
        "NumberFormatOutput",
        {"enum": ["pollen"]},
        "pollen",
        f"it is read; programs can set it, with a warning: declare it in {DASHBOARDS}/number_format.py",
    ),
    "a value of a closed list": (
        "AlertSource",
        {"enum": ["seed"]},
        "seed",
        f"check rejects it, because the list is closed; it is read: declare it in {ALERT_PARTS}",
    ),
    "an interval": (
        "AlertInterval",
        {"enum": ["2m"]},
        "2m",
        f"it is read; programs can set it, with a warning: declare it in {ALERT_PARTS}",
    ),
    "another limit": (
        "DashboardContainer",
        {"properties": {"tabs": {"maxItems": 25}}},
        "25",
        f"declared here: 20; compare with {DASHBOARDS}/parts.py",
    ),
    "a limit that is declared": (
        "SavedFilterValue",
        {"properties": {"condition": {"maxLength": 10000}}},
        "10000",
        "it is declared so",
    ),
    "a limit that is not declared": (
        "AlertChannelWebhook",
        {"properties": {"webhookId": {"maxLength": 24}}},
        "24",
        f"declared here: none; compare with {ALERT_PARTS}",
    ),
}
"""A named schema, what is added to it, the new property or value, and the advice for that."""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The changes that are reported of a description with all these additions."""
    document = described(kept(OBSERVABILITY))
    for name, added, _, _ in REPORTED.values():
        add(document["components"]["schemas"][name], added)
    return [*reported(document, tmp_path_factory)["changes"]]


@pytest.mark.parametrize("case", REPORTED)
def test_report_says_what_a_change_asks_for(case: str, changed: list[dict[str, Any]]) -> None:
    """It names the file with the declaration only if something is missing or differs there."""
    _, _, new, advice = REPORTED[case]
    of_new = [each for each in changed if new in (each["after"], each["places"][0]["path"].rpartition(".")[2])]
    assert [each["advice"] for each in of_new] == [advice]


def test_report_has_no_other_changes(changed: list[dict[str, Any]]) -> None:
    """An addition is one change, in however many operations it is."""
    assert len(changed) == len(REPORTED)


def add(schema: dict[str, Any], added: Mapping[str, Any]) -> None:
    """Add properties and limits to a schema, and values to its enum."""
    for word, value in added.items():
        if isinstance(value, dict):
            add(schema.setdefault(word, {}), value)
        else:
            schema[word] = [*schema[word], *value] if isinstance(value, list) else value


def test_report_for_machines_has_the_entries_of_the_overlay_that_are_described(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """They can be deleted."""
    names = [each.name for each in OVERLAY if each.file == OBSERVABILITY]
    assert reported(described(facts_of(OBSERVABILITY)), tmp_path_factory)["overlay"] == names


VARIANTS = {"tile": ("TileConfig", "displayType"), "source": ("Source", "kind")}
"""A schema with several types, and the property whose value says which one it is."""
MOVED = next(
    each
    for each in OVERLAY
    if each.file == OBSERVABILITY and each.at[0] == "schemas" and each.at[2] == "properties" and not each.adds
)
"""An entry of the overlay whose place moves into a variant."""


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of a description with new variants, one of them of a schema that had none."""
    document = described(kept(OBSERVABILITY))
    schemas = document["components"]["schemas"]
    for name, word in VARIANTS.values():
        fields = {word: {"type": "string", "enum": ["planted"]}, "petals": {"type": "integer"}}
        schemas[f"{name}Planted"] = {"type": "object", "properties": fields}
        schemas[name]["oneOf"].append({"$ref": f"#/components/schemas/{name}Planted"})
    schemas["Moved"] = schemas[str(MOVED.at[1])]
    schemas[str(MOVED.at[1])] = {"oneOf": [{"$ref": "#/components/schemas/Moved"}, {"type": "string"}]}
    return reported(document, tmp_path_factory)


@pytest.mark.parametrize(("name", "word"), VARIANTS.values(), ids=VARIANTS)
def test_new_variant_is_named_with_its_word_and_its_fields(name: str, word: str, varied: dict[str, Any]) -> None:
    """Programs that can set its neighbours cannot set it."""
    advice = {(each["what"], each["places"][0]["path"]): each["advice"] for each in varied["changes"]}
    of_variant = {key: text for key, text in advice.items() if f"<{name}Planted>" in key[1]}
    declared = {path.rpartition(".")[2]: what for (what, path), text in of_variant.items() if "declare it in" in text}
    assert declared == {"petals": "property", word: "member"}
    assert any(what == "variant" and path.endswith(f"<{name}Planted>") for what, path in of_variant)


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


def test_entry_of_the_overlay_whose_place_moved_is_not_to_be_deleted(varied: dict[str, Any]) -> None:
    """It is named with the place that has its name now, in a variant of the schema."""
    assert MOVED.name not in varied["overlay"]
    assert [each.partition(".")[0] for each in varied["moved"][MOVED.name]] == ["Moved"]
