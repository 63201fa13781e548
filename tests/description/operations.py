"""The request and the response of each operation of the clickhouse dialect, by the operation's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from things.alerts import described as alert
from things.byoc_infrastructures import described as byoc
from things.connections import described as connection
from things.dashboards import described as dashboard
from things.invitations import described as invitation
from things.keys import described as api_key
from things.members import described as member
from things.organizations import described as organization
from things.pipe_cdc_scalings import described as cdc_scaling
from things.pipes import described as pipe
from things.postgres_services import described as postgres
from things.private_endpoints import described as private_endpoint
from things.reverse_private_endpoints import described as endpoint
from things.roles import described as role
from things.saved_searches import described as saved_search
from things.services import described as service
from things.sources import described as source
from things.stack_invitations import described as stack_invitation
from things.stack_roles import described as stack_role
from things.udfs import described as udf
from things.webhooks import described as webhook


@dataclass(frozen=True)
class Exchange:
    """The request and the response of an operation.

    Attributes:
        request: The type of the body; None without one.
        response: The type of the result; None without one.
        status: The status of a success.
        per_page: The records on a full page of a list; None without pages.
    """

    request: Any = None
    response: Any = None
    status: int = 200
    per_page: int | None = None


def _both(exchanges: Mapping[str, Exchange]) -> dict[str, Exchange]:
    """Return the operations for both forms of the API."""
    return {f"{form}{name}": each for name, each in exchanges.items() for form in ("", "self_hosted_")}


def _collection(
    one: str, several: str, create: Any, update: Any, record: Any, per_page: int | None = None
) -> dict[str, Exchange]:
    return {
        f"list_{several}": Exchange(response=list[record], per_page=per_page),
        f"create_{one}": Exchange(create, record),
        f"get_{one}": Exchange(response=record),
        f"update_{one}": Exchange(update, record),
        f"delete_{one}": Exchange(),
    }


_WEBHOOKS = {
    name: each
    for name, each in _collection("webhook", "webhooks", webhook.Change, webhook.Change, webhook.Webhook, 1000).items()
    if name != "get_webhook"  # does not exist
}

EXCHANGES: Mapping[str, Exchange] = {
    **_collection("service", "services", service.Create, service.Update, service.Service),
    "create_service": Exchange(service.Create, service.Created),
    "scale_service": Exchange(service.ReplicaScaling, service.Service),
    "scale_service_total": Exchange(service.TotalScaling, service.Service),
    "command_service": Exchange(service.Command, service.Service),
    "reset_password": Exchange(service.PasswordChange, service.Password),
    "get_backup_configuration": Exchange(response=service.BackupConfiguration),
    "configure_backups": Exchange(service.BackupChange, service.BackupConfiguration),
    "get_query_endpoint": Exchange(response=service.QueryEndpoint),
    "set_query_endpoint": Exchange(service.QueryEndpointChange, service.QueryEndpoint),
    "delete_query_endpoint": Exchange(),
    "get_scaling_schedule": Exchange(response=service.Schedule),
    "set_scaling_schedule": Exchange(service.ScheduleChange, service.Schedule),
    "delete_scaling_schedule": Exchange(),
    "get_upgrade_window": Exchange(response=service.UpgradeWindow),
    "set_upgrade_window": Exchange(service.UpgradeWindowChange, service.UpgradeWindow),
    "delete_upgrade_window": Exchange(),
    "get_settings": Exchange(response=service.Settings),
    "get_settings_schema": Exchange(response=service.SettingsSchema),
    "update_settings": Exchange(service.SettingsChange, service.SettingsChanged),
    "delete_setting": Exchange(),
    "get_backup_bucket": Exchange(response=service.Bucket),
    "create_backup_bucket": Exchange(service.BucketChange, service.Bucket),
    "update_backup_bucket": Exchange(service.BucketChange, service.Bucket),
    "delete_backup_bucket": Exchange(),
    "get_private_endpoint_config": Exchange(response=service.PrivateEndpointConfig),
    "list_backups": Exchange(response=list[service.Backup]),
    "get_backup": Exchange(response=service.Backup),
    **_collection("pipe", "pipes", pipe.Create, pipe.Change, pipe.Pipe),
    "discover_pipe_schema": Exchange(pipe.Discovery, pipe.Schema),
    "command_pipe": Exchange(pipe.Command, pipe.Pipe),
    "get_pipe_settings": Exchange(response=pipe.Settings),
    "set_pipe_settings": Exchange(pipe.Settings, pipe.Settings),
    "scale_pipe": Exchange(pipe.ScalingChange, pipe.Pipe),
    "get_pipe_cdc_scaling": Exchange(response=cdc_scaling.Scaling),
    "update_pipe_cdc_scaling": Exchange(cdc_scaling.Scaling, cdc_scaling.Scaling),
    **_collection(
        "reverse_private_endpoint", "reverse_private_endpoints", endpoint.Create, endpoint.Update, endpoint.Endpoint
    ),
    **_collection("postgres_service", "postgres_services", postgres.Create, postgres.Update, postgres.Service),
    "list_postgres_services": Exchange(response=list[postgres.Listed]),
    "command_postgres_service": Exchange(postgres.Command, postgres.Service),
    "create_postgres_read_replica": Exchange(postgres.Replica, postgres.Service),
    "restore_postgres_service": Exchange(postgres.Restore, postgres.Service),
    "set_postgres_password": Exchange(postgres.PasswordChange, postgres.Password),
    "get_postgres_config": Exchange(response=postgres.Configuration),
    "update_postgres_config": Exchange(postgres.Configuration, postgres.Configured),
    "replace_postgres_config": Exchange(postgres.Configuration, postgres.Configured),
    "get_postgres_certificates": Exchange(response=str),
    **_collection("key", "keys", api_key.Create, api_key.Update, api_key.Key, 250),
    "create_key": Exchange(api_key.Create, api_key.Created),
    **_collection("role", "roles", role.Create, role.Update, role.Role),
    "list_user_defined_functions": Exchange(response=list[udf.Function], per_page=100),
    "create_user_defined_function": Exchange(udf.Create, udf.Function, 201),
    "get_user_defined_function": Exchange(response=udf.Function),
    "list_user_defined_function_versions": Exchange(response=list[udf.Function], per_page=100),
    "publish_user_defined_function": Exchange(udf.NewVersion, udf.Function, 201),
    "delete_user_defined_function": Exchange(),
    "delete_user_defined_function_version": Exchange(),
    "create_upload": Exchange(response=udf.Upload, status=201),
    "list_udf_attachments": Exchange(response=list[udf.Attachment], per_page=100),
    "get_udf_attachment": Exchange(response=udf.Attachment),
    "attach_udf": Exchange(udf.Attach, udf.Attachment),
    "detach_udf": Exchange(),
    "create_byoc_infrastructure": Exchange(byoc.Create, organization.Byoc),
    "update_byoc_infrastructure": Exchange(byoc.Update, organization.Byoc),
    "delete_byoc_infrastructure": Exchange(),
    "list_stack_invitations": Exchange(response=list[stack_invitation.Invitation]),
    "create_stack_invitation": Exchange(stack_invitation.Create, stack_invitation.Invited),
    "delete_stack_invitation": Exchange(response=stack_invitation.Removed),
    "list_stack_members": Exchange(response=list[stack_invitation.Member]),
    "delete_stack_member": Exchange(response=stack_invitation.Removed),
    "get_team": Exchange(response=stack_invitation.Team),
    "list_invitations": Exchange(response=list[invitation.Invitation]),
    "create_invitation": Exchange(invitation.Create, invitation.Invitation),
    "get_invitation": Exchange(response=invitation.Invitation),
    "delete_invitation": Exchange(),
    "list_organizations": Exchange(response=list[organization.Organization]),
    "get_organization": Exchange(response=organization.Organization),
    "update_organization": Exchange(organization.Update, organization.Organization),
    "create_private_endpoint": Exchange(private_endpoint.Create, organization.PrivateEndpoint),
    "list_quotas": Exchange(response=list[organization.Quota]),
    "get_quota": Exchange(response=organization.Quota),
    "get_usage_cost": Exchange(response=organization.UsageCost),
    "list_members": Exchange(response=list[member.Member]),
    "get_member": Exchange(response=member.Member),
    "update_member": Exchange(member.Update, member.Member),
    "delete_member": Exchange(),
    **_both(_collection("dashboard", "dashboards", dashboard.Create, dashboard.Update, dashboard.Dashboard)),
    **_both({"validate_dashboard": Exchange(dashboard.Create, dashboard.Judgement)}),
    **_both(_collection("alert", "alerts", alert.Change, alert.Change, alert.Alert, 1000)),
    **_both(
        _collection(
            "saved_search", "saved_searches", saved_search.Change, saved_search.Change, saved_search.SavedSearch, 1000
        )
    ),
    **_collection("stack_role", "stack_roles", stack_role.Create, stack_role.Update, stack_role.Role),
    **_both(_WEBHOOKS),
    **_both(_collection("source", "sources", source.Source, source.Source, source.Source)),
    **_collection("connection", "connections", connection.Change, connection.Change, connection.Connection),
}
