"""User-defined functions: created once; each change makes a version, which is waited for until it is built."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace

from pulumi_clouddb.client.errors import ApiError, ResourceError
from pulumi_clouddb.create.create_request import CreateRequest
from pulumi_clouddb.create.creation import create_once
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import CheckResult
from pulumi_clouddb.resource.functions import Function, get_one, list_all
from pulumi_clouddb.resource.provisioned import ProvisionedResource
from pulumi_clouddb.resource.state import State, unmanaged
from pulumi_clouddb.resource.waits import WaitResult
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import ID, NAME
from pulumi_clouddb.schema.values import UNKNOWN, WireDict, WireValues, digest

from .api import UdfAttachments, UserDefinedFunctions, Versions, version_id
from .user_defined_function import (
    CODE,
    CREATED_AT,
    LIST_VERSIONS,
    SANDBOX_VERSION,
    USER_DEFINED_FUNCTION,
    VERSION,
    BuildStatus,
    UserDefinedFunction,
)

NO_CODE = "Set files or archive."
"""How to correct a version without code."""

FunctionState = State[UserDefinedFunction]


class UserDefinedFunctionResource(ProvisionedResource[UserDefinedFunction]):
    """A user-defined function."""

    type = USER_DEFINED_FUNCTION
    collection = UserDefinedFunctions
    unique_by = (NAME,)
    name_is_id = True
    functions = (
        get_one(USER_DEFINED_FUNCTION, UserDefinedFunctions),
        list_all(USER_DEFINED_FUNCTION, UserDefinedFunctions, by_name=True),
        Function(
            LIST_VERSIONS,
            lambda api, args: {"versions": [_shown(each) for each in api.of(Versions, args.name).list().values()]},
        ),
    )
    noun = "function"
    goal = "built"
    working = frozenset({BuildStatus.BUILDING})
    unusable = frozenset({BuildStatus.ERROR})
    mend = "Correct its code or its settings: the next `up` makes another version, and so does one without a change."

    def unusable_result(self, actual: UserDefinedFunction) -> WaitResult[UserDefinedFunction]:
        """Return the function with the server's reason why the build failed."""
        reason = actual.error or "the server gives no reason"
        return WaitResult(actual, f"version {actual.version or 0:.15g} was not built: {reason}")

    def check(
        self, session: Session, inputs: WireValues, secret: Collection[str] = (), old: WireValues | None = None
    ) -> CheckResult:
        """Return the inputs without the version of the sandbox, which is the server's, and all failures."""
        checked = super().check(session, inputs, secret, old)
        return replace(checked, inputs={name: it for name, it in checked.inputs.items() if name != SANDBOX_VERSION})

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Warn of a function without code, which a create refuses: the check of an import has no old inputs, either."""
        if not old and not inputs.keys() & set(CODE):
            session.warn(str(_without_code(inputs.get(NAME))))
        return None

    def preview_outputs(self, old: WireValues | None, new: WireValues) -> WireDict:
        """Return the outputs; the server chooses the version of the sandbox of a new function."""
        outputs = super().preview_outputs(old, new)
        return {SANDBOX_VERSION: UNKNOWN, **outputs} if old is None else outputs

    def needs_repair(self, old: FunctionState) -> tuple[str, ...]:
        """Return the property that shows unfinished work, or a version that somebody else has made."""
        return super().needs_repair(old) or ((VERSION,) if _is_of_others(old) else ())

    def outputs_changed_by(self, old: FunctionState, changed: tuple[str, ...]) -> Iterable[str]:
        """Return the outputs of a new version: its time of creation, and defaults of what the program does not set."""
        return (*super().outputs_changed_by(old, changed), CREATED_AT, *wire_names(self.type.inputs))

    def body_of_create(self, session: Session, wanted: UserDefinedFunction) -> WireDict:
        """Return a whole version: the server sets defaults for all that is missing.

        Raises:
            ResourceError: The program has no code, such as that of an imported function.
        """
        if not to_wire(wanted, CODE):
            raise _without_code(wanted.name)
        return super().body_of_create(session, wanted)

    def state_of(
        self, session: Session, wanted: UserDefinedFunction, record: UserDefinedFunction, object_id: str
    ) -> FunctionState:
        """Return the state of a function with the version that was just made or imported."""
        made = record.model_copy(update={"published_version": record.version})
        return super().state_of(session, wanted, made, object_id)

    def shown(self, actual: UserDefinedFunction, served: WireValues) -> WireValues:
        """Return nothing: a version never changes, so what an older release of the server omits is still there."""
        return {}

    def refreshed(self, state: FunctionState, record: UserDefinedFunction, object_id: str) -> FunctionState:
        """Return the current state of a function, with the version that this program made last."""
        seen = record.model_copy(update={"published_version": state.actual.published_version})
        return super().refreshed(state, seen, object_id)

    def read(self, session: Session, object_id: str, state: FunctionState) -> FunctionState | None:
        """Find the function in the shared list."""
        _is_in_state(session, object_id, state)
        return super().read(session, object_id, state)

    def update(
        self, session: Session, object_id: str, old: FunctionState, wanted: UserDefinedFunction
    ) -> FunctionState:
        """Send what changed, and wait until the version is built."""
        _is_in_state(session, object_id, old)
        return super().update(session, object_id, old, wanted)

    def send(self, session: Session, object_id: str, old: FunctionState, wanted: UserDefinedFunction) -> FunctionState:
        """Make a version if something changed, the last build failed, or somebody else made the last version."""
        changed = [name for name in self.changes(old, wanted) if name in CODE or name not in self.type.provider_only]
        failed = old.actual.status == BuildStatus.ERROR
        if not changed and not failed and not _is_of_others(old):
            return State(wanted, unmanaged(old))
        state = self.state_of(session, wanted, self._publish(session, wanted), object_id)
        if failed and not _is_of_others(old):
            with suppress(ApiError):  # a version that is not needed does no harm
                self.objects(session, wanted).delete_version(object_id, int(old.actual.version or 0))
        return state

    def delete(self, session: Session, object_id: str, state: FunctionState) -> None:
        """Delete the function with all versions; wait for a build first, as no server deletes a version in build."""
        _is_in_state(session, object_id, state)
        if state.actual.status == BuildStatus.BUILDING:
            with suppress(ResourceError):
                self.finished(session, object_id, state)
        attached = (session.api.of(UdfAttachments, object_id).records(max_age=0.0) or {}).values()
        super().delete(session, object_id, state)
        if attached:
            services = ", ".join(str(each.service_id) for each in attached)
            session.warn(f"{self.what(state.wanted)} is deleted; services that had it no longer have it: {services}.")

    def objects(self, session: Session, wanted: UserDefinedFunction) -> UserDefinedFunctions:
        """Return the functions of the organization."""
        return session.api.of(UserDefinedFunctions)

    def _publish(self, session: Session, wanted: UserDefinedFunction) -> UserDefinedFunction:
        """Make a version, or find the one that an interrupted update has made of the same code."""
        body = self.body_of_create(session, wanted)
        del body[NAME]
        what = f"a version of {self.what(wanted)}"
        versions = session.api.of(Versions, wanted.name)
        # No version shows its code; services keep theirs, so that a version too many does no harm.
        request = CreateRequest(what, str(wanted.name), self.type, versions, body, second_is_harmless=True)
        urn = f"{session.urn}#{digest(json.dumps(body, sort_keys=True))}"  # an update has no pending create of its own
        with session.for_resource(urn).creating() as creating:
            made = create_once(creating, request)
            creating.hand_over(made.id)
        self.objects(session, wanted).invalidate()
        return made.record


def _shown(version: UserDefinedFunction) -> WireDict:
    """Return a version as servers return it, without the id that this package assigns."""
    return {name: value for name, value in to_wire(version).items() if name != ID}


def _without_code(name: object) -> ResourceError:
    return ResourceError(
        f"user-defined function {name!r} cannot be created: the program does not set its code", NO_CODE
    )


def _is_in_state(session: Session, name: str, state: FunctionState) -> None:
    """Record that state contains the last version of this program, so that its create is no longer pending.

    A refresh may show a version that an interrupted update has made: the next run finds it by its pending create,
    unless its build failed, so that another one is needed.
    """
    if not _is_of_others(state) or state.actual.status == BuildStatus.ERROR:
        session.pending.finish(version_id(name, state.actual.version, state.actual.created_at), "")


def _is_of_others(old: FunctionState) -> bool:
    """Return whether somebody else made the latest version."""
    published = old.actual.published_version
    return published is not None and old.actual.version != published
