"""Invalid requests to control routes are refused with 400 and a message, and change nothing."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import FaultKind, Sandbox
from pulumi_clouddb.registry import OPERATIONS

Request = tuple[str, str, Any]
"""Method, path below the control routes, and body."""

KINDS = ", ".join(kind.value for kind in FaultKind)
DIGITS = b"1" + b"0" * 999


def post(path: str, body: Any) -> Request:
    """Return a POST."""
    return "POST", path, body


def get(path: str) -> Request:
    """Return a GET."""
    return "GET", path, None


def fault(kind: Any, operation: str = "create_service", **details: Any) -> Request:
    """Return a request that sets a fault."""
    return post("/faults", {"operation": operation, "kind": kind, **details})


REFUSED: dict[str, tuple[Request, str]] = {
    # -- faults
    "a fault of no such kind": (fault("explode"), f"'explode' is not a kind of fault. Known are {KINDS}"),
    "a fault of a misspelt kind": (
        fault("loose"),
        f"'loose' is not a kind of fault; did you mean lose? Known are {KINDS}",
    ),
    "a fault of a misspelt operation": (
        fault("lose", "create_servce"),
        "no operation is named 'create_servce'; did you mean create_service",
    ),
    "a fault of an unknown operation": (
        fault("lose", "xyz"),
        f"no operation is named 'xyz'; known operations are {', '.join(OPERATIONS)} and *",
    ),
    "a fault with a misspelt field": (fault("lose", tims=2), "'tims' is not a field of a fault; did you mean times"),
    "a fault without operation": (
        post("/faults", {"kind": "lose"}),
        'a fault needs its operation, as text: {"operation": "create_service", "kind": "lose"}',
    ),
    "a fault whose kind is not text": (fault(5), "a fault needs its kind, as text"),
    "a count in words": (fault("lose", times="two"), "times must be a whole number from 1, not 'two'"),
    "a count of none": (fault("lose", times=0), "times must be a whole number from 1, not 0"),
    "a start in words": (fault("lose", after="one"), "after must be a whole number from 0, not 'one'"),
    "a duration in words": (fault("lose", seconds="5"), "seconds must be a number above 0, not '5'"),
    "a duration of many digits": (
        post("/faults", b'{"operation": "*", "kind": "hang", "seconds": ' + DIGITS + b"}"),
        "seconds must be a number above 0",
    ),
    "a wait in words": (fault("delay", wait="5"), "wait must be a number from 0, not '5'"),
    "a wait of many digits": (
        post("/faults", b'{"operation": "*", "kind": "delay", "wait": ' + DIGITS + b"}"),
        "wait must be a number from 0",
    ),
    "a delay without wait": (fault("delay"), "delay needs `wait`"),
    "a lag without wait": (fault("lag", "list_keys"), "lag needs `wait`, the seconds to wait"),
    "a lag of a read": (fault("lag", "get_service", wait=1), "lag does not apply to get_service; use list_"),
    "a late read": (fault("commit_late", "list_keys", wait=1), "commit_late does not apply to list_keys"),
    "a failure of what is not created": (
        fault("failed", "get_service"),
        "failed applies to creates only: use create_service or create_pipe or create_reverse_private_endpoint",
    ),
    "no id of what has none": (fault("no_id", "delete_service"), "no_id does not apply to delete_service"),
    "a detail of another kind": (fault("lose", status=500), "lose has no detail 'status'"),
    "a status of a redirect": (fault("redirect", status=200), "redirect cannot send the status 200"),
    "a status that is none": (fault("status", status=99), "status cannot send the status 99"),
    "a form that is none": (fault("status", form="xml"), "'xml' is not a form of an error. Known are json, text, html"),
    "a place of two lines": (fault("redirect", location="a\nb"), "location must be printable ASCII, not 'a\\nb'"),
    "a text that is none": (fault("status", text={}), "text must be text, not {}"),
    "a size below zero": (fault("huge", size=-1), "size must be a whole number from 0, not -1"),
    "a match of text": (fault("lose", match="name"), "match must be an object with the fields that must be equal"),
    # -- clock and latency
    "a clock that no number moves": (post("/clock", b'{"advance": NaN}'), "the body is not JSON: expected value at"),
    "a clock moved for ever": (post("/clock", b'{"advance": 1e400}'), "the body is not JSON: Out of range float"),
    "a clock moved far": (post("/clock", {"advance": 1e300}), "advance must not lead beyond the year 9998"),
    "a clock moved by many digits": (
        post("/clock", b'{"advance": ' + DIGITS + b"}"),
        "advance must be a number from 0",
    ),
    "a clock moved back": (post("/clock", {"advance": -1}), "advance must be a number from 0, not -1"),
    "a clock moved by words": (post("/clock", {"advance": "1e400"}), "advance must be a number from 0, not '1e400'"),
    "a clock that is not moved": (post("/clock", {}), "the body lacks 'advance'"),
    "a latency in words": (post("/latency", {"stop": "long"}), "stop must be a number from 0, not 'long'"),
    "a latency below zero": (post("/latency", {"stop": -1}), "stop must be a number from 0, not -1"),
    "a latency of nothing": (post("/latency", {"rest": 1}), "latency has no 'rest': it has provision, start,"),
    # -- bodies, objects and the log
    "a body nested deep": (post("/reset", b"[" * 100_000), "the body is not JSON: recursion limit exceeded at line 1"),
    "a body that is a list": (post("/reset", []), "the body must be a JSON object"),
    "a password that is none": (post("/services/x/password", {"password": 1}), "password must be text"),
    "objects of other types": (
        post("/seed", {"services": [{"ipAccessList": 5, "name": []}]}),
        "name: must be text, not []; ipAccessList: must be a list, not 5",
    ),
    "objects of a misspelt kind": (get("/servces"), "kind must be one of services"),
    "a number of the log in words": (get("/log?since=x"), "since must be a whole number from 0, not 'x'"),
    "a limit of the log below zero": (get("/log?limit=-1"), "limit must be a whole number from 0, not '-1'"),
    "an unknown filter of the log": (
        get("/log?kind=x"),
        "the log has no parameter 'kind': it has since, limit, operation",
    ),
    "an operation of the log that there is not": (
        get("/log?operation=create_servise"),
        "no operation is named 'create_servise'; did you mean create_service",
    ),
    "a status of the log that there is not": (get("/log?status=9xx"), "status must be a status such as 404, a class"),
    "a snapshot with a slash": (("PUT", "/snapshots/a/b", None), "a snapshot's name must have 1 to 64 letters, digits"),
    "a match of the log that is none": (get("/log?match=[]"), "match must be a JSON object of fields of the body"),
}


@pytest.mark.parametrize(("request_", "message"), REFUSED.values(), ids=REFUSED)
def test_refusal_has_a_message(request_: Request, message: str, sandbox: Sandbox) -> None:
    """The message begins with this text; afterwards the sandbox has no fault and handles requests."""
    method, path, body = request_
    content = body if isinstance(body, bytes) else None if body is None else json.dumps(body)
    response = httpx.request(method, f"{sandbox.url}/_sandbox{path}", content=content)
    assert (response.status_code, response.json()["error"][: len(message)]) == (400, message)
    assert sandbox.faults() == []
    with sandbox.management() as http:
        assert http.get("/services").json()["result"] == []


def test_misspelt_kind_of_objects_has_a_suggestion(sandbox: Sandbox) -> None:
    """The message suggests the nearest kind of objects."""
    with pytest.raises(ValueError, match="not 'servces'; did you mean services"):
        sandbox.objects("servces")
