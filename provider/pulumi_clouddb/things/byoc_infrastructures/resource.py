"""Infrastructures: created once, and waited for until they are ready."""

from __future__ import annotations

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.provisioned import ProvisionedResource
from pulumi_clouddb.schema.values import WireDict, WireValues

from .api import ByocInfrastructures
from .byoc_infrastructure import BYOC_INFRASTRUCTURE, NEVER_ANSWERED, ByocInfrastructure, ByocState

SET = f"Set {NEVER_ANSWERED[0]}."


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

    def name_of(self, wanted: ByocInfrastructure) -> str:
        """Return its display name, or its region."""
        return str(wanted.display_name or wanted.region_id)

    def body_of_create(self, session: Session, wanted: ByocInfrastructure) -> WireDict:
        """Return the body of a POST.

        Raises:
            ResourceError: The program has no account, as that of an imported infrastructure.
        """
        if wanted.account_id is None:
            raise ResourceError(f"{self.what(wanted)} cannot be created: the program does not set its account", SET)
        return super().body_of_create(session, wanted)

    def changed(self, old: WireValues, new: WireValues) -> tuple[str, ...]:
        """Compare; properties that no server returns are no change of an imported infrastructure."""
        return tuple(name for name in super().changed(old, new) if name in old or name not in NEVER_ANSWERED)
