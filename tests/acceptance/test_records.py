"""Recordings: ids are words, and neither secrets nor objects of others are in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from acceptance.account import Kind
from acceptance.guard import Ledger, Run
from acceptance.proxy import Proxy
from acceptance.records import NOT_OURS, Recorder, Recording, SecretsInRecordsError, Words, brief, read, secrets_in
from acceptance.run import connected, recorded
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.config import ProviderConfig

RUN = Run("acc00112233aabb")
NOW = "2026-11-26T12:00:00.000Z"
TILE = {"name": "Errors", "x": 0, "y": 0, "w": 6, "h": 3}


@contextmanager
def recording_of(
    sandbox: Sandbox, file: Path, server: str = "observability"
) -> Iterator[tuple[httpx.Client, Recorder]]:
    """A client of a sandbox through the proxy, which records its exchanges."""
    cloud = server == "cloud"
    organization, secrets = (sandbox.organization_id, [sandbox.key_secret]) if cloud else ("", [sandbox.stack_token])
    recorder = Recorder(file, Recording(server, sandbox.vocabulary, NOW), RUN.token, organization, secrets)
    http = sandbox.management() if cloud else sandbox.self_hosted()
    with Proxy(sandbox.url, Ledger(RUN), [recorder]) as proxy, http:
        http.base_url = httpx.URL(proxy.url + http.base_url.path)
        yield http, recorder


def sent(http: httpx.Client, method: str, path: str, body: Any = None) -> Any:
    """Send a request, and return the object in the response."""
    response = http.request(method, path, json=body)
    body = response.json()
    return body.get("data", body.get("result", body))


def test_same_value_is_the_same_word(sandbox: Sandbox, tmp_path: Path) -> None:
    """The id in a response is the same word in later paths, bodies and responses."""
    file = tmp_path / "run.jsonl"
    with recording_of(sandbox, file) as (http, _):
        source = next(iter(sandbox.sources))
        tile = {**TILE, "config": {"displayType": "number", "sourceId": source, "select": [{"aggFn": "count"}]}}
        board = sent(http, "POST", "dashboards", {"name": RUN.name("Orders"), "tiles": [tile]})
        sent(http, "PUT", f"dashboards/{board['id']}", {"name": RUN.name("Orders"), "tiles": board["tiles"]})
        sent(http, "DELETE", f"dashboards/{board['id']}")
    first, records = read(file)
    assert first.server == "observability"
    made, put, gone = records
    assert (made.path, put.path, gone.path) == ("/api/v2/dashboards", *["/api/v2/dashboards/<dashboards-1>"] * 2)
    assert made.request["name"] == "Orders <run>"
    assert made.request["tiles"][0]["config"]["sourceId"] == "<id-1:object>"
    assert made.response["data"]["id"] == put.response["data"]["id"] == "<dashboards-1>"
    assert put.request["tiles"][0]["id"] == put.response["data"]["tiles"][0]["id"] == "<tiles-1>"


def test_ids_of_any_form_are_words() -> None:
    """An id that a server makes is a word in any form, and one that a client makes stays."""
    words = Words()
    assert words.request({"containers": [{"id": "main"}]}) == {"containers": [{"id": "main"}]}
    made = words.response({"data": {"id": "dsh_1", "tiles": [{"id": "t 1", "containerId": "main"}]}}, "dashboards")
    assert made == {"data": {"id": "<dashboards-1>", "tiles": [{"id": "<tiles-1>", "containerId": "main"}]}}
    assert words.request("/api/v2/dashboards/dsh_1") == "/api/v2/dashboards/<dashboards-1>"
    assert words.request({"dashboardId": "dsh_1", "name": "dsh_1 and more"}) == {
        "dashboardId": "<dashboards-1>",
        "name": "dsh_1 and more",
    }


def test_addresses_of_a_pipe_stay() -> None:
    """Only the address of a webhook is a secret, and so is the connection string beside that of a bucket."""
    bucket = {"url": "https://a.example.com/events/*.json", "connectionString": "Account=canary-1234"}
    hook = {"url": "https://a.example.com/canary-1234"}
    assert Words().request({"source": {"objectStorage": bucket}, **hook}) == {
        "source": {"objectStorage": {"url": bucket["url"], "connectionString": "<secret-1:text>"}},
        "url": "<secret-2:url>",
    }
    assert {*secrets_in({"source": {"objectStorage": bucket}, **hook})} == {bucket["connectionString"], hook["url"]}


def test_times_of_the_program_stay_and_those_of_the_server_are_words(sandbox: Sandbox, tmp_path: Path) -> None:
    """A time that a request contains is no word, in whatever form the server returns it."""
    with recording_of(sandbox, tmp_path / "run.jsonl", "cloud") as (http, recorder):
        sent(http, "POST", "keys", {"name": RUN.name("ci"), "roles": ["developer"], "expireAt": "2041-03-04T05:06:07Z"})
    key = read(recorder.file)[1][0].response["result"]["key"]
    assert (key["expireAt"], key["createdAt"]) == ("2041-03-04T05:06:07.000Z", "<time-1>")


SECRETS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "of a connection": (
        "observability",
        "connections",
        {"name": RUN.name("Main"), "host": "http://localhost:8123", "username": "default", "password": "canary-1234"},
    ),
    "of a webhook": (
        "observability",
        "webhooks",
        {
            "name": RUN.name("Pager"),
            "service": "generic",
            "url": "https://a.example.com/canary-1234",
            "headers": {"X": "canary-1234"},
        },
    ),
    "of a pipe": (
        "cloud",
        "services/{service}/clickpipes",
        {
            "name": RUN.name("clicks"),
            "source": {
                "kafka": {
                    "type": "kafka",
                    "brokers": "broker:9092",
                    "topics": "clicks",
                    "format": "JSONEachRow",
                    "authentication": "PLAIN",
                    "credentials": {"username": "canary-1234-user", "password": "canary-1234"},
                }
            },
            "destination": {
                "database": "default",
                "table": "clicks",
                "managedTable": True,
                "columns": [{"name": "a", "type": "String"}],
                "tableDefinition": {"engine": {"type": "MergeTree"}},
            },
        },
    ),
}
"""The API, a collection and the body of a create with a secret, by what it is of."""


@pytest.mark.parametrize(("server", "path", "body"), SECRETS.values(), ids=SECRETS)
def test_secrets_of_requests_are_words(
    server: str, path: str, body: dict[str, Any], sandbox: Sandbox, tmp_path: Path
) -> None:
    """No secret of a request is in a recording, also where a later response repeats it."""
    with recording_of(sandbox, tmp_path / "run.jsonl", server) as (http, recorder):
        if "{service}" in path:
            made = sent(
                http, "POST", "services", {"name": RUN.name("Orders"), "provider": "aws", "region": "us-east-1"}
            )
            path = path.format(service=made["service"]["id"])
        assert "id" in sent(http, "POST", path, body)
        sent(http, "GET", path)
        recorder.check({"password": "canary-1234"})
    text = recorder.file.read_text()
    assert "canary" not in text
    assert "<secret-1:" in text


def test_secret_is_its_word_in_each_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any spelling of any secret so far is replaced; the spellings are made once, for a run has many secrets."""
    words = Words()
    words.request([{"password": f"canary/{number:08}"} for number in range(100)])
    monkeypatch.setattr("acceptance.records.spellings_of", None)
    assert words.response("canary%2F00000007 and canary/00000099", "") == "<secret-8:text> and <secret-100:text>"


def test_credentials_that_are_returned_once_are_words(sandbox: Sandbox, tmp_path: Path) -> None:
    """The password of a service, and the id and the secret of a key, are in no recording."""
    with recording_of(sandbox, tmp_path / "run.jsonl", "cloud") as (http, recorder):
        service = sent(http, "POST", "services", {"name": RUN.name("Orders"), "provider": "aws", "region": "us-east-1"})
        key = sent(http, "POST", "keys", {"name": RUN.name("ci"), "roles": ["developer"]})
        recorder.check([{"password": service["password"]}, {"keySecret": key["keySecret"]}])
    made = [each.response["result"] for each in read(recorder.file)[1]]
    assert (made[0]["password"], made[1]["keyId"], made[1]["keySecret"]) == (
        "<secret-1:text>",
        "<secret-2:text>",
        "<secret-3:text>",
    )


@pytest.mark.parametrize("canary", ["canary-1234", "canary 12/34", 'canary"12'])
def test_canary_in_a_recording_fails_the_check(canary: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """A planted value in a field that no declaration marks as secret fails the check, in every spelling."""
    with recording_of(sandbox, tmp_path / "run.jsonl") as (http, recorder):
        http.get("alerts", params={"limit": canary})
        http.post("dashboards", json={"name": RUN.name(canary), "tiles": []})
        with pytest.raises(SecretsInRecordsError, match="lines 2, 3") as error:
            recorder.check({"password": canary})
    assert canary not in str(error.value)


def test_credentials_of_the_account_fail_the_check(sandbox: Sandbox, tmp_path: Path) -> None:
    """The secret of the account's key is a canary by itself."""
    with recording_of(sandbox, tmp_path / "run.jsonl") as (http, recorder):
        http.post("dashboards", json={"name": RUN.name(sandbox.stack_token), "tiles": []})
        sent(http, "GET", "dashboards")
    assert sandbox.stack_token not in recorder.file.read_text()  # a token has the form of an id
    with recording_of(sandbox, tmp_path / "other.jsonl", "cloud") as (http, recorder):
        http.get("services", params={"filter": sandbox.key_secret})
        with pytest.raises(SecretsInRecordsError):
            recorder.check()


@pytest.mark.parametrize(
    ("server", "kind", "path", "body"),
    [
        ("observability", "dashboards", "dashboards", {"name": RUN.name("Orders"), "tiles": []}),
        ("cloud", "services", "services", {"name": RUN.name("Orders"), "provider": "aws", "region": "us-east-1"}),
    ],
    ids=["dashboards", "services"],
)
def test_objects_of_others_are_not_recorded(
    server: str, kind: str, path: str, body: dict[str, Any], sandbox: Sandbox, tmp_path: Path
) -> None:
    """Lists contain only the objects of the run, and reads of other objects contain nothing."""
    stranger = sandbox.add(kind, name="Payroll")
    with recording_of(sandbox, tmp_path / "run.jsonl", server) as (http, recorder):
        sent(http, "POST", path, body)
        assert len(sent(http, "GET", path)) == 2
        sent(http, "GET", f"{path}/{stranger['id']}")
    text, (_, (_, listed, read_one)) = recorder.file.read_text(), read(recorder.file)
    assert "Payroll" not in text
    assert stranger["id"] not in text
    assert [each["name"] for each in listed.response.get("data", listed.response.get("result"))] == ["Orders <run>"]
    assert read_one.response == NOT_OURS


def test_organization_members_and_token_are_not_recorded(sandbox: Sandbox, tmp_path: Path) -> None:
    """What describes the account is not recorded."""
    with recording_of(sandbox, tmp_path / "run.jsonl", "cloud") as (http, recorder):
        for path in ("", "/members", "/keys", "/roles"):
            assert http.get(path).status_code == 200
    with recording_of(sandbox, tmp_path / "other.jsonl") as (http, other):
        assert http.get("/").status_code == 200
    bodies = [each.response for each in (*read(recorder.file)[1], *read(other.file)[1])]
    assert all(each == NOT_OURS or each["result"] == [] for each in bodies), bodies
    assert sandbox.organization_id not in recorder.file.read_text()


def test_headers_of_the_limit_are_kept(tmp_path: Path) -> None:
    """Headers of the rate limit are in the recording, and no others that could identify a caller."""
    with (
        Sandbox(vocabulary="clickhouse", rate_limit=True) as sandbox,
        recording_of(sandbox, tmp_path / "run.jsonl") as (http, recorder),
    ):
        http.get("dashboards")
    headers = read(recorder.file)[1][0].headers
    assert headers.keys() == {"content-type", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"}


@pytest.mark.parametrize(
    ("body", "content"),
    [
        (None, None),
        ({"a": 1}, {"a": 1}),
        ("Not Found", "Not Found"),
        ("<!DOCTYPE html><p>Cannot GET /", "<page>"),
        ("PK\x03\x04\ufffd", "<binary>"),
    ],
    ids=["empty", "json", "text", "page", "archive"],
)
def test_pages_and_archives_are_not_recorded(body: object, content: object) -> None:
    """Of a page or an archive, only a word is recorded."""
    assert brief(body) == content


def test_killed_run_leaves_its_records(sandbox: Sandbox, tmp_path: Path) -> None:
    """Each exchange is in the file when the next request is sent."""
    file = tmp_path / "run.jsonl"
    with recording_of(sandbox, file) as (http, _):
        http.get("alerts")
        assert len([json.loads(each) for each in file.read_text().splitlines()]) == 2


def test_run_fails_if_its_recording_contains_a_planted_secret(sandbox: Sandbox, tmp_path: Path) -> None:
    """The recording of a run is beside its ledger; a secret of its inputs in another field fails the run."""
    settings = {name.removeprefix("clouddb:"): value for name, value in sandbox.config.items()}
    ledger = Ledger(RUN, tmp_path / f"{RUN.token}.jsonl")
    hook = {"name": RUN.name("Pager"), "service": "generic", "url": "https://a.example.com/canary-12345678"}
    with connected(Kind.OBSERVABILITY, ProviderConfig.model_validate(settings), ledger) as connection:
        with recorded(connection, hook) as file:
            connection.account.raw("POST", "/api/v2/webhooks", hook)
        assert [each.status for each in read(file)[1]] == [200]
        with pytest.raises(SecretsInRecordsError), recorded(connection, hook):
            connection.account.raw("GET", "/api/v2/webhooks?limit=canary-12345678")
