"""Creating exactly one object, whatever happens to the response, and never taking one that is not ours.

One path for all resources. It reads from top to bottom: find what an earlier attempt made, look at what exists, write
down that a create is pending, send it, and if the response is lost find the object by evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pulumi_clouddb.client.errors import (
    AmbiguousError,
    ApiError,
    ClientError,
    CloudDBError,
    NotFoundError,
    RateLimitError,
    ResourceError,
    UnauthorizedError,
    UnsupportedOperationError,
)
from pulumi_clouddb.client.marks import Mark
from pulumi_clouddb.schema.redaction import redact
from pulumi_clouddb.schema.values import WireValues

from .create_request import CreateRequest, CreateResult, RecordT
from .evidence import (
    LOOKS,
    digests,
    find_ours,
    latest_commit_seconds,
)
from .other_machines import find_marked, nonce_for
from .pending import Entry
from .session import Session
from .unique_names import refuse_second, refuse_taken, taken_by


def create_once(session: Session, request: CreateRequest[RecordT]) -> CreateResult[RecordT]:
    """Create the object, or find the one that an interrupted attempt of this create has made.

    Raises:
        ApiError: The server refused, or was not reached.
        ResourceError: The name is taken; or the response was lost, and the object cannot be told from others.
    """
    entry = session.entry
    if entry.record.found is not None:  # an override of the same resource, for a program that has changed since
        entry.forget()
    began = session.runtime.monotonic()
    with _alone(session, request):
        if entry.previous:
            record = _recover(session, request)
            if record is not None:
                return _adopted(session, request, record, "an interrupted run")
        listed = _look_before(session, request)
        marked = find_marked(session, request, listed)
        if marked is not None:
            record, entry.record.nonce = marked
            return _adopted(session, request, record, "an interrupted run on another machine")
        _refuse_taken_name(session, request, listed)
        while True:
            _write_down(session, request, listed)
            try:
                record, result = _send(session, request)
                return _created(session, request, record, result)
            except (RateLimitError, ClientError, UnauthorizedError, UnsupportedOperationError, NotFoundError) as error:
                # A gateway may say so of a request that the server has carried out all the same.
                record = _carried_out_all_the_same(session, request, error)
                if record is not None:
                    return _created(session, request, record, None)
                if (
                    not isinstance(error, RateLimitError)
                    or session.runtime.monotonic() - began + (error.retry_after or 0.0)
                    >= session.config.limit_retry_seconds
                ):
                    entry.forget()
                    raise
                # The wait may have been long: somebody else may have created an object of that name meanwhile.
                try:
                    listed = _look_before(session, request)
                    _refuse_taken_name(session, request, listed)
                except CloudDBError:
                    entry.forget()
                    raise
            except AmbiguousError as error:
                request.collection.invalidate()
                session.response_was_lost()
                if listed is None:
                    raise _look_by_hand(request, entry, error) from None
                record = _look_for(session, request, until=0.0)
                if record is None:
                    raise _not_found_again(request, error) from None
                return _created(session, request, record, None)
            except CloudDBError:  # never sent
                entry.forget()
                raise


# -- before the request --------------------------------------------------------------------------------------------


@contextmanager
def _alone(session: Session, request: CreateRequest[RecordT]) -> Iterator[None]:
    """Keep creates apart, on this machine, that could be taken for each other, or that exclude each other."""
    name = f"{session.account}\0{request.place}"
    with session.making_lock:
        if request.unique and name in session.making:
            raise refuse_second(request)
        if request.unique:
            session.making.add(name)
            session.entry.making = name
    if _mark(session, request) is not None and not request.unique:
        yield
        return
    with session.pending.locks.hold(name):
        yield


def _look_before(session: Session, request: CreateRequest[RecordT]) -> list[RecordT] | None:
    """Return what exists, or None where the server does not list it."""
    collection = request.collection
    try:
        if request.shared_look:
            listed = collection.records(allow_stale=True)
        else:
            listed = collection.records(max_age=session.config.poll_interval_seconds)
    except ApiError as error:
        there = f", and {request.what} may exist already" if request.unique else ""
        raise _unread(request, error, f"Nothing was created{there}.") from None
    if listed is None:
        session.warn(
            f"This server does not list what exists, so nothing was looked for before creating {request.what}; "
            "if the response is lost, look for a duplicate by hand."
        )
    return listed


def _refuse_taken_name(session: Session, request: CreateRequest[RecordT], listed: list[RecordT] | None) -> None:
    """Refuse a second object of a name that is unique.

    Raises:
        ResourceError: The name is taken.
    """
    if object_id := taken_by(request, listed):
        raise refuse_taken(session, request, object_id)


def _write_down(session: Session, request: CreateRequest[RecordT], listed: list[RecordT] | None) -> None:
    """Put on disk what the next run needs in order to find what this request makes."""
    entry = session.entry
    record = entry.record
    record.sent_at = session.client.server_time(request.list_operation.server_kind)
    record.nonce = nonce_for(session, request, listed, record.sent_at)
    record.what, record.place = redact(request.what), request.place
    record.known = [request.collection.id_of(each) for each in listed or ()]
    record.digests = digests(record, request.body, request.resource.evidence)
    record.started, record.looked_at, record.response_lost = session.runtime.time(), None, False
    entry.write()


# -- the request ---------------------------------------------------------------------------------------------------


def _mark(session: Session, request: CreateRequest[RecordT]) -> Mark | None:
    """Return what this create puts into its request, where the dialect has it."""
    return request.collection.mark(session.entry.record.nonce)


def _send(session: Session, request: CreateRequest[RecordT]) -> tuple[RecordT, WireValues]:
    mark = _mark(session, request)
    body = mark.put_on(request.body) if mark else request.body
    return request.collection.create(body, request.what)


def _adopted(session: Session, request: CreateRequest[RecordT], record: RecordT, creator: str) -> CreateResult[RecordT]:
    object_id = request.collection.id_of(record)
    session.adopted.add(object_id)
    session.warn(f"Adopted {request.what} (id {object_id}): {creator} had created it.")
    return _created(session, request, record, None)


def _created(
    session: Session, request: CreateRequest[RecordT], record: RecordT, result: WireValues | None
) -> CreateResult[RecordT]:
    """Write down whose id it is: from now on the id alone tells the object from others."""
    entry = session.entry
    object_id = request.collection.id_of(record)
    session.own.add(object_id)
    entry.record.id = object_id
    entry.record.known, entry.record.digests = [], {}
    entry.write()
    session.pending.remember_made(object_id)
    return CreateResult(object_id, record, result, _mark(session, request))


# -- after a lost response -----------------------------------------------------------------------------------------


def _recover(session: Session, request: CreateRequest[RecordT]) -> RecordT | None:
    """Return what an interrupted attempt has made, or None if it has made nothing and will not any more."""
    entry = session.entry
    started = entry.record.started
    if started is None:  # it was not sent
        return None
    until = started + latest_commit_seconds(session.config)
    if entry.record.id is None and session.runtime.time() < until:
        session.warn(
            f"An interrupted run was creating {request.what} a moment ago; waiting to see whether the server "
            "carries it out."
        )
    request.collection.invalidate()
    try:
        if request.collection.records(max_age=0.0) is None:
            raise _look_by_hand(request, entry, None)
    except ApiError as error:
        raise _unread(request, error, "An interrupted run may have created it; the next run looks for it.") from None
    record = _look_for(session, request, until=0.0 if entry.record.id else until)
    if record is None and entry.record.id is not None:
        session.warn(
            f"An interrupted run had created {entry.record.what} (id {entry.record.id}), which is not listed where "
            f"{request.what} belongs; if it is still there, delete it by hand."
        )
        entry.forget()
    return record


def _carried_out_all_the_same(session: Session, request: CreateRequest[RecordT], error: ApiError) -> RecordT | None:
    """Return the object of a request that was refused, or None where one look does not show it.

    Raises:
        ResourceError: One or more may be it, and nothing tells.
    """
    request.collection.invalidate()
    try:
        listed = request.collection.records(max_age=0.0) or []
    except ApiError:
        return None
    return find_ours(session, request, listed, refused=error)


def _look_for(session: Session, request: CreateRequest[RecordT], *, until: float) -> RecordT | None:
    """Return the object, or None after at least four looks that did not show it, and not before `until`."""
    entry = session.entry
    looks = 0
    while True:
        looks += 1
        failed: ApiError | None = None
        try:
            records = request.collection.records(max_age=0.0)
            if records is None:  # a list that is not served shows nothing, and does not show that there is nothing
                raise _look_by_hand(request, entry, None)
            found = find_ours(session, request, records)
            if found is not None:
                return found
        except ApiError as error:
            failed = error
        if looks >= LOOKS and session.runtime.time() >= until:
            if failed is not None:
                raise _unread(request, failed, "It may have been created; the next run looks for it.")
            entry.record.looked_at = session.client.server_time(request.list_operation.server_kind)
            entry.write()
            return None
        left = max(0.0, until - session.runtime.time())
        session.runtime.progress(f"looking whether {request.what} was created after all, for {left:.0f} s more")
        session.sleep(float(session.config.poll_interval_seconds))


# -- errors --------------------------------------------------------------------------------------------------------


def _unread(request: CreateRequest[Any], error: ApiError, state: str) -> ResourceError:
    """Return the error of a list that could not be read before or after a create, with what is known of the object."""
    what, _, hint = str(error).partition("\n")
    return ResourceError(f"could not create {request.what}: {what}", f"{state} {hint}")


def _look_by_hand(request: CreateRequest[Any], entry: Entry, error: ApiError | None) -> ResourceError:
    why = f" ({error.message})" if error else ""
    return ResourceError(
        f"the response to creating {request.what} was lost{why}, and this server offers no list to find it in",
        f"Look for it by hand and delete it if it is there. Then delete {entry.path} and run again.",
    )


def _not_found_again(request: CreateRequest[Any], error: ApiError) -> ResourceError:
    status = f"{error.status} " if error.status else ""
    return ResourceError(
        f"could not create {request.what}: {status}{error.message}; the list shows no new one",
        "Run again: it is looked for once more before another is created.",
    )
