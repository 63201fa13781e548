"""Services: incomplete ones, waits, replacements, protection, secrets, lost passwords."""

from __future__ import annotations

from typing import Any

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import UNKNOWN

from .case import Case, Names, Run, Step
from .differences import CANCEL, NO_REASONS, PREVIEWS, TIMEOUTS
from .steps import (
    cancel,
    change,
    check,
    create,
    create_and_cancel,
    create_in_time,
    delete,
    diff,
    fault,
    from_here_on,
    has,
    later_command,
    preview_create,
    preview_update,
    refresh,
    update,
)

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}
SLOW = {"latency": {"provision": 1800}}
NOT_READY = frozenset({NO_REASONS})
UNKNOWN_YET = dict.fromkeys(("password", "endpoints", "state", "minReplicaMemoryGb"), UNKNOWN)

NOT_SET = (
    "clouddb:organizationId and clouddb:keyId are not set. Set them with `pulumi config set clouddb:organizationId …` "
    "and `pulumi config set clouddb:keyId …`, or in the environment as CLOUDDB_ORGANIZATION_ID and CLOUDDB_KEY_ID."
)
MISSPELT = (
    "clouddb:organisationId is not a setting; did you mean clouddb:organizationId? clouddb:organizationId is not set. "
    "Set it with `pulumi config set clouddb:organizationId …`, or in the environment as CLOUDDB_ORGANIZATION_ID. "
    "Rename what is not a setting: `pulumi config rm clouddb:organisationId`."
)

RENAME = (
    "clouddb:requestTimoutSeconds is not a setting; did you mean clouddb:requestTimeoutSeconds? "
    "Rename what is not a setting: `pulumi config rm clouddb:requestTimoutSeconds`, "
    "`pulumi config set clouddb:requestTimeoutSeconds …`."
)


def case(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of a service."""
    return Case(f"service: {name}", "Service", steps, **more)


def set_running(sandbox: Sandbox) -> None:
    """Set the state of the only service to running."""
    (service,) = sandbox.services
    sandbox.change("services", service, state="running")


def offline(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case that must not send anything."""
    return case(name, *steps, server=None, **more)


def running(**inputs: Any) -> Step:
    """Set state to a running service."""
    return has({**SERVICE, **inputs}, state="running")


def existing(sandbox: Sandbox) -> Names:
    """Create a running service."""
    return {"service_id": str(sandbox.add("services", **SERVICE)["id"])}


def first_of_a_warehouse(sandbox: Sandbox) -> Names:
    """Create a service with a warehouse that others can join."""
    return {"warehouse": sandbox.add("services", **{**SERVICE, "name": "first"})["dataWarehouseId"]}


def change_service(**fields: Any) -> Step:
    """Change the only service directly on the server."""
    return change(lambda run: run.sandbox.change("services", next(iter(run.sandbox.services)), **fields))


def _no_services(run: Run) -> None:
    assert run.sandbox.services == {}


def change_key(*roles: str) -> Step:
    """Change the roles of the key."""
    return change(lambda run: run.sandbox.change("keys", next(iter(run.sandbox.keys)), roles=list(roles)))


FAILED = "the server reports that the service has failed"
REPLACEABLE = {"allowReplacement": True}

CASES = [
    case(
        "one that fails at its start is in state, and the next update tries to start it",
        fault("create_service", "failed"),
        create(SERVICE, outputs={"lastError": FAILED, "state": "failed"}, secrets=["password"]),
        diff(SERVICE, changes=True, replaces=[], deleteFirst=False),
        update(
            SERVICE,
            fails="it cannot be started.*\n"
            "Ask the operator of the server to repair it, then run `pulumi up` again. If it contains no data, delete "
            "it with `pulumi destroy --target \\S+` and run `pulumi up`, which creates another one.",
        ),
        warns=(
            (
                "Service 'orders' exists and is in state, but is not yet ready: the server reports that the service "
                "has failed\nThe next `pulumi up` asks the server to start it."
            ),
        ),
        differs=NOT_READY,
    ),
    case(
        "one that fails at its start and recovers needs no update",
        fault("create_service", "failed"),
        create(SERVICE),
        change_service(state="running"),
        later_command(),
        refresh(outputs={"state": "running"}),
        diff(SERVICE, changes=False),
        differs=NOT_READY,
    ),
    case(
        "one that fails later is started by the next update, or the error says why not",
        create(SERVICE),
        change_service(state="failed"),
        later_command(),
        refresh(outputs={"state": "failed"}),
        diff(SERVICE, changes=True, replaces=[], details={"state": "UPDATE"}),
        update(SERVICE, fails="has failed, and it cannot be started"),
    ),
    case(
        "one that does not start in time is in state, and the next update continues the wait",
        create({**SERVICE, "waitTimeoutMinutes": 0.002}, outputs={"state": "provisioning"}),
        change_service(state="running"),
        later_command(),
        diff({**SERVICE, "waitTimeoutMinutes": 0.002}, details={"lastError": "DELETE"}),
        update({**SERVICE, "waitTimeoutMinutes": 0.002}, outputs={"state": "running", "lastError": None}),
        warns=(
            (
                "Service 'orders' exists and is in state, but is not yet ready: not running after 0.002 minutes, but "
                "provisioning\nThe next `pulumi up` continues from here."
            ),
        ),
        server=SLOW,
        differs=NOT_READY,
    ),
    case(
        "one without a wait is created at once",
        create({**SERVICE, "waitTimeoutMinutes": 0}, outputs={"state": "provisioning", "lastError": None}),
        diff({**SERVICE, "waitTimeoutMinutes": 0}, changes=False),
        update({**SERVICE, "waitTimeoutMinutes": 0, "name": "other"}, outputs={"name": "other", "lastError": None}),
        server=SLOW,
    ),
    case(
        "an update of one that is still starting waits, and raises if it takes too long",
        create({**SERVICE, "waitTimeoutMinutes": 0.001}),
        later_command(),
        update(
            {**SERVICE, "waitTimeoutMinutes": 0.001},
            fails="not running after .* minutes.*\n"
            "Look at it in the console, or raise waitTimeoutMinutes, then run `pulumi up` again.",
        ),
        change(lambda run: run.sandbox.advance(3600)),
        later_command(),
        update({**SERVICE, "waitTimeoutMinutes": 5}, outputs={"state": "running", "lastError": None}),
        server=SLOW,
        differs=NOT_READY,
    ),
    case(
        "an update after which it does not run is in state with the reason",
        has({**SERVICE, "waitTimeoutMinutes": 0.002}, "$service_id", state="running"),
        change_service(state="partially_running"),
        update(
            {**SERVICE, "name": "other", "waitTimeoutMinutes": 0.002},
            outputs={"name": "other", "lastError": "not running after 0.002 minutes, but partially_running"},
        ),
        setting=existing,
        differs=NOT_READY,
    ),
    case(
        "Cancel during the wait of a create",
        create_and_cancel(
            SERVICE,
            until=lambda sandbox: sandbox.count("list_services") > 1,
            then=set_running,
        ),
        server=SLOW,
        differs=frozenset({CANCEL}),
    ),
    case("Cancel without a pending operation has no effect", cancel(), create(SERVICE), cancel(), refresh()),
    case(
        "customTimeouts during the wait of a create",
        check(SERVICE),  # imports the code: its time is no part of the timeout
        create_in_time(SERVICE, timeout=3, then=set_running),
        server=SLOW,
        differs=frozenset({TIMEOUTS}),
    ),
    case(
        "a taken name is refused",
        create(SERVICE, fails=r"service 'orders' exists already, with the id <\d>"),
        setting=existing,
        sends=("list_services",),
    ),
    case(
        "a duplicate name may be allowed",
        create({**SERVICE, "allowDuplicateName": True}),
        setting=existing,
        sends=("list_services", "create_service"),
    ),
    case(
        "a key without the role is reported",
        change_key("query_endpoints"),
        create(SERVICE, fails="403"),
    ),
    case(
        "a wrong key is reported",
        create(SERVICE, fails="401"),
        config={"clouddb:keySecret": "another-secret"},
    ),
    case(
        "all missing settings are reported",
        check(SERVICE, messages=[NOT_SET]),
        create(SERVICE, fails="clouddb:organizationId and clouddb:keyId are not set"),
        server=None,
        config={"clouddb:organizationId": "", "clouddb:keyId": ""},
    ),
    case(
        "the organization of the key is found",
        create(SERVICE),
        refresh(),
        delete(),
        server={"vocabulary": "clickhouse"},
        config={"clouddb:organizationId": ""},
    ),
    case(
        "a server that does not return the organization of the key",
        check(SERVICE, messages=[]),
        fault("get_caller", "not_found", times=9),
        create(SERVICE, fails="Set it with `pulumi config set clouddb:organizationId …`"),
        server={"vocabulary": "clickhouse"},
        config={"clouddb:organizationId": ""},
    ),
    case(
        "a misspelt setting is reported with the missing ones",
        check(SERVICE, messages=[MISSPELT]),
        server=None,
        config={"clouddb:organizationId": "", "clouddb:organisationId": "o", "clouddb:team": "data"},
    ),
    case(
        "a misspelt setting is reported if none is missing",
        check(SERVICE, messages=[RENAME]),
        server=None,
        config={"clouddb:requestTimoutSeconds": "5"},
    ),
    case(
        "no server at the address",
        create(SERVICE, fails="could not"),
        server=None,
        config={"clouddb:retryTimeoutSeconds": "0"},
    ),
    case(
        "a rate limit is awaited",
        fault("create_service", "rate_limit", reset=0.05),
        create(SERVICE),
        sends=("list_services", "create_service", "create_service"),
    ),
    case(
        "a lost password is reset",
        fault("create_service", "lose"),
        create(SERVICE, secrets=["password"]),
        sends=("list_services", "create_service", "reset_password"),
    ),
    case(
        "a lost password that cannot be reset is reported, and reset by the next update",
        fault("create_service", "lose"),
        fault("reset_password", "status", status=400, text="BAD_REQUEST: no"),
        create(SERVICE),
        diff(SERVICE, details={"lastError": "DELETE"}),
        update(SERVICE, secrets=["password"], outputs={"lastError": None}),
        differs=NOT_READY,
    ),
    case(
        "a lost password of a shared warehouse is not reset",
        fault("create_service", "lose"),
        create({**SERVICE, "dataWarehouseId": "$warehouse"}, secrets=[]),
        setting=first_of_a_warehouse,
        warns=("Service 'orders' shares a warehouse; its first password was lost with the response and is not reset",),
    ),
    case(
        "secrets of the program and of the server are marked",
        check({**SERVICE, "encryptionKey": "mine"}, secrets=["encryptionKey"]),
        check({**SERVICE, "encryptionKey": UNKNOWN}, secrets=[]),
        create({**SERVICE, "encryptionKey": "mine"}, secrets=["encryptionKey", "password"]),
        later_command(),
        refresh(secrets=["encryptionKey", "password"], inputSecrets=["encryptionKey"]),
        update({**SERVICE, "encryptionKey": "mine", "name": "other"}, secrets=["encryptionKey", "password"]),
    ),
    case(
        "a protected one is not deleted",
        create({**SERVICE, "deletionProtection": True}),
        delete(
            fails="is not deleted: deletionProtection is set\n"
            "Set deletionProtection to false and run `pulumi up` once, without deleting or replacing it."
        ),
        update({**SERVICE, "deletionProtection": False}),
        delete(),
    ),
    case(
        "total memory is scaled by a separate operation",
        create({**SERVICE, "minTotalMemoryGb": 48, "maxTotalMemoryGb": 96}),
        from_here_on(),
        update({**SERVICE, "minTotalMemoryGb": 48, "maxTotalMemoryGb": 120}),
        sends=("scale_service_total",),
    ),
    case(
        "a list that cannot be read before a create is an error",
        fault("list_services", "status", status=500, text="no", times=1),
        create(SERVICE, fails="500"),
    ),
    case(
        "one that does not stop in time is not deleted, and the next run continues",
        create({**SERVICE, "waitTimeoutMinutes": 0.002}),
        delete(
            fails="is not deleted: not stopped after 0.002 minutes, but stopping\n"
            "Run again once it has stopped, or raise waitTimeoutMinutes."
        ),
        change(lambda run: run.sandbox.advance(3600)),
        later_command(),
        delete(),
        change(_no_services),
        server={"latency": {"stop": 1800}},
    ),
    case(
        "one that is not deleted in time is reported, and the next run checks again",
        create({**SERVICE, "waitTimeoutMinutes": 0.002}),
        delete(fails="was deleted, but not gone after 0.002 minutes, but .*\nRun again to check once more."),
        change(lambda run: run.sandbox.advance(3600)),
        later_command(),
        delete(),
        change(_no_services),
        server={"latency": {"delete": 1800}},
    ),
    case(
        "one that disappears from the server's responses while it starts keeps its last state",
        fault("list_services", "html", status=404, after=1, times=50),
        fault("get_service", "html", status=404, times=50),
        create(SERVICE, outputs={"state": "provisioning", "lastError": None}),
        warns=(
            (
                "This server offers no way to read a service, so the wait was skipped. "
                "Check in the console whether service <0> is running."
            ),
        ),
        server=SLOW,
    ),
    case(
        "a delete of one that is starting stops it first",
        create({**SERVICE, "waitTimeoutMinutes": 0.001}),
        later_command(),
        change_service(state="running"),
        delete(),
        server=SLOW,
        differs=NOT_READY,
    ),
    offline(
        "a change of region is refused",
        running(),
        diff(
            {**SERVICE, "region": "us-east-2"},
            fails="cannot change region .* in place.*\nPut it back, or set allowReplacement to true to delete "
            "the service and create another, without its data.",
        ),
    ),
    offline(
        "a change of the encryption key is refused without showing it",
        running(encryptionKey="old-secret"),
        diff({**SERVICE, "encryptionKey": "new-secret"}, fails="cannot change encryptionKey in place"),
    ),
    offline(
        "a change of region may be allowed, and deletes the old one first",
        running(),
        diff(
            {**SERVICE, "region": "us-east-2", "allowReplacement": True},
            replaces=["region"],
            deleteFirst=True,
            details={"region": "UPDATE_REPLACE", "allowReplacement": "ADD"},
        ),
    ),
    offline(
        "a replacement with another name is created before the old one is deleted",
        running(allowReplacement=True),
        diff(
            {**SERVICE, "name": "other", "region": "us-east-2", "allowReplacement": True},
            replaces=["region"],
            deleteFirst=False,
        ),
    ),
    offline(
        "one that keeps its name is deleted first if it may be replaced and is not protected",
        running(),
        diff({**SERVICE, "numReplicas": 4}, replaces=[], deleteFirst=False),
        diff({**SERVICE, **REPLACEABLE, "numReplicas": 4}, replaces=[], deleteFirst=True),
        diff({**SERVICE, **REPLACEABLE, "numReplicas": 4, "allowDuplicateName": True}, deleteFirst=False),
        diff({**SERVICE, **REPLACEABLE, "name": "other"}, deleteFirst=False),
        running(deletionProtection=True),
        diff({**SERVICE, **REPLACEABLE, "numReplicas": 4}, deleteFirst=False),
    ),
    offline(
        "a protected one is not replaced",
        running(deletionProtection=True, allowReplacement=True),
        diff(
            {**SERVICE, "region": "us-east-2", "allowReplacement": True},
            fails="which is protected\nSet deletionProtection to false and run `pulumi up` once before this change.",
        ),
    ),
    offline(
        "an unknown region may be a replacement if it is allowed",
        running(allowReplacement=True),
        diff({**SERVICE, "region": UNKNOWN, "allowReplacement": True}, changes=True, replaces=["region"]),
    ),
    offline(
        "an unknown region is not refused",
        running(),
        diff({**SERVICE, "region": UNKNOWN}, changes=True, replaces=[]),
    ),
    offline(
        "the preview of a new one knows only its inputs",
        preview_create({**SERVICE, "numReplicas": 2}, outputs={**UNKNOWN_YET, "id": None, "lastError": None}),
        differs=frozenset({PREVIEWS}),
    ),
    offline(
        "the preview of an update with unknown inputs",
        running(numReplicas=2),
        preview_update({**SERVICE, "numReplicas": UNKNOWN}, outputs={"numReplicas": UNKNOWN, "name": "orders"}),
        differs=frozenset({PREVIEWS}),
    ),
    offline(
        "check reports everything that is wrong",
        check(
            {"name": "or-ders", "region": "mars", "numReplicas": 21, "ipAccessList": [{"source": "10.0.0.300"}]},
            failures=["name", "region", "ipAccessList[0].source", "numReplicas"],
        ),
    ),
    offline(
        "check warns about deprecated inputs",
        check({**SERVICE, "tier": "production", "minTotalMemoryGb": 24}, failures=[]),
        warns=("Service.tier is deprecated", "Service.minTotalMemoryGb is deprecated"),
    ),
    offline(
        "check does not show a secret",
        check({**SERVICE, "encryptionKey": 987654321}, failures=["encryptionKey"]),
    ),
    offline(
        "check accepts unknown values at any depth",
        check(
            {"name": UNKNOWN, "ipAccessList": [UNKNOWN, {"source": UNKNOWN}, {"source": "any"}]},
            failures=["ipAccessList[2].source"],
        ),
    ),
]
