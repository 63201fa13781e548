"""What a client sees of a fault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from pulumi_clouddb.api.operations import Operation, ServerKind

from . import dashboards, envelope
from .errors import HTTPError, not_found
from .faults import Fault, FaultKind, Form
from .settings import Clock
from .transport import ConnectionReset, Drip, Huge, NoResponse, Truncated

RECORDS = ("service", "key")
"""Where the record is in the result of a create that returns a credential beside it."""

_ELSEWHERE = "http://127.0.0.2:9"


def instead(operation: Operation, fault: Fault, request: Request, request_id: str) -> Response:
    """Return what is sent in place of doing anything."""
    kind = fault.kind
    if kind is FaultKind.REFUSE or (kind is FaultKind.COMMIT_LATE and fault.status is None):
        return ConnectionReset()
    if kind is FaultKind.HANG:
        return NoResponse()
    if kind is FaultKind.RATE_LIMIT:
        return envelope.too_many(operation.server_kind, fault.reset, request_id)
    if kind is FaultKind.REDIRECT:
        location = fault.location or _ELSEWHERE + request.url.path
        return Response(status_code=fault.status or 307, headers={"Location": location})
    if kind is FaultKind.HTML and fault.status == 404:
        return envelope.no_such_route(request.method, request.url.path)
    if kind is FaultKind.HTML:
        return envelope.gateway_page(fault.status or 502)
    if kind is FaultKind.NOT_FOUND:
        return envelope.failure(operation.server_kind, _missing(operation), request_id)
    return _error(operation, fault, request_id)


def afterwards(operation: Operation, fault: Fault, response: Response, request_id: str, clock: Clock) -> Response:
    """Return what is sent in place of `response` to what was done."""
    kind, body = fault.kind, bytes(response.body)
    if kind is FaultKind.LOSE:
        return ConnectionReset()
    if kind is FaultKind.COMMIT_THEN_HANG:
        return NoResponse()
    if kind is FaultKind.COMMIT_THEN_STATUS:
        return _error(operation, fault, request_id)
    if kind is FaultKind.EMPTY:
        return Response(media_type="application/json")
    if kind is FaultKind.BROKEN_JSON:
        return Response(body[: max(1, len(body) // 2)], media_type="application/json")
    if kind is FaultKind.TRUNCATED:
        return Truncated(response)
    if kind is FaultKind.HUGE:
        return Huge(response, fault.size)
    if kind is FaultKind.DRIP:
        return Drip(response, clock, fault.wait, fault.headers)
    return _with_other_result(operation, kind, json.loads(body))


def _error(operation: Operation, fault: Fault, request_id: str) -> Response:
    status = fault.status or 500
    if status in (204, 304):
        return Response(status_code=status)  # these have no body
    if fault.form is Form.TEXT:
        return PlainTextResponse(fault.text, status)
    if fault.form is Form.HTML:
        return envelope.gateway_page(status)
    return envelope.failure(operation.server_kind, HTTPError(status, fault.text), request_id)


def _missing(operation: Operation) -> HTTPError:
    """Return what the handlers answer where the object of this operation is not there."""
    noun = operation.action.rpartition(" ")[2]
    return dashboards.missing() if noun == "dashboard" else not_found(noun.capitalize())


def _with_other_result(operation: Operation, kind: FaultKind, payload: dict[str, Any]) -> Response:
    name = "data" if operation.server_kind is ServerKind.SELF_HOSTED else "result"
    if kind is FaultKind.MALFORMED:
        payload.pop(name, None)
        payload.pop("meta", None)
    elif kind is FaultKind.NULL_RESULT:
        payload[name] = None
    elif kind is FaultKind.WRONG_TYPES:
        payload[name] = _items_of_other_types(payload.get(name))
    else:
        for record in _records(payload.get(name)):
            if kind is FaultKind.NULL_ID:
                record["id"] = None
            else:
                del record["id"]
    return JSONResponse(payload)


def _records(result: Any) -> Iterator[dict[str, Any]]:
    for item in result if isinstance(result, list) else [result]:
        for name in RECORDS:
            if isinstance(item.get(name), dict):
                yield item[name]
        if "id" in item:
            yield item


def _items_of_other_types(result: Any) -> Any:
    if isinstance(result, list):
        return [_items_of_other_types(item) for item in result]
    return {name: _of_other_type(value) for name, value in result.items()}


def _of_other_type(value: Any) -> Any:
    """Return a value of another JSON type; an object stays one, so that what is in it is reached, too."""
    if isinstance(value, dict):
        return _items_of_other_types(value)
    if isinstance(value, list):
        return {str(index): item for index, item in enumerate(value)}
    if isinstance(value, str):
        return 7
    return [value] if value is None else str(value)
