"""Creating exactly one object, whatever happens to the response, and never taking one that is not ours.

One path for all resources. It reads from top to bottom: find what an earlier attempt made, look at what exists, write
down that a create is pending, send it, and if the response is lost find the object by evidence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pulumi_clouddb.api.client import RATE_LIMIT_RETRY_SECONDS
from pulumi_clouddb.api.errors import (
    ApiError,
    CloudDBError,
    Gone,
    MalformedAnswer,
    MaybeDone,
    NotOffered,
    RateLimited,
    Refused,
    ResourceError,
    Unauthorized,
)
from pulumi_clouddb.api.operations import Operation
from pulumi_clouddb.api.reads import Collection, Records
from pulumi_clouddb.models.config import ProviderConfig
from pulumi_clouddb.models.redaction import redact

from .evidence import Meaning, created_after_a_look_in_vain, created_in_time, digests, is_open, shows_what_was_sent
from .marks import KeyMark, Mark, TagMark
from .pending import Entry, PendingCreate

if TYPE_CHECKING:
    from .session import Session

LOOKS = 4
"""Lists may lag behind: an object is believed missing only after so many looks, one poll interval apart."""


@dataclass(frozen=True)
class CreateRequest:
    """What is created.

    Attributes:
        what: The object in words, such as `service 'orders'`.
        name: Its name, if it has one.
        operation: The operation that creates it.
        body: What is sent, in the interface's words.
        collection: Where it will be listed.
        part: Which part of the `result` is its record; None where the `result` is.
        shown: Puts a listed record into the words of the body, to compare both.
        meaning: What a property's value means.
        counts: Whether a listed record is there; one that is being deleted is not.
        may_be_lost: Whether a listed record may be one whose response was lost.
        unique: Whether a second object of the same name is refused.
        shared_look: Whether a list up to a minute old will do for many creates, as no name is refused.
        locks_out: Whether taking the wrong object would lock its owner out: its password is reset, or it is deleted.
        way_on: What to do about an object that may or may not be ours.
    """

    what: str
    name: str | None
    operation: Operation
    body: Mapping[str, Any]
    collection: Collection
    part: str | None = None
    shown: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    meaning: Meaning = field(default=lambda _, value: value)
    counts: Callable[[Mapping[str, Any]], bool] = field(default=lambda _: True)
    may_be_lost: Callable[[Mapping[str, Any]], bool] = field(default=lambda _: True)
    unique: bool = False
    shared_look: bool = False
    locks_out: bool = False
    way_on: str = "Import the one that is yours, or delete those that nobody needs"

    @property
    def place(self) -> str:
        """Digest of the collection and the name: other creates of this place could be taken for this one."""
        collection = self.collection
        text = "\0".join((collection.operation.name, str(collection.service_id), str(self.name)))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class CreateResult:
    """What a create led to.

    Attributes:
        record: The object as the server shows it.
        result: The whole `result` of the response, with one-time secrets; None when the response was lost.
        mark: The mark that the object carries, if there is one.
    """

    record: dict[str, Any]
    result: dict[str, Any] | None
    mark: Mark | None

    @property
    def id(self) -> str:
        """The id of the object."""
        return str(self.record["id"])


def create_once(session: Session, request: CreateRequest) -> CreateResult:
    """Create the object, or find the one that an interrupted attempt of this create has made.

    Raises:
        ApiError: The server refused, or was not reached.
        ResourceError: The name is taken; or the response was lost, and the object cannot be told from others.
    """
    entry = session.entry
    if entry.record.found is not None:  # an override of the same resource, for a program that has changed since
        entry.forget()
    mark = _mark(session, request, entry)
    began = session.runtime.monotonic()
    with _alone(session, request, mark):
        if entry.previous:
            record = _recover(session, request, entry, mark)
            if record is not None:
                session.adopted.add(str(record["id"]))
                session.warn(f"Adopted {request.what} (id {record['id']}): an interrupted run had created it.")
                return _created(session, entry, CreateResult(record, None, mark))
        listed = _look_before(session, request)
        while True:
            _write_down(session, request, entry, listed)
            try:
                return _created(session, entry, _send(session, request, mark))
            except (RateLimited, Refused, Unauthorized, NotOffered, Gone) as error:
                # A gateway may say so of a request that the server has carried out all the same.
                record = _carried_out_all_the_same(session, request, entry, mark)
                if record is not None:
                    return _created(session, entry, CreateResult(record, None, mark))
                if not isinstance(error, RateLimited) or session.runtime.monotonic() - began > RATE_LIMIT_RETRY_SECONDS:
                    entry.forget()
                    raise
                # The wait may have been long: somebody else may have created an object of that name meanwhile.
                try:
                    listed = _look_before(session, request)
                except CloudDBError:
                    entry.forget()
                    raise
            except MaybeDone as error:
                session.reads.drop(request.collection)
                session.response_was_lost()
                if listed is None:
                    raise _look_by_hand(request, entry, error) from None
                record = _look_for(session, request, entry, mark, until=0.0)
                if record is None:
                    raise _not_found_again(request, error) from None
                return _created(session, entry, CreateResult(record, None, mark))
            except CloudDBError:  # never sent
                entry.forget()
                raise


def latest_commit_seconds(config: ProviderConfig) -> float:
    """Return for how long after it was sent a request may still be carried out by the server.

    Nobody waits longer for a response; a server that goes on for longer, too, than four more looks take is not
    provided for.
    """
    return float(config.request_timeout_seconds) + LOOKS * float(config.poll_interval_seconds)


# -- before the request --------------------------------------------------------------------------------------------


def _mark(session: Session, request: CreateRequest, entry: Entry) -> Mark | None:
    record = request.collection.operation.record
    if record not in session.client.vocabulary.markable:
        return None
    nonce = entry.record.nonce
    return KeyMark(nonce, str(session.config.key_secret)) if record == "Key" else TagMark(nonce)


@contextmanager
def _alone(session: Session, request: CreateRequest, mark: Mark | None) -> Iterator[None]:
    """Keep creates apart, on this machine, that could be taken for each other, or that exclude each other."""
    name = f"{session.account}\0{request.place}"
    with session.making_lock:
        if request.unique and name in session.making:
            raise _refuse_duplicate(request, "is being created by this program already")
        if request.unique:
            session.making.add(name)
            session.entry.making = name
    if mark is not None and not request.unique:
        yield
        return
    with session.pending.locks.hold(name):
        yield


def _look_before(session: Session, request: CreateRequest) -> Records | None:
    """Return what exists, or None where the server does not list it; refuse a name that is taken."""
    if request.shared_look:
        listed = session.records(request.collection, before_own=True)
    else:
        listed = session.records(request.collection, max_age=session.config.poll_interval_seconds)
    if listed is None:
        session.warn(
            f"This server does not list what exists, so nothing was looked for before creating {request.what}; "
            "if the response is lost, look for a duplicate by hand."
        )
    if request.unique:
        for record in listed or ():
            if record.get("name") == request.name and request.counts(record):
                raise _refuse_duplicate(request, f"exists already, with the id {record['id']}", str(record["id"]))
    return listed


def _write_down(session: Session, request: CreateRequest, entry: Entry, listed: Records | None) -> None:
    """Put on disk what the next run needs in order to find what this request makes."""
    record = entry.record
    record.what, record.place = redact(request.what), request.place
    record.known = [str(each["id"]) for each in listed or ()]
    record.digests = digests(record, request.body, request.meaning)
    record.sent_at = session.client.server_time(request.operation.surface)
    record.started, record.looked_at, record.response_lost = session.runtime.time(), None, False
    entry.write()


# -- the request ---------------------------------------------------------------------------------------------------


def _send(session: Session, request: CreateRequest, mark: Mark | None) -> CreateResult:
    body = mark.put_on(request.body) if mark else request.body
    service_id = request.collection.service_id
    result = session.client.call(request.operation, body, once=True, service_id=service_id)
    record = result.get(request.part) if request.part and isinstance(result, dict) else result
    if not isinstance(record, dict) or not isinstance(record.get("id"), str) or not record["id"]:
        operation = request.operation
        raise MalformedAnswer(operation, operation.path, f"answered to creating {request.what}, without its id")
    session.reads.created(request.collection)
    return CreateResult(record, result, mark)


def _created(session: Session, entry: Entry, created: CreateResult) -> CreateResult:
    """Write down whose id it is: from now on the id alone tells the object from others."""
    session.own.add(created.id)
    entry.record.id = created.id
    entry.record.known, entry.record.digests = [], {}
    entry.write()
    if created.mark is None:
        session.pending.remember_made(created.id)
    return created


# -- after a lost response -----------------------------------------------------------------------------------------


def _recover(session: Session, request: CreateRequest, entry: Entry, mark: Mark | None) -> dict[str, Any] | None:
    """Return what an interrupted attempt has made, or None if it has made nothing and will not any more."""
    started = entry.record.started
    if started is None:  # it was not sent
        return None
    until = started + latest_commit_seconds(session.config)
    if entry.record.id is None and session.runtime.time() < until:
        session.warn(
            f"An interrupted run was creating {request.what} a moment ago; waiting to see whether the server "
            "carries it out."
        )
    session.reads.drop(request.collection)
    if session.records(request.collection, max_age=0.0) is None:
        raise _look_by_hand(request, entry, None)
    record = _look_for(session, request, entry, mark, until=0.0 if entry.record.id else until)
    if record is None and entry.record.id is not None:
        session.warn(
            f"An interrupted run had created {entry.record.what} (id {entry.record.id}), which is not listed where "
            f"{request.what} belongs; if it is still there, delete it by hand."
        )
        entry.forget()
    return record


def _carried_out_all_the_same(
    session: Session, request: CreateRequest, entry: Entry, mark: Mark | None
) -> dict[str, Any] | None:
    """Return the object of a request that was refused, or None where one look does not show it.

    Raises:
        ResourceError: One or more may be it, and nothing tells.
    """
    session.reads.drop(request.collection)
    try:
        listed = session.records(request.collection, max_age=0.0) or []
    except ApiError:
        return None
    return _ours(session, request, entry, mark, listed, refused=True)


def _look_for(
    session: Session, request: CreateRequest, entry: Entry, mark: Mark | None, *, until: float
) -> dict[str, Any] | None:
    """Return the object, or None after at least four looks that did not show it, and not before `until`."""
    looks = 0
    while True:
        looks += 1
        failed: ApiError | None = None
        try:
            records = session.records(request.collection, max_age=0.0)
            if records is None:  # a list that is not served shows nothing, and does not show that there is nothing
                raise _look_by_hand(request, entry, None)
            found = _ours(session, request, entry, mark, records)
            if found is not None:
                return found
        except ApiError as error:
            failed = error
        if looks >= LOOKS and session.runtime.time() >= until:
            if failed is not None:
                raise failed
            entry.record.looked_at = session.client.server_time(request.operation.surface)
            entry.write()
            return None
        session.sleep(float(session.config.poll_interval_seconds))


def _ours(
    session: Session,
    request: CreateRequest,
    entry: Entry,
    mark: Mark | None,
    records: Records,
    *,
    refused: bool = False,
) -> dict[str, Any] | None:
    """Return the one object that this create has made, by evidence.

    Raises:
        ResourceError: One or more may be it, and nothing tells.
    """
    pending = entry.record
    rivals = session.pending.others(entry.path)
    others = {*pending.known, *session.own, *session.held, *(rival.id for rival in rivals)}
    others |= session.pending.made_here()
    new = [record for record in records if record["id"] not in others and request.counts(record)]
    if pending.id is not None:
        return next((record for record in records if record["id"] == pending.id and request.counts(record)), None)
    if mark is not None:
        return next((record for record in new if mark.is_on(record)), None)
    seconds = latest_commit_seconds(session.config)

    def may_have_made(create: PendingCreate, record: Mapping[str, Any]) -> bool:
        alike = shows_what_was_sent(create, request.shown(record), request.meaning)
        return alike and created_in_time(create, record, seconds) is not False

    possible = [record for record in new if request.may_be_lost(record) and may_have_made(pending, record)]
    if not possible:
        return None
    # Another create on this machine, of which nobody knows what became, may have made it as well.
    open_here = [rival for rival in rivals if is_open(rival) and rival.place == request.place]
    fitting = [rival for rival in open_here if any(may_have_made(rival, record) for record in possible)]
    # After a death nobody knows whether the request went out at all, and a server that refuses says that it has done
    # nothing: both are too little where taking the wrong object would lock its owner out.
    doubtful = (
        refused
        or bool(fitting)
        or (entry.previous and not pending.response_lost)
        or any(created_after_a_look_in_vain(pending, record) for record in possible)
    )
    enough = not (doubtful and request.locks_out)
    if enough and len(possible) == 1 and created_in_time(pending, possible[0], seconds):
        # The later request is the likelier one; where both were carried out, there are two.
        later = any((rival.started or 0.0) > (pending.started or 0.0) for rival in fitting)
        return None if later else possible[0]
    ids = ", ".join(str(record["id"]) for record in possible)
    raise ResourceError(
        f"{request.what} may exist already, but nothing tells whether it is this: {ids}",
        f"{request.way_on}. If none is yours, delete {entry.path}. Then run again.",
    )


# -- errors --------------------------------------------------------------------------------------------------------


def _refuse_duplicate(request: CreateRequest, where: str, object_id: str | None = None) -> ResourceError:
    taken = f"import it (`pulumi import`, or `clouddb import-file`, with the id {object_id}), " if object_id else ""
    return ResourceError(
        f"{request.what} {where}; a second one of the same name is not created",
        f"If it is yours, {taken}or delete it. Otherwise choose another name, or set allowDuplicateName."
        if object_id
        else "Choose another name, or set allowDuplicateName if you want both.",
    )


def _look_by_hand(request: CreateRequest, entry: Entry, error: ApiError | None) -> ResourceError:
    why = f" ({error.words})" if error else ""
    return ResourceError(
        f"the response to creating {request.what} was lost{why}, and this server offers no list to find it in",
        f"Look for it by hand and delete it if it is there. Then delete {entry.path} and run again.",
    )


def _not_found_again(request: CreateRequest, error: ApiError) -> ResourceError:
    status = f"{error.status} " if error.status else ""
    return ResourceError(
        f"could not create {request.what}: {status}{error.words}; the list shows no new one",
        "Run again: it is looked for once more before another is created.",
    )
