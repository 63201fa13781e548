"""Everything that the kept facts describe is sent or read, or has a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from description.__main__ import BODIES, NEW, main
from description.bodies import facts_of
from description.declared import NOT_READ, NOT_SENT, PAGES_NOT_READ
from description.facts import CLOUD, OBSERVABILITY, kept
from description.here import Coverage, coverage_of, plain, used
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
        if found in (Coverage.NOT_SENT, Coverage.NOT_READ):
            missing.append(f"{place.operation} {place.part} {place.path}" + (f"={value}" if value else ""))
        elif not isinstance(found, Coverage):
            reasons.add(found)
    assert missing == []
    rows = [*NOT_SENT.values(), *NOT_READ.values(), PAGES_NOT_READ]
    assert {reason for row in rows for reason in row.values()} == reasons


DASHBOARD = "provider/pulumi_clouddb/things/dashboards/dashboard.py"
ALERT = "provider/pulumi_clouddb/things/alerts/alert.py"

REPORTED = {
    "a property of requests and responses": (
        "Alert",
        f"it is not read yet; programs cannot set it yet: declare it in {ALERT}",
    ),
    "a property of responses": ("AlertSilenced", f"it is not read yet: declare it in {ALERT}"),
    "a value that is read as text": ("AlertState", "it is read"),
    "a value that programs cannot set": (
        "NumberFormatOutput",
        f"it is read; programs cannot set it yet: declare it in {DASHBOARD}",
    ),
}


@pytest.mark.parametrize("case", REPORTED)
def test_report_says_whether_an_addition_is_sent_or_read(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the file with the declaration only if something is missing there."""
    name, advice = REPORTED[case]
    document = described(kept(OBSERVABILITY))
    schema = document["components"]["schemas"][name]
    if "enum" in schema:
        schema["enum"].append("planted")
    else:
        schema["properties"]["planted"] = {"type": "string"}
    (file := tmp_path / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(typer.Exit) as ended:
        main(str(file), machine=True)
    assert ended.value.exit_code == NEW
    assert [each["advice"] for each in json.loads(capsys.readouterr().out)] == [advice]
