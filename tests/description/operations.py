"""What each operation of the clickhouse dialect takes and answers, by its name in `api.operations`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pipes import described as pipe
from typing import Any

from alerts import described as alert
from byoc_infrastructures import described as byoc
from connections import described as connection
from dashboards import described as dashboard
from invitations import described as invitation
from keys import described as api_key
from members import described as member
from organizations import described as organization
from pipe_cdc_scalings import described as cdc_scaling
from postgres_services import described as postgres
from private_endpoints import described as private_endpoint
from reverse_private_endpoints import described as endpoint
from roles import described as role
from saved_searches import described as saved_search
from services import described as service
from sources import described as source
from stack_invitations import described as stack_invitation
from stack_roles import described as stack_role
from udfs import described as udf
from webhooks import described as webhook


@dataclass(frozen=True)
class Exchange:
    """What one operation takes and answers; None where there is no body, or no object in the answer."""

    takes: Any = None
    answers: Any = None


def _both(exchanges: Mapping[str, Exchange]) -> dict[str, Exchange]:
    """Return the operations of both forms."""
    return {f"{form}{name}": each for name, each in exchanges.items() for form in ("", "self_hosted_")}


def _collection(one: str, several: str, create: Any, update: Any, record: Any) -> dict[str, Exchange]:
    return {
        f"list_{several}": Exchange(answers=list[record]),
        f"create_{one}": Exchange(create, record),
        f"get_{one}": Exchange(answers=record),
        f"update_{one}": Exchange(update, record),
        f"delete_{one}": Exchange(),
    }


_WEBHOOKS = {
    name: each
    for name, each in _collection("webhook", "webhooks", webhook.Change, webhook.Change, webhook.Webhook).items()
    if name != "get_webhook"  # there is none
}

EXCHANGES: Mapping[str, Exchange] = {
    **_collection("service", "services", service.Create, service.Update, service.Service),
    "create_service": Exchange(service.Create, service.Created),
    "scale_service": Exchange(service.ReplicaScaling, service.Service),
    "scale_service_total": Exchange(service.TotalScaling, service.Service),
    "command_service": Exchange(service.Command, service.Service),
    "reset_password": Exchange(service.PasswordChange, service.Password),
    "get_backup_configuration": Exchange(answers=service.BackupConfiguration),
    "configure_backups": Exchange(service.BackupChange, service.BackupConfiguration),
    "get_query_endpoint": Exchange(answers=service.QueryEndpoint),
    "set_query_endpoint": Exchange(service.QueryEndpointChange, service.QueryEndpoint),
    "delete_query_endpoint": Exchange(),
    "get_scaling_schedule": Exchange(answers=service.Schedule),
    "set_scaling_schedule": Exchange(service.ScheduleChange, service.Schedule),
    "delete_scaling_schedule": Exchange(),
    "get_upgrade_window": Exchange(answers=service.UpgradeWindow),
    "set_upgrade_window": Exchange(service.UpgradeWindowChange, service.UpgradeWindow),
    "delete_upgrade_window": Exchange(),
    "get_settings": Exchange(answers=service.Settings),
    "get_settings_schema": Exchange(answers=service.SettingsSchema),
    "update_settings": Exchange(service.SettingsChange, service.SettingsChanged),
    "delete_setting": Exchange(),
    "get_backup_bucket": Exchange(answers=service.Bucket),
    "create_backup_bucket": Exchange(service.BucketChange, service.Bucket),
    "update_backup_bucket": Exchange(service.BucketChange, service.Bucket),
    "delete_backup_bucket": Exchange(),
    "get_private_endpoint_config": Exchange(answers=service.PrivateEndpointConfig),
    "list_backups": Exchange(answers=list[service.Backup]),
    "get_backup": Exchange(answers=service.Backup),
    **_collection("pipe", "pipes", pipe.Create, pipe.Change, pipe.Pipe),
    "discover_pipe_schema": Exchange(pipe.Discovery, pipe.Schema),
    "command_pipe": Exchange(pipe.Command, pipe.Pipe),
    "get_pipe_settings": Exchange(answers=pipe.Settings),
    "set_pipe_settings": Exchange(pipe.Settings, pipe.Settings),
    "scale_pipe": Exchange(pipe.ScalingChange, pipe.Pipe),
    "get_pipe_cdc_scaling": Exchange(answers=cdc_scaling.Scaling),
    "update_pipe_cdc_scaling": Exchange(cdc_scaling.Scaling, cdc_scaling.Scaling),
    **_collection(
        "reverse_private_endpoint", "reverse_private_endpoints", endpoint.Create, endpoint.Update, endpoint.Endpoint
    ),
    **_collection("postgres_service", "postgres_services", postgres.Create, postgres.Update, postgres.Service),
    "list_postgres_services": Exchange(answers=list[postgres.Listed]),
    "command_postgres_service": Exchange(postgres.Command, postgres.Service),
    "create_postgres_read_replica": Exchange(postgres.Replica, postgres.Service),
    "restore_postgres_service": Exchange(postgres.Restore, postgres.Service),
    "set_postgres_password": Exchange(postgres.PasswordChange, postgres.Password),
    "get_postgres_config": Exchange(answers=postgres.Configuration),
    "update_postgres_config": Exchange(postgres.Configuration, postgres.Configured),
    "replace_postgres_config": Exchange(postgres.Configuration, postgres.Configured),
    "get_postgres_certificates": Exchange(answers=str),
    **_collection("key", "keys", api_key.Create, api_key.Update, api_key.Key),
    "create_key": Exchange(api_key.Create, api_key.Created),
    **_collection("role", "roles", role.Create, role.Update, role.Role),
    "list_user_defined_functions": Exchange(answers=list[udf.Function]),
    "create_user_defined_function": Exchange(udf.Create, udf.Function),
    "get_user_defined_function": Exchange(answers=udf.Function),
    "list_user_defined_function_versions": Exchange(answers=list[udf.Function]),
    "publish_user_defined_function": Exchange(udf.NewVersion, udf.Function),
    "delete_user_defined_function": Exchange(),
    "delete_user_defined_function_version": Exchange(),
    "create_upload": Exchange(answers=udf.Upload),
    "list_udf_attachments": Exchange(answers=list[udf.Attachment]),
    "get_udf_attachment": Exchange(answers=udf.Attachment),
    "attach_udf": Exchange(udf.Attach, udf.Attachment),
    "detach_udf": Exchange(),
    "create_byoc_infrastructure": Exchange(byoc.Create, organization.Byoc),
    "update_byoc_infrastructure": Exchange(byoc.Update, organization.Byoc),
    "delete_byoc_infrastructure": Exchange(),
    "list_stack_invitations": Exchange(answers=list[stack_invitation.Invitation]),
    "create_stack_invitation": Exchange(stack_invitation.Create, stack_invitation.Invited),
    "delete_stack_invitation": Exchange(answers=stack_invitation.Removed),
    "list_stack_members": Exchange(answers=list[stack_invitation.Member]),
    "delete_stack_member": Exchange(answers=stack_invitation.Removed),
    "get_team": Exchange(answers=stack_invitation.Team),
    "list_invitations": Exchange(answers=list[invitation.Invitation]),
    "create_invitation": Exchange(invitation.Create, invitation.Invitation),
    "get_invitation": Exchange(answers=invitation.Invitation),
    "delete_invitation": Exchange(),
    "list_organizations": Exchange(answers=list[organization.Organization]),
    "get_organization": Exchange(answers=organization.Organization),
    "update_organization": Exchange(organization.Update, organization.Organization),
    "create_private_endpoint": Exchange(private_endpoint.Create, organization.PrivateEndpoint),
    "list_quotas": Exchange(answers=list[organization.Quota]),
    "get_quota": Exchange(answers=organization.Quota),
    "get_usage_cost": Exchange(answers=organization.UsageCost),
    "list_members": Exchange(answers=list[member.Member]),
    "get_member": Exchange(answers=member.Member),
    "update_member": Exchange(member.Update, member.Member),
    "delete_member": Exchange(),
    **_both(_collection("dashboard", "dashboards", dashboard.Create, dashboard.Update, dashboard.Dashboard)),
    **_both({"validate_dashboard": Exchange(dashboard.Create, dashboard.Judgement)}),
    **_both(_collection("alert", "alerts", alert.Change, alert.Change, alert.Alert)),
    **_both(
        _collection(
            "saved_search", "saved_searches", saved_search.Change, saved_search.Change, saved_search.SavedSearch
        )
    ),
    **_collection("stack_role", "stack_roles", stack_role.Create, stack_role.Update, stack_role.Role),
    **_both(_WEBHOOKS),
    **_both(_collection("source", "sources", source.Source, source.Source, source.Source)),
    **_collection("connection", "connections", connection.Change, connection.Change, connection.Connection),
}
