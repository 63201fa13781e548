"""Creating exactly one object, whatever happens to the response, and never adopting one that is not ours.

All resources use this path, and `_Creation` reads from top to bottom: find the object of an interrupted run, list the
existing objects, record the pending create, send the request, and if the response is lost, find the object by evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Generic

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS
from pulumi_clouddb.client.errors import (
    AmbiguousError,
    ApiError,
    CloudDBError,
    ConnectError,
    InvalidResponseError,
    RateLimitError,
    ResourceError,
)
from pulumi_clouddb.schema.secrets.redaction import redact
from pulumi_clouddb.schema.values import WireValues

from .create_request import (
    CreateRequest,
    CreateResult,
    RecordT,
    refusal_of_same_name,
    refusal_of_second,
    refusal_of_taken,
    taken_by,
)
from .evidence import (
    MIN_LISTS,
    differing_names,
    digests,
    digests_of_parts,
    find_marked,
    find_ours,
    latest_commit_seconds,
    nonce_for,
    object_in_state,
    removed_names,
    sent_names,
    unproven_names,
)
from .pending import Entry
from .session import Session


def create_once(session: Session, request: CreateRequest[RecordT]) -> CreateResult[RecordT]:
    """Create the object, or adopt the one that an interrupted run has created.

    Raises:
        ApiError: The server refused, or was not reached.
        ResourceError: The name is taken; or the response was lost, and the evidence does not show which object is ours.
    """
    entry = session.entry
    if entry.record.found is not None:  # it is of an override; the program has changed since
        entry.forget()
    give_up_at = session.runtime.monotonic() + session.config.limit_retry_seconds
    with _alone(session, request, entry):
        return _Creation(session, request, entry).run(give_up_at)


@contextmanager
def _alone(session: Session, request: CreateRequest[RecordT], entry: Entry) -> Iterator[None]:
    """Let creates on this machine wait for each other if their objects could be mistaken, or if only one is allowed.

    Raises:
        ResourceError: Only one is allowed, and this process is creating another.
    """
    name = f"{session.account}\0{request.place}"
    if request.unique:
        if session.unique_names.setdefault(name, entry) is not entry:
            raise refusal_of_same_name(request)
        entry.unique_name = name
    is_alone = not request.unique and request.collection.mark(entry.record.nonce) is not None
    with nullcontext() if is_alone else session.pending.locks.hold(name):
        yield


_MARKED = (
    "another machine created it for this resource in the last 24 hours, in a run that was interrupted, or before a "
    "taint, `--replace` or `pulumi state delete`."
)
"""Which of these it was, the mark cannot tell (docs/reliability.md)."""


@dataclass(frozen=True)
class _Creation(Generic[RecordT]):
    """One create, of the resource of a session."""

    session: Session
    request: CreateRequest[RecordT]
    entry: Entry

    def run(self, give_up_at: float) -> CreateResult[RecordT]:
        """Find the object, or create it; after 429 send the request again, until a time on the monotonic clock."""
        record = self._created_by_an_interrupted_run()
        if record is not None:
            return self._adopted(record, "an interrupted run had created it.")
        listed = self._list_existing()
        marked = find_marked(self.session, self.request, listed)
        if marked is not None:
            record, self.entry.record.nonce = marked
            return self._adopted(record, _MARKED)
        self._refuse_second(listed)
        while True:
            self._prepare(listed)
            try:
                return self._created(*self._sent())
            except AmbiguousError as error:
                return self._created(self._find_lost(listed, error))
            except CloudDBError as error:
                record = self._find_refused(error)
                if record is not None:
                    return self._created(record)
                now = self.session.runtime.monotonic()
                if not isinstance(error, RateLimitError) or now + (error.retry_after or 0.0) >= give_up_at:
                    self.entry.forget()
                    raise
            try:
                # After the wait, somebody else may have created an object of the name.
                listed = self._list_existing()
                self._refuse_second(listed)
            except CloudDBError:
                self.entry.forget()
                raise

    # -- before the request ----------------------------------------------------------------------------------------

    def _list_existing(self) -> dict[str, RecordT] | None:
        """Return the existing objects by id, or None if the server does not list them."""
        request = self.request
        try:
            # Only a unique name needs a fresh list: otherwise the time of creation distinguishes our object.
            max_age = self.session.config.poll_interval_seconds if request.unique else SHARED_LIST_SECONDS
            listed = request.collection.records(max_age=max_age, allow_stale=True)
            if request.unique and taken_by(request, listed):  # an old list is not a reason to refuse
                listed = request.collection.records(max_age=0.0)
        except ApiError as error:
            exists = f", and {request.what} may exist already" if request.unique else ""
            raise _unread(request, error, f"Nothing was created{exists}.") from None
        if listed is None:
            self.session.warn(
                f"This server does not list existing objects, so {request.what} may be a duplicate; "
                "if the response is lost, check for a duplicate by hand."
            )
        return listed

    def _refuse_second(self, listed: Mapping[str, RecordT] | None) -> None:
        """Refuse a second object with a unique name, or of one resource.

        Raises:
            ResourceError: The name is taken, or the object would replace one that must not be replaced.
        """
        if self.request.unique and (object_id := taken_by(self.request, listed)):
            raise refusal_of_taken(self.session.run.new_names, self.request, object_id)
        if self.request.replaces_none and (first := object_in_state(self.session, self.request, listed or {})):
            raise refusal_of_second(self.request, self.session.urn, *first)

    def _prepare(self, listed: Mapping[str, RecordT] | None) -> None:
        """Collect the data that the next run needs to find the object."""
        request, pending = self.request, self.entry.record
        pending.nonce = nonce_for(self.session, request, listed)
        pending.what, pending.place = redact(request.what), request.place
        pending.known = list(listed or ())
        compared = digests(pending, request.body, request.resource.evidence)
        pending.digests = {**compared, **sent_names(request.body.keys() - compared.keys())}
        pending.parts = digests_of_parts(pending, request.body, request.resource)
        pending.looked_at, pending.response_lost, pending.doubtful = None, False, []

    def _record(self) -> None:
        """Write it to disk with the time, right before the request is sent: it may have waited for its turn."""
        pending = self.entry.record
        pending.sent_at, pending.started = self.request.collection.server_time(), self.session.runtime.time()
        self.entry.write()

    # -- the request -----------------------------------------------------------------------------------------------

    def _sent(self) -> tuple[RecordT, WireValues]:
        """Send the request with the mark, and return the record in the response, and the whole result."""
        request, collection = self.request, self.request.collection
        mark = collection.mark(self.entry.record.nonce)
        recording = collection.api.calling(self._record).of(type(collection), collection.parent)
        return recording.create(mark.put_on(request.body) if mark else request.body, request.what)

    def _refuse_another(self, object_id: str) -> None:
        """Refuse an object that is not new: the server found one of that name, or this is another request's response.

        Raises:
            InvalidResponseError: It existed before, or belongs to another resource.
        """
        if object_id in {*self.entry.record.known, *self.session.run.created_ids()} - {self.request.own_id}:
            operation = self.request.collection.CREATE.managed
            problem = f"returned an object that existed before, {object_id}, for {self.request.what}"
            raise InvalidResponseError(operation, operation.path, problem)

    def _adopted(self, record: RecordT, reason: str) -> CreateResult[RecordT]:
        request, pending = self.request, self.entry.record
        self.session.warn(f"Adopted {request.what} (id {request.collection.id_of(record)}): {reason}")
        unproven, removed = unproven_names(pending, request, record), removed_names(pending, request)
        differing = differing_names(pending, request, record)
        # From now on an update may send them, so that the next run cannot rely on these digests.
        proven = {name: digest for name, digest in pending.digests.items() if name not in unproven}
        pending.digests = {**proven, **sent_names({*request.body, *removed} - proven.keys())}
        return replace(self._created(record), adopted=True, unproven=unproven, removed=removed, differing=differing)

    def _created(self, record: RecordT, result: WireValues | None = None) -> CreateResult[RecordT]:
        """Record the id, which alone identifies the object from now on; the digests show an edit of the program."""
        object_id = self.request.collection.id_of(record)
        if result is not None:
            self._refuse_another(object_id)
        self.session.run.created(object_id)
        pending = self.entry.record
        pending.id, pending.known, pending.doubtful = object_id, [], []
        self.entry.write()
        self.session.pending.remember_made(object_id)
        return CreateResult(object_id, record, result, pending.nonce)

    # -- after a lost response -------------------------------------------------------------------------------------

    def _created_by_an_interrupted_run(self) -> RecordT | None:
        """Return the object of an earlier attempt, or None if that attempt has created nothing and never will."""
        session, request, pending = self.session, self.request, self.entry.record
        if not self.entry.previous or pending.started is None:  # it was not sent
            return None
        if pending.id is not None and session.run.is_stored_beside(session.urn, pending.id):
            self.entry.forget()
            return None
        # A record from the future shows that the clock was set back since, not that the wait is long.
        age = max(0.0, session.runtime.time() - pending.started)
        seconds = max(0.0, latest_commit_seconds(session.config) - age)
        if pending.id is None and seconds:
            session.warn(
                f"An interrupted run was creating {request.what} a moment ago; waiting to see whether the server "
                "carries it out."
            )
        request.collection.invalidate()
        try:
            if request.collection.records(max_age=0.0) is None:
                raise self._no_list()
        except ApiError as error:
            state = "An interrupted run may have created it; the next run looks for it."
            raise _unread(request, error, state) from None
        record = self._search(seconds=0.0 if pending.id else seconds)
        if record is None and pending.id is not None:
            session.warn(
                f"An interrupted run had created {pending.what} (id {pending.id}), which is not listed where "
                f"{request.what} belongs; if it still exists, delete it by hand."
            )
            self.entry.forget()
        return record

    def _find_refused(self, error: CloudDBError) -> RecordT | None:
        """Return the object of a request that failed; None if it was not sent, or if no list shows the object.

        A gateway may refuse a request that the server has carried out.

        Raises:
            ResourceError: The evidence does not show which object it is.
        """
        if not isinstance(error, ApiError) or isinstance(error, ConnectError):
            return None
        self.request.collection.invalidate()
        try:
            listed = self.request.collection.records(max_age=0.0) or {}
            return find_ours(self.session, self.request, listed, refused=error)
        except ApiError:
            return None

    def _find_lost(self, listed: Mapping[str, RecordT] | None, error: AmbiguousError) -> RecordT:
        """Return the object of a request whose response was lost.

        Raises:
            ResourceError: No list shows it, or the evidence does not show which object it is.
        """
        self.request.collection.invalidate()
        self.session.response_was_lost()
        if listed is None:
            raise self._no_list(f" ({error.message})") from None
        record = self._search(seconds=0.0)
        if record is None:
            status = f"{error.status} " if error.status else ""
            raise ResourceError(
                f"could not create {self.request.what}: {status}{error.message}; the list shows no new one",
                "Run again: the next run checks once more before it creates another one.",
            ) from None
        return record

    def _search(self, *, seconds: float) -> RecordT | None:
        """Return the object, or None after at least four lists and so many seconds without it."""
        session, request = self.session, self.request
        until, lists = session.runtime.monotonic() + seconds, 0
        while True:
            lists += 1
            failed: ApiError | None = None
            try:
                record = find_ours(session, request, request.collection.records(max_age=0.0) or {})
                if record is not None:
                    return record
            except ApiError as error:
                failed = error
            left = until - session.runtime.monotonic()
            if lists >= MIN_LISTS and left <= 0:
                if failed is not None:
                    raise _unread(request, failed, "It may have been created; the next run looks for it.")
                self.entry.record.looked_at = request.collection.server_time()
                self.entry.write()
                return None
            session.runtime.progress(f"checking whether {request.what} was created, for {max(0.0, left):.0f} s more")
            session.sleep(float(session.config.poll_interval_seconds))

    def _no_list(self, why: str = "") -> ResourceError:
        return ResourceError(
            f"the response to creating {self.request.what} was lost{why}, and this server offers no list to find it in",
            f"Search the server for it, and delete it if it exists. Then delete {self.entry.path} and run again.",
        )


def _unread(request: CreateRequest[Any], error: ApiError, state: str) -> ResourceError:
    """Return the error of a list that could not be read before or after a create.

    Args:
        request: The request of the create.
        error: Why the list could not be read.
        state: What is known of the object.
    """
    what, _, hint = str(error).partition("\n")
    return ResourceError(f"could not create {request.what}: {what}", f"{state} {hint}")
