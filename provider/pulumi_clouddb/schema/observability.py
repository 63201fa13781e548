"""What everything on an observability server has in common: a service's server holds it, or the self-hosted one."""

from __future__ import annotations

from .base import Model, Record, Text, Uuid, prop

MANAGED_FORM = (
    "Id of the service whose observability server holds it (managed form). "
    "Without it the self-hosted server of clouddb:stackUrl is used."
)


class ObservabilityArgs(Model):
    """What a program says about anything on an observability server."""

    service_id: Uuid | None = prop(MANAGED_FORM, replaces=True, provider_only=True)


class ListArgs(Model):
    """Arguments of a function that lists objects of an observability server."""

    service_id: Uuid | None = prop(MANAGED_FORM)


class ObservabilityRecord(Record):
    """What stays of an object of an observability server as long as it lives."""

    id: Text | None = prop("Id of the object.")
    team_id: Text | None = prop("Id of the team that owns it.")
    created_at: Text | None = prop("When it was created (ISO-8601).")
