"""Everything that the kept facts describe is sent or read, or has a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer

from description.__main__ import BODIES, NEW, main
from description.bodies import facts_of
from description.declared import NOT_READ, NOT_SENT, PAGES_NOT_READ
from description.facts import CLOUD, OBSERVABILITY, kept
from description.here import MISSING, Coverage, coverage_of, plain, used
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


DASHBOARD = "provider/pulumi_clouddb/things/dashboards/dashboard.py"
ALERT = "provider/pulumi_clouddb/things/alerts/alert.py"

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
        f"it is read; programs can set it, with a warning: declare it in {DASHBOARD}",
    ),
    "a value of a closed list": (
        "AlertSource",
        {"enum": ["planted"]},
        f"check rejects it, because the list is closed; it is read: declare it in {ALERT}",
    ),
    "another limit": (
        "DashboardContainer",
        {"properties": {"tabs": {"maxItems": 25}}},
        f"declared here: 20; compare with {DASHBOARD}",
    ),
    "a limit that is declared": (
        "SavedFilterValue",
        {"properties": {"condition": {"maxLength": 10000}}},
        "it is declared so",
    ),
    "a limit that is not declared": (
        "AlertChannelWebhook",
        {"properties": {"webhookId": {"maxLength": 24}}},
        f"declared here: none; compare with {ALERT}",
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
