"""Infrastructures: created once, and waited for until they are ready."""

from __future__ import annotations

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.provisioned import ProvisionedResource
from pulumi_clouddb.schema.values import WireValues

from .api import ByocInfrastructures
from .byoc_infrastructure import BYOC_INFRASTRUCTURE, NEVER_ANSWERED, ByocInfrastructure, ByocState


class ByocInfrastructureResource(ProvisionedResource[ByocInfrastructure]):
    """An infrastructure in an account of the organization."""

    type = BYOC_INFRASTRUCTURE
    collection = ByocInfrastructures
    noun = "infrastructure"
    goal = "ready"
    working = frozenset({ByocState.PROVISIONING})
    unusable = frozenset({ByocState.TERMINATED})
    mend = "Look at it in the console; the cloud account may have to give permissions."

    def name_of(self, wanted: ByocInfrastructure) -> str:
        """Return its name, or that of its region."""
        return str(wanted.display_name or wanted.region_id)

    def refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Refuse a new one without an account; of one that is imported nobody knows it."""
        if old or inputs.get(NEVER_ANSWERED[0]) is not None:
            return super().refusal(session, inputs, old)
        return ResourceError(f"{self.type.name}: {NEVER_ANSWERED[0]} is needed: the account of a new infrastructure")

    def changed(self, old: WireValues, new: WireValues) -> tuple[str, ...]:
        """Compare; what servers never answer is no change of an infrastructure that was imported without it."""
        return tuple(name for name in super().changed(old, new) if name in old or name not in NEVER_ANSWERED)
