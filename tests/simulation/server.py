"""The server of a simulation, and the record of who made and changed what, which nobody in the simulation can see."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import httpx

from clouddb_tools.sandbox.responses import too_many
from clouddb_tools.sandbox.settings import Clock, Latency, Settings
from clouddb_tools.sandbox.state import SELF_HOSTED, Window
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
"""Path segments, and the sandbox's names of what they hold."""

MAKING = ("readReplica", "restoredService")
"""How paths of an object end that make another one of its kind."""

SENT_HEADERS = ("authorization", "content-type", "user-agent", "host")
"""The request headers that the sandbox looks at, or who looks on at it."""

TIMEOUT_SECONDS = 10
"""Of one request. A short one makes the waits for late requests short."""

OVERRIDABLE: Mapping[str, tuple[str, ...]] = {
    "pipes": ("replicas",),
    "keys": ("roles",),
    "members": ("assignedRoleIds",),
    "organizations": ("name",),
    "pipe_cdc_scalings": ("replicaCpuMillicores",),
}
"""What programs override, of which objects."""

ONE_TIME_SECRETS = ("password", "keySecret")
Record = dict[str, Any]


class Target(NamedTuple):
    """What a request is about.

    Attributes:
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
    """Return what a path is about."""
    segments = path.strip("/").split("/")
    if "udfs" in segments:
        return _of_function(segments)
    if "team" in segments:
        return Target("stack_invitations", segments[-1] if segments[-2] == "invitation" else None)
    place = max(place for place, segment in enumerate(segments) if segment in COLLECTIONS)
    kind = COLLECTIONS[segments[place]]
    if segments[place - 1] == "clickstack" and kind == "roles":
        kind = "stack_roles"
    if kind == "pipe_cdc_scalings":  # a service has one, of its own id
        return Target(kind, segments[place - 1])
    return Target(kind, segments[place + 1] if place + 1 < len(segments) else None)


@dataclass(frozen=True)
class Origin:
    """Where an object comes from.

    Attributes:
        name: Its name when it was made, which is None for a nameless alert.
        urn: The resource that it was made for, or None if a person made it.
    """

    kind: str
    name: str | None
    urn: str | None
    at: float


@dataclass
class Override:
    """What an object that a program changes may be put back to.

    Attributes:
        acceptable: Every value by a person that held while the program was taking the object over.
        held: Whether state holds the override: what a person does from then on is drift.
        by_person: Whether the last write was a person's.
    """

    acceptable: list[Record]
    held: bool = False
    by_person: bool = True


@dataclass
class Ledger:
    """Who made and changed what.

    Attributes:
        origins: Every object that was ever made, by id.
        overrides: Every object that programs change without having made it, by id.
        secrets: Every secret that the server has ever told.
        violations: Writes to objects that do not belong to the writer.
    """

    origins: dict[str, Origin] = field(default_factory=dict)
    overrides: dict[str, Override] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    violations: list[str] = field(default_factory=list)


class Server:
    """A sandbox in memory with its ledger. It is made once per dialect and is new again after `reset`.

    Attributes:
        is_owned: Tells whether an object belongs to the stack for which it was made.
    """

    def __init__(self, dialect: VocabularyName) -> None:
        self.dialect = dialect
        self._simulation: Simulation | None = None
        self.is_owned: Callable[[Origin, str], bool] = lambda origin, id_: False
        latency = Latency(provision=7.0, start=3.0, stop=2.0, delete=2.0)
        # Credentials from a source of their own: ids of objects must not be the same texts.
        source = random.Random("credentials")  # noqa: S311
        self.sandbox = MemorySandbox(Settings(vocabulary=dialect, latency=latency), Clock(self._time), source)
        self.reset(None)

    def reset(self, simulation: Simulation | None, *, limited: bool = False) -> None:
        """Forget everything, and live in the time of another simulation; `limited` to the published requests of a key.

        People are never over the limit: the console is not counted.
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
        """Carry out a request that is sent for a resource (`urn`), or by a person (None)."""
        path = request.url.path
        if self._window is not None and urn is not None and not path.startswith("/api/"):
            usage = self._window.consume("the key", self._time())
            if not usage.allowed:
                refused = too_many(ServerKind.MANAGEMENT, usage.reset, "")
                return httpx.Response(429, headers=refused.raw_headers, content=bytes(refused.body), request=request)
        target = target_of(path)
        if request.method == "DELETE" or (request.method != "GET" and request.content not in (b"", b"{}")):
            self._check_owner(request.method, target, urn)
        headers = {name: request.headers[name] for name in SENT_HEADERS if name in request.headers}
        response = self.sandbox.request(request.method, path, headers, request.content)
        if response.status_code in (httpx.codes.OK, httpx.codes.CREATED) and request.method != "GET":
            self._note(request, target, urn, json.loads(bytes(response.body) or b"{}"))
        return httpx.Response(
            response.status_code, headers=response.raw_headers, content=bytes(response.body), request=request
        )

    def person(self, method: str, path: str, body: Any = None) -> Any:
        """Carry out a request of a person in the console, and return its result."""
        hosted = path.startswith("/api/")
        if not hosted:
            path = f"/v1/organizations/{self.sandbox.state.identity.organizationId}{path}"
        headers = {"Authorization": self._bearer if hosted else self._basic}
        request = httpx.Request(method, f"https://console.example{path}", json=body, headers=headers)
        response = self.answer(request, None)
        if response.status_code not in (httpx.codes.OK, httpx.codes.CREATED):
            raise RuntimeError(f"the console refused {method} {path}: {response.text}")
        answer = response.json()
        return answer.get("data", answer) if hosted else answer.get("result")

    def authenticates(self, key_id: str, secret: str) -> bool:
        """Return whether these credentials are those of a key."""
        basic = base64.b64encode(f"{key_id}:{secret}".encode()).decode()
        path = f"/v1/organizations/{self.sandbox.state.identity.organizationId}/keys"
        return self.sandbox.request("GET", path, {"Authorization": f"Basic {basic}"}).status_code != 401

    def record(self, kind: str, id_: str) -> Record | None:
        """Return an object as the server holds it."""
        return self.sandbox.state.store.get(kind, id_)

    def existing(self, kind: str) -> list[str]:
        """Return the ids of all objects of a kind that somebody made; services that are going do not count."""
        going = ("terminating", "softdeleting", "softdeleted", "terminated", "deleting", "infra-terminated")
        items = self.sandbox.state.store.items(kind)
        return [id_ for id_, record in items if id_ in self.ledger.origins and record.get("state") not in going]

    # -- the ledger ----------------------------------------------------------------------------------------------

    def taking_over(self, id_: str) -> None:
        """Note that a program begins to override an object."""
        override = self.ledger.overrides.get(id_)
        if override is None:
            return
        if override.by_person:
            override.acceptable = override.acceptable[-1:]
        override.held = False

    def forgotten(self, id_: str) -> None:
        """Note that a person let state forget an override: what it found is forgotten as well."""
        if id_ in self.ledger.overrides:
            self.may_be_overridden(next(kind for kind in OVERRIDABLE if self.record(kind, id_)), id_)

    def made_by_person(self, kind: str, id_: str) -> None:
        """Note an object that a person has made without a request."""
        self.ledger.origins[id_] = Origin(kind, id_, None, 0.0)

    def held(self, id_: str, held: bool) -> None:
        """Note that state holds an override, or no longer does."""
        if id_ in self.ledger.overrides:
            self.ledger.overrides[id_].held = held

    def may_be_overridden(self, kind: str, id_: str) -> None:
        """Note that a program is going to override an object that is there."""
        self.ledger.overrides[id_] = Override([overridable(kind, self.record(kind, id_) or {})])

    def _check_owner(self, method: str, target: Target, urn: str | None) -> None:
        origin = self.ledger.origins.get(target.id or "")
        if urn is None or origin is None or target.id in self.ledger.overrides:
            return
        if origin.urn is None:
            self.ledger.violations.append(f"{method} on {target.kind} {target.id} of a person, for {urn}")
        elif stack_of(origin.urn) != stack_of(urn) and self.is_owned(origin, str(target.id)):
            self.ledger.violations.append(f"{method} on {target.kind} {target.id} of {origin.urn}, for {urn}")

    def _note(self, request: httpx.Request, target: Target, urn: str | None, answer: Any) -> None:
        result = answer.get("data", answer.get("result")) or {}
        self.ledger.secrets.update(str(result[name]) for name in ONE_TIME_SECRETS if result.get(name))
        if target.kind == "udf_attachments" and request.method == "PUT" and target.id not in self.ledger.origins:
            self.ledger.origins[str(target.id)] = Origin(target.kind, None, urn, 0.0)
        makes = target.id is None or request.url.path.endswith(MAKING)
        if request.method == "POST" and makes and target.kind != "uploads":
            record = result.get("service") or result.get("key") or result
            now = self._simulation.now if self._simulation else 0.0
            own = record.get("id") or record.get("invitationId") or record["functionName"]
            self.ledger.origins[own] = Origin(target.kind, record.get("name"), urn, now)
        override = self.ledger.overrides.get(target.id or "")
        if override is not None and request.method == "PATCH":
            override.by_person = urn is None
            left = overridable(target.kind, self.record(target.kind, str(target.id)) or {})
            if urn is not None and left in override.acceptable:
                override.held = False  # it is put back; what a person does before state shows that is no drift
            elif urn is None and not override.held:
                override.acceptable.append(left)

    def _time(self) -> float:
        return EPOCH + (self._simulation.now if self._simulation else 0.0)


def stack_of(urn: str) -> str:
    """Return the part of a URN that names the stack."""
    return urn.split("::")[0]


def overridable(kind: str, record: Mapping[str, Any]) -> Record:
    """Return the part of a pipe, a key or a member that a program overrides."""
    part = record.get("scaling") or {} if kind == "pipes" else record
    return {name: part.get(name) for name in OVERRIDABLE[kind]}


def stack_path(service_id: str | None, rest: str, dialect: VocabularyName) -> str:
    """Return the path of an observability collection for `person`: managed by a service, or self-hosted."""
    if service_id is None:
        return f"/api/v2/{rest}"
    segment = "clickstack" if dialect is VocabularyName.CLICKHOUSE else "stack"
    return f"/services/{service_id}/{segment}/{rest}"


__all__ = ["SELF_HOSTED", "Ledger", "Origin", "Override", "Server", "Target", "overridable", "stack_path", "target_of"]
