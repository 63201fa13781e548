"""Webhooks: secrets that are only written, names that are taken, and alerts that use them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import a_dashboard
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.errors import CloudDBError, ResourceError
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.things.webhooks.api import Webhooks
from support.ids import CALM, LOUD
from support.rules import Case, rule
from support.sessions import ProviderProcess, config_of

URL = "https://events.example.com/a"
HOOK = {"name": "On call", "service": "generic", "url": URL}
SECRETS = {"headers": {"Authorization": "Bearer one"}, "queryParams": {"token": "two"}}


def stored(sandbox: Sandbox, id_: str) -> dict[str, Any]:
    """Return what the server keeps of a webhook, with what it never answers."""
    return {name: value for name, value in sandbox.objects("webhooks")[id_].items() if not name.endswith("At")}


def alert(sandbox: Sandbox, http: httpx.Client, *webhooks: str, name: str = "Too many") -> dict[str, Any]:
    """Make an alert whose channels are these webhooks."""
    tile = a_dashboard(sandbox)
    body = {
        "name": name,
        "dashboardId": tile["dashboard_id"],
        "tileId": tile["one"],
        "source": "tile",
        "threshold": 1,
        "interval": "5m",
        "thresholdType": "above",
        "channels": [{"type": "webhook", "webhookId": each} for each in webhooks],
    }
    made: dict[str, Any] = http.post("/alerts", json=body).raise_for_status().json()["data"]
    return made


# -- the provider --------------------------------------------------------------------------------------------------


def test_the_other_dialect_has_none(tmp_path: Path) -> None:
    """A preview says so, and so does the function."""
    process = ProviderProcess(config_of(baseUrl="http://127.0.0.1:9", stackUrl="http://127.0.0.1:9"), tmp_path)
    (failure,) = RESOURCES["Webhook"].check(process, HOOK).failures
    assert (failure.path, failure.reason) == (
        "",
        "is a resource of the vendor's servers only: set clouddb:vocabulary=clickhouse",
    )
    with pytest.raises(CloudDBError, match="only the vendor's servers offer this\nIf this is one, set clouddb:voc"):
        FUNCTIONS["listWebhooks"].call(process, {})


def test_what_no_program_says_survives_and_what_it_takes_out_is_cleared(
    process: ProviderProcess, sandbox: Sandbox
) -> None:
    """Servers keep secrets that a request leaves out, and clear all else."""
    id_, state = process.create("Webhook", {**HOOK, **SECRETS})
    sandbox.change("webhooks", id_, description="theirs", body="{{title}}")
    state = process.read("Webhook", id_, state).state
    state = process.update("Webhook", id_, state, {**HOOK, **SECRETS, "name": "Other"})
    theirs = {"description": "theirs", "body": "{{title}}"}
    assert stored(sandbox, id_) == {"id": id_, **HOOK, **SECRETS, **theirs, "name": "Other"}
    state = process.update("Webhook", id_, state, HOOK)
    assert stored(sandbox, id_) == {"id": id_, **HOOK, **theirs}
    sandbox.change("webhooks", id_, **SECRETS)
    process.update("Webhook", id_, state, {**HOOK, "name": "Other"})
    assert stored(sandbox, id_) == {"id": id_, **HOOK, **theirs, **SECRETS, "name": "Other"}


def test_a_webhook_becomes_one_of_slack(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Servers refuse there what another service has, so it is not sent along (routers/external-api/v2/webhooks.ts)."""
    id_, state = process.create("Webhook", {**HOOK, **SECRETS, "description": "d"})
    sandbox.change("webhooks", id_, body="{{title}}")
    slack = {"name": "On call", "service": "slack", "url": "https://hooks.slack.com/services/x"}
    process.update("Webhook", id_, state, {**slack, "description": "d"})
    assert stored(sandbox, id_) == {"id": id_, **slack, "description": "d"}


def test_a_name_that_is_taken_is_refused_with_the_id_of_the_other(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Nothing is sent. Another service may have the same name."""
    other = sandbox.add("webhooks", **HOOK)["id"]
    with pytest.raises(ResourceError, match=rf"webhook 'On call' exists already, with the id {other}.*\n.*import it"):
        process.create("Webhook", HOOK)
    assert sandbox.count("self_hosted_create_webhook") == 0
    process.create("Webhook", {**HOOK, "service": "incidentio"})


def test_who_is_refused_takes_no_other_webhook_for_its_own(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A colleague makes the same webhook between the look and the request; the list even shows it as just made."""
    sandbox.fault("self_hosted_list_webhooks", "lag", wait=60.0)
    made = datetime.now(timezone.utc) + timedelta(seconds=1)  # whenever the request is sent
    other = sandbox.add("webhooks", **HOOK, createdAt=made.isoformat())["id"]
    with pytest.raises(ResourceError, match=rf"nothing proves that it is one of: {other}\nImport"):
        process.create("Webhook", HOOK)
    sandbox.change("webhooks", other, url="https://events.example.com/b")
    process.api.lists.clear()
    sandbox.fault("self_hosted_list_webhooks", "lag", wait=60.0)
    with pytest.raises(ResourceError, match="service and name already exists\nIf that webhook is yours, import it"):
        process.create("Webhook", {**HOOK}, urn="another")
    assert sandbox.objects("webhooks").keys() == {CALM, LOUD, other}


def test_a_webhook_that_alerts_use_is_not_deleted_without_a_word(
    process: ProviderProcess, sandbox: Sandbox, http: httpx.Client
) -> None:
    """The first channel of an alert stays; a further one goes, and the alert is named (observability_server 2.11)."""
    first, state = process.create("Webhook", HOOK)
    second, others = process.create("Webhook", {**HOOK, "name": "Channel"})
    made = alert(sandbox, http, first, second)
    with pytest.raises(ResourceError) as refused:
        process.delete("Webhook", first, state)
    assert str(refused.value) == (
        f"could not delete webhook 'On call' (id {first}): Cannot delete webhook: 1 alert(s) still reference it. "
        "Reassign or remove those alerts first.\n"
        f"Give these alerts another webhook, or delete them: alert 'Too many' (id {made['id']})."
    )
    process.delete("Webhook", second, others)
    (warning,) = process.warnings
    assert warning.startswith(f"webhook 'Channel' (id {second}) is deleted, but still used by alert 'Too many' (id ")
    http.delete(f"/alerts/{made['id']}")
    process.delete("Webhook", first, state)
    assert sandbox.objects("webhooks").keys() == {CALM, LOUD}
    assert process.warnings == [warning]


def test_more_webhooks_than_one_page(process: ProviderProcess, sandbox: Sandbox) -> None:
    """None can be read by itself, so all pages are read."""
    for number in range(1001):
        sandbox.add("webhooks", **{**HOOK, "name": f"hook {number}"})
    last = list(sandbox.objects("webhooks"))[-1]
    found = FUNCTIONS["listWebhooks"].call(process, {"name": "hook 1000"})["webhooks"]
    assert [each["id"] for each in found] == [last]
    pages = [each.query for each in sandbox.requests if each.operation == "self_hosted_list_webhooks"]
    assert pages == ["", "limit=1000&offset=999"]


def test_a_server_that_knows_no_pages_is_asked_twice() -> None:
    """It answers the same list again, which ends the reading."""
    asked = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.query.decode())
        return httpx.Response(200, json={"data": [{**HOOK, "id": f"{number:024x}"} for number in range(1000)]})

    config = config_of(stackUrl="http://127.0.0.1:9", vocabulary="clickhouse")
    api = Api(Client(config, transport=httpx.MockTransport(respond)))
    assert len(api.of(Webhooks).list()) == 1000
    assert asked == ["", "limit=1000&offset=999"]


SLACK = {"service": "slack", "url": "https://hooks.slack.com/services/x"}
TEMPLATED = "is for the services generic and incidentio only"
HEADERS = "are at most 100, with names of at most 256 letters, digits and"
SERVICE = "11111111-2222-4333-8444-555555555555"
BROKEN = [
    rule({"url": "http://x.example/"}, {"url": "ftp://x.example/"}, "url must be an address with http"),
    rule({"url": "https://x.example:65535/"}, {"url": "https://x.example:65536/"}, "url must be an address"),
    rule(
        {"url": "https://8.8.8.8/", "serviceId": SERVICE},
        {"url": "https://0x7f.1/", "serviceId": SERVICE},
        "url must not be a private or reserved address in the managed form: the cloud does not send to these",
    ),
    rule(SLACK, {"service": "slack"}, "url must be one of slack.com where service is slack"),
    rule({"body": ""}, {**SLACK, "body": "b"}, f"body {TEMPLATED}"),
    rule({"headers": {}}, {**SLACK, "headers": {}}, f"headers {TEMPLATED}"),
    rule({"queryParams": {}}, {**SLACK, "queryParams": {}}, f"queryParams {TEMPLATED}"),
    rule({"headers": {"X-a": "1"}}, {"headers": {"1a": "s3"}}, f"headers {HEADERS}"),
    rule({"headers": {"a": "b" * 4096}}, {"headers": {"a": "s\n3"}}, f"headers {HEADERS}"),
    rule({"queryParams": {"1 a": ""}}, {"queryParams": {"": "s3"}}, "queryParams with names of 1 to 1024 characters"),
    rule(
        {"headers": {f"h{number}": "" for number in range(100)}},
        {"headers": {f"h{number}": "" for number in range(101)}},
        f"headers {HEADERS}",
    ),
    rule({"name": "n" * 1024}, {"name": "n" * 1025}, "name must have at most 1024 characters but has"),
    rule({"url": f"{URL}{'a' * 2020}"}, {"url": f"{URL}{'a' * 2030}"}, "url at most 2048 characters"),
    rule({"description": "d" * 2048}, {"description": "d" * 2049}, "description at most 2048"),
    rule({"body": "b" * 16384}, {"body": "b" * 16385}, "body at most 16384"),
]


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.failures[0])
def test_what_servers_refuse_is_refused_by_a_preview(case: Case, process: ProviderProcess) -> None:
    """No value of a secret is quoted."""
    check = RESOURCES["Webhook"].check
    assert check(process, {**HOOK, **case.passes}).failures == []
    (failure,) = check(process, {**HOOK, **case.fails}).failures
    path, _, told = case.failures[0].partition(" ")
    assert failure.path == path
    assert told in failure.reason
    assert "s3" not in failure.reason


# -- the sandbox ---------------------------------------------------------------------------------------------------


def test_the_sandbox_shows_no_secrets_and_finds_none_by_id(http: httpx.Client, sandbox: Sandbox) -> None:
    """There is no route for one; the body of incident.io is not answered either."""
    body = {**HOOK, **SECRETS, "description": "d", "body": "b"}
    made = http.post("/webhooks", json=body).json()["data"]
    assert made == {**HOOK, "description": "d", "body": "b"} | {n: made[n] for n in ("id", "createdAt", "updatedAt")}
    other = http.post("/webhooks", json={**body, "service": "incidentio"}).json()["data"]
    assert set(other) == {*HOOK, "description", "id", "createdAt", "updatedAt"}
    answer = http.get("/webhooks", params={"limit": 1, "offset": 3})
    assert answer.json() == {"data": [other], "meta": {"total": 4, "limit": 1, "offset": 3}}
    assert answer.headers["X-Total-Count"] == "4"
    one = http.get(f"/webhooks/{made['id']}")
    assert (one.status_code, one.headers["content-type"].partition(";")[0]) == (404, "text/html")
    assert sandbox.objects("webhooks")[made["id"]]["headers"] == SECRETS["headers"]


def test_the_sandbox_clears_secrets_that_would_go_elsewhere(http: httpx.Client, sandbox: Sandbox) -> None:
    """With another URL or service, what is left out is cleared; else it stays, and `{}` clears it."""
    made = http.post("/webhooks", json={**HOOK, **SECRETS}).json()["data"]["id"]
    http.put(f"/webhooks/{made}", json={**HOOK, "name": "Other"})
    assert stored(sandbox, made) == {"id": made, **HOOK, **SECRETS, "name": "Other"}
    http.put(f"/webhooks/{made}", json={**HOOK, "headers": {}})
    assert stored(sandbox, made) == {"id": made, **HOOK, "queryParams": SECRETS["queryParams"]}
    http.put(f"/webhooks/{made}", json={**HOOK, "url": "https://events.example.com/b"})
    assert stored(sandbox, made) == {"id": made, **HOOK, "url": "https://events.example.com/b"}


def test_the_managed_form_is_that_of_the_service(sandbox: Sandbox) -> None:
    """The same records behind another path and envelope."""
    service = sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"]
    with sandbox.management() as http:
        made = http.post(f"/services/{service}/clickstack/webhooks", json=HOOK).json()["result"]
        assert http.get(f"/services/{service}/clickstack/webhooks").json()["result"][2:] == [made]
    with sandbox.self_hosted() as http:
        assert [each["id"] for each in http.get("/webhooks").json()["data"]] == [CALM, LOUD]


RESERVED = (
    "http://10.1.2.3/",
    "http://localhost:8080/",
    "http://2130706433/",
    "https://[fd00::1]/",
    "http://a.localhost/",
)


@pytest.mark.parametrize("url", [*RESERVED, URL])
def test_a_private_address_is_named_in_a_preview(url: str, process: ProviderProcess) -> None:
    """A self-hosted server refuses it, unless its own list allows it: nothing that a preview knows."""
    assert RESOURCES["Webhook"].check(process, {**HOOK, "url": url}).failures == []
    says = (
        "Webhook.url of webhook 'On call' is a private or reserved address: the server rejects it unless its setting "
        "WEBHOOK_HOSTNAME_ALLOWLIST contains this host."
    )
    assert process.warnings == ([says] if url in RESERVED else [])
