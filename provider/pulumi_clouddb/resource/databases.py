"""Databases: no accident and no option of Pulumi's replaces one, and a protected one is not deleted."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from pulumi_clouddb.client.errors import CONFLICT, ResourceError
from pulumi_clouddb.create.create_request import CreateRequest
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.names import NAME, property_name
from pulumi_clouddb.schema.provisioned import Database, DatabaseT
from pulumi_clouddb.schema.values import WireValues, contains_unknown
from pulumi_clouddb.schema.view import known_or

from .base import DiffResult
from .provisioned import ProvisionedResource
from .state import State, among
from .waits import WaitResult

ALLOW_DUPLICATE_NAME = property_name(Database, lambda database: database.allow_duplicate_name)


class DatabaseResource(ProvisionedResource[DatabaseT]):
    """A database."""

    unique_by = (NAME,)
    has_data = True
    locks_out = True
    goal = "running"

    # -- replacing and deleting ----------------------------------------------------------------------------------

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; refuse a change that would need another database, unless that is allowed.

        What is taken out of the program replaces nothing. Without `allowReplacement` no replacement deletes first: that
        of an option of Pulumi's is refused later, and must not have deleted anything before.

        Raises:
            ResourceError: A field that cannot change in place changes, and `allowReplacement` is not set.
        """
        result = super().diff(old, new)
        before = self._seen(old)
        wanted = self._view(new)
        fixed = tuple(name for name in self.immutable(before, result.replaces) if name in new)
        known = tuple(name for name in fixed if not contains_unknown(new[name]))
        allowed = known_or(True, lambda: wanted.allow_replacement)
        protected = before.wanted.deletion_protection
        if known and not allowed:
            raise self._replacement_refused(self.name_of(before.wanted), old, new, known)
        if fixed and allowed and protected:
            raise ResourceError(
                f"changing {', '.join(fixed)} would delete {self.what(before.wanted)}, which is protected",
                "Set deletionProtection to false and run `pulumi up` once before this change.",
            )
        unique = known_or(False, lambda: not wanted.allow_duplicate_name)
        first = bool(allowed) and result.delete_before_replace and unique and not protected
        return replace(result, replaces=fixed if allowed else (), delete_before_replace=first)

    def immutable(self, old: State[DatabaseT], changed: Iterable[str]) -> tuple[str, ...]:
        """Return which of the changed properties cannot change in place."""
        return among(changed, self.type.immutable)

    def replacement_refusal(self, old: WireValues, inputs: WireValues) -> ResourceError | None:
        """Refuse to replace a database that is protected, or without `allowReplacement`."""
        before, wanted = self._view(old), self._view(inputs)
        words = self.type.words
        if not known_or(True, lambda: wanted.allow_replacement):
            return ResourceError(
                f"{known_or(words, lambda: self.what(wanted))} is not replaced, although an option of Pulumi's "
                "requires it (replaceOnChanges, replacementTrigger, replaceWith, --replace): that would delete this "
                "database",
                f"Remove the option, or set allowReplacement to true to delete the {words} and create another, "
                "without its data.",
            )
        if not before.deletion_protection:
            return None
        return ResourceError(
            f"a replacement would delete {self.what(before)}, which is protected",
            "Set deletionProtection to false and run `pulumi up` once without the replacement.",
        )

    def _replacement_refused(self, name: str, old: WireValues, new: WireValues, fixed: Iterable[str]) -> ResourceError:
        words, secrets = self.type.words, self.type.secrets
        changes = (each if each in secrets else f"{each} ({old.get(each)!r} to {new.get(each)!r})" for each in fixed)
        return ResourceError(
            f"{words} {name!r} cannot change {', '.join(changes)} in place: that would delete this database",
            f"Put it back, or set allowReplacement to true to delete the {words} and create another, without its data.",
        )

    def final_when(self, *, deleting: bool) -> Collection[int]:
        """Return 409 for a deletion: each database knows by itself what to do then, such as to stop."""
        return (CONFLICT,) if deleting else ()

    @property
    def deleted_first_unless(self) -> None:
        """None: databases are not replaced by accident."""

    # -- creating ------------------------------------------------------------------------------------------------

    def unique_request(self, session: Session, wanted: DatabaseT) -> CreateRequest[DatabaseT]:
        """Return the request that creates a database: its resource may have only one, whatever its name."""
        return self._request(session, wanted, {})

    def _request(self, session: Session, wanted: DatabaseT, body: WireValues) -> CreateRequest[DatabaseT]:
        if known_or(True, lambda: wanted.deletion_protection):
            to_replace = "set deletionProtection to false and run `pulumi up` once, without replacing it"
        else:
            to_replace = "set allowReplacement to true, and Pulumi's option deleteBeforeReplace on the resource"
        return replace(
            super()._request(session, wanted, body),
            unique=not known_or(True, lambda: wanted.allow_duplicate_name),
            replaces_none=not known_or(True, lambda: wanted.allow_replacement),
            allowed_by=ALLOW_DUPLICATE_NAME,
            to_replace=to_replace,
        )

    # -- waiting -------------------------------------------------------------------------------------------------

    def not_running(self, object_id: str, wanted: DatabaseT, waited: WaitResult[DatabaseT]) -> ResourceError:
        """Return the error for a database that does not run after a wait."""
        return ResourceError(
            f"{self.what(wanted)} ({object_id}): {waited.problem}",
            "Look at it in the console, or raise waitTimeoutMinutes, then run `pulumi up` again.",
        )

    def warn_if_unready(self, session: Session, wanted: DatabaseT, waited: WaitResult[DatabaseT]) -> None:
        """Warn of the problem that state keeps as the last error."""
        if waited.problem:
            what = self.what(wanted)
            starts = waited.state in self.unusable
            session.warn(
                f"{what[:1].upper()}{what[1:]} exists and is in state, but is not yet ready: {waited.problem}\n"
                f"The next `pulumi up` {'asks the server to start it' if starts else 'continues from here'}."
            )
