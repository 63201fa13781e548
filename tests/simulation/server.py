"""The server of a simulation, and a ledger of the origin of all objects and changes, for the assertions only."""

from __future__ import annotations

import base64
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import httpx

from clouddb_tools.sandbox.rate_limit import Window
from clouddb_tools.sandbox.responses import too_many
from clouddb_tools.sandbox.settings import Clock, Latency, Settings
from clouddb_tools.sandbox.state import SELF_HOSTED
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.memory import MemorySandbox

from .scheduler import EPOCH, Simulation

COLLECTIONS = {
    "organizations": "organizations",
    "services": "services",
    "keys": "keys",
    "pipes": "pipes",
    "clickpipes": "pipes",
    "dashboards": "dashboards",
    "alerts": "alerts",
    "roles": "roles",
    "members": "members",
    "invitations": "invitations",
    "clickpipesReversePrivateEndpoints": "reverse_private_endpoints",
    "clickpipesSshKeyResources": "pipe_ssh_keys",
    "clickpipesCdcScaling": "pipe_cdc_scalings",
    "privateEndpoint": "private_endpoints",
    "postgres": "postgres_services",
    "byocInfrastructure": "byoc_infrastructures",
    "udfs": "user_defined_functions",
    "versions": "user_defined_functions",
    "attachments": "udf_attachments",
    "udfUploads": "uploads",
    "_uploads": "uploads",
    "invitation": "stack_invitations",
    "team": "team",
}
"""The sandbox's collections by path segment."""

CREATING_SUFFIXES = ("readReplica", "restoredService")
"""Suffixes of paths of an object that create another one of its kind."""

SENT_HEADERS = ("authorization", "content-type", "user-agent", "host")
"""The request headers that the sandbox or its judge uses."""

TIMEOUT_SECONDS = 10
"""Timeout of a request; short, because it also determines the waits for late requests."""

OVERRIDABLE: Mapping[str, tuple[str, ...]] = {
    "pipes": ("replicas",),
    "keys": ("roles",),
    "members": ("assignedRoleIds",),
    "organizations": ("name",),
    "pipe_cdc_scalings": ("replicaCpuMillicores",),
}
"""The overridden properties by collection."""

ONE_TIME_SECRETS = ("password", "keySecret")
Record = dict[str, Any]


class Target(NamedTuple):
    """The target of a request.

    Attributes:
        kind: The sandbox's collection.
        id: The object, or None for the collection.
    """

    kind: str
    id: str | None


def _of_function(segments: list[str]) -> Target:
    name, *rest = [*segments[segments.index("udfs") + 1 :], ""]
    if rest[:1] == ["attachments"]:
        return Target("udf_attachments", f"{name}/{rest[1]}" if rest[1] else None)
    return Target("user_defined_functions", name or None)


def target_of(path: str) -> Target:
    """Return the target of a path."""
    segments = path.strip("/").split("/")
    if "udfs" in segments:
        return _of_function(segments)
    if "team" in segments:
        return Target("stack_invitations", segments[-1] if segments[-2] == "invitation" else None)
    place = max(place for place, segment in enumerate(segments) if segment in COLLECTIONS)
    kind = COLLECTIONS[segments[place]]
    if segments[place - 1] == "clickstack" and kind == "roles":
        kind = "stack_roles"
    if kind == "pipe_cdc_scalings":  # one per service, with the service's id
        return Target(kind, segments[place - 1])
    return Target(kind, segments[place + 1] if place + 1 < len(segments) else None)


@dataclass(frozen=True)
class Origin:
    """The origin of an object.

    Attributes:
        name: Its name at creation; None for an alert without a name.
        urn: The resource that it was created for, or None if a user created it.
        at: The time of its creation.
    """

    kind: str
    name: str | None
    urn: str | None
    at: float


@dataclass
class Override:
    """The values to which an overridden object may be restored.

    Attributes:
        acceptable: All values that users set before the override was in state.
        in_state: Whether the override is in state; later changes by users are drift.
        by_user: Whether the last write was by a user.
    """

    acceptable: list[Record]
    in_state: bool = False
    by_user: bool = True


@dataclass
class Ledger:
    """The origins of all objects and changes.

    Attributes:
        origins: Every object that was created at any time, by id.
        overrides: Every existing object that programs override, by id.
        secrets: Every secret that the server returned.
        lost_versions: Versions of functions that the server has made, and whose responses nobody received, by function.
        violations: Writes to objects of others.
    """

    origins: dict[str, Origin] = field(default_factory=dict)
    overrides: dict[str, Override] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    lost_versions: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)


class Server:
    """A sandbox in memory with its ledger, created once per dialect and empty again after `reset`.

    Attributes:
        is_owned: Returns whether an object belongs to the stack for which it was created.
    """

    def __init__(self, dialect: VocabularyName) -> None:
        self.dialect = dialect
        self._simulation: Simulation | None = None
        self.is_owned: Callable[[Origin, str], bool] = lambda origin, id_: False
        latency = Latency(provision=7.0, start=3.0, stop=2.0, delete=2.0)
        # Credentials from a separate source, so that no id is equal to one of them.
        source = random.Random("credentials")  # noqa: S311
        self.sandbox = MemorySandbox(Settings(vocabulary=dialect, latency=latency), Clock(self._time), source)
        self.reset(None)

    def reset(self, simulation: Simulation | None, *, limited: bool = False) -> None:
        """Drop everything, and use the clock of another simulation; `limited` enforces the published rate limit.

        Requests of the console are not counted.
        """
        self._simulation = simulation
        self._window = Window(*MANAGEMENT_LIMIT) if limited else None
        self.ledger = Ledger()
        self.sandbox.reset(random.Random(simulation.random.random()) if simulation else None)  # noqa: S311
        identity = self.sandbox.state.identity
        basic = base64.b64encode(f"{identity.keyId}:{identity.keySecret}".encode()).decode()
        self._basic, self._bearer = f"Basic {basic}", f"Bearer {identity.stackToken}"

    @property
    def config(self) -> Record:
        """Return the configuration that reaches this server."""
        identity = self.sandbox.state.identity
        return {
            "baseUrl": "https://management.example",
            "stackUrl": "https://observability.example",
            "organizationId": identity.organizationId,
            "keyId": identity.keyId,
            "keySecret": identity.keySecret,
            "stackToken": identity.stackToken,
            "vocabulary": self.dialect.value,
            "pacing": self._window is not None,
            "requestTimeoutSeconds": TIMEOUT_SECONDS,
        }

    # -- requests ------------------------------------------------------------------------------------------------

    def answer(self, request: httpx.Request, urn: str | None) -> httpx.Response:
        """Carry out a request that is sent for a resource (`urn`) or by a user (None), and return the response."""
        path = request.url.path
        if self._window is not None and urn is not None and not path.startswith("/api/"):
            usage = self._window.consume("the key", self._time())
            if not usage.allowed:
                rejected = too_many(ServerKind.MANAGEMENT, usage.reset, "")
                return httpx.Response(429, headers=rejected.raw_headers, content=bytes(rejected.body), request=request)
        target = target_of(path)
        if request.method == "DELETE" or (request.method != "GET" and request.content not in (b"", b"{}")):
            self._check_owner(request.method, target, urn)
        headers = {name: request.headers[name] for name in SENT_HEADERS if name in request.headers}
        response = self.sandbox.request(request.method, path, headers, request.content)
        if response.status_code in (httpx.codes.OK, httpx.codes.CREATED) and request.method != "GET":
            self._record_write(request, target, urn, json.loads(bytes(response.body) or b"{}"))
        return httpx.Response(
            response.status_code, headers=response.raw_headers, content=bytes(response.body), request=request
        )

    def console_request(self, method: str, path: str, json_body: Any = None) -> Any:
        """Carry out a request of a user in the console, and return its result."""
        hosted = path.startswith("/api/")
        if not hosted:
            path = f"/v1/organizations/{self.sandbox.state.identity.organizationId}{path}"
        headers = {"Authorization": self._bearer if hosted else self._basic}
        request = httpx.Request(method, f"https://console.example{path}", json=json_body, headers=headers)
        response = self.answer(request, None)
        if response.status_code not in (httpx.codes.OK, httpx.codes.CREATED):
            raise RuntimeError(f"the server rejected {method} {path}: {response.text}")
        body = response.json()
        return body.get("data", body) if hosted else body.get("result")

    def authenticates(self, key_id: str, secret: str) -> bool:
        """Return whether a key has these credentials."""
        basic = base64.b64encode(f"{key_id}:{secret}".encode()).decode()
        path = f"/v1/organizations/{self.sandbox.state.identity.organizationId}/keys"
        return self.sandbox.request("GET", path, {"Authorization": f"Basic {basic}"}).status_code != 401

    def record(self, kind: str, id_: str) -> Record | None:
        """Return the server's record of an object."""
        return self.sandbox.state.store.get(kind, id_)

    def existing(self, kind: str) -> list[str]:
        """Return the ids of all created objects of a kind, except services that are being deleted."""
        ending = ("terminating", "softdeleting", "softdeleted", "terminated", "deleting", "infra-terminated")
        items = self.sandbox.state.store.items(kind)
        return [id_ for id_, record in items if id_ in self.ledger.origins and record.get("state") not in ending]

    # -- the ledger ----------------------------------------------------------------------------------------------

    def begin_override(self, id_: str) -> None:
        """Record that a program begins to override an object."""
        override = self.ledger.overrides.get(id_)
        if override is None:
            return
        if override.by_user:
            override.acceptable = override.acceptable[-1:]
        override.in_state = False

    def drop_override(self, id_: str) -> None:
        """Record that a user dropped an override from state, and with it the original values."""
        if id_ in self.ledger.overrides:
            self.may_be_overridden(next(kind for kind in OVERRIDABLE if self.record(kind, id_)), id_)

    def created_by_user(self, kind: str, id_: str) -> None:
        """Record an object that a user created without a request."""
        self.ledger.origins[id_] = Origin(kind, id_, None, 0.0)

    def record_in_state(self, id_: str, in_state: bool) -> None:
        """Record whether an override is in state."""
        if id_ in self.ledger.overrides:
            self.ledger.overrides[id_].in_state = in_state

    def may_be_overridden(self, kind: str, id_: str) -> None:
        """Record that a program may override an existing object."""
        self.ledger.overrides[id_] = Override([overridable(kind, self.record(kind, id_) or {})])

    def _check_owner(self, method: str, target: Target, urn: str | None) -> None:
        origin = self.ledger.origins.get(target.id or "")
        if urn is None or origin is None or target.id in self.ledger.overrides:
            return
        if origin.urn is None:
            self.ledger.violations.append(f"{method} on {target.kind} {target.id} of another user, for {urn}")
        elif stack_of(origin.urn) != stack_of(urn) and self.is_owned(origin, str(target.id)):
            self.ledger.violations.append(f"{method} on {target.kind} {target.id} of {origin.urn}, for {urn}")

    def _record_write(self, request: httpx.Request, target: Target, urn: str | None, body: Any) -> None:
        result = body.get("data", body.get("result")) or {}
        self.ledger.secrets.update(str(result[name]) for name in ONE_TIME_SECRETS if result.get(name))
        if target.kind == "udf_attachments" and request.method == "PUT" and target.id not in self.ledger.origins:
            self.ledger.origins[str(target.id)] = Origin(target.kind, None, urn, 0.0)
        makes = target.id is None or request.url.path.endswith(CREATING_SUFFIXES)
        if request.method == "POST" and makes and target.kind != "uploads":
            record = result.get("service") or result.get("key") or result
            now = self._simulation.now if self._simulation else 0.0
            own = record.get("id") or record.get("invitationId") or record["functionName"]
            self.ledger.origins[own] = Origin(target.kind, record.get("name"), urn, now)
        override = self.ledger.overrides.get(target.id or "")
        if override is not None and request.method == "PATCH":
            override.by_user = urn is None
            current = overridable(target.kind, self.record(target.kind, str(target.id)) or {})
            if urn is not None and current in override.acceptable:
                override.in_state = False  # restored; changes by users before state shows it are not drift
            elif urn is None and not override.in_state:
                override.acceptable.append(current)

    def _time(self) -> float:
        return EPOCH + (self._simulation.now if self._simulation else 0.0)


def stack_of(urn: str) -> str:
    """Return the part of a URN with the name of the stack."""
    return urn.split("::")[0]


def overridable(kind: str, record: Mapping[str, Any]) -> Record:
    """Return the overridden properties of an object."""
    part = record.get("scaling") or {} if kind == "pipes" else record
    return {name: part.get(name) for name in OVERRIDABLE[kind]}


def stack_path(service_id: str | None, rest: str, dialect: VocabularyName) -> str:
    """Return the path of an observability collection for `console_request`: of a service, or self-hosted."""
    if service_id is None:
        return f"/api/v2/{rest}"
    segment = "clickstack" if dialect is VocabularyName.CLICKHOUSE else "stack"
    return f"/services/{service_id}/{segment}/{rest}"


__all__ = ["SELF_HOSTED", "Ledger", "Origin", "Override", "Server", "Target", "overridable", "stack_path", "target_of"]
