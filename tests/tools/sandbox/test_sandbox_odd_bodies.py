"""The sandbox refuses all invalid bodies with a message, and handles the next request."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic.alias_generators import to_camel

from clouddb_tools.sandbox import Clock
from clouddb_tools.sandbox.app import make_app
from clouddb_tools.sandbox.bodies import parse_json
from clouddb_tools.sandbox.handlers import BY_KIND
from clouddb_tools.sandbox.seed import KINDS
from clouddb_tools.sandbox.settings import Settings
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.memory import MemorySandbox

DEEP = 100_000
ODD: dict[str, bytes] = {
    "NaN": b"NaN",
    "NaN within": b'{"name": NaN}',
    "Infinity": b'{"name": -Infinity}',
    "a number beyond a float": b'{"name": 1e400}',
    "a number of 100,000 digits": b'{"name": ' + b"9" * DEEP + b"}",
    "nested lists": b"[" * DEEP + b"]" * DEEP,
    "nested objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "invalid UTF-8": b'{"name": "\xff\xfe"}',
    "UTF-16": '{"name": 1}'.encode("utf-16"),
    "half of a surrogate pair": b'{"name": "\\ud800"}',
    "an end that is missing": b'{"name": ',
    "NUL": b"\0" * 10,
}
"""Bodies that are not JSON, or that cannot be stored or returned."""

USELESS: dict[str, bytes] = {"empty": b"", "null": b"null", "a list": b"[]", "a number": b"1", "text": b'"x"'}
"""JSON that is invalid for all routes with a body."""

_WITHOUT_ID = ("pipe_cdc_scalings", "user_defined_functions", "udf_attachments")
"""Kinds of records without an id, which control routes need."""

_QUICK = ("keys", "alerts")
"""Kinds for quick tests; all kinds take long."""


def _of_kind(kind: str) -> Any:
    marks = [pytest.mark.beyond_the_description] if kind in _WITHOUT_ID else []
    return pytest.param(kind, marks=marks if kind in _QUICK else [*marks, pytest.mark.slow])


VALUES: dict[str, Any] = {
    "null": None,
    "a negative number": -1e18,
    "a number of 4,000 digits": 10**4000 - 1,
    "text": "x",
    "NUL in text": "\0",
    "a line break": "a\r\nb: c",
    "no list": {"a": 1},
    "a list of null": [None],
    "ids of numbers": [{"id": 5}],
}
"""JSON of unusual types and sizes."""


class Odd:
    """A sandbox in memory, which raises its own errors, and its routes."""

    def __init__(self, vocabulary: VocabularyName) -> None:
        self.sandbox = MemorySandbox(Settings(vocabulary=vocabulary), Clock())
        self.routes = [
            (method, path)
            for route in make_app(self.sandbox.state).routes
            for method in getattr(route, "methods", ())
            if method != "HEAD" and (path := getattr(route, "path", ""))
        ]
        self.parts: dict[str, str] = {}

    def send(self, method: str, path: str, body: bytes = b"") -> int:
        """Send a request with valid credentials and return the status."""
        who = self.sandbox.state.identity
        basic = base64.b64encode(f"{who.keyId}:{who.keySecret}".encode()).decode()
        authorization = f"Bearer {who.stackToken}" if path.startswith("/api/") else f"Basic {basic}"
        headers = {"Host": "127.0.0.1", "Content-Type": "application/json", "Authorization": authorization}
        return self.sandbox.request(method, path, headers, body).status_code

    def filled(self, path: str) -> str:
        """Return a path with the ids of the objects of `made_new`."""
        return re.sub(r"\{(\w+)\}", lambda found: self.parts.get(found[1], "x"), path)

    def ids(self, kind: str) -> list[str]:
        """Return the ids of all objects of a kind."""
        return [id_ for id_, _ in self.sandbox.state.store.items(kind)]

    def made_new(self) -> None:
        """Reset the sandbox, and create an object of each kind and a snapshot."""
        self.sandbox.reset()
        for kind in BY_KIND.keys() - {
            "pipes",
            "pipe_cdc_scalings",
            "udf_attachments",
        }:  # the two pipes of a service are not of databases, and it has no function
            assert self.send("POST", f"/_sandbox/{kind}", b"{}") == 200
        self.parts = {
            to_camel(each.collection.id_part): ids[-1] for kind, each in BY_KIND.items() if (ids := self.ids(kind))
        }
        self.parts |= {"kind": "services", "id": self.parts["serviceId"], "name": "monday"}
        self.parts["organizationId"] = self.sandbox.state.identity.organizationId
        self.sandbox.state.snapshots = {"monday": self.sandbox.state.store.copy()}

    def looks(self) -> dict[str, int]:
        """Return the status of each route that reads: the page, the log, lists and objects."""
        return {path: self.send(method, self.filled(path)) for method, path in self.routes if method == "GET"}


@pytest.fixture(
    scope="module",
    params=[pytest.param(VocabularyName.NEUTRAL, marks=pytest.mark.slow), VocabularyName.CLICKHOUSE],
    ids=lambda dialect: dialect.value,
)
def odd(request: pytest.FixtureRequest) -> Odd:
    """A sandbox in each dialect; the vendor's has all kinds of objects."""
    return Odd(request.param)


@pytest.mark.parametrize("name", [*ODD, *USELESS])
def test_routes_work_after_an_invalid_body(odd: Odd, name: str) -> None:
    """This holds for all routes of the APIs and for the control routes."""
    body = {**ODD, **USELESS}[name]
    odd.made_new()
    before = odd.looks()
    for method, path in odd.routes:
        status = odd.send(method, odd.filled(path), body)
        assert status < 500, (method, path)
        if name in ODD and path.startswith("/_sandbox") and "/page" not in path:
            assert status == 400, (method, path)
        if status < 400 and method != "GET":
            odd.made_new()
    assert odd.looks() == before
    assert odd.send("POST", "/_sandbox/reset") == 200


ATTACHED = {"udf_attachments": ("serviceId", "functionName")}


@pytest.mark.parametrize("kind", list(map(_of_kind, KINDS)))
def test_sandbox_works_with_objects_of_odd_values(odd: Odd, kind: str) -> None:
    """Control routes, which check no rules, refuse the object or return it in all lists."""
    names = wire_names(BY_KIND[kind].collection.model) if kind in BY_KIND else ()
    odd.made_new()
    needed = {**dict.fromkeys(("pipes", "pipe_cdc_scalings", "backups"), ("serviceId",)), **ATTACHED}
    usual = {name: odd.parts[name] for name in needed.get(kind, ())}
    for name in dict.fromkeys([*names, "id", "serviceId", "keyId", "keySecret", "hashData"]):
        for value in VALUES.values():
            odd_fields = json.dumps({name: value}).encode()
            assert odd.send("POST", f"/_sandbox/{kind}", json.dumps(usual).encode()) == 200
            assert odd.send("PATCH", f"/_sandbox/{kind}/{odd.ids(kind)[-1]}", odd_fields) in (200, 400, 404), value
            made = odd.send("POST", f"/_sandbox/{kind}", json.dumps({**usual, name: value}).encode())
            assert made in (200, 400, 404), value
    assert max(odd.looks().values()) < 500


@given(st.text() | st.binary())
def test_accepted_texts_can_be_returned(text: str | bytes) -> None:
    """A text is refused, or its value can be stored and returned."""
    try:
        value = parse_json(text)
    except ValueError:
        return
    assert parse_json(json.dumps(value, ensure_ascii=False, allow_nan=False).encode()) == value
