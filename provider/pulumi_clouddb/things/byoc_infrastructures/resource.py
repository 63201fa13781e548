"""Infrastructures: validated and created once, waited for until they are ready, and then configured."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace

from pulumi_clouddb.client.errors import CloudDBError, ResourceError, first_line
from pulumi_clouddb.create.create_request import CreateResult
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.functions import Function, get_one, list_all
from pulumi_clouddb.resource.provisioned import ProvisionedResource
from pulumi_clouddb.resource.settled import repeated
from pulumi_clouddb.resource.state import State, without
from pulumi_clouddb.resource.waits import Awaited
from pulumi_clouddb.schema.common import AZURE, cloud_of
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.thing import with_ours
from pulumi_clouddb.schema.values import WireDict, WireValues

from .api import ByocInfrastructures
from .byoc_infrastructure import (
    AT_ONCE,
    BYOC_INFRASTRUCTURE,
    IS_BYO_VPC,
    LATER,
    NEVER_ANSWERED,
    OF_DETAILS,
    ByocInfrastructure,
    ByocState,
)
from .progress import ProgressOfStages
from .validation import GET_BYOC_PRIVATE_ENDPOINT_CONFIG

ACCOUNT = property_names(ByocInfrastructure, lambda each: (each.account_id,))
ACCOUNT_OF_AZURE = property_names(
    ByocInfrastructure, lambda each: (each.account_id, each.tenant_id, each.service_principal_client_id)
)
REGION = property_name(ByocInfrastructure, lambda each: each.region_id)
DISPLAY_NAME = property_name(ByocInfrastructure, lambda each: each.display_name)
PRIVATE_LINK = property_name(ByocInfrastructure, lambda each: each.enable_private_link)
PSC_SUBNET = property_name(ByocInfrastructure, lambda each: each.gcp_psc_subnet_id)


class ByocInfrastructureResource(ProvisionedResource[ByocInfrastructure]):
    """An infrastructure in an account of the organization."""

    type = BYOC_INFRASTRUCTURE
    collection = ByocInfrastructures
    noun = "infrastructure"
    goal = "ready"
    working = frozenset({ByocState.PROVISIONING})
    changing = frozenset({ByocState.UPGRADING, ByocState.TERMINATING})
    unusable = frozenset({ByocState.TERMINATED})
    mend = "Look at it in the console; the cloud account may have to grant permissions."
    functions = (
        get_one(BYOC_INFRASTRUCTURE, ByocInfrastructures),
        list_all(BYOC_INFRASTRUCTURE, ByocInfrastructures),
        Function(
            GET_BYOC_PRIVATE_ENDPOINT_CONFIG,
            lambda api, args: to_wire(api.of(ByocInfrastructures).private_endpoint_config(args.byoc_infrastructure_id)),
        ),
    )

    def name_of(self, wanted: ByocInfrastructure) -> str:
        """Return its display name, or its region."""
        return str(wanted.display_name or wanted.region_id)

    # -- creating ------------------------------------------------------------------------------------------------

    def create_once(self, session: Session, wanted: ByocInfrastructure) -> CreateResult[ByocInfrastructure]:
        """Validate the account, unless the program skips that, and create the infrastructure."""
        body = self.body_of_create(session, wanted)
        if not wanted.skip_preflight_validation:
            self._validate(session, wanted, body)
        return super().create_once(session, wanted)

    def _validate(self, session: Session, wanted: ByocInfrastructure, body: WireValues) -> None:
        """Let the server check the permissions in the cloud account.

        Raises:
            ResourceError: A check failed; after an interrupted run, it may have met what that has created.
        """
        sent = {name: value for name, value in body.items() if name != DISPLAY_NAME}
        found = repeated(lambda: session.api.of(ByocInfrastructures).validate(sent))
        if found is None:
            return
        what = self.what(wanted)
        if found.supported is False:
            session.warn(
                f"{what}: the server cannot validate accounts of this cloud, so nothing was verified.\n"
                "Check the permissions of the account yourself."
            )
        elif denied := found.denied:
            checks = "; ".join(denied)
            if not session.entry.previous:
                raise ResourceError(
                    f"{what} is not created, because its account does not pass the preflight validation: {checks}",
                    "Correct the account, or set skipPreflightValidation, then run again.",
                )
            session.warn(f"{what}: its account does not pass the preflight validation: {checks}")

    def body_of_create(self, session: Session, wanted: ByocInfrastructure) -> WireDict:
        """Return the body of a POST, without the properties that only updates take.

        Raises:
            ResourceError: The program lacks the account, as that of an imported infrastructure.
        """
        if refusal := _without_account(to_wire(wanted)):
            raise refusal
        return self.body(wanted, AT_ONCE)

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Warn of one without its account, which a create refuses: the check of an import has no old inputs, either."""
        if not old and (refusal := _without_account(inputs)):
            session.warn(str(refusal))
        return None

    def finished(
        self, session: Session, object_id: str, state: State[ByocInfrastructure], *, new: bool = False
    ) -> State[ByocInfrastructure]:
        """Wait until it is ready, send what a create does not take, and read the details.

        What was not sent is not in the inputs of the state, so that the next run sends it.
        """
        state = super().finished(session, object_id, state, new=new)
        if new and to_wire(state.wanted, LATER):
            state = self._configured(session, object_id, state)
        with suppress(CloudDBError):  # the write succeeded; the next refresh reads them
            whole = session.api.of(ByocInfrastructures).get(object_id)
            return replace(state, actual=with_ours(whole, state.actual))
        return state

    def _configured(
        self, session: Session, object_id: str, state: State[ByocInfrastructure]
    ) -> State[ByocInfrastructure]:
        before = replace(state, wanted=without(state.wanted, LATER))
        if state.actual.last_error or state.wanted.wait_timeout_minutes == 0:
            return before
        try:
            return self.send(session, object_id, before, state.wanted)
        except CloudDBError as error:
            before.actual.last_error = f"not brought up to date: {first_line(error)}"
            session.warn(f"{self.what(state.wanted)} exists and is in state, but was {before.actual.last_error}")
            return before

    # -- comparing and sending -----------------------------------------------------------------------------------

    def changed(self, old: WireValues, new: WireValues) -> tuple[str, ...]:
        """Compare; properties that no server has returned are not a change of an imported infrastructure."""
        unknown = {*NEVER_ANSWERED, *(() if IS_BYO_VPC in old else OF_DETAILS)} & {*self.type.immutable}
        return tuple(name for name in super().changed(old, new) if name in old or name not in unknown)

    def body(self, wanted: ByocInfrastructure, names: Collection[str] | None = None) -> WireDict:
        """Return the inputs to send: the subnet of private links is accepted only together with these."""
        together = {PRIVATE_LINK} if PSC_SUBNET in (names or ()) else set()
        return super().body(wanted, names if names is None else {*names, *together})

    # -- waiting -------------------------------------------------------------------------------------------------

    def awaited(self, session: Session, object_id: str, wanted: ByocInfrastructure) -> Awaited[ByocInfrastructure]:
        """Return the infrastructure, whose stages are shown during a wait."""
        infrastructures = session.api.of(ByocInfrastructures)
        details = ProgressOfStages(session, lambda: infrastructures.progress(object_id))
        return Awaited(infrastructures, object_id, self.noun, details)


def _without_account(inputs: WireValues) -> ResourceError | None:
    """Return why an infrastructure cannot be created, if the program lacks its account."""
    region = inputs.get(REGION)
    needed = ACCOUNT_OF_AZURE if isinstance(region, str) and cloud_of(region) == AZURE else ACCOUNT
    missing = [name for name in needed if name not in inputs]
    if not missing or not isinstance(region, str):
        return None
    return ResourceError(
        f"BYOC infrastructure in {region} cannot be created: the program does not set its account",
        f"Set {' and '.join(missing)}.",
    )
