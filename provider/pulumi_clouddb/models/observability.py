"""What everything on an observability server has in common: a service's server holds it, or the self-hosted one."""

from __future__ import annotations

from .base import Model, Uuid, prop

MANAGED_FORM = (
    "Id of the service whose observability stack holds it (managed form). "
    "Without it the self-hosted stack of clouddb:stackUrl is used."
)


class ObservabilityArgs(Model):
    """What a program says about anything on an observability server."""

    service_id: Uuid | None = prop(MANAGED_FORM, replaces=True, provider_only=True)
