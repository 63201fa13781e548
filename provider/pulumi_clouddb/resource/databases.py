"""Databases: none is replaced or deleted by accident, and the next run finishes what a run has left undone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.create_request import CreateRequest
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import wire_name
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.schema.thing import ThingT
from pulumi_clouddb.schema.values import WireValues, contains_unknown
from pulumi_clouddb.schema.view import known_or, view_of

from .base import DiffResult
from .provisioned import ProvisionedResource
from .state import State, among
from .waits import WaitResult

UNFINISHED = "not brought up to date"
"""Part of the last error of a database whose settings state does not know: the next run reads and corrects them."""


class DatabaseResource(ProvisionedResource[ThingT]):
    """A database; its thing has `allow_duplicate_name`, `allow_replacement` and `deletion_protection`."""

    naming = (NAME,)
    goal = "running"

    # -- replacing and deleting ----------------------------------------------------------------------------------

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; refuse a change that would need another database, unless that is allowed.

        What is taken out of the program replaces nothing.

        Raises:
            ResourceError: A field that cannot change in place changes, and `allowReplacement` is not set.
        """
        result = super().diff(old, new)
        before: State[Any] = self._seen(old)
        wanted: Any = view_of(self.type.inputs, new)
        fixed = tuple(name for name in self.fixed(before, result.replaces) if name in new)
        known = tuple(name for name in fixed if not contains_unknown(new[name]))
        allowed = known_or(True, lambda: wanted.allow_replacement)
        protected = before.wanted.deletion_protection
        if known and not allowed:
            raise self._replacement_refused(before.wanted.name, old, new, known)
        if fixed and allowed and protected:
            raise ResourceError(
                f"changing {', '.join(fixed)} would delete {self.what(before.wanted)}, which is protected",
                "Set deletionProtection to false and run `pulumi up` once before this change.",
            )
        unique = known_or(False, lambda: not wanted.allow_duplicate_name)
        first = result.delete_before_replace and unique and not protected
        return replace(result, replaces=fixed if allowed else (), delete_before_replace=first)

    def fixed(self, old: State[ThingT], changed: Iterable[str]) -> tuple[str, ...]:  # noqa: ARG002
        """Return which of the changed properties cannot change in place."""
        return among(changed, self.type.immutable)

    def _replacement_refused(self, name: str, old: WireValues, new: WireValues, fixed: Iterable[str]) -> ResourceError:
        words, secrets = self.type.words, self.type.secrets
        changes = (each if each in secrets else f"{each} ({old.get(each)!r} to {new.get(each)!r})" for each in fixed)
        return ResourceError(
            f"{words} {name!r} cannot change {', '.join(changes)} in place: that would delete this database",
            f"Put it back, or set allowReplacement to true to delete the {words} and create another, without its data.",
        )

    def refuse_protected(self, object_id: str, wanted: ThingT) -> None:
        """Refuse to delete a database that is protected.

        Raises:
            ResourceError: It is.
        """
        options: Any = wanted
        if options.deletion_protection:
            raise ResourceError(
                f"{self.what(wanted)} ({object_id}) is not deleted: deletionProtection is set",
                "Set deletionProtection to false and run `pulumi up` once, without deleting or replacing it.",
            )

    # -- creating ------------------------------------------------------------------------------------------------

    def unique_request(self, session: Session, wanted: ThingT) -> CreateRequest[ThingT] | None:
        """Return the request that creates a database, unless its name may be given twice."""
        options: Any = wanted
        return None if options.allow_duplicate_name else self._request(session, wanted, {})

    def _request(self, session: Session, wanted: ThingT, body: WireValues) -> CreateRequest[ThingT]:
        options: Any = wanted
        request = replace(
            super()._request(session, wanted, body),
            unique=not options.allow_duplicate_name,
            allowed_by=wire_name(self.type.inputs, "allow_duplicate_name"),
            locks_out=True,
        )
        if not known_or(True, lambda: options.deletion_protection):
            return request
        advice = "set deletionProtection to false and run `pulumi up` once, without replacing it"
        return replace(request, to_replace=advice)

    # -- waiting -------------------------------------------------------------------------------------------------

    def not_running(self, object_id: str, wanted: ThingT, waited: WaitResult[ThingT]) -> ResourceError:
        """Return the error for a database that does not run after a wait."""
        return ResourceError(
            f"{self.what(wanted)} ({object_id}): {waited.problem}",
            "Look at it in the console, or raise waitTimeoutMinutes, then run `pulumi up` again.",
        )

    def warn_if_unready(self, session: Session, wanted: ThingT, waited: WaitResult[ThingT]) -> None:
        """Warn of the problem that state keeps as the last error."""
        if waited.problem:
            what = self.what(wanted)
            starts = waited.state in self.unusable
            session.warn(
                f"{what[:1].upper()}{what[1:]} exists and is in state, but is not yet ready: {waited.problem}\n"
                f"The next `pulumi up` {'asks the server to start it' if starts else 'goes on from here'}."
            )
