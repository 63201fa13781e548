"""Roles of the team of a service's observability server."""

from __future__ import annotations

from typing import Annotated

from pulumi_clouddb.schema.base import Compare, FilledText, Flag, JsonObject, Model, Prose, Text, Uuid, prop
from pulumi_clouddb.schema.check.wording import doubted
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, answered, option
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

_ACTIONS = ("create", "read", "update", "delete", "manage")
_ACTION = doubted("should be an action, and not *", lambda value: "manage" if value == "*" else value)
_SUBJECT = doubted(
    "should be a subject, such as dashboard, and neither * nor an action",
    lambda value: "all" if value == "*" else "" if value in _ACTIONS else value,
)


class StackPermission(Model):
    """A permission of a role (OpenAPI: `ClickStackCASLPermission`)."""

    action: Annotated[FilledText, _ACTION] | None = prop("Action, such as `read`.", required=True)
    subject: Annotated[FilledText, _SUBJECT] | None = prop("Subject, such as `dashboard`.", required=True)
    inverted: Flag | None = prop("Whether it denies the action.", unset=False)
    integration: Text | None = prop("Integration that it is limited to.")
    conditions: JsonObject | None = prop("Conditions on the object, in the server's form.")


class StackRole(Thing):
    """A role (OpenAPI: `ClickStackCreateRoleRequest`, `ClickStackRole`)."""

    service_id: Uuid | None = option("Id of the service.", required=True, replaces=True)
    name: FilledText | None = prop("Name of the role, unique in the team.", required=True)
    description: Prose | None = prop("Purpose of the role.", taken_out="it is cleared", clears="")
    permissions: list[StackPermission] | None = prop(
        "Permissions that the role allows and denies.", required=True, compare=Compare(open_objects=True)
    )
    id: Text | None = answered("Id of the role.")
    is_predefined: Flag | None = answered("Whether it is predefined; such a role cannot be changed.")
    created_at: Text | None = answered("When it was created (ISO-8601).")
    updated_at: Text | None = answered("When it was last changed (ISO-8601).")


STACK_ROLE = ResourceType(
    StackRole,
    "A role of the team of a service's observability server. Predefined roles cannot be changed or deleted.",
    required_outputs=("name", "permissions"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
)
