"""The evidence that an object was created by a create of ours: the facts on which `verdicts` decides.

A name is not evidence: a colleague may have created an object of the same name. A mark is. Where the request carried
none, properties are compared as digests, and times by the server's own clock.

Of an interrupted run of the same stack on another machine, which did not keep its disk, this machine has no record. But
services and keys of the `clickhouse` dialect carry a mark that follows from the stack, the resource and the second of
the request. That second is `createdAt` less the time that the request took, so that every machine of the stack can
compute the mark. After a day an object is left alone: somebody may have dropped it from state on purpose (`pulumi state
delete`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timezone
from itertools import count
from math import ceil, floor

from pulumi_clouddb.client.errors import ApiError, ClientError, ResourceError
from pulumi_clouddb.client.marks import nonce_of, second_of
from pulumi_clouddb.schema.base import Record, wire_names
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.equality import AtLeast
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.schema.values import WireDict, WireValues

from .create_request import CreateRequest, RecordT
from .pending import MADE_SECONDS, PendingCreate
from .session import Session
from .verdicts import CREATE_CASES, OBJECT_CASES, CreateFacts, ObjectFacts, Verdict, decide

CREATED_AT = "createdAt"
"""Servers report the creation time of all objects under one name."""

CLOCK_SECONDS = 2.0
"""How far two readings of a server's clock may be apart: its Date header has whole seconds."""

GATEWAY_SECONDS = 600.0
"""How far the clock of a gateway, which writes the Date header, may be from that of the server behind it."""

MIN_LISTS = 4
"""Lists may lag behind: an object counts as missing after this many lists, one poll interval apart."""

NONCE_SECONDS = 120.0
"""How long the attempts of one create share a nonce. Other machines search as far back; no setting changes it.

Each second of the search is one more mark that somebody else's key may show by chance: of the keys of one name that
nobody has used, one in 85,000.
"""

_ABSENT = "!"
"""Prefix of the digest of a flag that was sent as false: servers may omit it, but do not show it as true."""

_AND = ","
"""Between the digests of the items of a property to which servers add others."""

_SENT = "?"
"""Prefix of the name of a property that was sent, in an entry without a digest."""

Normalizer = Callable[[str, object], object]
"""Returns a property's value in a form that is equal for all spellings of one value; None if it is not evidence."""


def find_ours(
    session: Session,
    request: CreateRequest[RecordT],
    records: Mapping[str, RecordT],
    *,
    refused: ApiError | None = None,
) -> RecordT | None:
    """Return the object that this create has created, by evidence, or None if it is not listed.

    Args:
        session: The session of the resource.
        request: The request of the create.
        records: The objects that the server lists, by id.
        refused: The error of the request, if the server refused it.

    Raises:
        ResourceError: The evidence does not show whether it is one of these objects.
    """
    entry = session.entry
    others = session.pending.others(entry.path)
    judged = _judged(session, request, records, others)
    if not request.collection.lists_inputs():  # what the list leaves out may differ
        seen = request.collection.with_all_fields([*judged[Verdict.OURS], *judged[Verdict.CANNOT_TELL]])
        judged = _judged(session, request, seen, others)
    if judged[Verdict.OURS]:
        return judged[Verdict.OURS][0]
    candidates = judged[Verdict.CANNOT_TELL]
    verdict = decide(CREATE_CASES, _facts_of_create(session, request, candidates, others, refused)).verdict
    if verdict is Verdict.CANNOT_TELL:
        entry.record.doubtful = [*map(request.collection.id_of, candidates)]
        entry.write()
        hidden = dict.fromkeys(name for each in candidates for name in _hidden_names(entry.record, request, each))
        why = f" (no response shows its {', '.join(hidden)} as sent)" if hidden else ""
        raise ResourceError(
            f"{request.what} may exist already, but nothing proves that it is one of: "
            f"{', '.join(entry.record.doubtful)}{why}",
            f"{request.way_on}. If none is yours, delete {entry.path}. Then run again.",
        )
    return candidates[0] if verdict is Verdict.OURS else None


def _judged(
    session: Session, request: CreateRequest[RecordT], records: Mapping[str, RecordT], others: Sequence[PendingCreate]
) -> dict[Verdict, list[RecordT]]:
    judged: dict[Verdict, list[RecordT]] = {verdict: [] for verdict in Verdict}
    for record, facts in _facts_of_objects(session, request, records, others):
        judged[decide(OBJECT_CASES, facts).verdict].append(record)
    return judged


def _facts_of_objects(
    session: Session, request: CreateRequest[RecordT], records: Mapping[str, RecordT], others: Sequence[PendingCreate]
) -> Iterator[tuple[RecordT, ObjectFacts]]:
    """Yield each listed object with what is known about it."""
    pending, collection = session.entry.record, request.collection
    mark = collection.mark(pending.nonce)
    owned = {*pending.known, *owned_ids(session, others)}
    if request.own_id not in pending.known:  # an object of this id that was deleted meanwhile had another owner
        owned.discard(request.own_id)
    for object_id, record in records.items():
        yield (
            record,
            ObjectFacts(
                exists=collection.exists(record),
                has_our_id=object_id == pending.id if pending.id and object_id not in pending.known else None,
                has_owner=object_id in owned,
                has_our_mark=None if mark is None else mark.is_on(record),
                is_used=not collection.may_be_lost(record),
                # Comparing takes long if lists are long, and decides nothing about an object that has an owner.
                is_as_sent=object_id not in owned
                and shows_what_was_sent(pending, _shown(record, request.resource), request.resource.evidence),
                created_in_time=created_in_time(session, request, pending, record),
            ),
        )


def owned_ids(session: Session, others: Sequence[PendingCreate]) -> set[str | None]:
    """Return the ids of the objects in state, and of those that this machine has created."""
    return {*session.run.owned_ids(), *session.pending.made_here(), *(each.id for each in others)}


def _facts_of_create(
    session: Session,
    request: CreateRequest[RecordT],
    candidates: Sequence[RecordT],
    others: Sequence[PendingCreate],
    refused: ApiError | None,
) -> CreateFacts:
    """Return what is known about the create of a session, and about its candidates."""
    entry, pending = session.entry, session.entry.record
    fitting = _fitting(session, request, candidates, others)
    return CreateFacts(
        candidates=len(candidates),
        time_is_known=all(created_in_time(session, request, pending, record) for record in candidates),
        shows_all=not any(_hidden_names(pending, request, record) for record in candidates),
        second_is_harmless=request.second_is_harmless,
        name_was_refused=request.unique and isinstance(refused, ClientError),
        mistake_locks_out=request.locks_out,
        was_refused=refused is not None,
        may_not_be_sent=entry.previous and not pending.response_lost,
        another_create_fits=bool(fitting),
        later_create_fits=any((other.started or 0.0) > (pending.started or 0.0) for other in fitting),
        created_after_search=any(created_after_search(pending, record.answer) for record in candidates),
    )


def _fitting(
    session: Session, request: CreateRequest[RecordT], candidates: Sequence[RecordT], others: Sequence[PendingCreate]
) -> list[PendingCreate]:
    """Return the other pending creates at this place that may have created one of the candidates."""

    def fits(other: PendingCreate, record: RecordT) -> bool:
        return (
            request.collection.id_of(record) not in other.known
            and shows_what_was_sent(other, _shown(record, request.resource), request.resource.evidence)
            and created_in_time(session, request, other, record) is not False
        )

    here = [other for other in others if is_open(other) and other.place == request.place]
    return [other for other in here if any(fits(other, record) for record in candidates)]


def _shown(record: Record, type_: ResourceType) -> WireDict:
    """Return the properties of an object, and those that the dialect's servers return without documenting it."""
    more = {name: record.answer[name] for name in type_.undocumented if record.answer.get(name) is not None}
    return {**more, **to_wire(record)}


def _hidden_names(pending: PendingCreate, request: CreateRequest[RecordT], record: RecordT) -> list[str]:
    """Return the names of the properties that the request contained and the object does not show as sent.

    These include credentials and code, which no server returns: somebody else's object may have others.
    """
    type_ = request.resource
    shown = _shown(record, type_)
    sent = [name.removeprefix(_SENT) for name in pending.digests]
    return [name for name in sent if not _shows(pending, type_, name, shown.get(name))]


def _shows(pending: PendingCreate, type_: ResourceType, name: str, value: object) -> bool:
    """Return whether the value of a property proves what was sent, or whether that was the server's default."""
    if value is None and name in type_.undocumented:
        return True  # else no service of the neutral dialect was ever ours; docs/reliability.md names this limit
    if name in pending.parts:
        parts = set(_parts(pending, type_.normalized(name, value)))
        sent_parts = pending.parts[name]
        return all(part in parts or (part[:1] == _ABSENT and part[1:] not in parts) for part in sent_parts)
    values = ("", [], {}, *type_.defaults_of(name)) if value is None else (value,)
    sent = pending.digests.get(name)
    return sent is not None and any(_fits(pending, name, sent, type_.evidence(name, each)) for each in values)


# -- marks of other machines --------------------------------------------------------------------------------------


def nonce_for(session: Session, request: CreateRequest[RecordT], listed: Mapping[str, RecordT] | None) -> str:
    """Return the nonce of a request that is sent now: that of the last attempt, if it was sent shortly before.

    Args:
        session: The session of the resource.
        request: What is created.
        listed: What exists; none of it carries the mark of the nonce.
    """
    nonce, stack = session.entry.record.nonce, session.stack
    sent_at = None if stack is None else request.collection.server_time()
    if stack is None or sent_at is None or 0 <= sent_at - second_of(nonce) <= NONCE_SECONDS:
        return nonce
    for second in count(floor(sent_at), -1):
        nonce = nonce_of(stack, session.urn, request.generation, second)
        mark = request.collection.mark(nonce)
        if mark is None or not any(map(mark.is_on, (listed or {}).values())):
            break
    return nonce


def find_marked(
    session: Session, request: CreateRequest[RecordT], listed: Mapping[str, RecordT] | None
) -> tuple[RecordT, str] | None:
    """Return the object that another machine created for this resource, and its nonce, or None if there is none.

    Objects in state, and those that this machine has created, are left out.

    Raises:
        ResourceError: There is more than one.
    """
    collection = request.collection
    if session.stack is None or collection.mark(session.entry.record.nonce) is None:
        return None
    if (now := collection.server_time()) is None:
        return None
    marked = {
        object_id: (record, nonce)
        for object_id, record in (listed or {}).items()
        if collection.exists(record)
        and collection.may_be_lost(record)
        and (nonce := _adoptable_nonce_on(session, request, record, now))
    }
    if not marked:  # do not read all pending creates without need
        return None
    owned = owned_ids(session, session.pending.others(session.entry.path))
    found = {object_id: each for object_id, each in marked.items() if object_id not in owned}
    if len(found) > 1:
        raise ResourceError(
            f"{request.what}: interrupted runs on other machines have created more than one: {', '.join(found)}",
            "Delete all but one of them, then run again: the remaining one is adopted.",
        )
    return next(iter(found.values()), None)


def is_marked(session: Session, request: CreateRequest[RecordT], record: RecordT) -> bool:
    """Return whether an object carries a mark of this resource, so that its create adopts it; see `find_marked`."""
    now = request.collection.server_time()
    return now is not None and _adoptable_nonce_on(session, request, record, now) is not None


def object_in_state(
    session: Session, request: CreateRequest[RecordT], records: Mapping[str, RecordT]
) -> tuple[str, RecordT] | None:
    """Return the object that state has for the resource of a session, with its id, as far as anything shows it.

    A refresh of this run or an earlier run on this machine has seen it there, or it carries a mark of this resource and
    no create adopts it. One that is in state as another resource is left out: that resource had this URN before.
    """
    made_here = session.pending.made_here()
    for object_id, record in records.items():
        is_own = session.run.has_stored(session.urn, object_id) or session.owners.is_owner(session.urn, object_id)
        if is_own is None and _nonce_on(session, request, record) is not None:
            is_own = object_id in made_here or not is_marked(session, request, record)
        if is_own and request.collection.exists(record):
            return object_id, record
    return None


def _adoptable_nonce_on(session: Session, request: CreateRequest[RecordT], record: RecordT, now: float) -> str | None:
    """Return the nonce of the mark on an object, if it is a young mark of this resource, and nobody is its owner."""
    created = created_at(record.answer)
    if created is None or now - created > MADE_SECONDS:
        return None
    is_owned = session.owners.is_owner(session.urn, request.collection.id_of(record)) is not None
    return None if is_owned else _nonce_on(session, request, record)


def _nonce_on(session: Session, request: CreateRequest[RecordT], record: RecordT) -> str | None:
    """Return the nonce of the mark on an object, if it is a mark of this resource."""
    created = created_at(record.answer)
    if session.stack is None or created is None:
        return None
    longest = latest_commit_seconds(session.config) + NONCE_SECONDS + CLOCK_SECONDS
    window = range(ceil(created + CLOCK_SECONDS), floor(created - longest) - 1, -1)
    for second in request.collection.marked_in(record, request.name, window):
        nonce = nonce_of(session.stack, session.urn, request.generation, second)
        mark = request.collection.mark(nonce)
        if mark is not None and mark.is_on(record):
            return nonce
    return None


# -- properties and times -----------------------------------------------------------------------------------------


def digests(record: PendingCreate, sent: WireValues, meaning: Normalizer) -> dict[str, str]:
    """Return digests of the properties that are sent, for those that can be compared."""
    values = {name: meaning(name, value) for name, value in sent.items()}
    return {name: _digest(record, name, value) for name, value in values.items() if value is not None}


def digests_of_parts(record: PendingCreate, sent: WireValues, type_: ResourceType) -> dict[str, list[str]]:
    """Return digests of the texts and numbers within each property that only a part of identifies."""
    names = [name for name in sent if name in type_.identified_in_part]
    return {name: sorted(set(_parts(record, type_.normalized(name, sent[name])))) for name in names}


def _parts(record: PendingCreate, value: object, path: str = "") -> Iterator[str]:
    """Yield the digest of each text, number and flag in a value, with its place; servers omit empty ones."""
    if isinstance(value, (set, frozenset)):
        value = _plain(value)
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _parts(record, item, f"{path}/{name}")
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _parts(record, item, f"{path}/{index}")
    elif value is False:
        yield f"{_ABSENT}{_digest(record, path, True)}"
    elif value not in (None, ""):
        yield _digest(record, path, value)


def sent_names(names: Iterable[str]) -> dict[str, str]:
    """Return entries for the digests of a pending create that prove only which properties were sent."""
    return {_SENT + name: "" for name in names}


def removed_names(pending: PendingCreate, request: CreateRequest[RecordT]) -> frozenset[str]:
    """Return the inputs that an interrupted run has sent, and that the program no longer sets."""
    sent = frozenset(name.removeprefix(_SENT) for name in pending.digests)
    return sent.intersection(wire_names(request.resource.inputs)).difference(request.body, request.resource.immutable)


def unproven_names(pending: PendingCreate, request: CreateRequest[RecordT], record: RecordT) -> frozenset[str]:
    """Return the inputs that an adopted object does not show, and that its create may have sent with other values.

    Write-only secrets are always among them, as they have no digest.
    """
    type_, shown = request.resource, to_wire(record)
    now = digests(pending, request.body, type_.evidence)
    same = {name for name, digest in now.items() if pending.digests.get(name) == digest}
    secret = [name for name in wire_names(type_.inputs) if name in type_.unanswered]
    skipped = {*same, *type_.immutable}
    return frozenset(name for name in (*request.body, *secret) if shown.get(name) is None and name not in skipped)


def differing_names(pending: PendingCreate, request: CreateRequest[RecordT], record: RecordT) -> frozenset[str]:
    """Return the immutable inputs that an adopted object does not show, and that its create has sent otherwise."""
    type_, shown = request.resource, to_wire(record)
    now = digests(pending, request.body, type_.evidence)
    hidden = [name for name in type_.immutable if name in now and shown.get(name) is None]
    return frozenset(name for name in hidden if pending.digests and pending.digests.get(name) != now[name])


def is_open(record: PendingCreate) -> bool:
    """Return whether a create may have created an object that nobody has found yet."""
    return record.started is not None and record.id is None and record.found is None


def shows_what_was_sent(record: PendingCreate, shown: WireValues, meaning: Normalizer) -> bool:
    """Return whether an object has every property as it was sent, among those that the server returns."""
    return all(
        _fits(record, name, digest, meaning(name, shown[name]))
        for name, digest in record.digests.items()
        if name in shown
    )


def latest_commit_seconds(config: ProviderConfig) -> float:
    """Return the seconds after which the server no longer carries out a request.

    A client waits `requestTimeoutSeconds` for a response, and then for four more lists. A server that takes longer
    still is a limit of this package (docs/reliability.md).
    """
    return float(config.request_timeout_seconds) + MIN_LISTS * float(config.poll_interval_seconds)


def created_in_time(
    session: Session, request: CreateRequest[RecordT], pending: PendingCreate, record: RecordT
) -> bool | None:
    """Return whether an object was created while the server may have carried out a request; None if unknown.

    The list before the request did not contain the object. So an earlier time is not that of the server's clock, and
    neither is one that this clock has not reached yet: they do not prove that somebody else created the object.
    """
    created, now = created_at(record.answer), request.collection.server_time()
    if created is None or pending.sent_at is None or now is None:
        return None
    later = created - pending.sent_at
    if -CLOCK_SECONDS <= later <= latest_commit_seconds(session.config) + CLOCK_SECONDS:
        return True
    was_doubtful = request.collection.id_of(record) in pending.doubtful  # the clock reaches any time
    is_possible = later > GATEWAY_SECONDS and created <= now + CLOCK_SECONDS
    return False if is_possible and not was_doubtful else None


def created_after_search(record: PendingCreate, shown: WireValues) -> bool:
    """Return whether an object was created after a search that found nothing."""
    return record.looked_at is not None and (created_at(shown) or 0.0) >= record.looked_at


def created_at(shown: WireValues) -> float | None:
    """Return when an object was created by the server's clock, in seconds since 1970; None if it does not report it.

    The id of a dashboard contains its time of creation.
    """
    stamp, object_id = shown.get(CREATED_AT), shown.get(ID)
    if isinstance(stamp, str):
        try:
            moment = parse_timestamp(stamp)
            return moment.replace(tzinfo=moment.tzinfo or timezone.utc).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(object_id, str) and re.fullmatch("[0-9a-f]{24}", object_id):
        return float(int(object_id[:8], 16))
    return None


def _fits(record: PendingCreate, name: str, sent: str, shown: object) -> bool:
    """Return whether a value that is shown has the digest that was sent, or at least its items."""
    return {*sent.split(_AND)} <= {*_digest(record, name, shown).split(_AND)}


def _digest(record: PendingCreate, name: str, value: object) -> str:
    if isinstance(value, AtLeast):
        return _AND.join(sorted({_digest(record, name, item) for item in value}))
    canonical = json.dumps(_plain(value), sort_keys=True)
    return hashlib.sha256(f"{record.nonce}\0{name}\0{canonical}".encode()).hexdigest()[:16]


def _plain(value: object) -> object:
    """Return a value as JSON types, so that equal values are the same: sets sorted, whole numbers as integers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=json.dumps)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, date):
        return value.isoformat()
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
