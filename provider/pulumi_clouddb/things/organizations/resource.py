"""The settings of the organization: an override that restores the original settings."""

from __future__ import annotations

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.functions import Function
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.convert import to_wire

from .api import Organizations
from .notifications import GET_PROMETHEUS_TARGETS, LIST_NOTIFICATION_TYPES
from .organization_settings import GET_ORGANIZATION, ORGANIZATION_SETTINGS, OrganizationFields, OrganizationSettings
from .usage import GET_CREDIT_BALANCES, GET_QUOTA, GET_USAGE_COST, LIST_QUOTAS, LIST_SERVICE_PROFILES


class OrganizationSettingsResource(OverrideResource[OrganizationSettings]):
    """The settings of the organization."""

    type = ORGANIZATION_SETTINGS
    collection = Organizations
    fields = OrganizationFields
    functions = (
        Function(
            GET_ORGANIZATION,
            lambda api, _: to_wire(api.of(Organizations).get(api.client.organization_id)),
        ),
        Function(GET_QUOTA, lambda api, args: to_wire(api.of(Organizations).quota(args.quota_code))),
        Function(LIST_QUOTAS, lambda api, _: {"quotas": [to_wire(each) for each in api.of(Organizations).quotas()]}),
        Function(GET_USAGE_COST, lambda api, args: to_wire(api.of(Organizations).usage_cost(args))),
        Function(
            LIST_SERVICE_PROFILES,
            lambda api, args: {
                "serviceProfiles": [to_wire(each) for each in api.of(Organizations).service_profiles(args)]
            },
        ),
        Function(
            LIST_NOTIFICATION_TYPES,
            lambda api, _: {
                "notificationTypes": [to_wire(each) for each in api.of(Organizations).notification_types()]
            },
        ),
        Function(
            GET_PROMETHEUS_TARGETS,
            lambda api, args: {
                "targetGroups": [
                    to_wire(each)
                    for each in api.of(Organizations).prometheus_targets(filtered=args.filtered_metrics is not False)
                ]
            },
        ),
        Function(GET_CREDIT_BALANCES, lambda api, _: to_wire(api.of(Organizations).credit_balances())),
    )

    def object_of(self, session: Session, wanted: OrganizationSettings) -> str:
        """Return the id of the organization."""
        return session.client.organization_id

    def named(self, object_id: str) -> OrganizationSettings:
        """Return no arguments: the configuration names the organization."""
        return OrganizationSettings.model_construct()

    def import_(
        self, session: Session, object_id: str, hints: OrganizationSettings
    ) -> tuple[str, State[OrganizationSettings]]:
        """Import the organization; the key can read no other."""
        if object_id != session.client.organization_id:
            raise self.missing(object_id)
        return super().import_(session, object_id, hints)
