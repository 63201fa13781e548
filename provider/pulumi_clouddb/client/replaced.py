"""The base of the collections whose updates replace an object, and which version of it they replace."""

from __future__ import annotations

from http import HTTPStatus
from typing import ClassVar

from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .collection import Collection, RecordT
from .errors import ClientError
from .version import NO_VERSION, OUTDATED, Version


class ReplacedCollection(Collection[RecordT]):
    """A collection whose updates replace an object as a whole."""

    versioned: ClassVar[bool] = False
    """Whether newer ones of the vendor's servers return the version of an object; see version.py."""

    def get_version(self, object_id: str) -> tuple[RecordT, Version]:
        """Request one record now, with its version.

        Raises:
            NotFoundError: There is no such object.
            UnsupportedOperationError: The server does not offer the operation.
        """
        version = Version()
        return self.parsed(self.call(self.GET, object_id, object_version=version)), version

    @property
    def compares_versions(self) -> bool | None:
        """Whether the server compares the version in an update; None if that is not known yet."""
        if not self.versioned or self.api.client.config.vocabulary is not CLICKHOUSE:
            return False
        return self.api.compares_versions.get(self.form(self.UPDATE).name)

    def learns_of_versions(self, object_id: str, refusal: ClientError) -> bool:
        """Return whether to send a refused update again, since it was sent without knowing whether versions count.

        Raises:
            ApiError: The object could not be read.
        """
        if self.compares_versions is not None or refusal.status not in (*OUTDATED, HTTPStatus.BAD_REQUEST):
            return False
        _, version = self.get_version(object_id)
        self.api.compares_versions[self.form(self.UPDATE).name] = compares = bool(version.tag)
        return compares or refusal.status in OUTDATED

    def replace(
        self, object_id: str, body: WireValues, before: RecordT | None, version: Version | None = None
    ) -> RecordT:
        """Replace an object as a whole.

        `before` is its record before, None if the server showed none; `version` is the one to replace, None for any.

        Raises:
            NotFoundError: The server does not find it.
        """
        unknown = self.compares_versions is None
        try:
            named = NO_VERSION if unknown else version
            record = self.parsed(self.call(self.UPDATE, object_id, body, object_version=named))
        except BaseException:
            self.invalidate()
            raise
        if unknown:
            self.api.compares_versions[self.form(self.UPDATE).name] = False
        # Compared with `before`, not with the shared list, which may be under way and still empty.
        missing = before.answer.keys() - record.answer.keys() if before is not None else ()
        if before is not None and all(name in body and not body[name] for name in missing):
            self.api.lists.wrote(self.list_key, object_id, record)
        else:  # the result may be a part of the object
            self.invalidate()
        return record
