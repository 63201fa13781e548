"""Deletes what a run left: the objects in its ledger, and those that its creates without a response may have made."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from pulumi_clouddb.client.errors import CloudDBError
from support.sessions import ProviderProcess

from .account import Account, result_of
from .guard import FOLDER, Creation, Ledger, creation_of, in_terms_of_interface, restoring

WHO = "sweep"
NOT_DONE = ": not "
"""In a line of a sweep that names an object that is left."""

TAKES_TIME = {"services": "Service", "postgres": "PostgresService"}
"""The resources, by path segment, that are stopped before and awaited after a deletion, as the provider does it."""


def ledgers(folder: Path = FOLDER) -> list[Path]:
    """Return the files of the runs that have not ended."""
    return sorted(folder.glob("acc*.jsonl"))


class Sweep:
    """Deletes what is left of one run.

    Args:
        account: Where; its requests go through the proxy, whose guard has the same ledger.
        ledger: The ledger of the run.
    """

    def __init__(self, account: Account, ledger: Ledger) -> None:
        self._account, self._ledger = account, ledger

    def find(self) -> list[str]:
        """Return the paths of the objects that are left, newest first: the order in which they can be deleted."""
        for number, request in list(self._ledger.pending.items()):
            creation = creation_of(request)
            # What belongs to another object of the run is deleted with it.
            for path in self._made_by(creation) if creation and not self._ledger.owns(request.path) else ():
                self._ledger.found(number, path)
        return list(reversed(self._ledger.made))

    def delete(self) -> Iterator[str]:
        """Delete everything that is left, and yield a line for each object."""
        for path in self.find():
            yield f"{path}: {self._deleted(path)}" if path in self._ledger.made else f"{path}: deleted with another one"
        for path, before in list(self._ledger.borrowed.items()):
            if line := self._restored(path, before):
                yield f"{path}: {line}"
        if not self._ledger.made:
            for number in list(self._ledger.pending):
                self._ledger.settled(number)
        self._ledger.ended()

    def _restored(self, path: str, before: Any) -> str:
        """Restore an object of others, and return what happened; empty if it was as before."""
        try:
            now = result_of(self._account.raw("GET", path, who=WHO))
            if body := restoring(path, before, now, self._ledger.allowances):
                result_of(self._account.raw("PATCH", path, body, who=WHO))
        except (httpx.HTTPError, ValueError) as error:
            return f"not restored: {error}"
        self._ledger.restored(path)
        return "restored" if body else ""

    def _made_by(self, creation: Creation) -> Iterator[str]:
        """Yield the paths of objects with the name or the tag of the run that the ledger does not have."""
        records = result_of(self._account.raw("GET", creation.list_path, who=WHO))
        for record in records if isinstance(records, list) else ():
            path = creation.object_path(in_terms_of_interface(creation.collection.model.__name__, record))
            ours = self._ledger.run.marks(record) or self._ledger.allowances.everything
            if ours and path and path not in self._ledger.made:
                yield path

    def _deleted(self, path: str) -> str:
        """Delete an object, and return what happened."""
        above, _, id_ = path.rpartition("/")
        resource = TAKES_TIME.get(above.rpartition("/")[2])
        try:
            if resource:
                self._delete_and_wait(resource, id_)
            elif refused := self._refused(path):
                return f"not deleted: {refused}"
        except (httpx.HTTPError, CloudDBError) as error:
            return f"not deleted: {error}"
        self._ledger.gone(path)
        return "deleted"

    def _refused(self, path: str) -> str:
        """Delete an object, and return the server's refusal; an object that is gone already is no refusal."""
        response = self._account.raw("DELETE", path, who=WHO)
        if response.is_success or response.status_code == httpx.codes.NOT_FOUND:
            return ""
        return f"{response.status_code} {response.text}"

    def _delete_and_wait(self, resource: str, id_: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            provider = ProviderProcess(self._account.provider_config, Path(folder))
            provider.delete(resource, id_, {})
