"""The organization of the key, for configurations that do not name one."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.errors import AmbiguousError, ApiError, ConfigError, ResourceError
from pulumi_clouddb.registry import FUNCTIONS, OPERATIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from support.scripted import LOST, Response, Scripted, error, ok, page
from support.sessions import ORGANIZATION, ProviderProcess, config_for, config_of

OTHER = "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"
KEY = {"actorType": "apiKey", "keyId": "k", "name": "CI", "organizationId": ORGANIZATION}
ASK = "clouddb:organizationId is not set, and "


def user(*organizations: tuple[str, str]) -> dict[str, Any]:
    """Return a user of these organizations."""
    own = [{"organizationId": id_, "organizationName": name} for id_, name in organizations]
    return {"actorType": "user", "userId": OTHER, "email": "ada@example.com", "name": "Ada", "organizations": own}


FOUND = {
    "a key": ok(KEY),
    "a user of one organization": ok(user((ORGANIZATION, "Shop"))),
    "a newer kind of caller": ok({**KEY, "actorType": "robot", "robotId": 1}),
}
NOT_FOUND: dict[str, tuple[Response, str]] = {
    "an older server": (page(404), f"{ASK}the server does not return the organization of the key"),
    "an older server that returns JSON": (error(404), f"{ASK}the server does not return the organization of the key"),
    "a user of several": (
        ok(user((ORGANIZATION, "Shop"), (OTHER, "Lab\u001b[2J"))),
        f"{ASK}the key belongs to several organizations: Shop ({ORGANIZATION}), Lab\\u001b[2J ({OTHER})",
    ),
    "a user of several without names": (
        ok(user((ORGANIZATION, ""), (OTHER, ""))),
        f"{ASK}the key belongs to several organizations: {ORGANIZATION}, {OTHER}",
    ),
    "a user of none": (ok(user()), f"{ASK}the key belongs to no organization"),
    "an organization that is no id": (
        ok({**KEY, "organizationId": "../x"}),
        f"{ASK}the key belongs to no organization",
    ),
}


def client_of(server: Scripted, **config: Any) -> Client:
    """Return a client without an organization."""
    usual = {"organizationId": None, "vocabulary": "clickhouse", "retryTimeoutSeconds": 0, "baseUrl": server.url}
    return Client(config_of(**{**usual, **config}))


@pytest.mark.parametrize("response", FOUND.values(), ids=FOUND)
def test_organization_of_the_key_is_requested_once(response: Response) -> None:
    """Concurrent requests and later ones use it."""
    with Scripted(response, ok([])) as server:
        client = client_of(server)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: client.call(OPERATIONS["list_keys"]), range(4)))
        client.call(OPERATIONS["list_services"])
        paths = [each.path.partition("?")[0] for each in server.received]
    prefix = f"/v1/organizations/{ORGANIZATION}/"
    assert paths == ["/v1/whoami", *[f"{prefix}keys"] * 4, f"{prefix}services"]


@pytest.mark.parametrize(("response", "message"), NOT_FOUND.values(), ids=NOT_FOUND)
def test_organization_that_is_not_found_must_be_set(response: Response, message: str) -> None:
    """The error says how, and later requests fail without another one."""
    with Scripted(response) as server:
        client = client_of(server)
        for _ in range(2):
            with pytest.raises(ConfigError) as caught:
                client.call(OPERATIONS["create_key"], {"name": "n"})
            first, second = str(caught.value).split("\n")
            assert first == message
            assert "`pulumi config set clouddb:organizationId …`" in second
        assert server.count == 1


@pytest.mark.parametrize("response", [error(503), LOST, Response(200, "{")], ids=["503", "lost", "broken"])
def test_failed_request_for_the_organization_leaves_no_doubt(response: Response) -> None:
    """What needs it was not sent, so that no handler looks for its result; the next request asks again."""
    with Scripted(response, ok(KEY), ok({"key": {"id": "1"}})) as server:
        client = client_of(server)
        with pytest.raises(ApiError, match="could not find the organization of the key") as caught:
            client.call(OPERATIONS["create_key"], {"name": "n"})
        assert not isinstance(caught.value, AmbiguousError)
        client.call(OPERATIONS["create_key"], {"name": "n"})
        assert [each.method for each in server.received] == ["GET", "GET", "POST"]


@pytest.mark.parametrize(
    ("config", "requests"),
    [
        ({"organizationId": OTHER}, [f"/v1/organizations/{OTHER}/services/s"]),
        ({"paths": {"get_service": "/v1/s/{serviceId}"}}, ["/v1/s/s"]),
    ],
    ids=["it is set", "no path needs it"],
)
def test_organization_is_not_requested_if(config: dict[str, Any], requests: list[str]) -> None:
    """Both need one request less."""
    with Scripted(ok({"id": "s"})) as server:
        client_of(server, **config).call(OPERATIONS["get_service"], service_id="s")
        assert [each.path for each in server.received] == requests


def test_neutral_servers_need_the_organization() -> None:
    """The interface has no such operation, so nothing is sent."""
    with Scripted(ok(KEY)) as server:
        with pytest.raises(ConfigError, match=r"^clouddb:organizationId is not set\n"):
            client_of(server, vocabulary="neutral").call(OPERATIONS["list_services"])
        assert server.count == 0


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """Run a sandbox of the vendor's dialect."""
    with Sandbox(vocabulary="clickhouse") as running:
        yield running


@pytest.mark.parametrize("first", [True, False], ids=["set at first", "set later"])
def test_pending_create_does_not_depend_on_the_setting(first: bool, sandbox: Sandbox, tmp_path: Path) -> None:
    """A run with the setting finds the object of an interrupted one without it, and the other way round."""
    given, found = config_for(sandbox), config_for(sandbox, organizationId=None)
    before, later = (given, found) if first else (found, given)
    inputs = {"name": "CI", "roles": ["developer"]}
    made, _ = ProviderProcess(before, tmp_path).create("ApiKey", inputs, "urn:a")
    again, state = ProviderProcess(later, tmp_path).create("ApiKey", inputs, "urn:a")
    assert made == again
    assert ORGANIZATION not in str(state)
    assert sandbox.organization_id not in str(state)


def test_settings_of_the_found_organization_live(sandbox: Sandbox, tmp_path: Path) -> None:
    """Their id is that of the organization in both ways, so that the setting never replaces them."""
    process = ProviderProcess(config_for(sandbox, organizationId=None), tmp_path)
    id_, state = process.create("OrganizationSettings", {"name": "Shop"})
    assert id_ == sandbox.organization_id
    assert process.changes("OrganizationSettings", state, {"name": "Shop"}) == ()
    assert process.read("OrganizationSettings", id_, state).state["name"] == "Shop"
    assert FUNCTIONS["getOrganization"].call(process, {})["id"] == id_
    _, imported = lifecycle.read(process, RESOURCES["OrganizationSettings"], id_, {}, {})
    assert imported is not None
    process.delete("OrganizationSettings", id_, state)
    with pytest.raises(ResourceError, match="does not exist"):
        lifecycle.read(process, RESOURCES["OrganizationSettings"], OTHER, {}, {})
    assert sandbox.count("get_caller") == 1


def test_preview_without_a_server_needs_no_organization(tmp_path: Path) -> None:
    """The check of a new resource with a unique name succeeds; the create finds the organization."""
    config = config_of(organizationId=None, vocabulary="clickhouse", baseUrl="http://127.0.0.1:9", stackUrl=None)
    process = ProviderProcess(config, tmp_path).for_resource("urn:a")
    inputs = {"name": "orders", "provider": "aws", "region": "us-east-1"}
    assert lifecycle.check(process, RESOURCES["Service"], inputs).failures == []


def test_self_hosted_create_does_not_ask_for_the_organization(sandbox: Sandbox, tmp_path: Path) -> None:
    """The management API may be unreachable, or its key out of date."""
    config = config_for(sandbox, organizationId=None, baseUrl="http://127.0.0.1:9")
    inputs = {"name": "w", "service": "generic", "url": "https://example.com"}
    assert ProviderProcess(config, tmp_path).create("Webhook", inputs)[0]


def test_key_of_another_organization_deletes_nothing_there(sandbox: Sandbox, tmp_path: Path) -> None:
    """Ids are those of the first organization: the other one does not find them."""
    with Sandbox(vocabulary="clickhouse") as other:
        other.add("services", name="orders")
        process = ProviderProcess(config_for(sandbox, organizationId=None), tmp_path)
        id_, state = process.create("ApiKey", {"name": "CI", "roles": ["developer"]})
        elsewhere = ProviderProcess(config_for(other, organizationId=None), tmp_path)
        before = len(other.objects("keys"))
        elsewhere.delete("ApiKey", id_, state)
        assert len(other.objects("keys")) == before
        assert id_ in sandbox.objects("keys")


def test_release_without_the_operation_needs_the_setting(sandbox: Sandbox, tmp_path: Path) -> None:
    """After an upgrade of the server, a new process finds the organization."""
    sandbox.set_release("2026-08")
    config, inputs = config_for(sandbox, organizationId=None), {"name": "CI", "roles": ["developer"]}
    with pytest.raises(ConfigError, match="the server does not return the organization of the key"):
        ProviderProcess(config, tmp_path).create("ApiKey", inputs)
    sandbox.set_release("2026-10")
    assert ProviderProcess(config, tmp_path).create("ApiKey", inputs)[0]
