"""Compares requests of this package to sandboxes of the clickhouse dialect, and their responses, with `description`.

Providers in other processes use the sandboxes of this process, so their requests are checked, too. Requests that a test
sends itself, and objects that it creates or changes by the control routes, are not checked: they can imitate a server
that is newer than the description.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import httpx
import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError
from starlette.requests import Request

from clouddb_tools.sandbox import LoggedRequest, app, control
from clouddb_tools.sandbox.responses import Bare, File, HTTPError, Listing
from clouddb_tools.sandbox.state import SandboxState
from description.notation import ONLY
from description.operations import EXCHANGES
from description.validators import faults, validators_of
from pulumi_clouddb.client.operation import Operation, ServerKind
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.secrets.spellings import MASK
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

OURS = "pulumi-clouddb"
"""The `User-Agent` of this package."""

FACTS = "facts"
"""The kind of a fault by the kept facts; other kinds are those of pydantic."""

STRICT = ConfigDict(extra="forbid", strict=True)


def adapter_of(type_: Any) -> TypeAdapter[Any]:
    """Return a strict validator for values of a type of the description, or null."""
    # A TypedDict rejects a config from outside; a union accepts it.
    return TypeAdapter(type_ | None, config=STRICT)


@cache
def _adapter(name: str, part: str) -> TypeAdapter[Any] | None:
    type_ = getattr(EXCHANGES[name], part)
    return None if type_ is None else adapter_of(type_)


def faults_of(operation: Operation, part: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each fault in the body of a `request`, or in the result of a `response`."""
    found = list(_by_hand(operation, part, value))
    yield from found or _by_facts(operation, part, value)


LARGEST = 8_000
"""Characters of a body that is still validated against the facts: jsonschema takes seconds for hundreds of tiles."""


def _by_facts(operation: Operation, part: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the faults by the kept facts of the self-hosted server."""
    if value is None or operation.server_kind is not ServerKind.SELF_HOSTED or len(repr(value)) > LARGEST:
        return
    for each in faults(validators_of(operation.name, part), value):
        yield FACTS, f"{operation.name} {part} {each.json_path.lstrip('$.')}: {each.message}"


def _by_hand(operation: Operation, part: str, value: Any) -> Iterator[tuple[str, str]]:
    adapter = _adapter(operation.name, part)
    if adapter is None:
        if value:
            yield "", f"{operation.name} {part}: must be empty, not {value!r:.80}"
        return
    form = "self-hosted" if operation.server_kind is ServerKind.SELF_HOSTED else "managed"
    try:
        adapter.validate_python(value, context={"form": form})
    except ValidationError as error:
        for each in error.errors(include_url=False):
            path = ".".join(map(str, each["loc"]))
            yield each["type"], f"{operation.name} {part} {path}: {each['msg']}, not {each['input']!r:.80}"


def undescribed(requests: Iterable[LoggedRequest]) -> list[str]:
    """Return the faults in a log of requests, all of which are of this package."""
    found = []
    for each in requests:
        operation = OPERATIONS.get(each.operation or "")
        checked = each.vocabulary == CLICKHOUSE.value and each.status != httpx.codes.BAD_REQUEST
        if checked and operation and operation.name in EXCHANGES and each.body is not None:
            of_request = faults_of(operation, "request", each.body)
            found += [text for _, text in of_request if repr(MASK) not in text]  # the log masks secrets
    return found


class Judge:
    """Checks all sandboxes of this process, and collects the faults."""

    def __init__(self) -> None:
        self._faults: dict[str, None] = {}
        self._by_hand: set[Any] = set()

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Check every request from now on."""
        carry_out, add, change = app._carry_out, control._add, control._change

        def carried_out(state: SandboxState, operation: Operation, request: Request, raw: bytes, *more: Any) -> Any:
            if not state.settings.is_clickhouse or operation.name not in EXCHANGES:
                return carry_out(state, operation, request, raw, *more)
            try:
                result = carry_out(state, operation, request, raw, *more)
            except HTTPError as refusal:
                if refusal.status != httpx.codes.BAD_REQUEST:
                    self._judge_request(operation, request, raw)
                raise
            self._judge_request(operation, request, raw)
            if state.settings.shows_state:  # without: an older server
                self._judge_response(operation, result)
            return result

        def added(state: SandboxState, request: Request, body: dict[str, Any]) -> Any:
            made = add(state, request, body)
            objects = [each for each in (made, *made.values()) if isinstance(each, dict)]
            self._by_hand |= {each["id"] for each in objects if "id" in each}
            return made

        def changed(state: SandboxState, request: Request, body: dict[str, Any]) -> Any:
            made = change(state, request, body)
            self._by_hand |= {request.path_params["id"].rpartition(":")[2], made.get("id")}
            return made

        patch.setattr(app, "_carry_out", carried_out)
        patch.setattr(control, "_add", added)
        patch.setattr(control, "_change", changed)

    def pop_faults(self) -> list[str]:
        """Return the faults since the last call."""
        faults = list(self._faults)
        self._faults.clear()
        return faults

    def _judge_request(self, operation: Operation, request: Request, raw: bytes) -> None:
        if not raw or request.headers.get("user-agent") != OURS:
            return
        # A replacement by PUT sends back the server's properties, including those that a test has added.
        carried = () if self._by_hand.isdisjoint(request.path_params.values()) else ("extra_forbidden", ONLY, FACTS)
        found = faults_of(operation, "request", json.loads(raw))
        self._faults |= dict.fromkeys(text for kind, text in found if kind not in carried)

    def _judge_response(self, operation: Operation, result: Any) -> None:
        if isinstance(result, Bare):
            result = result.result
        elif isinstance(result, Listing):
            result = result.items
        elif isinstance(result, File):
            result = result.text
        if isinstance(result, list):
            result = [each for each in result if not self._is_by_hand(each)]
        elif isinstance(result, dict) and self._is_by_hand(result):
            return
        self._faults |= dict.fromkeys(text for _, text in faults_of(operation, "response", result))

    def _is_by_hand(self, record: dict[str, Any]) -> bool:
        """Return whether a test has created or changed an object; a member's id is its `userId`."""
        return not self._by_hand.isdisjoint(str(record.get(name)) for name in ("id", "userId"))


JUDGE = Judge()
"""The judge of this process."""
