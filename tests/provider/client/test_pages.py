"""Lists in pages are complete or an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from clouddb_tools.sandbox import Release, Sandbox
from lives.life import a_service
from pulumi_clouddb.client import pages
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api, Collection
from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.errors import ApiError, InvalidResponseError, PartialListError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.config import SELF_HOSTED_PREFIX
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.pipes.api import PipeScalings
from support.clock import FakeClock
from support.estate import Estate
from support.ids import PLACEHOLDERS
from support.sessions import ProviderProcess, config_for, config_of

Respond = Callable[[dict[str, str]], httpx.Response]

UNKNOWN_ID = "f" * 24
"""An object for which a read returns 404."""
LISTS = [name for name, each in OPERATIONS.items() if each.lists]
OFFSETS = [name for name in LISTS if OPERATIONS[name].by_offset]


def client(respond: Respond, clock: FakeClock | None = None, **config: Any) -> Client:
    """Return a client whose server responds to each query with this function."""

    def handle(request: httpx.Request) -> httpx.Response:
        return respond({name: text for name, (text,) in parse_qs(request.url.query.decode()).items()})

    runtime = Runtime(clock.sleep if clock else None)
    settings = {"baseUrl": "http://127.0.0.1:9", "stackUrl": "http://127.0.0.1:9", "retryTimeoutSeconds": 0, **config}
    return Client(config_of(**settings), runtime=runtime, transport=httpx.MockTransport(handle))


def of_list(operation: str, respond: Respond, clock: FakeClock | None = None) -> Any:
    """Carry out a list operation against such a server."""
    dialect = (OPERATIONS[operation].only or VocabularyName.NEUTRAL).value
    parts: dict[str, Any] = dict.fromkeys(PLACEHOLDERS, "x") | dict.fromkeys(("service_id", "function_name"), "x")
    return client(respond, clock, vocabulary=dialect).call(OPERATIONS[operation], **parts)


def answer(records: list[Any], **around: Any) -> httpx.Response:
    """Return a page in both envelopes."""
    return httpx.Response(200, json={"result": records, "data": records, **around})


def numbered(start: int, end: int) -> list[dict[str, Any]]:
    """Return records with the ids of these numbers."""
    return [{"id": f"{number:024x}"} for number in range(start, end)]


def in_envelope(records: list[Any], following: Any) -> httpx.Response:
    """Return a page of keys or saved queries."""
    return answer(records, limit=250, totalCount=None, nextCursor=following)


def in_result(records: list[Any], following: Any) -> httpx.Response:
    """Return a page in the form of user-defined functions before September 2026."""
    pagination = {"totalRecords": 4, "limit": 2, "currentCursor": None, "nextCursor": following}
    return httpx.Response(200, json={"result": {"items": records, "pagination": pagination}})


@pytest.mark.parametrize("operation", [name for name in LISTS if OPERATIONS[name].server_kind is ServerKind.MANAGEMENT])
@pytest.mark.parametrize("form", [in_envelope, in_result])
@pytest.mark.parametrize("cursors", [("a b&c", "ü"), (2, 4)], ids=["text", "numbers"])
def test_cursor_leads_to_the_next_page(operation: str, form: Any, cursors: tuple[Any, Any]) -> None:
    """Each management list follows cursors, whether or not it declares pages, and across empty pages."""
    first, second = cursors
    content = {
        "": form(numbered(0, 2), first),
        str(first): form([], second),
        str(second): form(numbered(2, 3), None),
    }
    records = of_list(operation, lambda query: content[query.get("cursor", "")])
    assert records == numbered(0, 3)


@pytest.mark.parametrize("operation", LISTS)
def test_endless_list_is_an_error(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page has another cursor, or is full; the error names the action and the limit."""
    monkeypatch.setattr(pages, "MAX_PAGES", 7)
    queries: list[dict[str, str]] = []

    def respond(query: dict[str, str]) -> httpx.Response:
        queries.append(query)
        if OPERATIONS[operation].by_offset:
            offset = int(query.get("offset", 0))
            return answer(numbered(offset, offset + 1000))
        return in_envelope(numbered(0, 1), f"c{len(queries)}")

    if OPERATIONS[operation].server_kind is ServerKind.SELF_HOSTED and operation not in OFFSETS:
        return  # neither cursors nor offsets
    with pytest.raises(PartialListError, match="the list has no end: 7 pages read, the limit is 7") as endless:
        of_list(operation, respond)
    assert str(endless.value).startswith(f"could not {OPERATIONS[operation].action}: ")
    assert len(queries) == 7


@pytest.mark.parametrize(
    ("limit", "value", "message", "requests"),
    [
        ("MAX_PAGES", 3, "3 pages read, the limit is 3", 3),
        ("MAX_RECORDS", 25, "30 records read, the limit is 25", 3),
        ("MAX_SECONDS", 50.0, "60 seconds read, the limit is 50", 3),
    ],
)
def test_each_list_limit_applies(
    limit: str, value: float, message: str, requests: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page has ten records and takes twenty seconds."""
    clock = FakeClock(monkeypatch)
    monkeypatch.setattr(pages, limit, value)
    queries = []

    def respond(query: dict[str, str]) -> httpx.Response:
        queries.append(query)
        clock.sleep(20.0)
        return in_envelope(numbered(0, 10), str(len(queries)))

    with pytest.raises(PartialListError, match=message):
        of_list("list_keys", respond, clock)
    assert len(queries) == requests


@pytest.mark.parametrize("sequence", [["a", "a"], ["a", "b", "a"]])
def test_repeated_cursor_is_an_error(sequence: list[str]) -> None:
    """The error is raised at once, because the following pages would repeat for ever."""
    cursors: list[str] = []

    def respond(query: dict[str, str]) -> httpx.Response:
        cursors.append(query.get("cursor", ""))
        return in_envelope(numbered(0, 1), sequence[len(cursors) - 1])

    with pytest.raises(PartialListError, match="the list returned the cursor 'a' twice"):
        of_list("list_keys", respond)
    assert cursors == ["", *sequence[:-1]]


@pytest.mark.parametrize("cursor", [{"after": 1}, ["a"], True, 1.5], ids=str)
@pytest.mark.parametrize("form", [in_envelope, in_result])
def test_invalid_cursor_is_an_error(cursor: Any, form: Any) -> None:
    """If it were ignored, the first page would count as the whole list."""
    with pytest.raises(InvalidResponseError, match="returned no cursor that is text in its envelope"):
        of_list("list_keys", lambda _: form(numbered(0, 1), cursor))


@pytest.mark.parametrize("operation", OFFSETS)
def test_deletion_between_two_pages_hides_no_record(operation: str) -> None:
    """The records after a deleted one move to the previous page, so the list is read again from the start."""
    objects, queries = numbered(0, 2500), []

    def respond(query: dict[str, str]) -> httpx.Response:
        queries.append(query)
        if len(queries) == 2:
            del objects[5]
        offset = int(query.get("offset", 0))
        return answer(objects[offset : offset + int(query.get("limit", 1000))])

    assert of_list(operation, respond) == objects
    assert len(queries) == 5

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
    "a record that is not an object": answer(["x"]),
    "an endless list": in_envelope([], "a"),
}
READ = {
    name: each.collection
    for name, each in RESOURCES.items()
    if each.collection.LIST.managed.lists and each.collection.LIST.managed.server_kind is ServerKind.MANAGEMENT
}
"""The managed operations with a list; self-hosted lists have offsets, or no pages."""


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("kind", READ)
def test_incomplete_list_loses_no_object(kind: str, failure: str) -> None:
    """Refresh, deletion waits and creates rely on lists: a failed second page fails the whole list."""
    collection: type[Collection[Any]] = READ[kind]
    operation = collection.LIST.managed

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.query:
            return FAILURES[failure]
        if UNKNOWN_ID in str(request.url):
            return httpx.Response(404, json={"status": 404, "error": "NOT_FOUND: no", "message": "no"})
        return in_envelope([_record(collection, number) for number in range(operation.per_page or 1)], "a")

    dialect = (operation.only or VocabularyName.CLICKHOUSE).value
    config = config_of(baseUrl="http://127.0.0.1:9", retryTimeoutSeconds=0, vocabulary=dialect)
    api = Api(Client(config, transport=httpx.MockTransport(handle)))
    objects = api.of(collection, "x" if "{" in operation.path.replace("{organizationId}", "") else None)
    with pytest.raises(ApiError):
        objects.records()
    assert objects.age is None  # the first page is not kept
    if collection.find is not PipeScalings.find:  # reads one pipe, not a list
        with pytest.raises(ApiError):
            objects.find(f"{UNKNOWN_ID}/{UNKNOWN_ID}" if kind == "UdfAttachment" else UNKNOWN_ID)


def _record(collection: type[Collection[Any]], number: int) -> dict[str, Any]:
    fields = dict.fromkeys(("id", "functionName", "serviceId", "userId", *collection.identity), f"{number:024x}")
    return {**fields, "version": number + 1}


ALERTS = 1100
LONG = {
    Release.AUGUST_2026: [""],
    Release.OCTOBER_2026: ["", "cursor=-250", "cursor=250"],
}
"""The queries for 300 keys of each release."""


@pytest.mark.beyond_the_description  # objects with default fields only
@pytest.mark.parametrize(
    ("name", "kind", "many"),
    [
        ("ApiKey", "keys", 300),
        ("Alert", "alerts", ALERTS),
        pytest.param("SavedSearch", "saved_searches", ALERTS, marks=pytest.mark.slow),
        pytest.param("Webhook", "webhooks", ALERTS, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("release", LONG)
def test_long_lists_are_whole(tmp_path: Path, release: Release, name: str, kind: str, many: int) -> None:
    """A page has 250 keys or 1,000 alerts; an empty one among the keys is not the last one."""
    with Sandbox(vocabulary="clickhouse", release=release) as sandbox:
        where = {} if name == "ApiKey" else {"serviceId": a_service(sandbox)["service_id"]}
        api = ProviderProcess(config_for(sandbox), tmp_path).api
        sandbox.seed({kind: [{"name": f"x{number}", **where} for number in range(many)]})
        collection = RESOURCES[name].collection
        listed = api.of(collection, where.get("serviceId")).list()
        assert {each.rpartition(":")[2] for each in sandbox.objects(kind)} == listed.keys()
        last = len(listed) - 1 if release is Release.AUGUST_2026 else 999  # which was the last one of the page
        queries = ["", f"limit=1000&offset={last}"] if where else LONG[release]
        assert [each.query for each in sandbox.logged(collection.LIST.managed.name)] == queries


PAGED = [name for name, each in OPERATIONS.items() if each.per_page]


@pytest.fixture(scope="module")
def full() -> Iterator[Sandbox]:
    """A sandbox with several objects of most kinds."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        Estate(sandbox, VocabularyName.CLICKHOUSE)
        yield sandbox


@pytest.mark.parametrize("operation", PAGED)
def test_sandbox_has_the_declared_pages(operation: str, full: Sandbox) -> None:
    """Of one record here, or of none, each of which leads to the next one."""
    declared = OPERATIONS[operation]
    path = DIALECTS[VocabularyName.CLICKHOUSE].path(declared.path)
    path = path.replace("{serviceId}", next(iter(full.services))).replace("{functionName}", "twice")
    path = path.replace("{postgresServiceId}", next(iter(full.objects("postgres_services"))))
    hosted = declared.server_kind is ServerKind.SELF_HOSTED
    with full.self_hosted() if hosted else full.management() as http:
        path = path.removeprefix(SELF_HOSTED_PREFIX).rpartition("{organizationId}")[2]
        whole = http.get(path).json()["data" if hosted else "result"]
        query: dict[str, Any] = {"limit": 1}
        found: list[Any] = []
        while len(found) < len(whole):
            page = http.get(path, params=query).json()
            found += page["data" if hosted else "result"]
            query = {**query, **({"offset": len(found)} if declared.by_offset else {"cursor": page["nextCursor"]})}
        assert found == whole != []
