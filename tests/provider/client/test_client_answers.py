"""Which responses are successes, and which error class each failure gets."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from pydantic.alias_generators import to_snake

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.diagnosis import Exchange
from pulumi_clouddb.client.errors import (
    AmbiguousError,
    ApiError,
    ClientError,
    ConflictError,
    InvalidResponseError,
    ListNotFoundError,
    NotFoundError,
    RateLimitError,
    ResponseLostError,
    ServerError,
    UnauthorizedError,
    UnsupportedOperationError,
)
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.ids import PLACEHOLDERS
from support.scripted import LOST, Response, Scripted, error, ok, page
from support.sessions import config_of

JSON = {"content-type": "application/json"}
GONE_TEXT = Response(404, "Not Found")
ENVELOPE_ELSEWHERE = Response(404, {"message": "no Route matched with those values"})


def self_hosted_error(status: int, text: str = "no") -> Response:
    """An error response of a self-hosted server."""
    return Response(status, {"message": text})


MANAGEMENT: dict[str, tuple[Response, type[ApiError]]] = {
    "400 is a client error": (error(400), ClientError),
    "401 is an authentication error": (error(401), UnauthorizedError),
    "401 in plain text is an authentication error": (Response(401, "Unauthorized"), UnauthorizedError),
    "403 is an authentication error": (error(403), UnauthorizedError),
    "404 in the envelope is a missing object": (error(404, "NOT_FOUND: Service not found"), NotFoundError),
    "404 as a page is a missing route": (page(404), UnsupportedOperationError),
    "404 as text is a missing route": (GONE_TEXT, UnsupportedOperationError),
    "404 without a body is a missing route": (Response(404), UnsupportedOperationError),
    "404 in another JSON form is a missing route": (ENVELOPE_ELSEWHERE, UnsupportedOperationError),
    "404 in an envelope without a message is a missing route": (
        Response(404, {"status": 404}),
        UnsupportedOperationError,
    ),
    "404 as a list is a missing route": (Response(404, []), UnsupportedOperationError),
    "405 is unsupported": (error(405), UnsupportedOperationError),
    "405 as a page is unsupported": (page(405), UnsupportedOperationError),
    "409 is a conflict": (error(409, "CONFLICT: running"), ConflictError),
    "410 is a client error": (error(410), ClientError),
    "422 is a client error": (error(422), ClientError),
    "424 is a client error": (error(424), ClientError),
    "429 is a rate limit": (error(429), RateLimitError),
    "500 is a server error": (error(500), ServerError),
    "501 is unsupported": (error(501), UnsupportedOperationError),
    "502 as a page is a server error": (page(502), ServerError),
    "503 is a server error": (error(503), ServerError),
    "504 without a body is a server error": (Response(504), ServerError),
    "a reset connection is a lost response": (LOST, ResponseLostError),
    "a page in place of JSON is malformed": (page(200), InvalidResponseError),
    "truncated JSON is malformed": (Response(200, '{"status": 200, "resu', JSON), InvalidResponseError),
    "JSON without the envelope is malformed": (Response(200, {"id": "s"}), InvalidResponseError),
    "an envelope without result is malformed": (
        Response(200, {"status": 200, "requestId": "r"}),
        InvalidResponseError,
    ),
    "a result that is text is malformed": (ok("text"), InvalidResponseError),
    "a result that is null is malformed": (Response(200, {"status": 200, "result": None}), InvalidResponseError),
    "a list in place of an object is malformed": (ok([{"id": "k"}]), InvalidResponseError),
    "JSON that is a list is malformed": (Response(200, []), InvalidResponseError),
    "an empty body is malformed": (Response(200), InvalidResponseError),
    "204 is malformed": (Response(204), InvalidResponseError),
    "a redirect is malformed": (Response(307, "", {"location": "/elsewhere"}), InvalidResponseError),
}

SELF_HOSTED: dict[str, tuple[Response, type[ApiError]]] = {
    "400 is a client error": (self_hosted_error(400, "Body validation failed: tiles: Required"), ClientError),
    "401 in plain text is an authentication error": (Response(401, "Unauthorized"), UnauthorizedError),
    "404 with a message is a missing object": (self_hosted_error(404, "Alert not found"), NotFoundError),
    "404 as the text `Not Found` is a missing object": (GONE_TEXT, NotFoundError),
    "404 as other text is a missing route": (Response(404, "404 page not found"), UnsupportedOperationError),
    "404 as a page is a missing route": (
        page(404, "<pre>Cannot GET /api/v2/alerts/x</pre>"),
        UnsupportedOperationError,
    ),
    "404 in the other envelope is a missing route": (error(404), UnsupportedOperationError),
    "405 is unsupported": (self_hosted_error(405), UnsupportedOperationError),
    "409 is a conflict": (self_hosted_error(409), ConflictError),
    "429 as a page is a rate limit": (page(429, "Too many requests, please try again later."), RateLimitError),
    "500 is a server error": (self_hosted_error(500, "Something went wrong :("), ServerError),
    "501 is unsupported": (page(501), UnsupportedOperationError),
    "a page in place of JSON is malformed": (page(200), InvalidResponseError),
    "an envelope without data is malformed": (Response(200, {}), InvalidResponseError),
    "the other envelope is malformed": (ok(), InvalidResponseError),
    "data that is text is malformed": (Response(200, {"data": "x"}), InvalidResponseError),
}

CASES = [
    pytest.param(operation, answer, kind, id=f"{server_kind}: {rule}")
    for server_kind, operation, table in (
        ("management", "update_key", MANAGEMENT),
        ("self-hosted", "self_hosted_create_alert", SELF_HOSTED),
    )
    for rule, (answer, kind) in table.items()
]


def call(operation: str, answer: Response) -> Any:
    """Carry out an operation once against a server that sends this response; retries fail the test."""
    with Scripted(answer) as server:
        dialect = (OPERATIONS[operation].only or VocabularyName.NEUTRAL).value
        config = config_of(baseUrl=server.url, stackUrl=server.url, retryTimeoutSeconds=0, vocabulary=dialect)
        client = Client(config, runtime=Runtime(_no_sleep))
        body: dict[str, Any] | None = {} if OPERATIONS[operation].writes else None
        parts: dict[str, Any] = dict.fromkeys(map(to_snake, PLACEHOLDERS), "x")
        return client.call(OPERATIONS[operation], body, once=True, **parts)


def _no_sleep(_: float) -> None:
    raise AssertionError("unexpected wait")


@pytest.mark.parametrize(("operation", "answer", "kind"), CASES)
def test_each_failure_has_its_error_class(operation: str, answer: Response, kind: type[ApiError]) -> None:
    """Exactly this class is raised, with the status of the response."""
    with pytest.raises(ApiError) as caught:
        call(operation, answer)
    assert type(caught.value) is kind
    assert caught.value.status == (None if answer.lost else answer.status)


@pytest.mark.parametrize(
    ("operation", "answer", "result"),
    [
        pytest.param("update_key", ok({"id": "k"}), {"id": "k"}, id="an object"),
        pytest.param("list_keys", ok([{"id": "k"}]), [{"id": "k"}], id="a list"),
        pytest.param("list_keys", ok([]), [], id="an empty list"),
        pytest.param("update_key", ok({}), {}, id="an empty object"),
        pytest.param("update_key", ok({"id": "k"}, extra=1), {"id": "k"}, id="an envelope with other fields"),
        pytest.param("update_key", Response(201, {"result": {"id": "k"}}), {"id": "k"}, id="201, minimal envelope"),
        pytest.param("self_hosted_create_alert", Response(200, {"data": {"id": "a"}}), {"id": "a"}, id="data"),
        pytest.param(
            "delete_key", Response(200, {"status": 200, "requestId": "r"}), None, id="deletion with an envelope"
        ),
        pytest.param("delete_key", Response(204), None, id="deletion without a body"),
        pytest.param("self_hosted_delete_alert", Response(200, {}), None, id="deletion with an empty object"),
    ],
)
def test_success_returns_the_result(operation: str, answer: Response, result: Any) -> None:
    """The result is taken out of the envelope of either server."""
    assert call(operation, answer) == result


LISTS = {(each.server_kind, each.per_page is None): name for name, each in OPERATIONS.items() if each.lists}.values()
"""One list operation of each kind of server, with and without pages."""


@pytest.mark.parametrize("operation", LISTS)
@pytest.mark.parametrize("answer", [ok({"id": "k"}, data={"id": "k"}), ok("x", data="x")], ids=["object", "text"])
def test_list_response_must_contain_a_list(operation: str, answer: Response) -> None:
    """Accepting an object would make the collection look empty."""
    with pytest.raises(InvalidResponseError, match="returned no list in its envelope"):
        call(operation, answer)


@pytest.mark.parametrize("operation", LISTS)
@pytest.mark.parametrize(
    ("managed", "hosted", "kind"),
    [
        (error(404, "NOT_FOUND: no"), self_hosted_error(404, "no"), ListNotFoundError),
        (page(404), page(404), UnsupportedOperationError),
        (Response(404), Response(404), UnsupportedOperationError),
        (error(405), self_hosted_error(405), UnsupportedOperationError),
        (error(501), self_hosted_error(501), UnsupportedOperationError),
        (error(400), self_hosted_error(400), ClientError),
    ],
    ids=["the API's own 404", "a page", "nothing", "405", "501", "400"],
)
def test_404_for_a_list_is_not_a_missing_object(
    operation: str, managed: Response, hosted: Response, kind: type[ApiError]
) -> None:
    """No object may be dropped from state, and the API's own 404 does not mean that the operation is unsupported."""
    with pytest.raises(ApiError) as caught:
        call(operation, hosted if OPERATIONS[operation].server_kind is ServerKind.SELF_HOSTED else managed)
    assert type(caught.value) is kind


@pytest.mark.parametrize("answer", [error(500), LOST], ids=["500", "lost"])
def test_failed_read_reports_no_change(answer: Response) -> None:
    """The message says that reading failed; it does not say that something may have changed."""
    with pytest.raises(ApiError) as caught:
        call("get_service", answer)
    assert "could not read the service" in str(caught.value)
    assert "Nothing was read; run again when the server works again." in str(caught.value)
    assert "changed" not in str(caught.value)


@pytest.mark.parametrize("operation", ["delete_service", "delete_key", "self_hosted_delete_dashboard"])
@pytest.mark.parametrize("answer", [page(200), Response(200, "OK"), Response(302, "", {"location": "/login"})], ids=str)
def test_page_does_not_confirm_a_deletion(operation: str, answer: Response) -> None:
    """Only the API's own response removes an object from state."""
    with pytest.raises(InvalidResponseError):
        call(operation, answer)


def test_error_in_a_200_does_not_confirm_a_deletion() -> None:
    """Some servers and gateways send errors with status 200."""
    with pytest.raises(InvalidResponseError, match=r"200 returned FORBIDDEN: no, and no result \(request r-1\)"):
        call("delete_key", Response(200, error(403, "FORBIDDEN: no").body))


@pytest.mark.parametrize(
    ("kind", "ambiguous"),
    [
        (ResponseLostError, True),
        (InvalidResponseError, True),
        (ServerError, True),
        (ClientError, False),
        (ConflictError, False),
        (NotFoundError, False),
        (ListNotFoundError, False),
        (UnsupportedOperationError, False),
        (UnauthorizedError, False),
        (RateLimitError, False),
    ],
)
def test_ambiguous_errors_are_declared(kind: type[ApiError], ambiguous: bool) -> None:
    """After an ambiguous error, a create looks for its object before another one is made."""
    assert issubclass(kind, AmbiguousError) is ambiguous


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[" * 100_000, b'{"a": ' * 100_000, b"\xff"],
    ids=["empty", "incomplete", "nested lists", "nested objects", "no UTF-8"],
)
def test_exchange_document_is_none_for_invalid_json(body: bytes) -> None:
    """Diagnosis reads responses of any server; deep nesting does not crash it."""
    exchange = Exchange(OPERATIONS["list_keys"], response=httpx.Response(200, content=body))
    assert exchange.document is None
