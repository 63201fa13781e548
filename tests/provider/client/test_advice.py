"""Errors about missing objects, wrong settings and unusable responses contain advice; following it works."""

from __future__ import annotations

import re
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from description.bodies import facts_of
from description.facts import CLOUD, plain
from description.here import used
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.errors import ClientError, CloudDBError, UnauthorizedError, UnsupportedOperationError
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema._permissions import PERMISSIONS
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.vocabulary import VENDOR_URL
from support.ids import CONNECTION, LOGS
from support.sessions import ProviderProcess, config_for

UNKNOWN_ID = "0" * 24
ALERT = {"name": "Errors", "threshold": 5, "interval": "5m", "thresholdType": "above"}

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "a tile": ("by the tile's key: the output tileIds of a Dashboard.", {"tileId": UNKNOWN_ID}),
    "a dashboard": ("Take its id from the resource: the output id of a Dashboard.", {"dashboardId": UNKNOWN_ID}),
    "a webhook": (
        "Take its id from the resource: the output id of a Webhook.",
        {"channel": {"type": "webhook", "webhookId": UNKNOWN_ID}},
    ),
    "a saved search": (
        "Take its id from the resource: the output id of a SavedSearch.",
        {"savedSearchId": UNKNOWN_ID, "source": "saved_search", "tileId": None, "dashboardId": None},
    ),
}


@pytest.mark.parametrize(("expected", "wrong"), CASES.values(), ids=CASES)
def test_missing_reference_error_names_the_output_to_use(
    expected: str, wrong: dict[str, Any], sandbox: Sandbox, process: ProviderProcess
) -> None:
    """The second line names the output to use and does not mention inferred operations; that output works."""
    source = next(iter(sandbox.objects("sources")))
    config = {"displayType": "line", "sourceId": source, "select": [{"aggFn": "count"}]}
    tile = {"name": "errors", "x": 0, "y": 0, "w": 12, "h": 4, "config": config}
    board, outputs = process.create("Dashboard", {"name": "Board", "tiles": [tile]})
    webhook, _ = process.create("Webhook", {"name": "Slack", "service": "generic", "url": "https://example.com/x"})
    right = {
        **ALERT,
        "dashboardId": board,
        "tileId": outputs["tileIds"]["errors"],
        "channel": {"type": "webhook", "webhookId": webhook},
    }
    with pytest.raises(ClientError) as caught:
        process.create("Alert", {name: value for name, value in {**right, **wrong}.items() if value is not None})
    _, advice = str(caught.value).split("\n")
    assert expected in advice
    assert "inferred" not in advice
    process.create("Alert", right)


GONE: dict[str, tuple[dict[str, Any], str, str]] = {
    "a source": ({"displayType": "line", "select": [{"aggFn": "count"}]}, "sourceId", "the output id of a Source"),
    "a connection": (
        {"displayType": "line", "configType": "sql", "sqlTemplate": "SELECT 1"},
        "connectionId",
        "the output id of a Connection",
    ),
}


@pytest.mark.parametrize(("config", "name", "expected"), GONE.values(), ids=GONE)
@pytest.mark.parametrize("edits", [False, True], ids=["create", "edit of another tile"])
def test_tile_with_a_deleted_source_is_named(
    edits: bool, config: dict[str, Any], name: str, expected: str, sandbox: Sandbox, process: ProviderProcess
) -> None:
    """The server checks every tile and returns only ids; the error adds the tile and the output to use."""
    place = {"x": 0, "y": 0, "w": 12, "h": 4}
    known = CONNECTION if name == "connectionId" else LOGS

    def board(id_: str, title: str) -> dict[str, Any]:
        errors = {"name": "Errors", **place, "config": {**config, name: id_}}
        about = {"name": "About", **place, "config": {"displayType": "markdown", "markdown": title}}
        return {"name": title, "tiles": [errors, about]}

    if edits:
        id_, state = process.create("Dashboard", board(known, "Board"))
        with sandbox.self_hosted() as http:
            http.delete(f"/{name.removesuffix('Id')}s/{known}")
    else:
        id_, state = "", {}
    with pytest.raises(ClientError) as caught:
        process.update("Dashboard", id_, state, board(known, "Edited")) if edits else process.create(
            "Dashboard", board(UNKNOWN_ID, "Board")
        )
    gone = known if edits else UNKNOWN_ID
    first, advice = str(caught.value).split("\n")
    assert f"{gone} (used by tile 'Errors')" in first
    assert expected in advice


SETTINGS: dict[str, tuple[dict[str, Any], str]] = {
    "an address without a server": (
        {"baseUrl": "http://127.0.0.1:9", "retryTimeoutSeconds": 0},
        "Nothing was sent. Check the address (clouddb:baseUrl, clouddb:stackUrl) and the network, then run again.",
    ),
    "a wrong secret": (
        {"keySecret": "another-secret"},
        (
            "Check the key (clouddb:keyId and clouddb:keySecret, or clouddb:stackToken): it must be enabled, not "
            "expired, allowed from this IP address, and have a role that permits this. After a change of the key, run "
            "`pulumi up` first: `pulumi refresh` and `destroy` use that of the last one."
        ),
    ),
    "a path to another server": (
        {"paths": {"list_keys": ".example.com/keys"}},
        "Set clouddb:paths of list_keys to a path that begins with one `/`.",
    ),
    "a path with an unknown placeholder": (
        {"paths": {"list_keys": "/v1/{team}/keys"}},
        (
            "Set clouddb:paths of list_keys to a path with the placeholders of /v1/organizations/{organizationId}/keys "
            "only."
        ),
    ),
}


@pytest.mark.parametrize(("wrong", "advice"), SETTINGS.values(), ids=SETTINGS)
def test_wrong_setting_is_named(wrong: dict[str, Any], advice: str, neutral_sandbox: Sandbox) -> None:
    """The second line of the error names the setting; with the correct value, the same request succeeds."""
    right = {name: value for name, value in to_wire(config_for(neutral_sandbox)).items() if value is not None}
    with pytest.raises(CloudDBError) as caught:
        Client(ProviderConfig.model_validate({**right, **wrong})).call(OPERATIONS["list_keys"])
    assert str(caught.value).split("\n")[1] == advice
    assert Client(ProviderConfig.model_validate(right)).call(OPERATIONS["list_keys"])


@pytest.mark.parametrize(
    ("actual", "advice"),
    [
        ("clickhouse", "for one, set clouddb:vocabulary=clickhouse."),
        ("neutral", "for another, set clouddb:vocabulary=neutral."),
    ],
)
@pytest.mark.parametrize("name", ["list_pipes", "list_sources"])
def test_first_error_in_the_wrong_dialect_names_the_right_one(name: str, actual: str, advice: str) -> None:
    """The paths that differ show it; with the dialect of the advice, the same request succeeds."""
    with Sandbox(vocabulary=actual) as sandbox:
        right, service_id = config_for(sandbox), sandbox.add("services")["id"]
        (other,) = {"neutral", "clickhouse"} - {actual}
        with pytest.raises(UnsupportedOperationError) as caught:
            Client(config_for(sandbox, vocabulary=other)).call(OPERATIONS[name], service_id=service_id)
        assert advice in str(caught.value).split("\n")[1]
        assert Client(right).call(OPERATIONS[name], service_id=service_id)


def test_rejected_key_at_the_vendors_address_names_the_setting_of_another() -> None:
    """Without clouddb:baseUrl, requests go to the vendor."""
    operation = OPERATIONS["list_keys"]
    at_vendor, elsewhere = (
        UnauthorizedError(operation, f"{url}/v1/x", "401") for url in (VENDOR_URL, "https://x.example")
    )
    assert "set clouddb:baseUrl" in str(at_vendor)
    assert "set clouddb:baseUrl" not in str(elsewhere)


REFUSED = {
    "one permission": ("delete_service", ["control-plane:service:delete"]),
    "two permissions": (
        "create_postgres_read_replica",
        ["control-plane:organization:create-service", "control-plane:postgres-service:manage"],
    ),
    "a path of the interface's own": ("list_sources", ["control-plane:service:manage-clickstack-api"]),
    "none": ("list_services", []),
    "a self-hosted server": ("self_hosted_list_sources", []),
}
"""An operation, and the permissions that the vendor's cloud asks for."""


@pytest.mark.parametrize(("name", "permissions"), REFUSED.values(), ids=REFUSED)
def test_refusal_names_the_permissions_of_the_operation(name: str, permissions: list[str]) -> None:
    """Other refusals are those of a key that does not exist, whatever it may do."""
    refused, unknown = (
        str(UnauthorizedError(OPERATIONS[name], "https://x.example/v1/x", "Forbidden", status=status))
        for status in (403, 401)
    )
    assert re.findall(r"control-plane:[\w:-]*\w", refused) == permissions
    assert "control-plane:" not in unknown
    assert len(refused.splitlines()) == 2


def test_permissions_are_those_of_the_description() -> None:
    """Each operation here has those that the kept facts and the overlay state."""
    stated = {
        each.name: tuple(described["permissions"])
        for call, described in facts_of(CLOUD).operations.items()
        for each in used().get(plain(call), ())
        if "permissions" in described
    }
    assert stated == PERMISSIONS


def test_server_without_alerts_on_charts_of_their_own_is_told_apart(sandbox: Sandbox, process: ProviderProcess) -> None:
    """Server 2.36.0 refuses such an alert with these words, which do not say that it is too old."""
    words = "source: Invalid enum value. Expected 'saved_search' | 'tile', received 'inline'"
    sandbox.fault("self_hosted_create_alert", "status", status=400, text=words)
    chart = {
        "displayType": "number",
        "sourceId": next(iter(sandbox.objects("sources"))),
        "select": [{"aggFn": "count"}],
    }
    channel = {"type": "webhook", "webhookId": UNKNOWN_ID}
    with pytest.raises(ClientError) as caught:
        process.create("Alert", {**ALERT, "channel": channel, "source": "inline", "chartConfig": chart})
    assert "newer than 2.36" in str(caught.value).split("\n")[1]


FAULTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a 404 for a list": (
        "not_found",
        {},
        "Check the organization (clouddb:organizationId) and the service; this does not mean that an object is gone.",
    ),
    "a page": (
        "html",
        {"status": 200},
        "Check that clouddb:baseUrl is the address of the API, not of a proxy or a web page.",
    ),
}


@pytest.mark.parametrize(("kind", "details", "advice"), FAULTS.values(), ids=FAULTS)
def test_unusable_response_is_explained(
    kind: str, details: dict[str, Any], advice: str, neutral_sandbox: Sandbox
) -> None:
    """The error ends with the advice, and the next response is read."""
    neutral_sandbox.fault("list_services", kind, **details)
    client = Client(config_for(neutral_sandbox))
    with pytest.raises(CloudDBError) as caught:
        client.call(OPERATIONS["list_services"])
    assert str(caught.value).endswith(advice)
    assert client.call(OPERATIONS["list_services"]) == []
