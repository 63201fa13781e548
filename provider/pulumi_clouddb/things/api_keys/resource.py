"""API keys: created with a one-time secret, or adopted and restored when they are destroyed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timezone

from pulumi_clouddb.client.errors import (
    CloudDBError,
    NotFoundError,
    ResourceError,
    UnsupportedOperationError,
    first_line,
)
from pulumi_clouddb.client.marks import Mark
from pulumi_clouddb.create.create_request import CreateRequest, CreateResult
from pulumi_clouddb.create.creation import create_once
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import CheckResult, DiffResult
from pulumi_clouddb.resource.overrides import changed_or_forgotten, remember, to_send
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.resource.settled import held
from pulumi_clouddb.resource.state import State, filled, merged, only, removed_inputs, unmanaged, without
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.check.claims import Claim
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.equality import usual_id
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.thing import with_ours
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.view import view_of
from pulumi_clouddb.things.roles.api import needs_as_actor

from .api import ACTOR, EXPIRY, ROLE_IDS, KeyMark, Keys, body_of_key
from .api_key import API_KEY, ApiKey, KeyCreated, KeyFields, KeyState, OnKeyDelete
from .own_key import warnings_of_own_key

FIELDS = wire_names(KeyFields)
ROLES = property_name(ApiKey, lambda key: key.roles)
KEY_ID = property_name(ApiKey, lambda key: key.key_id)
ORIGINAL = property_name(ApiKey, lambda key: key.original)
ASSIGNED_ROLES = property_name(ApiKey, lambda key: key.assigned_roles)
NEVER = ""
"""The expiry that programs give a key that never expires."""

ATTEMPTS = 3
"""How often a key is created if each response is lost, and with it the secret."""


class ApiKeyResource(PlainResource[ApiKey]):
    """A key of the organization."""

    type = API_KEY
    collection = Keys
    locks_out = True

    def check(
        self,
        session: Session,
        inputs: WireValues,
        secret: Collection[str] = (),
        old: WireValues | None = None,
    ) -> CheckResult:
        """Return the inputs and all failures; a new expiry in the past is one, an old expiry may have passed."""
        checked = super().check(session, inputs, secret, old)
        expiry = checked.inputs.get(EXPIRY)
        if not isinstance(expiry, str) or not expiry or any(failure.path == EXPIRY for failure in checked.failures):
            return checked
        now = datetime.fromtimestamp(session.runtime.time(), timezone.utc)
        if self.same(EXPIRY, (old or {}).get(EXPIRY), expiry) or parse_timestamp(expiry) > now:
            return checked
        value = "the secret value given" if EXPIRY in secret else expiry
        return CheckResult(checked.inputs, [*checked.failures, Failure(EXPIRY, f"must be in the future, not {value}")])

    def claims(self, rules: RuleContext, inputs: WireValues, object_id: str, before: WireValues) -> Iterator[Claim]:
        """Yield what the resource sets of its key, and that its roles have the key as an actor."""
        key_id = inputs.get(KEY_ID) or object_id or None
        if isinstance(key_id, str):
            yield from super().claims(rules, inputs, key_id, before)
            yield from needs_as_actor(f"{ACTOR}/{key_id}", inputs.get(ROLE_IDS))

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; a replacement of an adopted key by itself restores it first, so that it is found as it was."""
        result, seen = super().diff(old, new), self._seen(old)
        restores = bool(seen.actual.adopted) and seen.wanted.on_delete != OnKeyDelete.DELETE
        return replace(result, delete_before_replace=restores and not result.replaces)

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Warn if the adoption of the provider's own key takes away what the next requests need."""
        key_id = inputs.get(KEY_ID)
        if session.urn and not old and isinstance(key_id, str) and session.config.key_id:
            found = session.try_reading(lambda: session.api.of(Keys).find(key_id))
            before, wanted = view_of(ApiKey, to_wire(found) if found else {}), view_of(ApiKey, inputs)
            for warning in warnings_of_own_key(session, before, wanted):
                session.warn(warning)
        return None

    def warnings_of_change(self, session: Session, old: WireValues, new: WireValues) -> Iterator[str]:
        """Yield a warning for each removed input that stays, and for a change of the provider's own key."""
        yield from super().warnings_of_change(session, old, new)
        original = old.get(ORIGINAL) or {}
        restored = {name: original[name] for name in removed_inputs(old, new) if name in original}
        yield from warnings_of_own_key(session, view_of(ApiKey, old), view_of(ApiKey, {**restored, **new}))

    def staying(self, old: State[ApiKey]) -> Collection[str]:
        """Return the fields without the expiry, which is removed; an adopted key gets its original values."""
        return () if old.actual.adopted else [name for name in super().staying(old) if name != EXPIRY]

    def outputs_changed_by(self, old: State[ApiKey], changed: tuple[str, ...]) -> Iterable[str]:
        """Return the forms of the roles, if one of them changes; an update changes no other output."""
        forms = (ROLES, ROLE_IDS, ASSIGNED_ROLES)
        return forms if old.actual.assigned_roles is not None and {*changed} & {*forms} else ()

    def create(self, session: Session, wanted: ApiKey) -> tuple[str, State[ApiKey]]:
        """Adopt the key that `keyId` names, or create one."""
        return self._adopt(session, wanted, usual_id(wanted.key_id)) if wanted.key_id else self._create(session, wanted)

    def read(self, session: Session, object_id: str, state: State[ApiKey]) -> State[ApiKey] | None:
        """Find the key in the shared list, or, if the server has no list, with an update that changes nothing."""
        try:
            key = session.api.of(Keys).find(object_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, "a key")
        if key is None:
            return None
        return State(self.reconciled(state, key), with_ours(key, state.actual))

    def update(self, session: Session, object_id: str, old: State[ApiKey], wanted: ApiKey) -> State[ApiKey]:
        """Send the changes; a field that the program no longer sets gets its original value, an expiry `never`."""
        changed = to_send(session, self, object_id, old, wanted) if old.actual.adopted else self.changes(old, wanted)
        restored = _restored(_original(old), [name for name in changed if name not in to_wire(wanted)], wanted)
        key, sent = unmanaged(old), merged(restored, only(wanted, changed))
        return State(wanted, merged(key, self._send(session, object_id, sent)) if sent.model_fields_set else key)

    def delete(self, session: Session, object_id: str, state: State[ApiKey]) -> None:
        """Delete a created key, restore an adopted one, or do what `onDelete` asks for.

        Raises:
            ResourceError: The server returns 404 for the key, but lists it.
        """
        choice = state.wanted.on_delete or (OnKeyDelete.RESTORE if state.actual.adopted else OnKeyDelete.DELETE)
        try:
            if choice == OnKeyDelete.DELETE:
                self._delete(session, object_id)
            elif choice == OnKeyDelete.DISABLE:
                self._send(session, object_id, KeyFields.model_construct(state=KeyState.DISABLED))
            elif choice == OnKeyDelete.RESTORE:
                self._restore(session, object_id, state)
        except NotFoundError:
            # One 404 is not enough to leave the key as it is.
            if session.api.of(Keys).find(object_id, max_age=0.0) is not None:
                raise
        finally:
            session.api.of(Keys).invalidate()

    def restored(self, state: WireValues) -> Collection[str]:
        """Return the fields of an adopted key."""
        return FIELDS if self._seen(state).actual.adopted else ()

    def originals(self, state: State[ApiKey]) -> KeyFields:
        """Return the original values of an adopted key, of the fields that the program set, or may have set."""
        return only(_original(state), {*to_wire(state.wanted), *state.doubtful})

    def import_(self, session: Session, object_id: str, hints: ApiKey) -> tuple[str, State[ApiKey]]:
        """Adopt a key as it is; only its first owner knows its secret."""
        key = session.api.of(Keys).find(object_id)
        if key is None:
            raise self.missing(object_id)
        has_custom_role = any(role.role_type == "custom" for role in key.assigned_roles or ())
        reported = to_wire(key)
        reported.pop(ROLES if has_custom_role else ROLE_IDS, None)  # both list roles, and only one lists all of them
        wanted, left_out = self.importable(session, ApiKey.model_construct(key_id=object_id), reported)
        return object_id, State(wanted, _adopted(key, _fields_of(key)), left_out)

    # -- creating ------------------------------------------------------------------------------------------------

    def _create(self, session: Session, wanted: ApiKey) -> tuple[str, State[ApiKey]]:
        request = replace(
            self._request(session, wanted, body_of_key(wanted)),
            # An interrupted rotation may leave both keys: the old one in state, and the new one in no record.
            generation=wanted.rotation or "",
            way_on="Delete those that nobody needs, or adopt one with keyId",
        )
        for _ in range(ATTEMPTS):
            created = create_once(session, request)
            mark = request.collection.mark(created.nonce)
            if isinstance(mark, KeyMark) and created.record.key_suffix not in (None, mark.suffix):
                session.warn(
                    f"{request.what} (id {created.id}) was made with other credentials (clouddb:keySecret): its secret "
                    "is lost, so another key is created.\nDelete that one if nobody needs it."
                )
                session.entry.forget()
                continue
            access_key_id, secret = _credentials(mark, created)
            if secret:
                ours = {"access_key_id": access_key_id, "key_secret": secret, "adopted": False}
                key = created.record.model_copy(update=ours)
                return created.id, self._up_to_date(session, created, State(wanted, key))
            self._discard(session, request, created)
        raise ResourceError(
            f"{request.what} was created {ATTEMPTS} times, and its secret was lost with the response each time",
            "Run again once the connection is better: these keys were deleted.",
        )

    def _up_to_date(self, session: Session, created: CreateResult[ApiKey], state: State[ApiKey]) -> State[ApiKey]:
        """Update the key of an interrupted run to the arguments, which may have changed since."""
        if created.result is not None:
            return state
        found = self.as_created(self.reconciled(state, state.actual), created, state.actual)
        current = State(found, state.actual)
        return self.update(session, created.id, current, state.wanted) if self.changes(current, state.wanted) else state

    def _discard(self, session: Session, request: CreateRequest[ApiKey], created: CreateResult[ApiKey]) -> None:
        """Delete a key whose secret was lost."""
        try:
            session.api.of(Keys).delete(created.id)
        except NotFoundError:
            pass
        except CloudDBError as error:
            raise ResourceError(
                f"{request.what} exists ({created.id}), but its secret was lost with the response, "
                f"and it could not be deleted: {first_line(error)}",
                "Run again: it is deleted and created again.",
            ) from None
        session.entry.forget()

    def _adopt(self, session: Session, wanted: ApiKey, key_id: str) -> tuple[str, State[ApiKey]]:
        keys = session.api.of(Keys)
        return key_id, held(session, keys, key_id, lambda holding: self._begin(holding, wanted, key_id))

    def _begin(self, session: Session, wanted: ApiKey, key_id: str) -> State[ApiKey]:
        """Record the original values of a key, and send those of the program."""
        found = session.api.of(Keys).find(key_id, max_age=0.0)
        if found is None:
            raise ResourceError(
                f"API key {key_id} does not exist in this organization",
                "Check keyId: it is the id of the key's record, not the user name of HTTP Basic.",
            )
        asked = only(wanted, FIELDS)
        original, removed = remember(session, key_id, _fields_of(found), asked, self.type.normalized)
        sent = merged(_restored(original, removed, wanted), asked)
        changed = only(sent, self._different(sent, found))
        key = found
        if changed.model_fields_set:
            key = changed_or_forgotten(session, lambda: self._send(session, key_id, changed))
        return State(wanted, _adopted(key, original))

    def _different(self, key: KeyFields, other: KeyFields) -> list[str]:
        """Return the wire names of the fields of a key whose values another key does not have."""
        values, others = to_wire(key, FIELDS), to_wire(other)
        return [name for name in values if name not in others or not self.same(name, others[name], values[name])]

    # -- changing ------------------------------------------------------------------------------------------------

    def _send(self, session: Session, key_id: str, changed: KeyFields) -> ApiKey:
        """Send an update."""
        return self.change(session, session.api.of(Keys), key_id, body_of_key(changed))

    def _delete(self, session: Session, key_id: str) -> None:
        try:
            session.api.of(Keys).remove(key_id)
        except NotFoundError:
            raise ResourceError(
                f"API key {key_id} is not deleted: the server responds that it does not exist, and still lists it",
                "Run again; if that does not help, delete the key in the console.",
            ) from None

    def _restore(self, session: Session, key_id: str, state: State[ApiKey]) -> None:
        original, managed = only(_original(state), FIELDS), only(state.wanted, FIELDS)
        names = dict.fromkeys((*to_wire(managed), *state.doubtful))
        lost = [name for name in names if name not in to_wire(original) and name != EXPIRY]
        original.expire_at = original.expire_at or NEVER
        different = self._different(without(managed, (*lost, *state.doubtful)), original)
        changed = _with_all_roles(only(original, (*different, *state.doubtful)), original)
        if changed.model_fields_set:
            self._send(session, key_id, changed)
        but = f", except for {', '.join(lost)}, which this server did not report then" if lost else ""
        session.warn(
            f"API key {key_id} still exists, as it was before this resource adopted it{but}.\n"
            "To delete such a key, set onDelete to delete, and run `pulumi up` before `pulumi destroy`."
        )


def _original(state: State[ApiKey]) -> KeyFields:
    return state.actual.original or KeyFields.model_construct()


def _restored(original: KeyFields, removed: Iterable[str], wanted: ApiKey) -> KeyFields:
    """Return the original values of the fields that the program no longer sets; an expiry becomes `never`."""
    names = [name for name in removed if not _has_roles_otherwise(name, wanted)]
    restored = only(original, names)
    if EXPIRY in names and restored.expire_at is None:
        restored.expire_at = NEVER
    return _with_all_roles(restored, original)


def _with_all_roles(restored: KeyFields, original: KeyFields) -> KeyFields:
    """Return the values to restore with the roles by id, if the older roles are restored: these may not be all.

    They never contain a custom role. A server may accept no empty list.
    """
    if restored.roles is None or original.assigned_role_ids is None:
        return restored
    whole = merged(restored, only(original, [ROLE_IDS]))
    return whole if restored.roles else without(whole, [ROLES])


def _adopted(key: ApiKey, original: KeyFields) -> ApiKey:
    return key.model_copy(update={"adopted": True, "original": original})


def _credentials(mark: Mark | None, created: CreateResult[ApiKey]) -> tuple[str | None, str | None]:
    """Return id and secret for HTTP Basic: those made here, which the mark has, else those of the response."""
    if isinstance(mark, KeyMark):
        return mark.key_id, mark.key_secret
    response = construct(KeyCreated, created.result or {})
    return response.key_id, response.key_secret


def _fields_of(key: ApiKey) -> KeyFields:
    """Return the values of a key that can be restored."""
    return filled(merged(KeyFields.model_construct(), key))


def _has_roles_otherwise(name: str, wanted: ApiKey) -> bool:
    """Return whether a program that no longer sets its roles with `name` sets them with the other property."""
    return (name == ROLES and wanted.assigned_role_ids is not None) or (name == ROLE_IDS and wanted.roles is not None)
