"""Requests of `Client`, sent over real HTTP to a server with scripted responses."""

from __future__ import annotations

import base64
import gc
import json
import logging
import re
import warnings
from contextlib import nullcontext
from typing import Any

import pytest
from pydantic.alias_generators import to_snake

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.errors import ApiError, ConfigError, InvalidResponseError, ResourceError, ResponseLostError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, NEUTRAL
from support.clock import FakeClock
from support.ids import PLACEHOLDERS
from support.scripted import LOST, Received, Response, Scripted, error, ok, page
from support.sessions import ORGANIZATION, config_of

SERVICES = f"/v1/organizations/{ORGANIZATION}/services"
PARTS: dict[str, Any] = dict.fromkeys(map(to_snake, PLACEHOLDERS), "x")
SECRETS = ("s3cr3t-k3y", "s3cr3t-t0k3n", "s3cr3t-b0dy", base64.b64encode(b"key-id:s3cr3t-k3y").decode())


def send(operation: str, body: Any = None, answer: Response | None = None, **values: Any) -> Received:
    """Carry out an operation and return its only request."""
    declared = OPERATIONS[operation]
    result: Any = [] if declared.lists else {}
    bare_list = declared.bare and declared.server_kind is ServerKind.MANAGEMENT
    with Scripted(answer or (Response(200, []) if bare_list else ok(result, data=result))) as server:
        base = server.url + values.pop("prefix", "")
        dialect = {"vocabulary": only.value} if (only := OPERATIONS[operation].only) else {}
        client = Client(config_of(baseUrl=base, stackUrl=base, **dialect, **values.pop("config", {})))
        client.call(OPERATIONS[operation], body, **{**PARTS, **values})
        (received,) = server.received
    return received


def failure(operation: str, *answers: Response, body: Any = None, **config: Any) -> ApiError:
    """Carry out an operation that must fail, and return the error."""
    with Scripted(*answers) as server:
        client = Client(config_of(baseUrl=server.url, stackUrl=server.url, retryTimeoutSeconds=0, **config))
        with pytest.raises(ApiError) as caught:
            client.call(OPERATIONS[operation], body, **PARTS)
    return caught.value


@pytest.mark.parametrize(
    ("key_id", "secret"),
    [("key-id", "key-secret"), ("key", "with:colons:in"), ("k", "%41+/="), ("key~!", "\"#$'()*,;<>?@[]^`{|}")],
)
def test_management_api_requests_use_basic_credentials(key_id: str, secret: str) -> None:
    """`Authorization: Basic` encodes exactly the key id and the key secret."""
    received = send("create_service", {"name": "a"}, config={"keyId": key_id, "keySecret": secret})
    scheme, encoded = received.headers["authorization"].split(" ")
    assert scheme == "Basic"
    assert base64.b64decode(encoded).decode() == f"{key_id}:{secret}"


def test_every_operation_sends_an_authorization_header() -> None:
    """Self-hosted operations send the access token as `Bearer`, all others the key as `Basic`.

    GET requests have neither a body nor a content type.
    """
    basic = f"Basic {base64.b64encode(b'key-id:key-secret').decode()}"
    for name, operation in OPERATIONS.items():
        received = send(name, None if operation.method in ("GET", "DELETE") else {})
        hosted = operation.server_kind is ServerKind.SELF_HOSTED
        assert received.headers["authorization"] == ("Bearer stack-token" if hosted else basic), name
        assert received.method == operation.method, name
        if operation.method == "GET":
            assert received.body == "", name
            assert "content-type" not in received.headers, name


def test_writes_send_json() -> None:
    """Bodies are JSON in UTF-8, with the matching content type."""
    received = send("update_key", {"name": "Schlüssel", "roles": ["admin"], "expireAt": None})
    assert received.headers["content-type"] == "application/json"
    assert json.loads(received.body) == {"name": "Schlüssel", "roles": ["admin"], "expireAt": None}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (3, "3"),
        (0.5, "0.5"),
        (-0.0, "0"),
        (10737418240.0, "10737418240"),
        ([1.0, {"a": 2.0}], '[1,{"a":2}]'),
        (True, "true"),
        ("3.0", '"3.0"'),
    ],
    ids=repr,
)
def test_whole_floats_are_sent_as_integers(value: Any, text: str) -> None:
    """Pulumi knows floats only, and servers require integers: whole numbers are converted at any depth."""
    assert send("update_key", {"n": value}).body == f'{{"n":{text}}}'


@pytest.mark.parametrize(
    ("prefix", "path"),
    [
        ("", f"{SERVICES}/x"),
        ("/", f"{SERVICES}/x"),
        ("/proxy", f"/proxy{SERVICES}/x"),
        ("/proxy/", f"/proxy{SERVICES}/x"),
    ],
)
def test_paths_are_joined_to_the_address(prefix: str, path: str) -> None:
    """A path prefix of the address is kept, and slashes are not doubled."""
    assert send("get_service", prefix=prefix).path == path


@pytest.mark.parametrize(
    ("key_id", "segment"),
    [
        ("a/b", "a%2Fb"),
        ("a b", "a%20b"),
        ("ä", "%C3%A4"),
        ("a?b#c", "a%3Fb%23c"),
        ("a%2Fb", "a%252Fb"),
        ("a;b", "a%3Bb"),
    ],
)
def test_path_parameters_stay_one_segment(key_id: str, segment: str) -> None:
    """Ids are percent-encoded, so that they cannot change the path."""
    assert send("get_key", key_id=key_id).path == f"/v1/organizations/{ORGANIZATION}/keys/{segment}"


@pytest.mark.parametrize("pipe_id", [".", ".."])
def test_dot_segments_are_encoded(pipe_id: str) -> None:
    """`services/s/pipes/../scaling` would scale the service."""
    path = send("scale_pipe", {}, pipe_id=pipe_id).path
    assert path == f"{SERVICES}/x/pipes/{pipe_id.replace('.', '%2E')}/scaling"


def test_path_with_an_empty_part_is_not_sent() -> None:
    """Of no operation: `DELETE /webhooks/` is a request to the collection, and a read of it finds no object."""
    with Scripted() as server:
        clients = {
            only: Client(config_of(baseUrl=server.url, stackUrl=server.url, vocabulary=(only or NEUTRAL).value))
            for only in (None, CLICKHOUSE)
        }
        for operation in OPERATIONS.values():
            for part in set(re.findall(r"{(\w+)}", operation.path)) & PLACEHOLDERS:
                for text in ("", " "):
                    with pytest.raises(ResourceError, match=f"could not .*: {part} is empty"):
                        clients[operation.only].call(operation, None, **{**PARTS, to_snake(part): text})
        assert server.received == []


def test_path_can_be_overridden() -> None:
    """`clouddb:paths` replaces the path of an operation."""
    config = {"paths": {"get_pipe": "/v2/{organizationId}/{serviceId}/pipe/{pipeId}"}, "vocabulary": "clickhouse"}
    assert send("get_pipe", config=config).path == f"/v2/{ORGANIZATION}/x/pipe/x"


def test_path_override_applies_to_one_operation() -> None:
    """An override of the managed operation does not change the self-hosted one."""
    config = {"paths": {"get_alert": "/elsewhere"}}
    assert send("self_hosted_get_alert", config=config).path == "/api/v2/alerts/x"


def test_redirects_are_not_followed() -> None:
    """Credentials are sent to the configured address only."""
    with Scripted() as elsewhere:
        result = failure("get_service", Response(302, "", {"location": elsewhere.url + "/v1"}))
        assert elsewhere.count == 0
    assert isinstance(result, InvalidResponseError)


@pytest.mark.parametrize(
    ("operation", "missing", "key", "variable", "flag"),
    [
        ("get_service", "baseUrl", "baseUrl", "CLOUDDB_BASE_URL", ""),
        ("get_service", "organizationId", "organizationId", "CLOUDDB_ORGANIZATION_ID", ""),
        ("get_service", "keyId", "keyId", "CLOUDDB_KEY_ID", ""),
        ("get_service", "keySecret", "keySecret", "CLOUDDB_KEY_SECRET", " --secret"),
        ("self_hosted_list_alerts", "stackUrl", "stackUrl", "CLOUDDB_STACK_URL", ""),
        ("self_hosted_list_alerts", "stackToken", "stackToken", "CLOUDDB_STACK_TOKEN", " --secret"),
    ],
)
def test_missing_setting_is_named(operation: str, missing: str, key: str, variable: str, flag: str) -> None:
    """The message names the configuration key and the environment variable; nothing is sent."""
    with Scripted() as server:
        client = Client(config_of(**{"baseUrl": server.url, "stackUrl": server.url, missing: None}))
        with pytest.raises(ConfigError) as caught:
            client.call(OPERATIONS[operation], **PARTS)
        assert server.count == 0
    first, second = str(caught.value).split("\n")
    assert first == f"clouddb:{key} is not set"
    assert f"`pulumi config set{flag} clouddb:{key} …`" in second
    assert variable in second


def test_all_missing_settings_are_named_at_once() -> None:
    """Setting them one after the other would need one run each."""
    with pytest.raises(ConfigError) as caught:
        Client(ProviderConfig.model_validate({"vocabulary": "neutral"})).call(OPERATIONS["list_services"])
    first, second = str(caught.value).split("\n")
    assert first == "clouddb:baseUrl, clouddb:organizationId, clouddb:keyId and clouddb:keySecret are not set"
    assert "`pulumi config set --secret clouddb:keySecret …`" in second
    assert "CLOUDDB_BASE_URL, CLOUDDB_ORGANIZATION_ID, CLOUDDB_KEY_ID and CLOUDDB_KEY_SECRET" in second


def test_vendors_servers_need_only_a_key() -> None:
    """Their address is known, and they return the organization of the key."""
    with pytest.raises(ConfigError, match=r"^clouddb:keyId and clouddb:keySecret are not set\n"):
        Client(ProviderConfig()).call(OPERATIONS["list_services"])


def test_missing_stack_url_suggests_the_managed_form() -> None:
    """A program without clouddb:stackUrl may have meant the ClickStack of a service."""
    with pytest.raises(ConfigError, match="give the resource a serviceId"):
        Client(config_of()).call(OPERATIONS["self_hosted_list_alerts"])


def test_vendor_address_is_the_default_of_its_dialect() -> None:
    """The clickhouse dialect has a default address; the neutral one has none."""
    client = Client(config_of(vocabulary="clickhouse", paths={"get_service": "/"}))
    assert str(client._request(OPERATIONS["get_service"], None, {}).url) == "https://api.clickhouse.cloud/"


MESSAGES = {
    "a refusal": (error(400, "BAD_REQUEST: name is taken"), "400 BAD_REQUEST: name is taken (request r-1)"),
    "wrong credentials": (error(401, "UNAUTHORIZED: no"), "401 UNAUTHORIZED: no (request r-1)"),
    "a missing object": (error(404, "NOT_FOUND: no"), "404 NOT_FOUND: no (request r-1)"),
    "a refusal of another make": (
        Response(422, {"code": "INVALID", "message": "name is taken"}),
        "422 name is taken",
    ),
    "a missing object of another make": (Response(404, {"code": "NOT_FOUND", "message": "no"}), "404 no"),
    "a failure without words": (Response(422, {"code": 7}), "422 a body of type application/json"),
    "a missing route": (page(404), "404 a body of type text/html"),
    "a server error": (error(500, "INTERNAL: oops"), "500 INTERNAL: oops (request r-1)"),
    "a gateway": (page(502), "502 a body of type text/html"),
    "a rate limit": (error(429, "TOO_MANY_REQUESTS: slow"), "429 TOO_MANY_REQUESTS: slow (request r-1)"),
    "a page": (page(200), "200 returned a body of type text/html, not its envelope"),
    "a lost response": (LOST, "the connection was lost before the response"),
    "a message of several lines": (error(400, "first\nsecond\nthird"), "400 first second third (request r-1)"),
    "a very long message": (error(400, "word " * 2000), "400 word word"),
}


@pytest.mark.parametrize(("answer", "expected"), MESSAGES.values(), ids=MESSAGES)
def test_error_message_has_at_most_two_lines(answer: Response, expected: str, clock: FakeClock) -> None:
    """The first line has the operation, the server's message and its request id; the second one is advice."""
    with Scripted(answer) as server:
        client = Client(config_of(baseUrl=server.url, retryTimeoutSeconds=0), runtime=Runtime(clock.sleep))
        with pytest.raises(ApiError) as caught:
            client.call(OPERATIONS["update_service"], {"name": "a"}, service_id="x")
    first, *rest = str(caught.value).split("\n")
    assert first.startswith(f"could not update the service: PATCH {server.url}{SERVICES}/x: {expected}")
    assert len(rest) <= 1
    assert len(first) <= 1000


ADVICE = {
    "400": (error(400), ""),
    "402": (
        error(402, "ERROR: Organization has reached its limit of 20 services"),
        "Delete unused objects, or ask the server's operator to raise the organization's limit; then run again.",
    ),
    "a page": (page(200), "Check that clouddb:baseUrl is the address of the API, not of a proxy or a web page."),
    "no route": (page(404), "This server does not offer it at this address. Check that clouddb:baseUrl is"),
    "no method": (error(405), "This server does not offer it at this address. Check that clouddb:baseUrl is"),
    "the other dialect": (
        error(400, "BAD_REQUEST: request body.tags: is supported only with clouddb:vocabulary=clickhouse"),
        "This server uses the dialect neutral: set clouddb:vocabulary=neutral, or clouddb:baseUrl to a server",
    ),
}


@pytest.mark.parametrize("operation", ["update_key", "create_service", "update_service", "list_services"])
@pytest.mark.parametrize(("answer", "advice"), ADVICE.values(), ids=ADVICE)
def test_second_line_is_advice_or_absent(answer: Response, advice: str, operation: str) -> None:
    """It does not depend on whether the operation is documented or inferred."""
    _, *rest = str(failure(operation, answer)).split("\n")
    assert bool(rest) == bool(advice)
    assert "".join(rest).startswith(advice)


def test_error_keeps_the_request_id() -> None:
    """Errors carry the status, the request id, the message and the operation, for support requests."""
    caught = failure("update_key", error(403, "FORBIDDEN: no"), body={})
    assert (caught.status, caught.request_id, caught.message) == (403, "r-1", "FORBIDDEN: no")
    assert caught.operation is OPERATIONS["update_key"]


LEAKS = {
    "success": (ok(data={}), None),
    "refusal": (error(400), ApiError),
    "lost": (LOST, ResponseLostError),
    "page": (page(200), InvalidResponseError),
    "unauthorized": (error(401), ApiError),
    "server fault": (error(500), ApiError),
}


@pytest.mark.parametrize("operation", ["create_service", "reset_password", "self_hosted_create_alert"])
@pytest.mark.parametrize(("answer", "raised"), LEAKS.values(), ids=LEAKS)
def test_secrets_are_neither_logged_nor_in_errors(
    operation: str, answer: Response, raised: type[Exception] | None, caplog: pytest.LogCaptureFixture
) -> None:
    """Log lines of the finest level and errors contain neither credentials nor bodies."""
    caplog.set_level(logging.DEBUG)
    config = {"keySecret": "s3cr3t-k3y", "stackToken": "s3cr3t-t0k3n"}
    with Scripted(answer) as server:
        client = Client(config_of(baseUrl=server.url, stackUrl=server.url, retryTimeoutSeconds=0, **config))
        error_text = ""
        with pytest.raises(raised) if raised else nullcontext() as caught:
            client.call(OPERATIONS[operation], {"encryptionKey": "s3cr3t-b0dy"}, service_id="x")
        if caught:
            error_text = f"{caught.value} {caught.value!r} {vars(caught.value)} {caught.value.__cause__!r}"
    assert server.count == 1
    assert f" {server.url}" in caplog.text
    for secret in SECRETS:
        assert secret not in caplog.text
        assert secret not in error_text


def test_config_repr_hides_secrets() -> None:
    """The repr and the text of a configuration leave secrets out."""
    config = config_of(keySecret="s3cr3t-k3y", stackToken="s3cr3t-t0k3n")
    assert "key-id" in repr(config)
    assert not [secret for secret in SECRETS if secret in f"{config!r} {config}"]


def test_each_request_logs_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """The line has the method, the address, the status and the duration."""
    caplog.set_level(logging.DEBUG, "pulumi_clouddb.client")
    failure("get_service", error(404))
    (line,) = [record.getMessage() for record in caplog.records if record.name == "pulumi_clouddb.client"]
    assert line.startswith("GET http://127.0.0.1:")
    assert f"{SERVICES}/x: 404, " in line
    assert line.endswith(" ms")


def test_request_timeout_ends_a_request() -> None:
    """Without a response within `requestTimeoutSeconds`, the response counts as lost."""
    caught = failure("create_service", Response(200, "", wait=1.5), body={}, requestTimeoutSeconds=1)
    assert isinstance(caught, ResponseLostError)
    assert "It may still have been carried out" in str(caught)


def test_responses_are_translated_to_neutral_names() -> None:
    """The clickhouse dialect renames fields of responses."""
    with Scripted(ok({"id": "s", "clickhouseVersion": "25.8"})) as server:
        client = Client(config_of(baseUrl=server.url, vocabulary="clickhouse"))
        assert client.call(OPERATIONS["get_service"], service_id="s") == {"id": "s", "engineVersion": "25.8"}


def test_server_time_comes_from_the_last_response(clock: FakeClock) -> None:
    """It is the last response's `Date`, also of an error, plus the time since; the local clock is not used."""
    dates = ["Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2015 09:00:00 GMT"]
    with Scripted(Response(200, {"result": []}, {"date": dates[0]}), error(400, date=dates[1])) as server:
        client = Client(config_of(baseUrl=server.url, stackUrl=server.url))
        assert client.server_time(ServerKind.MANAGEMENT) is None
        client.call(OPERATIONS["list_keys"])
        assert client.server_time(ServerKind.MANAGEMENT) == pytest.approx(1445412480, abs=1)
        clock.sleep(100)
        assert client.server_time(ServerKind.MANAGEMENT) == pytest.approx(1445412580, abs=1)
        with pytest.raises(ApiError):
            client.call(OPERATIONS["list_keys"])
        assert client.server_time(ServerKind.MANAGEMENT) == pytest.approx(1445418000, abs=1)
    assert client.server_time(ServerKind.SELF_HOSTED) is None


@pytest.mark.parametrize("date", ["", "soon", "Wed, 21 Oct 99999 07:28:00 GMT", "1445412480"])
def test_invalid_date_header_is_ignored(date: str) -> None:
    """The request succeeds, and the server's time stays unknown."""
    with Scripted(Response(200, {"result": []}, {"date": date})) as server:
        client = Client(config_of(baseUrl=server.url))
        assert client.call(OPERATIONS["list_keys"]) == []
    assert client.server_time(ServerKind.MANAGEMENT) is None


def test_unreferenced_client_closes_its_connections() -> None:
    """Python would warn about each open socket that it collects."""
    with Scripted(ok([])) as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert Client(config_of(baseUrl=server.url)).call(OPERATIONS["list_keys"]) == []
        gc.collect()
    assert [str(warning.message) for warning in caught] == []
