"""Whatever a server responds, a call returns the expected type or raises an error of the public tree."""

from __future__ import annotations

import json
from typing import Any

import httpx
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic.alias_generators import to_snake

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import (
    AmbiguousError,
    ApiError,
    ClientError,
    ConfigError,
    ListNotFoundError,
    RateLimitError,
    UnsupportedOperationError,
)
from pulumi_clouddb.client.operation import JSON, Operation
from pulumi_clouddb.client.pages import Page
from pulumi_clouddb.client.responses import parse_response, seconds_until_reset
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.api_keys.api import Keys
from support.ids import PLACEHOLDERS
from support.sessions import config_of

JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "service", "key", "tiles", "series", "settings", "state", "x"]), inner)
    ),
    max_leaves=12,
)
ENVELOPES = st.fixed_dictionaries(
    {},
    optional={
        "status": JSON_VALUES,
        "requestId": JSON_VALUES,
        "result": JSON_VALUES
        | st.fixed_dictionaries({"items": JSON_VALUES, "pagination": st.just({"nextCursor": "a"}) | JSON_VALUES})
        | st.lists(st.dictionaries(st.sampled_from(["id", "name"]), JSON_VALUES)),
        "data": JSON_VALUES,
        "error": JSON_VALUES,
        "nextCursor": JSON_VALUES,
        "message": JSON_VALUES,
    },
)
BODIES = st.one_of(
    st.binary(max_size=60),
    ENVELOPES.map(lambda value: json.dumps(value).encode()),
    st.integers(1, 3000).map(lambda depth: b'{"result":' + b"[" * depth),
    st.sampled_from([b"", b"Not Found", b"null", b"\xef\xbb\xbf{}", b'{"result": {"id": "\\ud800"}}', b"1" * 5000]),
)
VALUES = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
HEADERS = st.dictionaries(
    st.sampled_from(
        ["content-type", "date", "location", "retry-after", "x-ratelimit-reset", "ratelimit-reset", "content-encoding"]
    ),
    VALUES
    | st.sampled_from(
        [
            "text/plain; charset=hex",
            "text/plain; charset=utf-16",
            "Wed, 21 Oct 99999999999999999999 07:28:00 GMT",
            "Mon, 99 Foo 2020 99:99:99 -9999",
            "nan",
            "-1e999",
            "http://[::1",
            "//evil.example",
            "gzip",
        ]
    ),
)
STATUSES = st.integers(100, 999) | st.sampled_from([200, 201, 204, 302, 400, 404, 405, 409, 429, 500, 501, 503])


def _may_have_been_carried_out(operation: Operation, status: int) -> bool:
    return operation.writes and (200 <= status < 400 or status >= 500) and status != 501


@given(st.sampled_from(list(OPERATIONS.values())), STATUSES, HEADERS, BODIES)
@example(OPERATIONS["list_keys"], 200, {}, b'{"result": [{"id": null}, 5, null, []]}')
@example(OPERATIONS["create_key"], 404, {"content-type": "text/plain; charset=hex"}, b"zz")
@example(OPERATIONS["get_postgres_certificates"], 200, {}, b"")
@example(OPERATIONS["get_prometheus_targets"], 200, {}, b"")
def test_any_response_is_a_result_or_an_api_error(
    operation: Operation, status: int, headers: dict[str, str], body: bytes
) -> None:
    """Errors have at most two lines, and are ambiguous exactly if the write may have been carried out."""
    response = httpx.Response(status, content=body, request=httpx.Request(operation.method, "https://a.example/x"))
    response.headers.update(headers)
    error: ApiError | None = None
    try:
        result = parse_response(operation, response)
    except ApiError as raised:
        error = raised
    if error is None:
        shape = str if operation.media != JSON else Page if operation.lists else dict
        assert isinstance(result, shape) or operation.record == "None"
        return
    assert str(error).count("\n") <= 1
    assert error.status == status
    if _may_have_been_carried_out(operation, status):
        assert isinstance(error, AmbiguousError)
    if 400 <= status < 500:
        assert not isinstance(error, AmbiguousError)


@given(st.sampled_from(list(OPERATIONS.values())), STATUSES, HEADERS, BODIES, st.sampled_from(list(VocabularyName)))
def test_any_response_passes_the_whole_client(
    operation: Operation, status: int, headers: dict[str, str], body: bytes, dialect: VocabularyName
) -> None:
    """The call includes decoding, the server's time and translation, in both dialects."""

    def respond(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))

    config = config_of(
        baseUrl="https://a.example", stackUrl="https://b.example", vocabulary=dialect.value, retryTimeoutSeconds=0
    )
    client = Client(config, transport=httpx.MockTransport(respond))
    parts: dict[str, Any] = dict.fromkeys(map(to_snake, PLACEHOLDERS), "x")
    try:
        client.call(operation, {} if operation.writes else None, once=True, **parts)
    except RateLimitError:
        client.close()
    except ApiError as error:
        assert error.status == status  # noqa: PT017 (either outcome is right)
    except ConfigError:
        assert operation.only not in (None, dialect)
    server_time = client.server_time(operation.server_kind)
    assert server_time is None or isinstance(server_time, float)


@given(BODIES, STATUSES)
def test_any_list_has_records_with_ids_or_is_an_api_error(body: bytes, status: int) -> None:
    """A record whose id is not text is an error, too."""

    def respond(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200 if status > 400 else status, stream=httpx.ByteStream(body))

    client = Client(
        config_of(baseUrl="https://a.example", retryTimeoutSeconds=0), transport=httpx.MockTransport(respond)
    )
    try:
        records = Api(client).of(Keys).records(max_age=0)
    except ApiError:
        return
    assert all(isinstance(record.answer["id"], str) for record in (records or {}).values())


@given(st.dictionaries(st.sampled_from(["retry-after", "ratelimit-reset", "x-ratelimit-reset"]), st.text(max_size=30)))
def test_any_reset_header_is_limited_or_ignored(headers: dict[str, str]) -> None:
    """The result is at most an hour; an invalid header gives None."""
    seconds = seconds_until_reset(httpx.Headers([(name.encode(), value.encode()) for name, value in headers.items()]))
    assert seconds is None or 0 <= seconds <= 3600


def test_list_not_found_error_is_a_client_error() -> None:
    """It is not an unsupported operation, which the client remembers."""
    assert issubclass(ListNotFoundError, ClientError)
    assert not issubclass(ListNotFoundError, UnsupportedOperationError)
