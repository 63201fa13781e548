"""Services: half-made ones, waits, replacements, protection, secrets, lost passwords."""

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


def runs(sandbox: Sandbox) -> None:
    """Let the only service run."""
    (service,) = sandbox.services
    sandbox.change("services", service, state="running")


def silent(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case that must not send anything."""
    return case(name, *steps, server=None, **more)


def running(**inputs: Any) -> Step:
    """Let state hold a running service."""
    return has({**SERVICE, **inputs}, state="running")


def existing(sandbox: Sandbox) -> Names:
    """Make a service that runs."""
    return {"service_id": str(sandbox.add("services", **SERVICE)["id"])}


def first_of_a_warehouse(sandbox: Sandbox) -> Names:
    """Make a service with a warehouse that others can join."""
    return {"warehouse": sandbox.add("services", **{**SERVICE, "name": "first"})["dataWarehouseId"]}


def the_only_one_is(**fields: Any) -> Step:
    """Change the only service behind everybody's back."""
    return change(lambda run: run.sandbox.change("services", next(iter(run.sandbox.services)), **fields))


def _gone(run: Run) -> None:
    assert run.sandbox.services == {}


def change_key(*roles: str) -> Step:
    """Let the key have other roles."""
    return change(lambda run: run.sandbox.change("keys", next(iter(run.sandbox.keys)), roles=list(roles)))


FAILED = "the server reports that the service has failed"
REPLACEABLE = {"allowReplacement": True}

CASES = [
    case(
        "one that fails at its start is kept, and the next update tries to start it",
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
        "one that fails at its start and recovers is taken as it is",
        fault("create_service", "failed"),
        create(SERVICE),
        the_only_one_is(state="running"),
        later_command(),
        refresh(outputs={"state": "running"}),
        diff(SERVICE, changes=False),
        differs=NOT_READY,
    ),
    case(
        "one that fails later is started by the next update, which says when that cannot be",
        create(SERVICE),
        the_only_one_is(state="failed"),
        later_command(),
        refresh(outputs={"state": "failed"}),
        diff(SERVICE, changes=True, replaces=[], details={"state": "UPDATE"}),
        update(SERVICE, fails="has failed, and it cannot be started"),
    ),
    case(
        "one that does not come up in time goes into state, and the next update finishes the wait",
        create({**SERVICE, "waitTimeoutMinutes": 0.002}, outputs={"state": "provisioning"}),
        the_only_one_is(state="running"),
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
        "one that nobody waits for is created at once",
        create({**SERVICE, "waitTimeoutMinutes": 0}, outputs={"state": "provisioning", "lastError": None}),
        diff({**SERVICE, "waitTimeoutMinutes": 0}, changes=False),
        update({**SERVICE, "waitTimeoutMinutes": 0, "name": "other"}, outputs={"name": "other", "lastError": None}),
        server=SLOW,
    ),
    case(
        "an update of one that is still coming up waits, and says so when it takes too long",
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
        "an update of one that does not come up again goes into state with the reason",
        has({**SERVICE, "waitTimeoutMinutes": 0.002}, "$service_id", state="running"),
        the_only_one_is(state="partially_running"),
        update(
            {**SERVICE, "name": "other", "waitTimeoutMinutes": 0.002},
            outputs={"name": "other", "lastError": "not running after 0.002 minutes, but partially_running"},
        ),
        setting=existing,
        differs=NOT_READY,
    ),
    case(
        "Cancel while one is waited for",
        create_and_cancel(
            SERVICE,
            until=lambda sandbox: sandbox.count("list_services") > 1,
            then=runs,
        ),
        server=SLOW,
        differs=frozenset({CANCEL}),
    ),
    case("Cancel when nothing is under way does no harm", cancel(), create(SERVICE), cancel(), refresh()),
    case(
        "customTimeouts while one is waited for",
        create_in_time(SERVICE, timeout=2, then=runs),
        server=SLOW,
        differs=frozenset({TIMEOUTS}),
    ),
    case(
        "a name that is taken is refused",
        create(SERVICE, fails=r"service 'orders' exists already, with the id <\d>"),
        setting=existing,
        sends=("list_services",),
    ),
    case(
        "a name that is taken may be allowed",
        create({**SERVICE, "allowDuplicateName": True}),
        setting=existing,
        sends=("list_services", "create_service"),
    ),
    case(
        "a key without the role is told so",
        change_key("query_endpoints"),
        create(SERVICE, fails="403"),
    ),
    case(
        "a wrong key is told so",
        create(SERVICE, fails="401"),
        config={"clouddb:keySecret": "wrong"},
    ),
    case(
        "missing settings are told at once",
        check(SERVICE, says=[NOT_SET]),
        create(SERVICE, fails="clouddb:organizationId and clouddb:keyId are not set"),
        server=None,
        config={"clouddb:organizationId": "", "clouddb:keyId": ""},
    ),
    case(
        "a misspelt setting is told beside what is missing",
        check(SERVICE, says=[MISSPELT]),
        server=None,
        config={"clouddb:organizationId": "", "clouddb:organisationId": "o", "clouddb:team": "data"},
    ),
    case(
        "a misspelt setting is told where nothing is missing",
        check(SERVICE, says=[RENAME]),
        server=None,
        config={"clouddb:requestTimoutSeconds": "5"},
    ),
    case(
        "nobody listens",
        create(SERVICE, fails="could not"),
        server=None,
        config={"clouddb:retryTimeoutSeconds": "0"},
    ),
    case(
        "a rate limit is waited for",
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
        "a lost password that cannot be reset is told, and reset by the next update",
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
        "secrets that are given, and those that only the server knows, are marked",
        check({**SERVICE, "encryptionKey": "mine"}, secrets=["encryptionKey"]),
        check({**SERVICE, "encryptionKey": UNKNOWN}, secrets=[]),
        create({**SERVICE, "encryptionKey": "mine"}, secrets=["encryptionKey", "password"]),
        later_command(),
        refresh(secrets=["encryptionKey", "password"], inputSecrets=["encryptionKey"]),
        update({**SERVICE, "encryptionKey": "mine", "name": "other"}, secrets=["encryptionKey", "password"]),
    ),
    case(
        "protected, it is not deleted",
        create({**SERVICE, "deletionProtection": True}),
        delete(
            fails="is not deleted: deletionProtection is set\n"
            "Set deletionProtection to false and run `pulumi up` once, without deleting or replacing it."
        ),
        update({**SERVICE, "deletionProtection": False}),
        delete(),
    ),
    case(
        "memory in all is scaled by an operation of its own",
        create({**SERVICE, "minTotalMemoryGb": 48, "maxTotalMemoryGb": 96}),
        from_here_on(),
        update({**SERVICE, "minTotalMemoryGb": 48, "maxTotalMemoryGb": 120}),
        sends=("scale_service_total",),
    ),
    case(
        "a list that cannot be read while it is waited for is read again",
        fault("list_services", "status", status=500, text="no", times=1),
        create(SERVICE, fails="500"),
    ),
    case(
        "one that does not stop in time is not deleted, and the next run goes on",
        create({**SERVICE, "waitTimeoutMinutes": 0.002}),
        delete(
            fails="is not deleted: not stopped after 0.002 minutes, but stopping\n"
            "Run again once it has stopped, or raise waitTimeoutMinutes."
        ),
        change(lambda run: run.sandbox.advance(3600)),
        later_command(),
        delete(),
        change(_gone),
        server={"latency": {"stop": 1800}},
    ),
    case(
        "one that does not go in time is told, and the next run looks again",
        create({**SERVICE, "waitTimeoutMinutes": 0.002}),
        delete(fails="was deleted, but not gone after 0.002 minutes, but .*\nRun again to check once more."),
        change(lambda run: run.sandbox.advance(3600)),
        later_command(),
        delete(),
        change(_gone),
        server={"latency": {"delete": 1800}},
    ),
    case(
        "one that the server no longer shows while it starts is in state as it was seen last",
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
        the_only_one_is(state="running"),
        delete(),
        server=SLOW,
        differs=NOT_READY,
    ),
    silent(
        "a change of region is refused",
        running(),
        diff(
            {**SERVICE, "region": "us-east-2"},
            fails="cannot change region .* in place.*\nPut it back, or set allowReplacement to true to delete "
            "the service and create another, without its data.",
        ),
    ),
    silent(
        "a change of the encryption key is refused without showing it",
        running(encryptionKey="old-secret"),
        diff({**SERVICE, "encryptionKey": "new-secret"}, fails="cannot change encryptionKey in place"),
    ),
    silent(
        "a change of region may be allowed, and deletes the old one first",
        running(),
        diff(
            {**SERVICE, "region": "us-east-2", "allowReplacement": True},
            replaces=["region"],
            deleteFirst=True,
            details={"region": "UPDATE_REPLACE", "allowReplacement": "ADD"},
        ),
    ),
    silent(
        "a replacement of another name comes before the old one goes",
        running(allowReplacement=True),
        diff(
            {**SERVICE, "name": "other", "region": "us-east-2", "allowReplacement": True},
            replaces=["region"],
            deleteFirst=False,
        ),
    ),
    silent(
        "one that keeps its name goes first wherever it is replaced, if that is allowed, unless it is protected",
        running(),
        diff({**SERVICE, "numReplicas": 4}, replaces=[], deleteFirst=False),
        diff({**SERVICE, **REPLACEABLE, "numReplicas": 4}, replaces=[], deleteFirst=True),
        diff({**SERVICE, **REPLACEABLE, "numReplicas": 4, "allowDuplicateName": True}, deleteFirst=False),
        diff({**SERVICE, **REPLACEABLE, "name": "other"}, deleteFirst=False),
        running(deletionProtection=True),
        diff({**SERVICE, **REPLACEABLE, "numReplicas": 4}, deleteFirst=False),
    ),
    silent(
        "a protected one is not replaced",
        running(deletionProtection=True, allowReplacement=True),
        diff(
            {**SERVICE, "region": "us-east-2", "allowReplacement": True},
            fails="which is protected\nSet deletionProtection to false and run `pulumi up` once before this change.",
        ),
    ),
    silent(
        "an unknown region is no replacement yet",
        running(allowReplacement=True),
        diff({**SERVICE, "region": UNKNOWN, "allowReplacement": True}, changes=True, replaces=["region"]),
    ),
    silent(
        "an unknown region is not refused",
        running(),
        diff({**SERVICE, "region": UNKNOWN}, changes=True, replaces=[]),
    ),
    silent(
        "the preview of a new one knows its inputs and nothing that only the server knows",
        preview_create({**SERVICE, "numReplicas": 2}, outputs={**UNKNOWN_YET, "id": None, "lastError": None}),
        differs=frozenset({PREVIEWS}),
    ),
    silent(
        "the preview of an update with unknown inputs",
        running(numReplicas=2),
        preview_update({**SERVICE, "numReplicas": UNKNOWN}, outputs={"numReplicas": UNKNOWN, "name": "orders"}),
        differs=frozenset({PREVIEWS}),
    ),
    silent(
        "check names everything that is wrong",
        check(
            {"name": "or-ders", "region": "mars", "numReplicas": 21, "ipAccessList": [{"source": "10.0.0.300"}]},
            failures=["name", "region", "ipAccessList[0].source", "numReplicas"],
        ),
    ),
    silent(
        "check warns of what is deprecated",
        check({**SERVICE, "tier": "production", "minTotalMemoryGb": 24}, failures=[]),
        warns=("Service.tier is deprecated", "Service.minTotalMemoryGb is deprecated"),
    ),
    silent(
        "check does not show a secret",
        check({**SERVICE, "encryptionKey": 987654321}, failures=["encryptionKey"]),
    ),
    silent(
        "check lets unknown values through at any depth",
        check(
            {"name": UNKNOWN, "ipAccessList": [UNKNOWN, {"source": UNKNOWN}, {"source": "any"}]},
            failures=["ipAccessList[2].source"],
        ),
    ),
]
