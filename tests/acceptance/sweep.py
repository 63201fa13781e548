"""Deletes what a run left: the objects in its ledger, and those that its creates without a response made.

The ledger proves that an object is the run's. Without an entry, body and time must be those of the request: a name can
be that of a colleague's copy. What may be the run's by less is named, and stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.create.evidence import CLOCK_SECONDS, created_at, shows_what_was_sent
from pulumi_clouddb.create.verdicts import Case, Verdict, decide
from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.convert import to_wire

from .account import Account, result_of
from .guard import FOLDER, Creation, Ledger, Sent, changed_by_others, creation_of, restoring
from .world import Core

WHO = "sweep"
NOT_DONE = ": not "
"""In a line of a sweep that names an object that is left."""

TAKES_TIME = {"services": "Service", "postgres": "PostgresService"}
"""The resources, by path segment, that are stopped before and awaited after a deletion, as the provider does it."""

COMMIT_SECONDS = 60.0
"""How long a server may take to carry out a create whose client has died."""


@dataclass(frozen=True)
class Facts:
    """What is known about a listed object that the ledger does not have, and a create without a response.

    Attributes:
        is_as_sent: Whether it shows every property as the create sent it, and at least one.
        created_in_time: Whether it was created while the server may have carried out the create.
        is_only: Whether it is the only such object.
        has_name: Whether it has the name or the tag of the run.
        needs_no_name: Whether the creates of the run need no name.
    """

    is_as_sent: bool = True
    created_in_time: bool = True
    is_only: bool = True
    has_name: bool = True
    needs_no_name: bool = False


CASES: Sequence[Case[Facts]] = (
    Case(
        "body and time are those of the request",
        Verdict.OURS,
        lambda it: it.is_as_sent and it.created_in_time and it.is_only,
    ),
    Case("its body is that of the request", Verdict.CANNOT_TELL, lambda it: it.is_as_sent),
    Case("it has the name or the tag of the run", Verdict.CANNOT_TELL, lambda it: it.has_name),
    Case(
        "it was created when a run did that needs no names",
        Verdict.CANNOT_TELL,
        lambda it: it.created_in_time and it.needs_no_name,
    ),
    Case("nothing connects it with the request", Verdict.NOT_OURS, lambda _: True),
)
"""Whether an object that the ledger does not have is the run's: it is deleted, named, or left alone."""


def ledgers(folder: Path = FOLDER) -> list[Ledger]:
    """Return the ledgers of the runs that have not ended, newest first: each restores what the next one had found."""
    return sorted(map(Ledger.read, folder.expanduser().glob("acc*.jsonl")), key=lambda each: each.begun, reverse=True)


class Sweep:
    """Deletes what is left of one run.

    Args:
        account: Where; its requests go through the proxy, whose guard has the same ledger.
        ledger: The ledger of the run.
    """

    def __init__(self, account: Account, ledger: Ledger) -> None:
        self._account, self._ledger = account, ledger

    def delete(self) -> Iterator[str]:
        """Delete everything that is left, and yield a line for each object."""
        for path, before in list(self._ledger.borrowed.items()):  # first: it may have objects of the run
            if line := self._restored(path, before):
                yield f"{path}: {line}"
        for number, sent in list(self._ledger.pending.items()):
            yield from self._find(number, sent)
        for path in reversed(list(self._ledger.made)):  # newest first: the order in which they can be deleted
            yield f"{path}: {self._deleted(path)}" if path in self._ledger.made else f"{path}: deleted with another one"
        self._ledger.ended()

    def _restored(self, path: str, before: Any) -> str:
        """Restore an object of others, and return what happened; empty if it was as before."""
        try:
            now = result_of(self._account.raw("GET", path, who=WHO))
            body = restoring(path, before, now, self._ledger.allowances)
            if others := changed_by_others(path, body, now, self._ledger):
                was = ", ".join(f"{name} was {body[name]!r}" for name in others)
                return f"not restored: somebody has changed it since the run; {was}. {self._way_on('Restore it')}"
            if body:
                result_of(self._account.raw("PATCH", path, body, who=WHO))
        except (httpx.HTTPError, ValueError) as error:
            return f"not restored: {error}"
        self._ledger.restored(path)
        return "restored" if body else ""

    def _find(self, number: int, sent: Sent) -> Iterator[str]:
        """Add the object of a create without a response to the ledger, and yield a line for each that it may be."""
        creation = creation_of(sent.request)
        # What belongs to another object of the run is deleted with it.
        if creation is not None and not self._ledger.owns(sent.request.path):
            try:
                seen = list(self._seen(creation, sent))
            except CloudDBError as error:
                yield f"{creation.list_path}{NOT_DONE}read: {error}"
                return
            cases = {path: decide(CASES, facts) for path, facts in seen}
            for path in [each for each, case in cases.items() if case.verdict is Verdict.OURS]:
                self._ledger.found(number, path)
                return
            doubtful = {each: case.name for each, case in cases.items() if case.verdict is Verdict.CANNOT_TELL}
            for path, why in doubtful.items():
                yield f"{path}{NOT_DONE}deleted: {why}. {self._way_on('Delete it if it is of the run')}"
            if doubtful:
                return
        self._ledger.settled(number)

    def _way_on(self, first: str) -> str:
        return f"{first}, else remove {self._ledger.file}"

    def _seen(self, creation: Creation, sent: Sent) -> Iterator[tuple[str, Facts]]:
        """Yield the path of each object that the ledger does not have, with what is known about it."""
        with Core(self._account) as provider:
            collection = provider.api.of(creation.collection)
            records = collection.records(max_age=0.0) or {}
        as_sent = {id_: _is_as_sent(creation, sent, record) for id_, record in records.items()}
        in_time = {id_: _is_in_time(sent, record) for id_, record in records.items()}
        of_request = [id_ for id_ in records if as_sent[id_] and in_time[id_]]
        for id_, record in records.items():
            path = creation.object_path(record.answer)
            if path and not self._ledger.owns(path) and collection.exists(record):
                yield (
                    path,
                    Facts(
                        is_as_sent=as_sent[id_],
                        created_in_time=in_time[id_],
                        is_only=len(of_request) == 1,
                        has_name=self._ledger.run.marks(record.answer),
                        needs_no_name=self._ledger.allowances.everything,
                    ),
                )

    def _deleted(self, path: str) -> str:
        """Delete an object, and return what happened."""
        above, _, id_ = path.rpartition("/")
        resource = TAKES_TIME.get(above.rpartition("/")[2])
        try:
            if resource:
                with Core(self._account) as provider:
                    provider.delete(resource, id_, {})
            elif refused := self._refused(path):
                return f"not deleted: {refused}"
        except (httpx.HTTPError, CloudDBError) as error:
            return f"not deleted: {error}"
        self._ledger.gone(path)
        return "deleted"

    def _refused(self, path: str) -> str:
        """Delete an object, and return the server's refusal; an object that is gone already is no refusal."""
        response = self._account.patiently("DELETE", path, who=WHO)
        if response.is_success or response.status_code == httpx.codes.NOT_FOUND:
            return ""
        return f"{response.status_code} {response.text}"


def _is_as_sent(creation: Creation, sent: Sent, record: Record) -> bool:
    shown = to_wire(record)
    compared = any(each in shown for each in sent.proof.digests)
    return compared and shows_what_was_sent(sent.proof, shown, creation.type.evidence)


def _is_in_time(sent: Sent, record: Record) -> bool:
    created, sent_at = created_at(record.answer), sent.proof.sent_at
    if created is None or sent_at is None:
        return False
    return -CLOCK_SECONDS <= created - sent_at <= COMMIT_SECONDS + CLOCK_SECONDS
