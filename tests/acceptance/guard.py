"""Decides which requests of a run may reach a server: reads, and writes to objects that the run made.

The ledger of a run is a file. An entry is on disk before the request of a create is sent, so that the next
command finds what a run left, however it ended.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import Forms, Operation
from pulumi_clouddb.create.evidence import digests
from pulumi_clouddb.create.pending import PendingCreate
from pulumi_clouddb.registry import COLLECTIONS, OPERATIONS, RESOURCES
from pulumi_clouddb.resource.base import AnyCollection
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.config import SELF_HOSTED_PREFIX
from pulumi_clouddb.schema.convert import parse, to_wire
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.vocabulary import VocabularyName
from real_server.request import ABSENT

FOLDER = Path("~/.cache/clouddb-acceptance")
"""The ledgers of the runs that have not ended, the reports and the recordings, for all checkouts of a user."""

READS = frozenset({"GET", "HEAD", "OPTIONS"})
NAMED_BY = ("name", "displayName", "functionName", "email")
"""The fields of bodies that name an object."""

OBJECT_ID = re.compile(r"\b[0-9a-f]{24}\b", re.IGNORECASE)
"""An id that a self-hosted server gives."""

PARENTS = {"dashboardId": "dashboards", "savedSearchId": "saved-searches"}
"""The fields of an alert that name the object that it belongs to, and the collection of that object."""

JOINS = frozenset({"dataWarehouseId", "backupId"})
"""The fields of new services that name an object of another service."""

CHANGE_NOTHING = (
    *("validate_dashboard", "self_hosted_validate_dashboard", "validate_webhook", "self_hosted_validate_webhook"),
    *("validate_byoc_infrastructure", "create_upload"),
)
"""Operations with POST that change no object."""


@dataclass(frozen=True)
class Allowances:
    """The objects of others that the file of needs allows to change; the run restores them.

    Attributes:
        settings: Whether the settings of the organization may change.
        members: Ids of members whose roles may change.
        endpoints: Ids of private endpoints that may be registered and removed.
        everything: Whether a self-hosted server had no objects when the run began, so that new ones need no name of the
            run.
    """

    settings: bool = False
    members: list[str] = field(default_factory=list)
    endpoints: list[str] = field(default_factory=list)
    everything: bool = False

    def allow(self, request: Request) -> bool:
        """Return whether a write to an object that the run did not make is allowed."""
        if request.method != "PATCH" or not isinstance(request.body, dict):
            return False
        if member := re.fullmatch(r"/v1/organizations/[^/]+/members/([^/]+)", request.path):
            return member[1] in self.members and request.body.keys() <= {"assignedRoleIds", "role"}
        if not re.fullmatch(r"/v1/organizations/[^/]+", request.path):
            return False
        if request.body.keys() == {"privateEndpoints"}:
            changed = [each for some in request.body["privateEndpoints"].values() for each in some]
            return all(each.get("id") in self.endpoints for each in changed)
        return self.settings and request.body.keys() <= {"name", "enableCoreDumps"}


@dataclass(frozen=True)
class Origin:
    """Where a run works: a sweep deletes nothing that a run left elsewhere.

    Attributes:
        server: The address of the server.
        owner: The id of the organization, or of the team.
    """

    server: str = ""
    owner: str = ""


@dataclass(frozen=True)
class Run:
    """One run; its token is part of the name of each object that it makes."""

    token: str

    @classmethod
    def new(cls) -> Run:
        """Return a run with a token that no other one has."""
        return cls(f"acc{secrets.token_hex(6)}")

    def name(self, text: str) -> str:
        """Return a name of letters, digits and spaces, which all servers accept."""
        return f"{text} {self.token}"

    @property
    def tag(self) -> dict[str, str]:
        """The tag of objects that have tags."""
        return {"key": "acceptance", "value": self.token}

    def marks(self, record: Any) -> bool:
        """Return whether the body of a request, or a server's record, has the name or the tag of this run."""
        if not isinstance(record, dict):
            return False
        tags = record.get("tags")
        tagged = isinstance(tags, list) and self.tag in tags
        return tagged or any(self.token in str(record.get(each, "")) for each in NAMED_BY)


@dataclass(frozen=True)
class Request:
    """A request; the path begins with the prefix of the API, such as `/v1`."""

    method: str
    path: str
    query: str = ""
    body: Any = None

    @property
    def writes(self) -> bool:
        """Whether it may change something."""
        return self.method not in READS


@dataclass(frozen=True)
class Creation:
    """A request that creates an object.

    Attributes:
        request: The request.
        collection: The kind of the object.
        operation: The operation.
        places: The values of the placeholders in the path.
        dialect: The dialect of the path.
    """

    request: Request
    collection: AnyCollection
    operation: Operation
    places: dict[str, str]
    dialect: VocabularyName

    @property
    def is_within_another(self) -> bool:
        """Whether the new object belongs to another one, such as a pipe to its service, or is a copy of it."""
        return bool({*self.places} - {"organizationId"})

    def made(self, response: Any) -> str | None:
        """Return the path of the object that a response returns, or None."""
        if self.request.method == "PUT":
            return self.request.path
        if not isinstance(response, dict):
            return None
        result = in_terms_of_interface(self.operation.record, response.get("result", response.get("data")))
        part = self.collection.created_part
        record = result.get(part, result) if part and isinstance(result, dict) else result
        if isinstance(record, dict) and "invitationId" in record:  # the create of an invitation to a team returns no id
            record = {"id": record["invitationId"], **record}
        return self.object_path(record)

    def object_path(self, record: Any) -> str | None:
        """Return the path of a record in the terms of the interface, or None if it has no id."""
        names = self.collection.identity
        if not isinstance(record, dict) or not record.get(names[0]):
            return None
        return self._path(self.collection.DELETE, str(record[names[0]]))

    @property
    def type(self) -> ResourceType:
        """The type of the resource that has such objects."""
        return next(each.type for each in RESOURCES.values() if each.collection is self.collection)

    def proof(self, sent_at: float | None) -> PendingCreate:
        """Return digests of what the request sends, without its secrets, and when it was sent by the server's clock."""
        proof = PendingCreate(urn=self.request.path, nonce=secrets.token_hex(16), sent_at=sent_at)
        sent = in_terms_of_interface(self.operation.record, self.request.body)
        if isinstance(sent, dict):
            inputs = wire_names(self.type.inputs)
            read = to_wire(parse(self.collection.model, sent))
            proof.digests = digests(proof, {n: read[n] for n in read if n in inputs}, self.type.evidence)
        return proof

    @property
    def list_path(self) -> str:
        """The path that lists such objects."""
        return self._path(self.collection.LIST)

    def _path(self, forms: Forms, id_: str = "") -> str:
        """Return the path of another operation on the same server; the last placeholder is the id, if there is one."""
        form = forms.managed if "organizationId" in self.places else forms.self_hosted
        last = (re.findall(r"{(\w+)}", form.path) or [""])[-1]
        places = {**self.places, **({last: id_} if id_ else {})}
        return re.sub(r"{(\w+)}", lambda found: places[found[1]], DIALECTS[self.dialect].path(form.path))


def in_terms_of_interface(record: str, value: Any) -> Any:
    """Return a record of either dialect with the names of the interface."""
    return DIALECTS[VocabularyName.CLICKHOUSE].from_server(record, value)


def creation_of(request: Request) -> Creation | None:
    """Return what a request creates, or None."""
    for collection, operation, dialect, pattern in _creations():
        if operation.method == request.method and (found := pattern.fullmatch(request.path)):
            return Creation(request, collection, operation, found.groupdict(), dialect)
    return None


@cache
def _creations() -> list[tuple[AnyCollection, Operation, VocabularyName, re.Pattern[str]]]:
    return [
        (collection, operation, dialect, pattern_of(operation, dialect))
        for collection in COLLECTIONS
        for operation in collection.operations()
        if _creates(collection, operation)
        for dialect in DIALECTS
    ]


def _creates(collection: AnyCollection, operation: Operation) -> bool:
    """Return whether an operation creates an object that another operation deletes."""
    create = getattr(collection, "CREATE", None)
    if not isinstance(create, Forms) or collection.DELETE.managed.method != "DELETE":
        return False
    if operation in (create.managed, create.self_hosted):
        return True
    return operation.method == "POST" and operation.record == create.managed.record


def pattern_of(operation: Operation, dialect: VocabularyName) -> re.Pattern[str]:
    """Return the pattern of the paths of an operation in a dialect."""
    return re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", DIALECTS[dialect].path(operation.path)))


@cache
def _harmless() -> list[re.Pattern[str]]:
    return [pattern_of(OPERATIONS[each], dialect) for each in CHANGE_NOTHING for dialect in DIALECTS]


@dataclass(frozen=True)
class Sent:
    """A create that was sent, and whose object is not known.

    Attributes:
        request: The request, without its body, which may have secrets.
        proof: What proves that an object is that of the request.
    """

    request: Request
    proof: PendingCreate


class Ledger:
    """What a run made, in memory and in a file with one JSON object per line, which only its owner can read.

    Args:
        run: The run.
        file: Its file; None keeps the ledger in memory only.
        allowances: The writes to objects of others that the file of needs allows.

    Attributes:
        begun: When the run began, in seconds since 1970.
        borrowed: The records of objects of others, before the run changed them, by path.
        changes: The bodies that changed them, by path.
        made: The paths of existing objects that the run made, in order of creation.
        pending: The creates without a response yet, or with one that does not say whether the object exists.
    """

    def __init__(
        self,
        run: Run,
        file: Path | None = None,
        origin: Origin = Origin(),
        allowances: Allowances = Allowances(),
    ) -> None:
        self.run, self.file, self.origin, self.allowances = run, file, origin, allowances
        self.made: dict[str, None] = {}
        self.begun = 0.0
        self.borrowed: dict[str, Any] = {}
        self.changes: dict[str, list[Any]] = {}
        self.pending: dict[int, Sent] = {}
        self._own: set[str] = set()
        self._number = 0

    @classmethod
    def read(cls, file: Path) -> Ledger:
        """Return the ledger in a file; an incomplete last line is of a process that died while it wrote."""
        ledger = cls(Run(file.stem), file)
        for line in file.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):
                ledger._apply(json.loads(line))
        return ledger

    def begins(self) -> None:
        """Record where the run works, since when, and what it may change there."""
        begun = self.begun or time.time()
        self._write({"begins": asdict(self.origin), "at": begun, "allows": asdict(self.allowances)})

    def borrows(self, path: str, record: Any) -> None:
        """Record an object of others before the first change, for its restoration."""
        self._write({"borrowed": path, "record": record})

    def change(self, path: str, body: Any) -> None:
        """Record that a change of an object of others is about to be sent."""
        self._write({"changes": path, "body": body})

    def restored(self, path: str) -> None:
        """Record that an object of others is as it was."""
        self._write({"restored": path})

    def intends(self, creation: Creation, sent_at: float | None = None) -> int:
        """Record that a create is about to be sent, and return its number."""
        sent = creation.proof(sent_at).model_dump(exclude_defaults=True)
        method, path = creation.request.method, creation.request.path
        self._write({"intends": self._number + 1, "method": method, "path": path, "sent": sent})
        return self._number

    def answered(self, number: int, status: int | None, response: Any) -> None:
        """Record the response to a create; the status is None if there was none."""
        creation = creation_of(self.pending[number].request)
        path = creation.made(response) if creation and status is not None and status < 300 else None
        if path is not None:
            self._write({"made": number, "at": path})
        elif status is not None and 400 <= status < 500:
            self._write({"refused": number})

    def gone(self, path: str) -> None:
        """Record that an object no longer exists, nor what belongs to it."""
        if any(path in _upwards(each) for each in self.made):
            self._write({"gone": path})

    def settled(self, number: int) -> None:
        """Record that a create has no object on the server."""
        self._write({"refused": number})

    def found(self, number: int, path: str) -> None:
        """Record the object of a create without a response."""
        self._write({"made": number, "at": path})

    def ended(self) -> None:
        """Remove the file if nothing is left of the run."""
        if self.file is not None and not (self.made or self.pending or self.borrowed):
            self.file.unlink(missing_ok=True)

    def owns(self, path: str) -> bool:
        """Return whether the run made the object at a path, or one above it, even if it no longer exists."""
        return any(each in self._own for each in _upwards(path))

    def _apply(self, entry: dict[str, Any]) -> None:
        if "begins" in entry:
            self.origin, self.allowances = Origin(**entry["begins"]), Allowances(**entry["allows"])
            self.begun = entry.get("at", 0.0)
        if "borrowed" in entry:
            self.borrowed[entry["borrowed"]] = entry["record"]
        if "changes" in entry:
            self.changes.setdefault(entry["changes"], []).append(entry["body"])
        if "restored" in entry:
            self.borrowed.pop(entry["restored"], None)
        if "intends" in entry:
            self._number = int(entry["intends"])
            proof = PendingCreate.model_validate(entry.get("sent", {"urn": entry["path"], "nonce": ""}))
            self.pending[self._number] = Sent(Request(entry["method"], entry["path"]), proof)
        if "made" in entry:
            self.pending.pop(entry["made"], None)
            self.made[entry["at"]] = None
            self._own.add(entry["at"])
        if "refused" in entry:
            self.pending.pop(entry["refused"], None)
        if "gone" in entry:
            for each in [each for each in self.made if entry["gone"] in _upwards(each)]:
                del self.made[each]

    def _write(self, entry: dict[str, Any]) -> None:
        self._apply(entry)
        if self.file is None:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with open(self.file, "a", encoding="utf-8", opener=_only_for_its_owner) as stream:
            stream.write(json.dumps(entry) + "\n")
            stream.flush()
            os.fsync(stream.fileno())


def _only_for_its_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _upwards(path: str) -> Iterator[str]:
    """Yield a path and all above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def refusal(request: Request, ledger: Ledger) -> str | None:
    """Return why a request must not reach the server; None if it may.

    A write passes if the run made its object, or the object that it belongs to; if it creates an object with the name
    or the tag of the run; if it changes nothing; or if the file of needs allows it by name.
    """
    if not request.writes:
        return None
    what = f"{request.method} {request.path}"
    if ledger.allowances.everything and request.path.startswith(SELF_HOSTED_PREFIX):
        named = {each.lower() for each in OBJECT_ID.findall(request.path)} - {ABSENT}
        return f"{what}: the run did not make this object" if named and not ledger.owns(request.path) else None
    if re.search(r"%|//|/\.\.?(/|$)", request.path):
        return f"{what}: the path could mean another one"
    if any(each.fullmatch(request.path) for each in _harmless()):
        return None
    if attached := re.fullmatch(r"(/v1/organizations/[^/]+)/udfs/[^/]+/attachments/([^/]+)", request.path):
        service = f"{attached[1]}/services/{attached[2]}"
        if not ledger.owns(service):
            return f"{what}: the run did not make the service"
    if request.path.endswith("/privateEndpoint") and not _is_given(request, ledger):
        return f"{what}: the file of needs does not have this endpoint"
    if others := _actors_of_others(request, ledger):
        return f"{what}: it would give a role to {', '.join(others)}"
    if ledger.owns(request.path) or ledger.allowances.allow(request):
        return None
    creation = creation_of(request)
    if creation is None or creation.is_within_another:
        return f"{what}: the run did not make this object"
    if joined := sorted(JOINS & {*(request.body if isinstance(request.body, dict) else ())}):
        return f"{what}: with {', '.join(joined)}, it would join an object of others"
    if ledger.run.marks(request.body) or _belongs(request, ledger):
        return None
    return f"{what}: the new object would not have the name or the tag of the run"


def _is_given(request: Request, ledger: Ledger) -> bool:
    """Return whether a private endpoint may be registered, which the organization then lists."""
    return isinstance(request.body, dict) and request.body.get("id") in ledger.allowances.endpoints


def _actors_of_others(request: Request, ledger: Ledger) -> list[str]:
    """Return the actors in the body of a role that are not keys of the run."""
    organization, roles, _ = request.path.partition("/roles")
    actors = request.body.get("actors") if roles and isinstance(request.body, dict) else None
    keys = {str(each): f"{organization}/keys/{str(each).rpartition('/')[2]}" for each in actors or ()}
    return [actor for actor, key in keys.items() if not ledger.owns(key)]


def _belongs(request: Request, ledger: Ledger) -> bool:
    """Return whether a new object belongs to one that the run made."""
    body = request.body if isinstance(request.body, dict) else {}
    place = request.path.rpartition("/")[0]
    return any(body.get(name) and ledger.owns(f"{place}/{kind}/{body[name]}") for name, kind in PARENTS.items())


def borrowed_by(request: Request, ledger: Ledger) -> str | None:
    """Return the path of the object of others that an allowed request is about to change for the first time."""
    path = None
    if endpoint := re.fullmatch(r"(/v1/organizations/[^/]+)/services/[^/]+/privateEndpoint", request.path):
        path = endpoint[1]
    elif request.writes and ledger.allowances.allow(request):
        path = request.path
    return None if path in ledger.borrowed else path


def restoring(path: str, before: Any, now: Any, allowances: Allowances) -> dict[str, Any]:
    """Return the body of the PATCH that restores an object of others; empty if it is as it was."""
    was, is_now = (_allowed_fields(path, each, allowances) for each in (before, now))
    body = {name: value for name, value in was.items() if is_now.get(name) != value}
    known = {each["id"] for each in before.get("privateEndpoints", [])}
    added = [each for each in now.get("privateEndpoints", []) if each["id"] in allowances.endpoints]
    removed = [{n: each[n] for n in ("id", "cloudProvider", "region")} for each in added if each["id"] not in known]
    return {**body, **({"privateEndpoints": {"remove": removed}} if removed else {})}


def changed_by_others(path: str, body: dict[str, Any], now: Any, ledger: Ledger) -> list[str]:
    """Return the fields of a restoring body whose present value is not one that the run has sent."""
    is_now = _allowed_fields(path, now, ledger.allowances)
    sent = [{name: _in_order(value) for name, value in each.items()} for each in ledger.changes.get(path, ())]
    names = [name for name in body if name != "privateEndpoints"]
    return [name for name in names if not any(name in each and each[name] == is_now.get(name) for each in sent)]


def _allowed_fields(path: str, record: Any, allowances: Allowances) -> dict[str, Any]:
    """Return the fields of an object of others that the run may change, as requests have them."""
    if "/members/" in path:
        return {"assignedRoleIds": _in_order([each["roleId"] for each in record.get("assignedRoles", [])])}
    return {each: record[each] for each in ("name", "enableCoreDumps") if each in record and allowances.settings}


def _in_order(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value
