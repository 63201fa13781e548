"""Settings: all invalid ones are reported at configuration, and no secret is quoted."""

from __future__ import annotations

import json
import socket
import string
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.errors import CloudDBError, ConfigError, UnsupportedOperationError
from pulumi_clouddb.client.operation import Operation, ServerKind
from pulumi_clouddb.engine.wire.settings import provider_config
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.front_ends import FrontEnds
from support.grpc_driver import HostError
from support.host import DynamicHost
from support.raw import Raw, sends
from support.scripted import Response, Scripted
from support.sessions import ORGANIZATION, config_of
from things.alerts.vendor_checks import ALERT

SECRET = "tok-S3cr3t.Value"
PARTS: dict[str, Any] = dict.fromkeys(("service_id", "pipe_id", "key_id", "dashboard_id", "alert_id"), "x")


def config_error(**values: Any) -> str:
    """Return the error message of settings that cannot be used; it has two lines."""
    with pytest.raises(ConfigError) as caught:
        provider_config(values.get)
    text = str(caught.value)
    assert text.count("\n") == 1
    return text


def configured(key: str, value: str) -> ProviderConfig | str:
    """Return the configuration with one setting, or the error message, which has two lines."""
    try:
        return provider_config({key: value}.get)
    except ConfigError as error:
        text = str(error)
    assert text.count("\n") == 1
    return text


# -- addresses -------------------------------------------------------------------------------------------------------

ADDRESSES = {
    "a query": ("https://api.example.com?token=" + SECRET, "contains a query"),
    "an empty query": ("https://api.example.com?", "contains a query"),
    "a fragment": ("https://api.example.com/#" + SECRET, "contains a fragment"),
    "user info": (f"https://me:{SECRET}@api.example.com", "must not contain credentials"),
    "an empty user": ("https://@api.example.com", "must not contain credentials"),
    "credentials without a scheme": (f"me:{SECRET}@api.example.com", "must be an http or https address"),
    "a line break at the end": ("https://api.example.com\n", "ends in a line break"),
    "a line break within": ("https://api.exam\nple.com", "contains a line break"),
    "a tab": ("https://api.\texample.com", "contains a control character"),
    "a space": ("https://api.example.com/a b", "contains a space"),
    "a space in front": (" https://api.example.com", "contains a space"),
    "a character beyond ASCII": ("https://bücher.example", "contains a character beyond ASCII"),
    "a backslash": ("https://api.example.com\\@evil.example", "must not contain credentials"),
    "a backslash in the path": ("https://api.example.com/a\\b", "contains a backslash"),
    "a port out of range": ("https://api.example.com:99999", "a port from 1 to 65535"),
    "a port of zero": ("https://api.example.com:0", "a port from 1 to 65535"),
    "a port of letters": ("https://api.example.com:https", "a port from 1 to 65535"),
    "no port after a colon": ("https://api.example.com:", "a port from 1 to 65535"),
    "no host": ("https://", "must be an http or https address"),
    "a port without a host": ("https://:443", "host name"),
    "a label too long": (f"https://{'a' * 64}.example.com", "host name"),
    "two dots": ("https://api..example.com", "host name"),
    "an escape in the host": ("https://api%2eexample.com", "host name"),
    "an invalid IPv6 address": ("https://[::1", "host name"),
    "IPv6 with a zone": ("https://[fe80::1%25eth0]", "host name"),
    "dots in the path": ("https://api.example.com/a/../b", "without `.` and `..`"),
    "escaped dots in the path": ("https://api.example.com/%2e%2E/b", "without `.` and `..`"),
    "a broken escape": ("https://api.example.com/%zz", "with % in escapes only"),
    "http to a host that resembles loopback": ("http://127.0.0.1.example.com", "must be https"),
    "http to a host with a loopback user": ("http://127.0.0.1@example.com", "must not contain credentials"),
}


@pytest.mark.parametrize("key", ["baseUrl", "stackUrl"])
@pytest.mark.parametrize(("value", "message"), ADDRESSES.values(), ids=ADDRESSES)
def test_invalid_address_is_rejected(key: str, value: str, message: str) -> None:
    """The error names the reason, and does not quote the value, which may contain secrets."""
    text = config_error(**{key: value})
    assert text.startswith(f"clouddb:{key} ")
    assert message in text
    assert SECRET not in text


PATHS_TO_REMOVE: dict[str, tuple[str, str, str, str]] = {
    "the version": ("baseUrl", "https://api.example.com/v1", "end with /v1", "https://api.example.com"),
    "the version and a slash": ("baseUrl", "https://api.example.com/v1/", "end with /v1", "https://api.example.com"),
    "behind a proxy": ("baseUrl", "https://api.example.com/proxy/v1", "end with /v1", "https://api.example.com/proxy"),
    "the organization": (
        "baseUrl",
        "https://api.example.com/v1/organizations/5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11",
        "continue with /v1",
        "https://api.example.com",
    ),
    "the list of services": (
        "baseUrl",
        "https://api.example.com/v1/organizations/5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11/services",
        "continue with /v1",
        "https://api.example.com",
    ),
    "the version of the self-hosted server": (
        "stackUrl",
        "http://localhost:8000/api/v2",
        "end with /api/v2",
        "http://localhost:8000",
    ),
    "the version and slashes": (
        "stackUrl",
        "http://localhost:8000/api/v2//",
        "end with /api/v2",
        "http://localhost:8000",
    ),
    "the list of dashboards": (
        "stackUrl",
        "http://localhost:8000/api/v2/dashboards",
        "continue with /api/v2",
        "http://localhost:8000",
    ),
}


@pytest.mark.parametrize(("key", "value", "reason", "right"), PATHS_TO_REMOVE.values(), ids=PATHS_TO_REMOVE)
def test_address_with_the_api_path_is_rejected(key: str, value: str, reason: str, right: str) -> None:
    """Every request to `…/v1/v1/…` would get 404. The message contains the right value, which is accepted."""
    expected = f"clouddb:{key} must not {reason}, which every request adds: set it to `{right}`"
    assert expected in config_error(**{key: value})
    assert provider_config({key: right}.get).model_dump(by_alias=True)[key] == right


OF_THE_CLOUD: dict[str, tuple[str, str, str]] = {
    "the console": ("baseUrl", "https://console.clickhouse.cloud", "an API: set it to `https://api.clickhouse.cloud`"),
    "a database": ("baseUrl", "https://a1.us-east-1.aws.clickhouse.cloud:8443", "an API: set it to"),
    "the website": ("baseUrl", "https://clickhouse.com", "an API: set it to"),
    "the cloud for a server of one's own": ("stackUrl", "https://api.clickhouse.cloud", "a self-hosted server: remove"),
}


@pytest.mark.parametrize(("key", "value", "reason"), OF_THE_CLOUD.values(), ids=OF_THE_CLOUD)
def test_address_of_the_cloud_that_is_no_api_is_rejected(key: str, value: str, reason: str) -> None:
    """Its responses are websites and errors of a database, with which no message helps."""
    assert f"clouddb:{key} must be the address of {reason}" in config_error(**{key: value})
    assert provider_config({"baseUrl": "https://api.clickhouse.cloud"}.get).vocabulary is VocabularyName.CLICKHOUSE


MISSING_ROUTES: dict[str, tuple[str, str, str]] = {
    "the management API": (
        "list_keys",
        "",
        "Check that clouddb:baseUrl is the address of its API, to which requests add /v1;",
    ),
    "the self-hosted server": (
        "self_hosted_list_sources",
        "",
        "Check that clouddb:stackUrl is the address of its API, to which requests add /api/v2;",
    ),
    "its user interface": (
        "self_hosted_list_sources",
        "/api",
        "Check that clouddb:stackUrl is the address of its API, to which requests add /api/v2, such as {url};",
    ),
}


@pytest.mark.parametrize(("operation", "path", "advice"), MISSING_ROUTES.values(), ids=MISSING_ROUTES)
def test_missing_route_suggests_to_check_the_address(operation: str, path: str, advice: str) -> None:
    """Few servers need `clouddb:paths`; usually the address is wrong."""
    with Scripted(Response(404, "<pre>Cannot GET</pre>", {"content-type": "text/html"})) as server:
        address = f"{server.url}{path}"
        client = Client(config_of(baseUrl=address, stackUrl=address))
        with pytest.raises(UnsupportedOperationError) as caught:
            client.call(OPERATIONS[operation])
    assert advice.format(url=server.url) in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [
        "https://api.example.com",
        "https://API.example.com:8443/prefix",
        "https://xn--bcher-kva.example",
        "http://127.0.0.1:8980",
        "http://127.1.2.3:8980",
        "http://[::1]:8000",
        "https://[2001:db8::1]/a%20b/~x-y_z.1",
        "https://api.example.com/v1/proxy",
        "https://10.0.0.1:65535",
    ],
)
def test_valid_address_is_accepted(value: str) -> None:
    """It is stored unchanged."""
    assert provider_config({"baseUrl": value, "stackUrl": value}.get).base_url == value


# -- credentials -----------------------------------------------------------------------------------------------------

CREDENTIALS = {
    "a line break at the end": (SECRET + "\n", "must be printable ASCII without spaces, but ends in a line break"),
    "a carriage return at the end": (SECRET + "\r", "ends in a line break"),
    "a line break within": (SECRET + "\nmore", "contains a line break"),
    "an injected header": (SECRET + "\r\nX-Evil: 1", "contains a line break"),
    "a space": (SECRET + " ", "contains a space"),
    "a tab": ("\t" + SECRET, "contains a control character"),
    "a NUL": (SECRET + "\0", "contains a control character"),
    "a character beyond ASCII": (SECRET + "✓", "contains a character beyond ASCII"),
    "a no-break space": (SECRET + "\u00a0", "contains a character beyond ASCII"),
}


@pytest.mark.parametrize("key", ["keyId", "keySecret", "stackToken"])
@pytest.mark.parametrize(("value", "reason"), CREDENTIALS.values(), ids=CREDENTIALS)
def test_credential_that_no_header_can_contain_is_rejected(key: str, value: str, reason: str) -> None:
    """The error has the reason, and does not quote the value in any form."""
    text = config_error(**{key: value})
    assert text.startswith(f"clouddb:{key} ")
    assert reason in text
    assert "S3cr3t" not in text


@pytest.mark.parametrize("key", ["keyId", "keySecret", "stackToken"])
@pytest.mark.parametrize("value", ["<key>", "${KEY}", "{key}", "$(pass show key)", "[secret]", "Bearer <key>"])
def test_placeholder_of_a_credential_is_rejected(key: str, value: str) -> None:
    """Documents, shells and Pulumi's own output contain such texts; a server would only answer 401."""
    assert f"clouddb:{key} must be the value, and is a placeholder" in config_error(**{key: value})


def test_key_id_with_a_colon_is_rejected() -> None:
    """In HTTP Basic, a colon ends the user name; a value `id:secret` is not quoted."""
    text = config_error(keyId=f"id:{SECRET}")
    assert "clouddb:keyId must not contain a colon" in text
    assert SECRET not in text


def test_secret_in_the_wrong_setting_is_not_quoted() -> None:
    """The errors of other settings do not quote a configured secret."""
    text = config_error(keySecret=SECRET, organizationId=SECRET, vocabulary=SECRET, baseUrl=SECRET, paid=SECRET)
    assert SECRET not in text
    assert "clouddb:organizationId must be a UUID, not '[secret]'" in text


def test_dynamic_host_rejects_an_invalid_token(tmp_path: Path) -> None:
    """The real host does not show it, even in a traceback."""
    config = {"clouddb:stackUrl": "http://127.0.0.1:9", "clouddb:stackToken": SECRET + "✓\n"}
    with (
        DynamicHost(config, tmp_path, env={"CLOUDDB_DEBUG": "1"}) as host,
        pytest.raises(HostError) as caught,
    ):
        host.check("Alert", {})
    assert "Traceback" in str(caught.value)
    assert "clouddb:stackToken must be printable ASCII without spaces, but ends in a line break" in str(caught.value)
    assert "S3cr3t" not in str(caught.value)


# -- paths -----------------------------------------------------------------------------------------------------------

KEYS = "/v1/organizations/{organizationId}/keys"
PATHS: dict[str, tuple[dict[str, str], str]] = {
    "another host after @": ({"list_keys": "@evil.example/x"}, "of list_keys must begin with one `/`"),
    "no leading slash": ({"list_keys": "x"}, "must begin with one `/`"),
    "empty": ({"list_keys": ""}, "must begin with one `/`"),
    "a port": ({"list_keys": ":8080/x"}, "must begin with one `/`"),
    "a host": ({"list_keys": ".evil.example/x"}, "must begin with one `/`"),
    "a scheme": ({"list_keys": "https://evil.example/x"}, "must begin with one `/`"),
    "two slashes": ({"list_keys": "//evil.example/x"}, "must begin with one `/`"),
    "a backslash": ({"list_keys": "/\\evil.example"}, "only the characters of a path"),
    "a query": ({"list_keys": "/keys?token=" + SECRET}, "only the characters of a path"),
    "a fragment": ({"list_keys": "/keys#a"}, "only the characters of a path"),
    "a space": ({"list_keys": "/keys /x"}, "only the characters of a path"),
    "a line break": ({"list_keys": "/keys\n"}, "only the characters of a path"),
    "a character beyond ASCII": ({"list_keys": "/schlüssel"}, "only the characters of a path"),
    "a broken escape": ({"list_keys": "/%zz"}, "only the characters of a path"),
    "parent folders": ({"list_keys": "/a/../../b"}, "must not contain the step `.` or `..`"),
    "escaped parent folders": ({"list_keys": "/a/%2e%2e/b"}, "must not contain the step `.` or `..`"),
    "an unknown placeholder": (
        {"list_keys": "/{org}/keys"},
        "must not contain {org}; its placeholders are {organization",
    ),
    "a placeholder of another operation": ({"list_keys": "/{serviceId}/keys"}, "must not contain {serviceId}"),
    "half a placeholder": ({"list_keys": "/{organizationId/keys"}, "only the characters of a path"),
    "a missing placeholder": ({"get_key": "/keys"}, "of get_key must contain {keyId}"),
    "missing placeholders": ({"get_pipe": "/pipes"}, "of get_pipe must contain {pipeId}, {serviceId}"),
    "a misspelt operation": ({"list_key": "/keys"}, "list_key is not an operation; did you mean list_keys?"),
    "an unknown operation": ({f"x{SECRET}\n": "/keys"}, "one of its names is not an operation; did you mean"),
}


@pytest.mark.parametrize(("paths", "reason"), PATHS.values(), ids=PATHS)
def test_invalid_path_is_rejected(paths: dict[str, str], reason: str) -> None:
    """The error names the operation, and does not quote the path."""
    text = config_error(paths=json.dumps(paths))
    assert text.startswith("clouddb:paths ")
    assert reason in text
    assert SECRET not in text


def test_all_invalid_paths_are_reported() -> None:
    """A path of another type does not hide the others."""
    text = config_error(paths=json.dumps({"list_keys": 1, "get_key": "/keys"}))
    assert "clouddb:paths.list_keys must be text, not 1; clouddb:paths of get_key must contain {keyId}" in text


@pytest.mark.parametrize(
    "paths",
    [
        {"list_keys": KEYS},
        {"list_keys": "/keys"},
        {"get_key": "/{organizationId}/k/{keyId}"},
        {"get_key": "/k@x:y/{keyId};v=1/%2F"},
        {"self_hosted_get_alert": "/api/v3/alerts/{alertId}"},
        {name: operation.path for name, operation in OPERATIONS.items()},
    ],
    ids=["unchanged", "no organization", "another order", "other characters", "self-hosted", "all unchanged"],
)
def test_valid_path_is_accepted(paths: dict[str, str]) -> None:
    """It may lack the organization: a server may have only one."""
    assert provider_config({"paths": json.dumps(paths)}.get).paths == paths


def test_all_invalid_settings_and_paths_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """One message contains all of them."""
    monkeypatch.setenv("CLOUDDB_STACK_TOKEN", SECRET + "\n")
    text = config_error(
        baseUrl="https://api.example.com/v1",
        keyId="a:b",
        paths=json.dumps({"list_key": "/k", "get_key": "x", "delete_key": "/k"}),
        vocabulary="klingon",
    )
    for part in ("baseUrl must not end", "keyId must not", "stackToken must", "vocabulary must", "list_key is no"):
        assert f"clouddb:{part}" in text or part in text
    for part in ("of get_key must begin", "of delete_key must contain {keyId}"):
        assert part in text


OF_ADDRESS: dict[str, tuple[dict[str, str], str]] = {
    "nothing": ({}, "clickhouse"),
    "the vendor's address": ({"baseUrl": "https://api.clickhouse.cloud"}, "clickhouse"),
    "the vendor's address in capitals": ({"baseUrl": "https://API.clickhouse.cloud:443/"}, "clickhouse"),
    "a self-hosted server": ({"stackUrl": "https://stack.example.com"}, "clickhouse"),
    "another address": ({"baseUrl": "https://api.example.com"}, "neutral"),
    "an address that only contains the vendor's": ({"baseUrl": "https://api.clickhouse.cloud.example.com"}, "neutral"),
    "both servers": ({"baseUrl": "https://api.example.com", "stackUrl": "https://stack.example.com"}, "neutral"),
    "a dialect without an address": ({"vocabulary": "neutral"}, "neutral"),
    "a dialect and the vendor's address": (
        {"vocabulary": "neutral", "baseUrl": "https://api.clickhouse.cloud"},
        "neutral",
    ),
    "a dialect and another address": ({"vocabulary": "clickhouse", "baseUrl": "https://api.example.com"}, "clickhouse"),
}


@pytest.mark.parametrize(("values", "dialect"), OF_ADDRESS.values(), ids=OF_ADDRESS)
def test_address_decides_on_the_dialect_unless_one_is_set(values: dict[str, str], dialect: str) -> None:
    """Programs for the vendor's servers need no setting; those for another server keep the interface's dialect."""
    assert provider_config(values.get).vocabulary.value == dialect


def test_check_config_of_the_plugin_rejects_the_same(processes: FrontEnds) -> None:
    """CheckConfig checks `clouddb:paths` and credentials, too."""
    plugin = processes.only_native({})
    checked = plugin.check_config({"paths": '{"list_key": "/k"}', "stackToken": SECRET + "\n"})
    assert {*checked.paths} == {"paths", "stackToken"}
    assert SECRET not in str(checked.failures)


# -- no setting sends credentials to another host ----------------------------------------------------------------------


@pytest.mark.parametrize("template", ["@evil.example/x", ":1/x", ".evil.example/x", "x", "\\@evil.example", "/{org}"])
def test_path_override_cannot_change_the_host(template: str) -> None:
    """The client rejects the path, even in a configuration that was not checked."""
    with Scripted() as server:
        client = Client(config_of(baseUrl=server.url, paths={"list_keys": template}))
        with pytest.raises(ConfigError) as caught:
            client.call(OPERATIONS["list_keys"])
        assert server.count == 0
    assert "clouddb:paths of list_keys" in str(caught.value)
    assert str(caught.value).count("\n") == 1


REDIRECTS = {
    "another host": "https://elsewhere.example/login?token=abc",
    "an invalid address": "http://[::1",
    "a path": "/login",
    "an empty address": "",
}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", REDIRECTS.values(), ids=REDIRECTS)
@pytest.mark.parametrize("operation", ["create_key", "list_keys"])
def test_redirect_is_an_error(operation: str, target: str, status: int) -> None:
    """The error has the status and the target without its query; nothing is sent there."""
    with Scripted(Response(status, "", {"location": target})) as server:
        client = Client(config_of(baseUrl=server.url))
        with pytest.raises(CloudDBError, match=f"{status} returned a redirect to ") as caught:
            client.call(OPERATIONS[operation], {} if operation == "create_key" else None)
        assert server.count == 1
    assert "redirects are not followed" in str(caught.value)
    assert "abc" not in str(caught.value)


# -- proxies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_is_reached_without_a_proxy(name: str, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that are sent over plain http stay on this machine."""
    with Scripted(Response(200, {"status": 200, "result": []})) as server, Scripted() as proxy:
        monkeypatch.setenv(name, proxy.url)
        url = server.url.replace("127.0.0.1", host)
        assert Client(config_of(baseUrl=url)).call(OPERATIONS["list_keys"]) == []
        assert (server.count, proxy.count) == (1, 0)


@pytest.mark.parametrize(("bypass", "requests"), [("", 1), ("example.com", 0), ("*", 0)])
def test_other_addresses_use_the_proxy(bypass: str, requests: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy is that of the environment. If it refuses, nothing was sent; it gets only its own credentials."""
    with Raw(sends(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", "//me:pr0xy-pass@"))
        monkeypatch.setenv("NO_PROXY", bypass)
        monkeypatch.setattr("socket.getaddrinfo", _only_loopback)
        client = Client(config_of(baseUrl="https://api.example.com", retryTimeoutSeconds=0))
        with pytest.raises(CloudDBError) as caught:
            client.call(OPERATIONS["create_key"], {})
    assert "Nothing was sent" in str(caught.value)
    assert "pr0xy" not in str(caught.value)
    assert len(proxy.received) == requests
    for request in proxy.received:
        assert request.startswith(b"CONNECT api.example.com:443 ")
        assert b"proxy-authorization: basic" in request.lower()
        assert b"\nauthorization" not in request.lower()


@pytest.mark.parametrize("proxy", ["ftp://me:pr0xy-pass@proxy", "http://me:pr0xy-pass@proxy:port", "socks4://x"])
def test_unusable_proxy_is_an_error(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised at once, and does not contain the proxy's password."""
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    client = Client(config_of(baseUrl="https://api.example.com"))
    with pytest.raises(CloudDBError, match="the proxy that the environment names cannot be used") as caught:
        client.call(OPERATIONS["list_keys"])
    assert "pr0xy" not in str(caught.value)


def _only_loopback(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
    if host != "127.0.0.1":
        raise OSError("no such host")
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]


# -- properties ------------------------------------------------------------------------------------------------------

ODD = st.text(st.sampled_from(string.ascii_letters + string.digits + "/:@?#\\%.{}[]_-~ \t\n\r\0ü✓&=;,"), max_size=40)
AFTER_HTTPS = st.builds("https://{}".format, ODD)


@given(st.one_of(ODD, AFTER_HTTPS, st.text(max_size=30)))
def test_any_address_is_rejected_or_names_its_host(value: str) -> None:
    """Httpx and the standard library find the same host in an accepted address."""
    config = configured("baseUrl", value)
    if isinstance(config, str) or not config.base_url:
        return
    url = httpx.URL(f"{config.base_url}/v1")
    assert url.host == urlsplit(value).hostname
    assert url.userinfo == b""
    assert (url.query, url.fragment) == (b"", "")
    assert url.path.endswith("/v1")


@given(st.sampled_from(list(OPERATIONS.values())), ODD)
def test_any_path_is_rejected_or_stays_on_the_server(operation: Operation, path: str) -> None:
    """An accepted path leads to a request to the configured host, with every placeholder filled."""
    config = configured("paths", json.dumps({operation.name: path}))
    if isinstance(config, str):
        return
    address = {"baseUrl": "https://api.example.com", "stackUrl": "https://stack.example.com"}
    client = Client(config_of(paths=config.paths, **address))
    try:
        request = client._request(operation, None, PARTS)
    except ConfigError:
        return  # only the vendor's servers have the operation
    assert request.url.host == ("stack" if operation.server_kind is ServerKind.SELF_HOSTED else "api") + ".example.com"
    assert request.url.scheme == "https"
    assert "{" not in str(request.url)
    assert ORGANIZATION not in str(request.url) or "{organizationId}" in path


@given(st.sampled_from(["keyId", "keySecret", "stackToken"]), st.text(min_size=6, max_size=40))
def test_any_credential_is_rejected_unquoted_or_can_be_sent(key: str, value: str) -> None:
    """No text causes an error outside the public tree, and none is quoted."""
    config = configured(key, value)
    if isinstance(config, str):
        assert value not in config or value in str(configured(key, "\n")), "it is part of every error message"
        return
    client = Client(
        config_of(
            baseUrl="https://a.example", stackUrl="https://b.example", **{key: config.model_dump(by_alias=True)[key]}
        )
    )
    for operation in ("list_keys", "self_hosted_list_alerts"):
        header = client._request(OPERATIONS[operation], None, PARTS).headers["authorization"]
        assert header.isascii()
        assert header.isprintable()


# -- values of single settings -----------------------------------------------------------------------------------------

CONFIG = [
    (
        "baseUrl",
        "api.example.com",
        "must be an http or https address such as https://api.example.com, not 'api.example.com'",
    ),
    ("baseUrl", "ftp://example.com", "must be an http or https address"),
    ("baseUrl", "http://api.example.com", "must be https: plain http would reveal the credentials"),
    ("stackUrl", "http://localhost.example.com:8000", "must be https: plain http would reveal the credentials"),
    ("stackUrl", "http://10.0.0.1", "must be https: plain http would reveal the credentials"),
    ("baseUrl", "https://user:hunter2@api.example.com", "must not contain credentials; they belong in clouddb:keyId"),
    ("organizationId", "my-org", "must be a UUID, not 'my-org'"),
    ("vocabulary", "klingon", "must be one of neutral, clickhouse, not 'klingon'"),
    ("organizationTier", "basic", "must be one of BASIC, SCALE, ENTERPRISE, not 'basic'"),
    ("paid", "yes", "must be true or false, not 'yes'"),
    ("pacing", "1", "must be true or false, not 1"),
    ("requestTimeoutSeconds", "0.5", "must be at least 1, not 0.5"),
    ("requestTimeoutSeconds", "601", "must be at most 600, not 601"),
    ("retryTimeoutSeconds", "-1", "must be at least 0, not -1"),
    ("retryTimeoutSeconds", "3601", "must be at most 3600, not 3601"),
    ("pollIntervalSeconds", "0.01", "must be at least 0.05, not 0.01"),
    ("pollIntervalSeconds", "301", "must be at most 300, not 301"),
    ("pollIntervalSeconds", "soon", "must be a number, not 'soon'"),
    ("paths", "list_services=/v1", "must be an object, not 'list_services=/v1'"),
    ("ignoreWarnings", "{}", "must be a list, not {}"),
    ("ignoreWarnings", "Servce.region", "has 'Servce.region': 'Servce' is no resource; did you mean Service?"),
    (
        "ignoreWarnings",
        "Alert, Service.ipAccesList[].source",
        "has 'Service.ipAccesList[].source', where there is no ipAccesList; did you mean ipAccessList?",
    ),
    ("ignoreWarnings", "Pipe.source.kafka.broker", "has 'Pipe.source.kafka.broker', where there is no broker; did"),
    ("ignoreWarnings", "getService.service", "has 'getService.service', where there is no service; did"),
]


@pytest.mark.parametrize(("name", "value", "reason"), CONFIG, ids=[f"{name}={value}" for name, value, _ in CONFIG])
def test_invalid_setting_is_rejected(name: str, value: str, reason: str) -> None:
    """The message has the setting, the limit, the value and how to set it, but no credentials."""
    with pytest.raises(ConfigError) as caught:
        provider_config({name: value}.get)
    first, second = str(caught.value).split("\n")
    assert first.startswith(f"clouddb:{name} {reason}")
    assert second.startswith("Set it with `pulumi config set`, or in the environment as CLOUDDB_")
    assert "hunter2" not in str(caught.value)
    assert "Traceback" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("paid", "false", False),
        ("pacing", "true", True),
        ("requestTimeoutSeconds", "1", 1),
        ("retryTimeoutSeconds", "0", 0),
        ("pollIntervalSeconds", "0.05", 0.05),
        ("baseUrl", "https://api.example.com/prefix/", "https://api.example.com/prefix"),
        ("baseUrl", "http://127.0.0.1:8980", "http://127.0.0.1:8980"),
        ("stackUrl", "http://localhost:8000/", "http://localhost:8000"),
        ("stackUrl", "http://[::1]:8000", "http://[::1]:8000"),
        ("keySecret", "12345", "12345"),
        ("paths", '{"list_services": "/v1/all"}', {"list_services": "/v1/all"}),
        ("ignoreWarnings", "Service", ["Service"]),
        ("ignoreWarnings", '["Service.region", "getPipe.pipeId"]', ["Service.region", "getPipe.pipeId"]),
        (
            "ignoreWarnings",
            "Dashboard.tiles[3].config.newer, Role.actors",
            ["Dashboard.tiles[3].config.newer", "Role.actors"],
        ),
    ],
)
def test_settings_are_parsed_from_text(name: str, text: str, value: Any) -> None:
    """Stack configuration contains only text; numbers, flags and objects are parsed."""
    assert provider_config({name: text}.get).model_dump(by_alias=True)[name] == value


@pytest.mark.parametrize(
    ("stack", "environment", "expected"),
    [
        ("from-stack", "from-env", "from-stack"),
        (None, "from-env", "from-env"),
        ("", "from-env", "from-env"),
        (None, "", None),
    ],
)
def test_stack_configuration_precedes_the_environment(
    stack: str | None, environment: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Empty text counts as unset."""
    monkeypatch.setenv("CLOUDDB_KEY_ID", environment)
    assert provider_config({"keyId": stack}.get).key_id == expected


def test_invalid_settings_of_both_sources_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """One message contains those of the stack and of the environment."""
    monkeypatch.setenv("CLOUDDB_PAID", "maybe")
    with pytest.raises(ConfigError) as caught:
        provider_config({"vocabulary": "klingon"}.get)
    assert "clouddb:vocabulary must be one of" in str(caught.value)
    assert "clouddb:paid must be true or false, not 'maybe'" in str(caught.value)
    assert str(caught.value).count("\n") == 1


def test_dynamic_host_reports_an_invalid_setting(tmp_path: Path) -> None:
    """The message of the real host names the setting, and contains no credentials."""
    config = {"clouddb:baseUrl": "https://user:hunter2@api.example.com"}
    with DynamicHost(config, tmp_path) as host, pytest.raises(HostError) as caught:
        host.check("Alert", ALERT.inputs)
    assert "clouddb:baseUrl must not contain credentials" in str(caught.value)
    assert "hunter2" not in str(caught.value)
