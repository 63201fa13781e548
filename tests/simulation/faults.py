"""The network between a process and the server: lost, late and rejected requests, and deaths of processes."""

from __future__ import annotations

import json
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import httpx

from .scheduler import Simulation, stop_if_dead
from .server import TIMEOUT_SECONDS, Server, Target, target_of

if TYPE_CHECKING:
    from .process import Process


class Fault(str, Enum):
    """A fault of one request."""

    REFUSE = "no connection"
    DROP = "lost before the server"
    LOSE = "carried out, response lost"
    LATE = "connection lost, carried out later"
    TIMEOUT = "carried out, response never comes"
    REJECT = "error, not carried out"
    FAIL_AFTER = "carried out, error"
    GARBAGE = "carried out, page instead of JSON"
    RATE_LIMIT = "429"
    SLOW = "slow response"
    LIST_404 = "404 for a list"
    UPDATE_404 = "404 for an update"


NOT_CARRIED_OUT = (Fault.REFUSE, Fault.DROP, Fault.REJECT, Fault.RATE_LIMIT, Fault.LIST_404, Fault.UPDATE_404)
LONGEST_LATE_SECONDS = 7.0
"""A proxy that lost its client forwards a request within seconds. The core searches for at least 15 s."""


class Phase(str, Enum):
    """A phase of a request, or of the call that sends it."""

    BEFORE = "before sending"
    SENT = "after sending"
    RECEIVED = "when the response arrives"
    RETURNED = "after the call returned"


class Victim(str, Enum):
    """The process or connection that dies."""

    HOST = "host"
    ENGINE = "engine"
    BOTH = "engine and host"
    CUT = "connection of engine and host"
    STATE = "state: Ctrl-C, twice"


DEAD = (Victim.HOST, Victim.ENGINE, Victim.BOTH, Victim.CUT)
"""Victims at any request; a second Ctrl-C has separate lives."""


@dataclass(frozen=True)
class Death:
    """A death at one request of a run.

    Attributes:
        request: The number of the request in the run, from 1; for `RETURNED`, the number of the call that returned.
        writes_only: Whether only requests that change something are counted.
    """

    request: int
    phase: Phase
    victim: Victim
    writes_only: bool = True


@dataclass(frozen=True)
class Conditions:
    """The faults of a network.

    Attributes:
        kinds: The kinds of faults.
        rate: The share of requests with a fault.
        lag: Seconds for which lists omit a new object.
    """

    kinds: Sequence[Fault] = ()
    rate: float = 0.0
    lag: float = 0.0


NO_FAULTS = Conditions()


class Network:
    """Delivers the requests of all processes to one server."""

    def __init__(self, simulation: Simulation, server: Server, conditions: Conditions) -> None:
        self.simulation = simulation
        self.server = server
        self.conditions = conditions
        self.sent = 0

    def exchange(self, process: Process, request: httpx.Request) -> httpx.Response:
        """Send a request for the current actor, and wait for its outcome.

        Raises:
            httpx.TransportError: There is no response.
        """
        stop_if_dead(process)
        simulation, target = self.simulation, target_of(request.url.path)
        self.sent += 1
        process.count(request)
        urn = process.urn_of(simulation.current)
        fault = self._fault(request, target)
        what = f"{request.method} {request.url.path.rpartition('/organizations/')[2].partition('/')[2]}"
        simulation.log(f"{what}{f'  ({fault.value})' if fault else ''}")
        self._die(process, Phase.BEFORE)
        way = simulation.random.uniform(0.005, 0.15)
        responses: list[httpx.Response] = []
        lost = self.server.ledger.lost_versions
        versions_of = target.id if target.kind == "user_defined_functions" and request.method == "POST" else None
        if fault not in NOT_CARRIED_OUT:
            if versions_of:
                lost[versions_of] += 1  # until its response has arrived
            late = simulation.random.uniform(0.5, LONGEST_LATE_SECONDS) if fault is Fault.LATE else 0.0
            simulation.later(way + late, lambda: self._carry_out(what, request, urn, responses))
        self._die(process, Phase.SENT)
        simulation.sleep(way + simulation.random.uniform(0.005, 0.15))
        response = self._outcome(fault, request, target, responses)
        self._die(process, Phase.RECEIVED)
        if versions_of and responses and response.content == responses[0].content:
            lost[versions_of] -= 1
        return response

    def _carry_out(self, what: str, request: httpx.Request, urn: str | None, responses: list[httpx.Response]) -> None:
        responses.append(self.server.answer(request, urn))
        if self.simulation.log_lines is not None:
            self.simulation.log(f"    server: {what} → {responses[0].status_code} {_created_id(responses[0])}")

    def _outcome(
        self, fault: Fault | None, request: httpx.Request, target: Target, responses: list[httpx.Response]
    ) -> httpx.Response:
        simulation = self.simulation
        if fault is Fault.REFUSE:
            raise httpx.ConnectError("connection refused", request=request)
        if fault in (Fault.DROP, Fault.LOSE, Fault.LATE):
            raise httpx.ReadError("connection reset", request=request)
        if fault is Fault.TIMEOUT:
            simulation.sleep(TIMEOUT_SECONDS)
            raise httpx.ReadTimeout("timed out", request=request)
        if fault in (Fault.REJECT, Fault.FAIL_AFTER):
            return _error(request, simulation.random.choice((500, 502, 503, 504)), "Something went wrong")
        if fault is Fault.GARBAGE:
            return httpx.Response(200, html="<p>Welcome</p>", request=request)
        if fault is Fault.RATE_LIMIT:
            return _error(request, 429, "Too many requests", {"Retry-After": "1"})
        if fault in (Fault.LIST_404, Fault.UPDATE_404):
            return _error(request, 404, "not found")
        if fault is Fault.SLOW:
            simulation.sleep(simulation.random.uniform(1.0, TIMEOUT_SECONDS - 1))
        return self._without_new(request, target, responses[0])

    def _without_new(self, request: httpx.Request, target: Target, response: httpx.Response) -> httpx.Response:
        """Remove objects from a list that were created less than `lag` seconds ago."""
        if not self.conditions.lag or request.method != "GET" or target.id or not response.is_success:
            return response
        origins, since = self.server.ledger.origins, self.simulation.now - self.conditions.lag
        envelope = response.json()
        for name in ("result", "data"):
            if isinstance(envelope.get(name), list):
                envelope[name] = [each for each in envelope[name] if not _newer(origins.get(each.get("id")), since)]
        headers = {name: value for name, value in response.headers.items() if name != "content-length"}
        return httpx.Response(200, headers=headers, content=json.dumps(envelope).encode(), request=request)

    def _fault(self, request: httpx.Request, target: Target) -> Fault | None:
        conditions, chance = self.conditions, self.simulation.random
        if not conditions.kinds or chance.random() >= conditions.rate:
            return None
        fault = chance.choice(conditions.kinds)
        if fault is Fault.LIST_404 and (request.method != "GET" or target.id):
            return None
        if fault is Fault.UPDATE_404 and (request.method != "PUT" or target.kind != "alerts"):
            return None
        if fault is Fault.LATE and not _may_be_late(request):
            return Fault.LOSE
        return fault

    def _die(self, process: Process, phase: Phase) -> None:
        """Run the deaths of this phase. If the current process dies, its actor never runs again."""
        process.meet(phase)
        if not process.alive:
            self.simulation.park()


class Wire(httpx.BaseTransport):
    """The HTTP transport of a process.

    It has only weak references: the client's finalizer keeps its transport alive, and would keep the whole life alive.
    """

    def __init__(self, network: Network, process: Process) -> None:
        self._network, self._process = weakref.ref(network), weakref.ref(process)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the response."""
        request.read()
        network, process = self._network(), self._process()
        if network is None or process is None:
            raise AssertionError("a request after the end of its life")
        return network.exchange(process, request)


def _error(request: httpx.Request, status: int, text: str, headers: dict[str, str] | None = None) -> httpx.Response:
    body: dict[str, Any] = {"status": status, "error": f"ERROR: {text}", "requestId": "r-1"}
    if request.url.path.startswith("/api/"):
        body = {"message": text}
    return httpx.Response(status, json=body, headers=headers, request=request)


_SETTINGS = ("/serviceQueryEndpoint", "/scalingSchedule", "/upgradeWindow", "/backupBucket")


def _may_be_late(request: httpx.Request) -> bool:
    """Return whether the server can carry out a request after its client gave up.

    An update that arrives late undoes the next one, on any server without conditional requests; a refresh shows it
    (docs/reliability.md). Some settings of a service are updated by POST and DELETE. A late reset of a password is
    included, because no refresh would show it.
    """
    path = request.url.path
    update = "/clickhouseSettings/" in path or path.endswith(_SETTINGS)
    return (request.method in ("POST", "DELETE") and not update) or path.endswith("/password")


def _newer(origin: Any, since: float) -> bool:
    return origin is not None and origin.at > since


def _created_id(response: httpx.Response) -> str:
    """Return the id in a response, for the log."""
    try:
        body = response.json()
    except ValueError:
        return ""
    result = body.get("data", body.get("result")) if isinstance(body, dict) else None
    if not isinstance(result, dict):
        return f"{len(result)} objects" if isinstance(result, list) else ""
    record = result.get("service") or result.get("key") or result
    return str(record.get("id", "")) if isinstance(record, dict) else ""
