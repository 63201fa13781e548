"""Compares requests of this package to sandboxes of the newest servers, and their responses, with the facts.

Providers in other processes use the sandboxes of this process, so their requests are checked, too. Requests that a test
sends itself, and objects that it creates or changes by the control routes, are not checked: they can imitate a server
that is newer than the description. Sandboxes of an older release have other forms than the facts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import httpx
import pytest
from starlette.requests import Request

from clouddb_tools.sandbox import LoggedRequest, app, control
from clouddb_tools.sandbox.responses import Bare, File, HTTPError, Listing
from clouddb_tools.sandbox.state import SandboxState
from description.bodies import described
from description.validators import UNKNOWN, Fault, faults
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.client.sender import USER_AGENT
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.secrets.spellings import MASK
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


def undescribed(requests: Iterable[LoggedRequest]) -> list[str]:
    """Return the faults in a log of requests, all of which are of this package."""
    found = []
    for each in requests:
        operation = OPERATIONS.get(each.operation or "")
        checked = each.vocabulary == CLICKHOUSE.value and each.status != httpx.codes.BAD_REQUEST
        if checked and operation and described(operation.name) and each.body is not None:
            texts = [_text(operation, "request", fault) for fault in faults(operation.name, "request", each.body)]
            found += [text for text in texts if repr(MASK) not in text]  # the log masks secrets
    return found


def _text(operation: Operation, part: str, fault: Fault) -> str:
    return f"{operation.name} {part} {fault}"


class Judge:
    """Checks all sandboxes of this process, and collects the faults.

    Attributes:
        is_asked: Whether the present test fails if there are faults; to find them takes a third of a sandbox's time.
    """

    def __init__(self) -> None:
        self.is_asked = True
        self._faults: dict[str, None] = {}
        self._by_hand: set[Any] = set()

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Check every request from now on."""
        carry_out, add, change = app._carry_out, control._add, control._change

        def carried_out(state: SandboxState, operation: Operation, request: Request, raw: bytes, *more: Any) -> Any:
            newest = state.settings.is_clickhouse and state.is_newest
            if not (self.is_asked and newest and described(operation.name)):
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
        found = list(self._faults)
        self._faults.clear()
        return found

    def _judge_request(self, operation: Operation, request: Request, raw: bytes) -> None:
        if not raw or request.headers.get("user-agent") != USER_AGENT:
            return
        # A replacement by PUT sends back the server's properties, including those that a test has added.
        carried = () if self._by_hand.isdisjoint(request.path_params.values()) else (UNKNOWN,)
        found = faults(operation.name, "request", json.loads(raw))
        self._add(operation, "request", (each for each in found if each.keyword not in carried))

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
        self._add(operation, "response", faults(operation.name, "response", result))

    def _add(self, operation: Operation, part: str, found: Iterable[Fault]) -> None:
        self._faults |= dict.fromkeys(_text(operation, part, each) for each in found)

    def _is_by_hand(self, record: dict[str, Any]) -> bool:
        """Return whether a test has created or changed an object; a member's id is its `userId`."""
        return not self._by_hand.isdisjoint(str(record.get(name)) for name in ("id", "userId"))


JUDGE = Judge()
"""The judge of this process."""
