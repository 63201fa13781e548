"""Webhooks: write-only secrets, duplicate names, and alerts that use them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from clouddb_tools.release import Release
from clouddb_tools.sandbox import Sandbox
from lives.life import a_dashboard, a_service
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.errors import CloudDBError, ResourceError
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.things.webhooks.api import Webhooks
from support.ids import CALM, LOUD
from support.scripted import Response, Scripted
from support.sessions import ProviderProcess, config_for, config_of
from things.webhooks.checks import HOOK, URL

SECRETS = {"headers": {"Authorization": "Bearer one"}, "queryParams": {"token": "two"}}


def stored(sandbox: Sandbox, id_: str) -> dict[str, Any]:
    """Return the stored properties of a webhook, including those that no response has."""
    return {name: value for name, value in sandbox.objects("webhooks")[id_].items() if not name.endswith("At")}


def alert(sandbox: Sandbox, http: httpx.Client, *webhooks: str, name: str = "Too many") -> dict[str, Any]:
    """Create an alert with these webhooks as channels."""
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
    created: dict[str, Any] = http.post("/alerts", json=body).raise_for_status().json()["data"]
    return created


# -- the provider --------------------------------------------------------------------------------------------------


def test_neutral_dialect_has_no_webhooks(tmp_path: Path) -> None:
    """The failures of the preview and the function name the setting for servers with webhooks."""
    process = ProviderProcess(config_of(baseUrl="http://127.0.0.1:9", stackUrl="http://127.0.0.1:9"), tmp_path)
    (failure,) = RESOURCES["Webhook"].check(process, HOOK).failures
    assert (failure.path, failure.reason) == (
        "",
        "is a resource of the vendor's servers only: set clouddb:vocabulary=clickhouse",
    )
    with pytest.raises(CloudDBError, match="only the vendor's servers offer this\nIf this is one, set clouddb:voc"):
        FUNCTIONS["listWebhooks"].call(process, {})


def test_unmanaged_properties_are_kept_and_removed_ones_are_cleared(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Servers keep omitted secrets, and clear other omitted properties."""
    id_, state = process.create("Webhook", {**HOOK, **SECRETS})
    sandbox.change("webhooks", id_, description="other", body="{{title}}")
    state = process.read("Webhook", id_, state).state
    state = process.update("Webhook", id_, state, {**HOOK, **SECRETS, "name": "Other"})
    unmanaged = {"description": "other", "body": "{{title}}"}
    assert stored(sandbox, id_) == {"id": id_, **HOOK, **SECRETS, **unmanaged, "name": "Other"}
    state = process.update("Webhook", id_, state, HOOK)
    assert stored(sandbox, id_) == {"id": id_, **HOOK, **unmanaged}
    sandbox.change("webhooks", id_, **SECRETS)
    process.update("Webhook", id_, state, {**HOOK, "name": "Other"})
    assert stored(sandbox, id_) == {"id": id_, **HOOK, **unmanaged, **SECRETS, "name": "Other"}


def test_service_of_a_webhook_can_change_to_slack(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Servers reject properties of another service, so they are omitted (routers/external-api/v2/webhooks.ts)."""
    id_, state = process.create("Webhook", {**HOOK, **SECRETS, "description": "d"})
    sandbox.change("webhooks", id_, body="{{title}}")
    slack = {"name": "On call", "service": "slack", "url": "https://hooks.slack.com/services/x"}
    process.update("Webhook", id_, state, {**slack, "description": "d"})
    assert stored(sandbox, id_) == {"id": id_, **slack, "description": "d"}


def test_duplicate_name_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """No request is sent; a webhook of another service may have the same name."""
    other = sandbox.add("webhooks", **HOOK)["id"]
    with pytest.raises(ResourceError, match=rf"webhook 'On call' exists already, with the id {other}.*\n.*import it"):
        process.create("Webhook", HOOK)
    assert sandbox.count("self_hosted_create_webhook") == 0
    process.create("Webhook", {**HOOK, "service": "incidentio"})


def test_rejected_create_adopts_no_other_webhook(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Another client creates the same webhook between the check and the create; its time is that of the create."""
    sandbox.fault("self_hosted_list_webhooks", "lag", wait=60.0)
    created = datetime.now(timezone.utc) + timedelta(seconds=1)  # whenever the request is sent
    other = sandbox.add("webhooks", **HOOK, createdAt=created.isoformat())["id"]
    with pytest.raises(ResourceError, match=rf"nothing proves that it is one of: {other}\nImport"):
        process.create("Webhook", HOOK)
    sandbox.change("webhooks", other, url="https://events.example.com/b")
    process.api.lists.clear()
    sandbox.fault("self_hosted_list_webhooks", "lag", wait=60.0)
    with pytest.raises(ResourceError, match="service and name already exists\nIf that webhook is yours, import it"):
        process.create("Webhook", {**HOOK}, urn="another")
    assert sandbox.objects("webhooks").keys() == {CALM, LOUD, other}


def test_delete_of_a_used_webhook_fails_or_warns(
    process: ProviderProcess, sandbox: Sandbox, http: httpx.Client
) -> None:
    """The first channel of an alert is not deleted; another one is, with a warning (observability_server 2.11)."""
    first, state = process.create("Webhook", HOOK)
    second, others = process.create("Webhook", {**HOOK, "name": "Channel"})
    used_by = alert(sandbox, http, first, second)
    with pytest.raises(ResourceError) as error:
        process.delete("Webhook", first, state)
    assert str(error.value) == (
        f"could not delete webhook 'On call' (id {first}): Cannot delete webhook: 1 alert(s) still reference it. "
        "Reassign or remove those alerts first.\n"
        f"Give these alerts another webhook, or delete them: alert 'Too many' (id {used_by['id']})."
    )
    process.delete("Webhook", second, others)
    (warning,) = process.warnings
    assert warning.startswith(f"webhook 'Channel' (id {second}) is deleted, but still used by alert 'Too many' (id ")
    http.delete(f"/alerts/{used_by['id']}")
    process.delete("Webhook", first, state)
    assert sandbox.objects("webhooks").keys() == {CALM, LOUD}
    assert process.warnings == [warning]


def test_all_pages_are_read(process: ProviderProcess, sandbox: Sandbox) -> None:
    """There is no read of a single webhook."""
    sandbox.seed({"webhooks": [{**HOOK, "name": f"hook {number}"} for number in range(1001)]})
    last = list(sandbox.objects("webhooks"))[-1]
    webhooks = FUNCTIONS["listWebhooks"].call(process, {"name": "hook 1000"})["webhooks"]
    assert [each["id"] for each in webhooks] == [last]
    pages = [each.query for each in sandbox.requests if each.operation == "self_hosted_list_webhooks"]
    assert pages == ["", "limit=1000&offset=999"]


def test_server_without_pages_gets_two_requests() -> None:
    """It returns the same list again, which ends the requests."""
    queries = []

    def respond(request: httpx.Request) -> httpx.Response:
        queries.append(request.url.query.decode())
        return httpx.Response(200, json={"data": [{**HOOK, "id": f"{number:024x}"} for number in range(1000)]})

    config = config_of(stackUrl="http://127.0.0.1:9", vocabulary="clickhouse")
    api = Api(Client(config, transport=httpx.MockTransport(respond)))
    assert len(api.of(Webhooks).list()) == 1000
    assert queries == ["", "limit=1000&offset=999"]


# -- the sandbox ---------------------------------------------------------------------------------------------------


def test_sandbox_returns_no_secrets(http: httpx.Client, sandbox: Sandbox) -> None:
    """There is no route for a single webhook; the body of incident.io is not returned either."""
    body = {**HOOK, **SECRETS, "description": "d", "body": "b"}
    webhook = http.post("/webhooks", json=body).json()["data"]
    assert webhook == {**HOOK, "description": "d", "body": "b"} | {
        n: webhook[n] for n in ("id", "createdAt", "updatedAt")
    }
    other = http.post("/webhooks", json={**body, "service": "incidentio"}).json()["data"]
    assert set(other) == {*HOOK, "description", "id", "createdAt", "updatedAt"}
    response = http.get("/webhooks", params={"limit": 1, "offset": 3})
    assert response.json() == {"data": [other], "meta": {"total": 4, "limit": 1, "offset": 3}}
    assert response.headers["X-Total-Count"] == "4"
    one = http.get(f"/webhooks/{webhook['id']}")
    assert (one.status_code, one.headers["content-type"].partition(";")[0]) == (404, "text/html")
    assert sandbox.objects("webhooks")[webhook["id"]]["headers"] == SECRETS["headers"]


def test_sandbox_clears_secrets_when_the_url_changes(http: httpx.Client, sandbox: Sandbox) -> None:
    """With another URL or service, omitted secrets are cleared; otherwise they are kept, and `{}` clears them."""
    webhook_id = http.post("/webhooks", json={**HOOK, **SECRETS}).json()["data"]["id"]
    http.put(f"/webhooks/{webhook_id}", json={**HOOK, "name": "Other"})
    assert stored(sandbox, webhook_id) == {"id": webhook_id, **HOOK, **SECRETS, "name": "Other"}
    http.put(f"/webhooks/{webhook_id}", json={**HOOK, "headers": {}})
    assert stored(sandbox, webhook_id) == {"id": webhook_id, **HOOK, "queryParams": SECRETS["queryParams"]}
    http.put(f"/webhooks/{webhook_id}", json={**HOOK, "url": "https://events.example.com/b"})
    assert stored(sandbox, webhook_id) == {"id": webhook_id, **HOOK, "url": "https://events.example.com/b"}


def test_webhooks_of_a_service_are_separate(sandbox: Sandbox) -> None:
    """They have the same form, under another path and envelope."""
    service = sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"]
    with sandbox.management() as http:
        webhook = http.post(f"/services/{service}/clickstack/webhooks", json=HOOK).json()["result"]
        assert http.get(f"/services/{service}/clickstack/webhooks").json()["result"][2:] == [webhook]
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
def test_preview_warns_of_a_private_address(url: str, process: ProviderProcess) -> None:
    """A self-hosted server rejects it unless its own list allows it, which a preview cannot know."""
    assert RESOURCES["Webhook"].check(process, {**HOOK, "url": url}).failures == []
    warning = (
        "Webhook.url is a private or reserved address: the server rejects it unless its setting "
        "WEBHOOK_HOSTNAME_ALLOWLIST contains this host."
    )
    assert process.warnings == ([warning] if url in RESERVED else [])


# -- validation before a change ----------------------------------------------------------------------------------------

QUOTED = "https://chat.example.com/services/T0SECRET"


def failures(sandbox: Sandbox, folder: Path, inputs: dict[str, Any], old: dict[str, Any] | None = None) -> list[str]:
    """Return the failures of a check that lets the server validate."""
    process = ProviderProcess(config_for(sandbox, validateFirst=True), folder)
    checked = lifecycle.check(process.for_resource("urn:w"), RESOURCES["Webhook"], inputs, old=old)
    return [each.reason for each in checked.failures]


@pytest.mark.parametrize("place", ["self-hosted", "managed"])
def test_server_validates_new_and_changed_webhooks(place: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """The failure has its words without secrets; an unknown value or an unchanged webhook causes no request."""
    hook: dict[str, Any] = {**HOOK, **({"serviceId": a_service(sandbox)["service_id"]} if place == "managed" else {})}
    prefix = "" if place == "managed" else "self_hosted_"
    assert failures(sandbox, tmp_path, hook) == []
    assert sandbox.count(f"{prefix}validate_webhook") == 1
    assert failures(sandbox, tmp_path, hook, hook) == []
    assert failures(sandbox, tmp_path, {**hook, "url": UNKNOWN}) == []
    assert sandbox.count(f"{prefix}validate_webhook") == 1
    assert "On call" not in str(sandbox.objects("webhooks"))
    if place == "self-hosted":
        (failure,) = failures(sandbox, tmp_path, {**hook, "url": "https://10.0.0.1/T0SECRET"}, hook)
        assert "webhook 'On call': the server refuses it: Webhook URL resolves to a private" in failure


@pytest.mark.parametrize(
    "quoted", [QUOTED, quote(QUOTED, safe=""), "/services/T0SECRET"], ids=["unchanged", "encoded", "path"]
)
def test_words_of_the_server_contain_no_secret(quoted: str, tmp_path: Path) -> None:
    """It quotes the address in them, in any spelling."""
    faults = [{"path": "url", "message": f"Slack Webhook URL {quoted} is none"}]
    with Scripted(Response(200, {"valid": False, "errors": faults})) as server:
        process = ProviderProcess(
            config_of(baseUrl=server.url, stackUrl=server.url, vocabulary="clickhouse", validateFirst=True), tmp_path
        )
        refusal = RESOURCES["Webhook"].server_refusal(process, {**HOOK, "url": QUOTED}, None)
    assert str(refusal).startswith("webhook 'On call': the server refuses it: url: Slack Webhook URL [secret] is none")


def test_server_without_a_validation_is_not_asked_again(sandbox: Sandbox, tmp_path: Path) -> None:
    """Without the setting, nobody is asked."""
    sandbox.set_release(Release.AUGUST_2026)
    assert failures(sandbox, tmp_path, HOOK) == []
    process = ProviderProcess(config_for(sandbox), tmp_path)
    sandbox.forget_requests()
    assert RESOURCES["Webhook"].server_refusal(process, HOOK, None) is None
    assert sandbox.requests == []
