"""Compares the roles of the configured key with what the resources of a stack need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from clouddb_tools.commands.find.stacks import in_stack
from pulumi_clouddb.client.errors import ConfigError
from pulumi_clouddb.client.operation import OBSERVABILITY
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema._permissions import PERMISSIONS
from pulumi_clouddb.schema.secrets.redaction import redact
from pulumi_clouddb.schema.values import objects
from pulumi_clouddb.things.roles.api import Roles
from pulumi_clouddb.things.roles.role import RoleEffect

from .finding import Finding, note
from .servers import Management
from .situation import Situation


def check_permissions(
    situation: Situation, server: Management, name: str, assigned: Iterable[Mapping[str, Any]]
) -> Iterator[Finding]:
    """Yield the operations of the resources in the stack that the roles of a key permit on no object.

    Args:
        situation: The subject of the checks; without a stack, the resources are not known.
        server: The server.
        name: The key, for messages.
        assigned: The roles of the key, as in its record.
    """
    ids = {each.get("roleId") for each in assigned}
    if situation.stack is None or not ids:
        return
    listed = server.exchanges.ask(Roles.LIST.managed)
    if listed.error is not None:
        text = f"what {name} may do is not known, because it may not read its roles: {redact(str(listed.error))}"
        yield note("permissions", text.partition("\n")[0])
        return
    policies = [[*objects(each.get("policies"))] for each in objects(listed.result) if each.get("id") in ids]
    if len(policies) < len(ids) or not all(policies):
        return  # the server does not say what such a role permits, for example one of the system
    missing = _missing(situation.stack, _permitted([each for of_role in policies for each in of_role]))
    if missing:
        operations = "; ".join(f"{', '.join(actions)} ({permission})" for permission, actions in missing.items())
        text = f"the roles of {name} do not permit operations of resources in stack {situation.stack}: {operations}"
        yield note("permissions", text, "If a run needs them, add them to the policies of a role:", situation.again)


def _permitted(policies: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the permissions that some policy allows, on whatever objects, and none denies."""
    of_effect: dict[bool, set[str]] = {True: set(), False: set()}
    for each in policies:
        of_effect[each.get("allowDeny") == RoleEffect.ALLOW.value].update(each.get("permissions") or ())
    return of_effect[True] - of_effect[False]


def _missing(stack: str, permitted: set[str]) -> dict[str, list[str]]:
    """Return the permissions that are missing, each with what needs it; none if the state cannot be read."""
    try:
        kinds = sorted({(each.kind, each.service_id is not None) for each in in_stack(stack, Path())})
    except ConfigError:
        return {}
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for kind, of_service in kinds:
        for operation in RESOURCES[kind].collection.operations():
            if of_service or not operation.path.startswith(OBSERVABILITY):  # others are on the self-hosted server
                for permission in {*PERMISSIONS.get(operation.name, ())} - permitted:
                    found[permission][operation.action] = None
    return {permission: [*found[permission]] for permission in sorted(found)}
