"""Lists in pages: each list is whole or an error, however a server splits it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from pulumi_clouddb.client import pages
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api, Collection
from pulumi_clouddb.client.errors import ApiError, InvalidResponseError, PartialListError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.pipes.api import PipeScalings
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.clock import FakeClock
from support.ids import PLACEHOLDERS
from support.sessions import ProviderProcess, config_for, config_of

Respond = Callable[[dict[str, str]], httpx.Response]

NOBODY = "f" * 24
"""An object that a read of its own does not find."""
LISTS = [name for name, each in OPERATIONS.items() if each.lists]
OFFSETS = [name for name in LISTS if OPERATIONS[name].by_offset]


def client(respond: Respond, clock: FakeClock | None = None, **config: Any) -> Client:
    """A client of a server that answers each query in this way."""

    def handle(request: httpx.Request) -> httpx.Response:
        return respond({name: text for name, (text,) in parse_qs(request.url.query.decode()).items()})

    runtime = Runtime(clock.sleep if clock else None)
    settings = {"baseUrl": "http://127.0.0.1:9", "stackUrl": "http://127.0.0.1:9", "retryTimeoutSeconds": 0, **config}
    return Client(config_of(**settings), runtime=runtime, transport=httpx.MockTransport(handle))


def of_list(operation: str, respond: Respond, clock: FakeClock | None = None) -> Any:
    """Carry out an operation that lists, against such a server."""
    dialect = (OPERATIONS[operation].only or VocabularyName.NEUTRAL).value
    parts: dict[str, Any] = dict.fromkeys(PLACEHOLDERS, "x") | dict.fromkeys(("service_id", "function_name"), "x")
    return client(respond, clock, vocabulary=dialect).call(OPERATIONS[operation], **parts)


def answer(records: list[Any], **around: Any) -> httpx.Response:
    """A page in both envelopes."""
    return httpx.Response(200, json={"result": records, "data": records, **around})


def numbered(start: int, end: int) -> list[dict[str, Any]]:
    """Records with the ids of these numbers."""
    return [{"id": f"{number:024x}"} for number in range(start, end)]


def in_envelope(records: list[Any], following: Any) -> httpx.Response:
    """The form of keys and saved queries."""
    return answer(records, limit=250, totalCount=None, nextCursor=following)


def in_result(records: list[Any], following: Any) -> httpx.Response:
    """The form of user-defined functions before September 2026."""
    pagination = {"totalRecords": 4, "limit": 2, "currentCursor": None, "nextCursor": following}
    return httpx.Response(200, json={"result": {"items": records, "pagination": pagination}})


@pytest.mark.parametrize("operation", [name for name in LISTS if OPERATIONS[name].server_kind is ServerKind.MANAGEMENT])
@pytest.mark.parametrize("form", [in_envelope, in_result])
@pytest.mark.parametrize("cursors", [("a b&c", "ü"), (2, 4)], ids=["text", "numbers"])
def test_a_cursor_leads_to_the_next_page(operation: str, form: Any, cursors: tuple[Any, Any]) -> None:
    """In every list, declared with pages or not, and also across an empty page (keys: "Empty middle pages")."""
    first, second = cursors
    content = {
        "": form(numbered(0, 2), first),
        str(first): form([], second),
        str(second): form(numbered(2, 3), None),
    }
    found = of_list(operation, lambda query: content[query.get("cursor", "")])
    assert found == numbered(0, 3)


@pytest.mark.parametrize("operation", LISTS)
def test_a_list_without_an_end_ends(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page has another cursor, or is full; the error names the list and the limit."""
    monkeypatch.setattr(pages, "MAX_PAGES", 7)
    asked: list[dict[str, str]] = []

    def respond(query: dict[str, str]) -> httpx.Response:
        asked.append(query)
        if OPERATIONS[operation].by_offset:
            offset = int(query.get("offset", 0))
            return answer(numbered(offset, offset + 1000))
        return in_envelope(numbered(0, 1), f"c{len(asked)}")

    if OPERATIONS[operation].server_kind is ServerKind.SELF_HOSTED and operation not in OFFSETS:
        return  # neither cursors nor offsets
    with pytest.raises(PartialListError, match="the list has no end: 7 pages read, the limit is 7") as endless:
        of_list(operation, respond)
    assert str(endless.value).startswith(f"could not {OPERATIONS[operation].action}: ")
    assert len(asked) == 7


@pytest.mark.parametrize(
    ("limit", "value", "words", "requests"),
    [
        ("MAX_PAGES", 3, "3 pages read, the limit is 3", 3),
        ("MAX_RECORDS", 25, "30 records read, the limit is 25", 3),
        ("MAX_SECONDS", 50.0, "60 seconds read, the limit is 50", 3),
    ],
)
def test_each_limit_ends_a_list(
    limit: str, value: float, words: str, requests: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten records and twenty seconds for each page."""
    clock = FakeClock(monkeypatch)
    monkeypatch.setattr(pages, limit, value)
    asked = []

    def respond(query: dict[str, str]) -> httpx.Response:
        asked.append(query)
        clock.sleep(20.0)
        return in_envelope(numbered(0, 10), str(len(asked)))

    with pytest.raises(PartialListError, match=words):
        of_list("list_keys", respond, clock)
    assert len(asked) == requests


@pytest.mark.parametrize("sequence", [["a", "a"], ["a", "b", "a"]])
def test_a_cursor_that_was_there_before_ends_the_list(sequence: list[str]) -> None:
    """At once: the following pages would be the same for ever."""
    asked: list[str] = []

    def respond(query: dict[str, str]) -> httpx.Response:
        asked.append(query.get("cursor", ""))
        return in_envelope(numbered(0, 1), sequence[len(asked) - 1])

    with pytest.raises(PartialListError, match="the list returned the cursor 'a' twice"):
        of_list("list_keys", respond)
    assert asked == ["", *sequence[:-1]]


@pytest.mark.parametrize("cursor", [{"after": 1}, ["a"], True, 1.5], ids=str)
@pytest.mark.parametrize("form", [in_envelope, in_result])
def test_a_cursor_that_cannot_be_sent_is_an_error(cursor: Any, form: Any) -> None:
    """Ignored, it would make the first page the whole list."""
    with pytest.raises(InvalidResponseError, match="returned no cursor that is text in its envelope"):
        of_list("list_keys", lambda _: form(numbered(0, 1), cursor))


@pytest.mark.parametrize("operation", OFFSETS)
def test_a_record_that_is_deleted_between_two_pages_hides_no_other(operation: str) -> None:
    """The objects behind it move to the page before; the list is read again from its beginning."""
    objects, asked = numbered(0, 2500), []

    def respond(query: dict[str, str]) -> httpx.Response:
        asked.append(query)
        if len(asked) == 2:
            del objects[5]
        offset = int(query.get("offset", 0))
        return answer(objects[offset : offset + int(query.get("limit", 1000))])

    assert of_list(operation, respond) == objects
    assert len(asked) == 5

    def restless(query: dict[str, str]) -> httpx.Response:
        del objects[0]
        return respond(query)

    with pytest.raises(PartialListError, match="the list changed 3 times while its pages were read"):
        of_list(operation, restless)


FAILURES = {
    "500": httpx.Response(500, json={"error": "INTERNAL", "message": "no"}),
    "a page": httpx.Response(200, html="<p>hello</p>"),
    "404 of the API": httpx.Response(404, json={"error": "NOT_FOUND: cursor", "message": "no"}),
    "an unknown route": httpx.Response(404, html="<p>no</p>"),
    "400": httpx.Response(400, json={"error": "BAD_REQUEST: cursor", "message": "no"}),
    "an object": httpx.Response(200, json={"result": {"id": "x"}, "data": {"id": "x"}}),
    "a record without an id": answer([{"state": "x"}]),
    "a record that is none": answer(["x"]),
    "no end": in_envelope([], "a"),
}
READ = {
    name: each.collection
    for name, each in RESOURCES.items()
    if each.collection.LIST.managed.lists and each.collection.LIST.managed.server_kind is ServerKind.MANAGEMENT
}
"""Self-hosted lists have offsets or no pages; those with offsets are read here in their managed form."""


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("kind", READ)
def test_a_list_that_breaks_off_loses_no_object(kind: str, failure: str) -> None:
    """A refresh, a wait for a deletion and the look before a create rely on it; half a list is none."""
    collection: type[Collection[Any]] = READ[kind]
    operation = collection.LIST.managed

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.query:
            return FAILURES[failure]
        if NOBODY in str(request.url):
            return httpx.Response(404, json={"status": 404, "error": "NOT_FOUND: no", "message": "no"})
        return in_envelope([_record(collection, number) for number in range(operation.per_page or 1)], "a")

    dialect = (operation.only or VocabularyName.CLICKHOUSE).value
    config = config_of(baseUrl="http://127.0.0.1:9", retryTimeoutSeconds=0, vocabulary=dialect)
    api = Api(Client(config, transport=httpx.MockTransport(handle)))
    objects = api.of(collection, "x" if "{" in operation.path.replace("{organizationId}", "") else None)
    with pytest.raises(ApiError):
        objects.records()
    assert objects.age is None  # a part of a list is not kept
    if collection.find is not PipeScalings.find:  # that of a pipe is no list
        with pytest.raises(ApiError):
            objects.find(f"{NOBODY}/{NOBODY}" if kind == "UdfAttachment" else NOBODY)


def _record(collection: type[Collection[Any]], number: int) -> dict[str, Any]:
    fields = dict.fromkeys(("id", "functionName", "serviceId", "userId", *collection.identity), f"{number:024x}")
    return {**fields, "version": number + 1}


def test_keys_beyond_the_first_page_are_seen(tmp_path: Path) -> None:
    """By the look before a create, by refresh, by functions; a page has 250."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        for number in range(300):
            sandbox.add("keys", name=f"key {number}")
        last = list(sandbox.objects("keys"))[-1]
        process = ProviderProcess(config_for(sandbox), tmp_path)
        listed = process.api.of(RESOURCES["ApiKey"].collection).list()
        assert (len(listed), last in listed) == (301, True)
        queries = [each.query for each in sandbox.requests if each.operation == "list_keys"]
        assert queries == ["", "cursor=250"]
