"""Playing a recording prints each difference between a server and the sandbox once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acceptance import compare
from acceptance.account import Kind
from acceptance.given import with_member
from acceptance.guard import Ledger, Run
from acceptance.lives import PLUGIN, subjects_of
from acceptance.records import NOT_OURS, Record, Recording
from acceptance.run import clean_up, connected, play, recorded
from clouddb_tools.sandbox import Sandbox
from support.sessions import config_for

JSON = {"content-type": "application/json"}
FIRST = Recording("observability", "clickhouse", "2026-11-26T12:00:00.000Z")
BOARD: dict[str, Any] = {
    "id": "<dashboards-1>",
    "name": "Orders <run>",
    "tiles": [],
    "tags": [],
    "filters": [],
    "savedQuery": None,
    "savedQueryLanguage": None,
    "savedFilterValues": [],
}
ALERT = {
    "source": "tile",
    "interval": "5m",
    "threshold": 10,
    "thresholdType": "above",
    "dashboardId": "<dashboards-1>",
    "tileId": "<id-1:object>",
    "channel": {"type": "webhook", "webhookId": "<id-2:object>"},
}


HOOK = {"name": "Pager <run>", "service": "generic", "url": "<secret-1:url>"}
MADE_HOOK = {**HOOK, "id": "<webhooks-1>", "createdAt": "<time-1>"}


def record(method: str, path: str, request: Any = None, response: Any = None, status: int | None = 200) -> Record:
    """Return a record of the observability server."""
    return Record("probe", method, f"/api/v2/{path}", "", request, status, JSON, response)


CREATE = record("POST", "dashboards", {"name": "Orders <run>", "tiles": []}, {"data": BOARD})
READ = record("GET", "dashboards/<dashboards-1>", None, {"data": BOARD})
DELETE = record("DELETE", "dashboards/<dashboards-1>", None, {})
GONE = record("GET", "dashboards/<dashboards-1>", None, "Not Found", 404)


def other(**changed: Any) -> Record:
    """Return the read with other values in the response."""
    return replace(READ, response={"data": {**BOARD, **changed}})


def compared(folder: Path, *records: Record) -> compare.Comparison:
    """Return the comparison of a recording."""
    file = folder / "run.jsonl"
    lines = [json.dumps(vars(FIRST)), *(each.line() for each in records)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return compare.compare(file)


def test_equal_responses_are_no_difference(tmp_path: Path) -> None:
    """Ids of the sandbox take the place of the words in later requests."""
    result = compared(tmp_path, CREATE, READ, DELETE, GONE)
    assert (result.played, result.differences, result.impossible) == (4, [], [])


SAME: dict[str, Sequence[Record]] = {
    "an id that the client made": [record("GET", "dashboards/<id-1:object>", None, "Not Found", 404)],
    "a refusal that names the same properties in other words": [
        record("POST", "dashboards", {"tiles": []}, {"message": "Body validation failed: name: Missing"}, 400)
    ],
    "an object of somebody else": [CREATE, replace(READ, response=NOT_OURS)],
    "a write to an object that is older than the run": [
        replace(READ, method="PATCH", path="/v1/organizations/<organization>/members/<id-1:uuid>", response=NOT_OURS)
    ],
    "another time in place of the same": [
        replace(
            CREATE, path="/api/v2/webhooks", request=HOOK, response={"data": {**MADE_HOOK, "updatedAt": "<time-1>"}}
        ),
        replace(
            READ,
            method="PUT",
            path="/api/v2/webhooks/<webhooks-1>",
            request=HOOK,
            response={"data": {**MADE_HOOK, "updatedAt": "<time-1>"}},
        ),
    ],
    "a list with objects of others": [CREATE, record("GET", "sources", None, {"data": []})],
    "a request without a response": [CREATE, replace(READ, status=None, response=None), READ],
    "a request with other credentials": [CREATE, replace(READ, status=401, response="Unauthorized"), READ],
    "a request beyond the limit": [CREATE, replace(READ, status=429, response="Too many requests"), READ],
}
"""Recordings without a difference."""


@pytest.mark.parametrize("records", SAME.values(), ids=SAME)
def test_these_are_no_differences(records: Sequence[Record], tmp_path: Path) -> None:
    """What servers are free to choose is no difference."""
    assert compared(tmp_path, *records).differences == []


PLANTED: dict[str, tuple[Sequence[Record], str, str]] = {
    "another value": ([CREATE, other(tags=["a"])], "data.tags", "0 elements; the server has 1"),
    "another type": ([CREATE, other(savedQuery=False)], "data.savedQuery", "null; the server has false"),
    "a property that the sandbox lacks": (
        [CREATE, other(colour="red")],
        "data.colour",
        'is missing; the server has "red"',
    ),
    "a property that the server lacks": (
        [CREATE, replace(READ, response={"data": {k: v for k, v in BOARD.items() if k != "filters"}})],
        "data.filters",
        "[]; the server has no such thing",
    ),
    "another id": ([CREATE, other(id="<dashboards-2>")], "data.id", 'the server has "<dashboards-2>"'),
    "a new id in place of the same": (
        [CREATE, CREATE],
        "data.id",
        'the server has "<dashboards-1>"',
    ),
    "no id": ([CREATE, other(name="<time-1>")], "data.name", 'the server has "<time-1>"'),
    "another status": ([CREATE, replace(DELETE, status=204)], "status", "200; the server has 204"),
    "a refusal of the sandbox": (
        [record("POST", "dashboards", {"tiles": []}, {"data": BOARD})],
        "status",
        "the server has 200",
    ),
    "a refusal of the server": (
        [replace(CREATE, status=400, response={"message": "Too many dashboards"})],
        "status",
        'the server has 400 "Too many dashboards"',
    ),
    "a refusal of another property": (
        [record("POST", "dashboards", {"tiles": []}, {"message": "Body validation failed: tiles: Missing"}, 400)],
        "",
        "Body tiles",
    ),
    "a page in place of JSON": ([record("GET", "nothing", None, {"message": "x"}, 404)], "", '"<page>"'),
}
"""Recordings that differ from the sandbox in one place: the path in the body, and a part of the text."""


@pytest.mark.parametrize(("records", "path", "text"), PLANTED.values(), ids=PLANTED)
def test_planted_difference_is_found(records: Sequence[Record], path: str, text: str, tmp_path: Path) -> None:
    """Each kind of difference is found, and nothing else."""
    (found,) = compared(tmp_path, *records).unknown
    assert found.path == path
    assert text in found.text


def test_difference_is_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A difference in several responses is one line, with the number of the first line of the recording."""
    result = compared(tmp_path, CREATE, other(colour="red"), other(colour="blue"))
    assert [each.lines for each in result.unknown] == [[3, 4]]
    compare.report(tmp_path / "run.jsonl")
    printed = capsys.readouterr().out
    assert printed.count("data.colour") == 1
    assert "GET /api/v2/dashboards/<dashboards>: data.colour" in printed
    assert "(line 3 and 1 more)" in printed
    assert "3 requests played" in printed


def test_request_with_an_unknown_id_is_counted(tmp_path: Path) -> None:
    """A request with an id that the sandbox did not return is not sent."""
    refused = record("POST", "alerts", ALERT, {"data": {"id": "<alerts-1>"}})
    result = compared(tmp_path, CREATE, refused, record("DELETE", "alerts/<alerts-1>", None, {}))
    assert (result.played, result.impossible, len(result.unknown)) == (2, [4], 1)


def test_known_difference_has_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference in the table is known; others stay unknown."""
    known = compare.Reason("GET .*/dashboards/<dashboards>", r"data\.colour", "Newer servers have colors.")
    monkeypatch.setattr(compare, "KNOWN", (known,))
    result = compared(tmp_path, CREATE, other(colour="red", shape="round"))
    assert [(each.path, each.reason) for each in result.differences] == [
        ("data.colour", "Newer servers have colors."),
        ("data.shape", None),
    ]


MADE: dict[str, Callable[[str], bool]] = {
    "<secret-1:url>": lambda text: text.startswith("https://"),
    "<secret-1:private>": lambda text: "//127.0.0.1/" in text,
    "<secret-1:slack>": lambda text: ".slack.com/" in text,
    "<secret-1:sha256>": lambda text: len(text) == 44 and text.endswith("="),
    "<secret-1:sha1>": lambda text: len(text) == 40,
    "<secret-1:text4>": lambda text: len(text) == 4,
    "<mail-1:mail>": lambda text: text == "mail-1@example.com",
    "<id-1:uuid>": lambda text: len(text) == 36,
}


@pytest.mark.parametrize(("word", "fits"), MADE.items(), ids=MADE)
def test_values_of_the_client_have_their_form(word: str, fits: Callable[[str], bool], tmp_path: Path) -> None:
    """A word with a form is sent as a value of that form."""
    boards = [{**BOARD, "name": word}]
    create = record("POST", "dashboards", {"name": word, "tiles": []}, {"data": boards[0]})
    assert compared(tmp_path, create).differences == []
    assert fits(compare.made(*word[1:-1].partition("-")[2].split(":")))


def test_last_recording_is_played_without_a_name(tmp_path: Path) -> None:
    """`1` is the last recording; without one, the error says how to make it."""
    with pytest.raises(FileNotFoundError, match="YES=1"):
        compare.chosen("1", tmp_path)
    for number, name in enumerate(("b", "a")):
        (tmp_path / f"{name}.jsonl").touch()
        os.utime(tmp_path / f"{name}.jsonl", (number, number))
    assert compare.chosen("1", tmp_path).stem == "a"
    assert compare.chosen("other.jsonl", tmp_path) == Path("other.jsonl")


RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.jsonl"))


@pytest.mark.beyond_the_description
@pytest.mark.parametrize("file", RECORDED, ids=lambda each: each.stem)
def test_sandbox_responds_like_the_recorded_server(file: Path) -> None:
    """All requests of the recording are played, and no difference is unknown."""
    result = compare.compare(file)
    assert [str(each) for each in result.unknown] == []
    assert result.impossible == []


@pytest.mark.slow
@pytest.mark.beyond_the_description
@pytest.mark.parametrize("kind", Kind, ids=lambda each: each.value)
def test_recording_of_a_sandbox_has_no_difference(kind: Kind, tmp_path: Path) -> None:
    """All lives on one sandbox, played to another: neither words nor values of a server make a difference.

    Both front ends send the same requests (tests/provider/contract).
    """
    with Sandbox(vocabulary="clickhouse") as sandbox:
        needs = with_member(sandbox)
        ledger = Ledger(Run.new(), tmp_path / "run.jsonl", allowances=needs.allowances)
        with (
            connected(kind, config_for(sandbox), ledger) as connection,
            recorded(connection, needs.model_dump()) as file,
        ):
            lives = play(connection, subjects_of(kind), needs, lambda _: None, front_ends=[PLUGIN])
            clean_up(connection)
    assert [each.subject.name for each in lives if not each.passed] == []
    result = compare.compare(file)
    assert [str(each) for each in result.unknown] == []
    assert result.impossible == []
