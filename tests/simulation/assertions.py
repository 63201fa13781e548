"""The invariants that are checked after each life."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import itemgetter

from clouddb_tools.sandbox import services
from clouddb_tools.sandbox.postgres_services import CONFIGURATIONS
from clouddb_tools.sandbox.service_settings import (
    BACKUP_BUCKETS,
    BACKUP_CONFIGURATIONS,
    ENGINE_SETTINGS,
    NO_ROUTING,
    QUERY_ENDPOINTS,
    ROUTINGS,
    SCHEDULES,
    SNAPSHOT_CONFIGURATIONS,
    UPGRADE_WINDOWS,
)
from clouddb_tools.sandbox.user_defined_functions import code_of
from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.schema.tags import CREATE_TAG
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.services.enums import AT_REST

from .console_user import ConsoleUser
from .engine import Entry, HostDiedError, Stack
from .process import Machine, Process
from .programs import PIPE_PASSWORD
from .server import OVERRIDABLE, Origin, Server, overridable, stack_of

KINDS = {
    "Service": "services",
    "ApiKey": "keys",
    "Dashboard": "dashboards",
    "Alert": "alerts",
    "Role": "roles",
    "StackRole": "stack_roles",
    "Invitation": "invitations",
    "Pipe": "pipes",
    "ReversePrivateEndpoint": "reverse_private_endpoints",
    "PipeSshKey": "pipe_ssh_keys",
    "PrivateEndpoint": "private_endpoints",
    "PostgresService": "postgres_services",
    "UserDefinedFunction": "user_defined_functions",
    "UdfAttachment": "udf_attachments",
    "ByocInfrastructure": "byoc_infrastructures",
    "StackInvitation": "stack_invitations",
}
"""The sandbox's collection for each resource."""

OVERRIDES = ("PipeScaling", "PipeCdcScaling", "Member", "OrganizationSettings")
"""Resources that create no object."""

WITH_SECRETS = ("services", "keys", "postgres_services")
"""Objects with a secret. Another stack must never adopt one, even if it is equal and was never in state."""

MAX_LINES = 2


def object_of(entry: Entry) -> str | None:
    """Return the id of the object that a resource created, or None if it created none or a replacement deleted it."""
    if entry.is_deleted or entry.kind in OVERRIDES or entry.outputs.get("adopted"):
        return None
    return str(entry.outputs.get("alertId") or entry.id) if entry.kind == "Alert" else entry.id


def is_unvalidated(stack: Stack) -> bool:
    """Return whether a stack has an SSH key that only the run after its create validates."""
    return any(
        each.outputs.get("validateConnection") and each.outputs["status"] == "pending"
        for each in stack.entries.values()
    )


def is_owned(origin: Origin, id_: str, stacks: Iterable[Stack]) -> bool:
    """Return whether an object belongs to the stack for which it was created.

    With two pending creates of equal objects, it is unknown which one the server carried out. So either stack may adopt
    an object that has no secret and was never in state.
    """
    owners = [stack for stack in stacks if origin.urn and stack_of(origin.urn) == stack_of(stack.urn("", ""))]
    return origin.kind in WITH_SECRETS or any(id_ in owner.ever for owner in owners)


def _is_of_another_stack(origin: Origin, urn: str) -> bool:
    return origin.urn is not None and stack_of(origin.urn) != stack_of(urn)


def objects(server: Server, stacks: Sequence[Stack], user: ConsoleUser) -> list[str]:
    """Check that state matches the server: no lost object, no duplicate, no object of somebody else."""
    found = []
    in_state: dict[str, str] = {}
    for stack in stacks:
        for name, entry in stack.entries.items():
            id_, urn = object_of(entry), stack.urn(name, entry.kind)
            if id_ is None:
                continue
            if id_ in in_state:
                found.append(f"duplicate: {KINDS[entry.kind]} {id_} is in state as {in_state[id_]} and {urn}")
            in_state[id_] = urn
            origin = server.ledger.origins[id_]
            if server.record(KINDS[entry.kind], id_) is None:
                found.append(f"missing: {KINDS[entry.kind]} {id_} of {urn} is in state, but not on the server")
            if id_ in user.owned:
                found.append(f"foreign: {urn} has {KINDS[entry.kind]} {id_} of another user")
            elif _is_of_another_stack(origin, urn) and is_owned(origin, id_, stacks):
                found.append(f"foreign: {urn} has {KINDS[entry.kind]} {id_} of {origin.urn}")
    for kind in KINDS.values():
        for id_ in server.existing(kind):
            origin = server.ledger.origins[id_]
            if id_ not in in_state and id_ not in user.owned and id_ not in server.ledger.overrides:
                found.append(f"orphan: {kind} {id_} created for {origin.urn} is in no state")
    return found


def secrets(server: Server, stacks: Sequence[Stack]) -> list[str]:
    """Check that the server accepts every secret in state."""
    found = []
    for stack in stacks:
        for name, entry in stack.entries.items():
            outputs = entry.outputs
            if entry.kind == "Service" or (entry.kind == "PostgresService" and outputs.get("isPrimary")):
                password = outputs.get("password")
                if not password or not services.password_works(server.sandbox.state, entry.id, password):
                    found.append(f"secret: the password of {stack.urn(name, entry.kind)} does not work")
            if entry.kind == "ApiKey" and not outputs.get("adopted"):
                user, secret = outputs.get("accessKeyId"), outputs.get("keySecret")
                if not user or not secret or not server.authenticates(user, secret):
                    found.append(f"secret: the secret of {stack.urn(name, entry.kind)} does not work")
    return found


def settings(server: Server, stacks: Sequence[Stack]) -> list[str]:
    """Check that the server's settings of each service equal those in state."""
    found, store = [], server.sandbox.state.store
    for stack in stacks:
        for name, entry in stack.entries.items():
            outputs = entry.outputs
            if entry.kind == "PostgresService":
                found += _postgres_settings(server, stack.urn(name, entry.kind), entry)
            if entry.kind != "Service" or server.dialect is VocabularyName.NEUTRAL:
                continue
            record = store.get("services", entry.id) or {}
            tags = record.get("tags", [])
            actual = {
                "tags": sorted((tag for tag in tags if tag["key"] != CREATE_TAG), key=itemgetter("key")),
                "backups": store.get(BACKUP_CONFIGURATIONS, entry.id),
                "snapshots": bool((store.get(SNAPSHOT_CONFIGURATIONS, entry.id) or {}).get("enabled")),  # off at first
                "routing": (store.get(ROUTINGS, entry.id) or NO_ROUTING).get("httpEnabled"),
                "roles": (store.get(QUERY_ENDPOINTS, entry.id) or {}).get("roles"),
                "scheduled": store.get(SCHEDULES, entry.id) is not None,
                "windowed": store.get(UPGRADE_WINDOWS, entry.id) is not None,
                "values": {name: str(value) for name, value in (store.get(ENGINE_SETTINGS, entry.id) or {}).items()},
                "bucket": (store.get(BACKUP_BUCKETS, entry.id) or {}).get("containerName"),
                "stopped": record.get("state") in AT_REST if "stopped" in outputs else None,
            }
            expected = {
                "tags": sorted(outputs.get("tags", ()), key=itemgetter("key")),
                "backups": outputs.get("backupConfiguration"),
                "snapshots": outputs.get("snapshotConfiguration", {}).get("enabled"),
                "routing": outputs.get("replicaAwareRouting", {}).get("httpEnabled"),
                "roles": outputs.get("queryEndpoint", {}).get("roles"),
                "scheduled": "scalingSchedule" in outputs,
                "windowed": "upgradeWindow" in outputs,
                "values": outputs.get("settings", {}),
                "bucket": outputs.get("backupBucket", {}).get("containerName"),
                "stopped": outputs.get("stopped"),
            }
            if actual != expected:
                found.append(f"settings: {stack.urn(name, entry.kind)} has {actual}, and state has {expected}")
    return found


def _postgres_settings(server: Server, urn: str, entry: Entry) -> list[str]:
    """Check the tags and the settings of a Postgres service; a replica has those of its primary."""
    store = server.sandbox.state.store
    record = store.get("postgres_services", entry.id) or {}
    if record.get("isPrimary") is False:
        return []
    configuration = (store.get(CONFIGURATIONS, entry.id) or {}).get("pgConfig")
    tags = [tag for tag in record.get("tags", []) if tag["key"] != CREATE_TAG]
    actual = {"tags": tags, "pgConfig": configuration, "size": record.get("size")}
    expected = {name: entry.outputs.get(name) for name in actual}
    return [] if actual == expected else [f"settings: {urn} has {actual}, and state has {expected}"]


def tables(server: Server) -> list[str]:
    """Check that no pipe reads a table twice; updates add and remove tables by difference."""
    found = []
    for id_ in server.existing("pipes"):
        source = (server.record("pipes", id_) or {})["source"]
        names = [each["targetTable"] for each in source.get("postgres", {}).get("tableMappings", ())]
        if len(names) != len(set(names)):
            found.append(f"tables: pipe {id_} reads {names}")
    return found


def versions(server: Server, stacks: Sequence[Stack]) -> list[str]:
    """Check that functions have the code in state, and that no two successive versions have the same code.

    For each version whose response was lost, one more may have the same code (docs/reliability.md).
    """
    found = []
    for stack in stacks:
        for entry in stack.entries.values():
            record = server.record("user_defined_functions", entry.id) if entry.kind == "UserDefinedFunction" else None
            if record is not None and code_of(record) != entry.outputs["files"]:
                found.append(f"code: function {entry.id} has {code_of(record)}, not that of state")
    for id_ in server.existing("user_defined_functions"):
        record = server.record("user_defined_functions", id_) or {}
        codes = [each.get("content") for each in (*record["older"], record)]
        if sum(one == other for one, other in pairwise(codes)) > server.ledger.lost_versions[id_]:
            found.append(f"versions: function {id_} has the same code in two versions of {len(codes)}")
    return found


def not_restored(server: Server) -> list[str]:
    """Check after a destroy that overridden properties have a value that a user set."""
    found = []
    for id_, override in server.ledger.overrides.items():
        for kind in OVERRIDABLE:
            record = server.record(kind, id_)
            actual = overridable(kind, record) if record else None
            if actual and actual not in override.acceptable:
                found.append(f"not restored: {kind} {id_} has {actual}, users set {override.acceptable}")
    return found


def messages(
    server: Server,
    processes: Iterable[Process],
    errors: Iterable[tuple[str, Exception]],
    stacks: Iterable[Stack],
    machines: Iterable[Machine],
) -> list[str]:
    """Check that errors are of the public tree and short, and that no message and no disk contains a secret."""
    found = []
    processes = list(processes)
    texts = [warning for process in processes for warning in process.warnings]
    for process in processes:
        found += [f"error: {fault}" for fault in process.faults]
    for name, error in errors:
        if isinstance(error, HostDiedError):
            continue
        texts.append(str(error))
        if isinstance(error, CloudDBError) and len(str(error).splitlines()) > MAX_LINES:
            found.append(f"error: the message for {name} has more than {MAX_LINES} lines: {error}")
    texts += [json.dumps(machine.disk) for machine in machines]
    identity = server.sandbox.state.identity
    known = {*server.ledger.secrets, identity.keySecret, identity.stackToken, PIPE_PASSWORD}
    for stack in stacks:
        for entry in stack.entries.values():
            known |= {str(entry.outputs[name]) for name in ("password", "keySecret") if entry.outputs.get(name)}
    text = "\n".join(texts)
    found += [f"leak: a secret is in a message or on a disk: {secret[:4]}…" for secret in known if secret in text]
    return found
