"""Services in the clickhouse dialect: tags, scaling in both modes, and the settings with operations of their own."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from .case import Case, Run, Step
from .differences import IMPORT, NO_REASONS
from .steps import change, check, create, diff, fault, from_here_on, import_, later_command, refresh, update


def sha256(password: str) -> str:
    """Return what is sent of a password."""
    return base64.b64encode(hashlib.sha256(password.encode()).digest()).decode()


CLICKHOUSE = {"vocabulary": "clickhouse"}
SERVICE = {"name": "[e2e]-orders_1", "provider": "aws", "region": "us-east-1"}
OWN, OTHER = "correct horse", "battery staple"
SHA1 = "0a" * 20
TAGS = [{"key": "team", "value": "shop"}, {"key": "stage"}]
VERTICAL = {"minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 32, "numReplicas": 3}
HORIZONTAL = {
    "autoscalingMode": "horizontal",
    "minReplicaMemoryGb": 16,
    "maxReplicaMemoryGb": 16,
    "minReplicas": 2,
    "maxReplicas": 5,
}
NIGHT = {"name": "night", "weekdays": [1, 2], "startHourUtc": 22, "endHourUtc": 6, "numReplicas": 2}
WEEKEND = {
    "name": "weekend",
    "weekdays": [6, 0],
    "startHourUtc": 0,
    "endHourUtc": 24,
    "idleScaling": True,
    **HORIZONTAL,
}
IMPORTED = {"entries": [{**NIGHT, "autoscalingMode": "vertical"}, WEEKEND]}
GCP: dict[str, Any] = {"bucketProvider": "GCP", "bucketPath": "gs://orders", "accessKeyId": "GOOG1"}
AWS: dict[str, Any] = {
    "bucketProvider": "AWS",
    "bucketPath": "s3://orders",
    "iamRoleArn": "arn:aws:iam::1:role/backups",
}
AZURE: dict[str, Any] = {"bucketProvider": "AZURE", "containerName": "orders"}
SETTINGS: dict[str, Any] = {
    "backupConfiguration": {"backupPeriodInHours": 12, "backupRetentionPeriodInHours": 48},
    "queryEndpoint": {"roles": ["sql_console_read_only"], "openApiKeys": ["k2", "k1"]},
    "scalingSchedule": {"entries": [NIGHT, WEEKEND]},
    "upgradeWindow": {"weekday": 3, "startHourUtc": 12},
    "settings": {"max_query_size": "262144", "keep_alive_timeout": "30"},
    "backupBucket": AZURE,
    "backupBucketSecret": "canary-of-the-connection-string",
    "passwordHash": sha256(OWN),
    "passwordDoubleSha1Hash": SHA1,
}
NAMES = ("backupConfiguration", "queryEndpoint", "upgradeWindow", "settings", "backupBucket")
FOUND = {name: SETTINGS[name] for name in NAMES}
"""What an import asks for by requests of its own."""
ALL = {**SERVICE, **SETTINGS}


SENT = (
    *("reset_password", "configure_backups", "set_query_endpoint", "set_scaling_schedule"),
    *("set_upgrade_window", "update_settings", "create_backup_bucket"),
)
"""What a create sends once the service runs."""


def case(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of a service in the dialect."""
    return Case(f"service there: {name}", "Service", steps, server=CLICKHOUSE, **more)


def by_hand(method: str, path: str, **body: Any) -> Step:
    """Let a person change what stands beside the service."""

    def act(run: Run) -> None:
        with run.sandbox.management() as http:
            assert http.request(method, f"/services/{run.id}{path}", json=body or None).status_code == 200

    return change(act)


def holds(path: str, status: int = 200, **fields: Any) -> Step:
    """Hold what the server answers of the service, or of what stands beside it."""

    def look(run: Run) -> None:
        with run.sandbox.management() as http:
            response = http.get(f"/services/{run.id}{path}")
        assert response.status_code == status, response.text
        result = response.json().get("result", {})
        result["tags"] = [tag for tag in result.get("tags") or () if tag["key"] != "pulumi-clouddb-create"]
        assert {name: result.get(name) for name in fields} == run.fill(fields)

    return change(look)


def opens(password: str | None = None) -> Step:
    """Hold which password the service has: this one, or that in state."""

    def look(run: Run) -> None:
        assert run.sandbox.password_works(run.id, password or run.state["password"])

    return change(look)


def written(*operations: str) -> Step:
    """Hold what was sent from there on that changes something, in that order."""

    def look(run: Run) -> None:
        sent = [each.operation for each in run.sandbox.requests[run.before :] if each.method != "GET"]
        assert sent == [*operations]

    return change(look)


def entries(*said: dict[str, Any]) -> Step:
    """Hold the names of the entries of the schedule."""

    def look(run: Run) -> None:
        with run.sandbox.management() as http:
            result = http.get(f"/services/{run.id}/scalingSchedule").json()["result"]
        assert [entry["name"] for entry in result["entries"]] == [entry["name"] for entry in said]

    return change(look)


def has_settings(**values: str) -> Step:
    """Hold the settings of the engine."""

    def look(run: Run) -> None:
        with run.sandbox.management() as http:
            found = http.get(f"/services/{run.id}/clickhouseSettings").json()["result"]["settings"]
        assert {each["name"]: each["value"] for each in found} == values

    return change(look)


def secret_of_bucket(*secrets: str | None) -> Step:
    """Hold the secrets that were sent from there on with a bucket."""

    def look(run: Run) -> None:
        sent = [each for each in run.sandbox.requests[run.before :] if str(each.operation).endswith("_backup_bucket")]
        bodies = [each.body for each in sent if isinstance(each.body, dict)]
        assert [each.get("secretAccessKey", each.get("connectionString")) for each in bodies] == [*secrets]

    return change(look)


def only_lists(run: Run) -> None:
    """Hold that nothing but lists of services was asked for."""
    assert {each.operation for each in run.sandbox.requests[run.before :]} == {"list_services"}


def waits(run: Run) -> None:
    """Hold that state tells what is left to do, and no secret of which nobody knows whether it has arrived."""
    assert "could not be set" in run.state["lastError"]
    assert {"passwordHash", "passwordDoubleSha1Hash", "backupBucketSecret"}.isdisjoint(run.state["__managed"])


CASES = [
    case(
        "all of it is created, found again, and not sent again",
        create({**ALL, "tags": TAGS, "enableCoreDumps": False, **HORIZONTAL}, outputs={"password": None}),
        holds("", tags=[*TAGS], enableCoreDumps=False, minReplicas=2, maxReplicas=5, replicaMemoryGb=16),
        holds("/backupConfiguration", backupPeriodInHours=12, backupRetentionPeriodInHours=48),
        holds("/serviceQueryEndpoint", roles=["sql_console_read_only"], openApiKeys=["k2", "k1"], allowedOrigins=""),
        entries(NIGHT, WEEKEND),
        holds("/upgradeWindow", weekday=3, startHourUtc=12, duration=6),
        has_settings(max_query_size="262144", keep_alive_timeout="30"),
        holds("/backupBucket", **AZURE),
        opens(OWN),
        later_command(),
        refresh(outputs={"autoscalingMode": "horizontal"}),
        diff({**ALL, "tags": TAGS, "enableCoreDumps": False, **HORIZONTAL}, changes=False),
        diff({**ALL, "tags": TAGS[::-1], "enableCoreDumps": False, **HORIZONTAL}, changes=False),
    ),
    case(
        "only what changes is sent",
        create(ALL),
        from_here_on(),
        update({**ALL, "backupConfiguration": {"backupRetentionPeriodInHours": 72}}),
        written("configure_backups"),
        holds("/backupConfiguration", backupPeriodInHours=24, backupRetentionPeriodInHours=72),
        later_command(),
        from_here_on(),
        update({**ALL, "passwordHash": sha256(OTHER), "backupConfiguration": {"backupStartTime": "02:00"}}),
        written("reset_password", "configure_backups"),
        opens(OTHER),
        holds("/backupConfiguration", backupStartTime="02:00", backupRetentionPeriodInHours=24),
    ),
    case(
        "what is taken out again is cleared",
        create({**ALL, "tags": TAGS}),
        by_hand("PATCH", "", tags={"add": [{"key": "by", "value": "hand"}]}),
        later_command(),
        update(SERVICE),
        holds("/backupConfiguration", backupPeriodInHours=24, backupRetentionPeriodInHours=24),
        holds("/serviceQueryEndpoint", status=404),
        holds("/scalingSchedule", status=404),
        holds("/upgradeWindow", status=404),
        has_settings(),
        holds("/backupBucket", status=404),
        holds("", tags=[{"key": "by", "value": "hand"}]),
        opens(OWN),
        later_command(),
        refresh(),
        diff(SERVICE, changes=False),
    ),
    case(
        "what a person changes is shown by name, where the program says it",
        create({**ALL, "tags": TAGS}),
        by_hand("PATCH", "/backupConfiguration", backupRetentionPeriodInHours=96),
        by_hand("POST", "/serviceQueryEndpoint", roles=["sql_console_admin"], openApiKeys=["k1", "k2"]),
        by_hand("POST", "/scalingSchedule", entries=[NIGHT, {**WEEKEND, "endHourUtc": 12}]),
        by_hand("PATCH", "", tags={"remove": [{"key": "stage"}]}),
        later_command(),
        refresh(
            inputs={
                "backupConfiguration": {"backupPeriodInHours": 12, "backupRetentionPeriodInHours": 96},
                "scalingSchedule": {"entries": [NIGHT, {**WEEKEND, "endHourUtc": 12}]},
                "tags": TAGS[:1],
            }
        ),
        diff({**ALL, "tags": TAGS}, changes=True),
        later_command(),
        update({**ALL, "tags": TAGS}),
        holds("/backupConfiguration", backupRetentionPeriodInHours=48),
        holds("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
        refresh(),
        diff({**ALL, "tags": TAGS}, changes=False),
    ),
    case(
        "what a person deletes is shown, and set again",
        create(ALL),
        by_hand("DELETE", "/serviceQueryEndpoint"),
        by_hand("DELETE", "/scalingSchedule"),
        later_command(),
        refresh(),
        diff(ALL, changes=True, details={"queryEndpoint": "ADD", "scalingSchedule": "ADD"}),
        update(ALL),
        entries(NIGHT, WEEKEND),
        holds("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
    ),
    case(
        "the window, the settings and the bucket of a person are shown and put back, what nobody names is left alone",
        create(ALL),
        by_hand("PUT", "/upgradeWindow", weekday=0, startHourUtc=0),
        by_hand("PATCH", "/clickhouseSettings", settings={"max_query_size": 1, "compatibility": "24.8"}),
        by_hand("DELETE", "/clickhouseSettings/keep_alive_timeout"),
        by_hand("DELETE", "/backupBucket"),
        by_hand("POST", "/backupBucket", **AWS),
        later_command(),
        refresh(
            inputs={
                "upgradeWindow": {"weekday": 0, "startHourUtc": 0},
                "settings": {"max_query_size": "1"},
                "backupBucket": {"bucketProvider": "AWS"},
            }
        ),
        diff(ALL, changes=True, replaces=[]),
        later_command(),
        update(ALL),
        holds("/upgradeWindow", weekday=3, startHourUtc=12),
        has_settings(max_query_size="262144", compatibility="24.8", keep_alive_timeout="30"),
        holds("/backupBucket", **AZURE),
        refresh(),
        diff(ALL, changes=False),
    ),
    case(
        "of settings only what changes is sent, and each that is taken out is reset",
        create(ALL),
        from_here_on(),
        update({**ALL, "settings": {"max_query_size": "1", "compatibility": "24.8"}}),
        written("update_settings", "delete_setting"),
        has_settings(max_query_size="1", compatibility="24.8"),
        warns=("Setting compatibility of service '[e2e]-orders_1': Test queries before you change",),
    ),
    case(
        "settings that the server does not have are refused before anything is sent",
        create({**SERVICE, "settings": {"max_query_size": "1"}}),
        from_here_on(),
        update(
            {**SERVICE, "name": "other", "settings": {"max_query_sise": "1", "keep_alive_timeout": "long"}},
            fails=r"settings: keep_alive_timeout must be a whole number, not 'long'; the server has no setting "
            r"max_query_sise; did you mean max_query_size\?\nNone of them was sent",
        ),
        update(
            {**SERVICE, "settings": {"shared_merge_tree_disable_merges_and_mutations_assignment": "2"}},
            fails="must be one of 0, 1, not '2'",
        ),
        written(),
        has_settings(max_query_size="1"),
    ),
    case(
        "a server without a schema of its settings is sent them as they are",
        create(SERVICE),
        fault("get_settings_schema", "status", status=405, times=2),
        update({**SERVICE, "settings": {"compatibility": "24.8"}}),
        has_settings(compatibility="24.8"),
        warns=("Setting compatibility of service",),
    ),
    case(
        "the secret of a bucket goes with each change of it, and by itself",
        create({**SERVICE, "backupBucket": GCP, "backupBucketSecret": "canary-1"}),
        from_here_on(),
        update({**SERVICE, "backupBucket": GCP, "backupBucketSecret": "canary-2"}),
        secret_of_bucket("canary-2"),
        from_here_on(),
        update({**SERVICE, "backupBucket": {**GCP, "bucketPath": "gs://other"}, "backupBucketSecret": "canary-2"}),
        secret_of_bucket("canary-2"),
        holds("/backupBucket", bucketPath="gs://other", secretAccessKey=None),
        check(
            {**SERVICE, "backupBucket": GCP},
            failures=["backupBucket"],
        ),
        check({**SERVICE, "backupBucket": {**GCP, "bucketPath": "gs://other"}}, failures=[]),
        from_here_on(),
        update({**SERVICE, "backupBucket": AWS}),
        written("delete_backup_bucket", "create_backup_bucket"),
        holds("/backupBucket", **AWS),
    ),
    case(
        "a service of a warehouse has the window of the first one, and none of its own",
        create(SERVICE),
        change(lambda run: run.sandbox.change("services", run.id, isPrimary=False)),
        later_command(),
        update(
            {**SERVICE, "upgradeWindow": {"weekday": 3, "startHourUtc": 12}},
            fails="upgrade window is set for the primary service of a warehouse only",
        ),
    ),
    case(
        "what the server offers no way to read stays in state as it is",
        create(ALL),
        later_command(),
        fault("get_backup_configuration", "html", status=404, times=9),
        refresh(inputs={"backupConfiguration": SETTINGS["backupConfiguration"]}),
        diff(ALL, changes=False),
        warns=("This server offers no way to read backupConfiguration of a service; state keeps its last value.",),
    ),
    case(
        "what no program says is not asked for",
        create(SERVICE),
        later_command(),
        from_here_on(),
        refresh(),
        change(only_lists),
    ),
    *(
        case(
            f"a lost response of {operation} loses nothing",
            fault(operation, "lose", times=2),
            create(ALL, outputs={"lastError": None, "password": None}),
            holds("/backupConfiguration", backupPeriodInHours=12),
            holds("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
            entries(NIGHT, WEEKEND),
            opens(OWN),
            diff(ALL, changes=False),
        )
        for operation in SENT
    ),
    *(
        case(
            f"a refusal of {operation} is made good by the next update",
            fault(operation, "status", status=400, text="BAD_REQUEST: not yet"),
            create(ALL),
            change(waits),
            diff(ALL, changes=True, replaces=[]),
            later_command(),
            refresh(),
            diff(ALL, changes=True, replaces=[]),
            update(ALL, outputs={"lastError": None, "password": None}),
            holds("/backupConfiguration", backupPeriodInHours=12),
            holds("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
            entries(NIGHT, WEEKEND),
            opens(OWN),
            later_command(),
            refresh(),
            diff(ALL, changes=False),
            differs=frozenset({NO_REASONS}),
        )
        for operation in SENT
    ),
    *(
        case(
            f"what arrived before a refusal is cleared when the program no longer says it{where}",
            fault("create_backup_bucket", "status", status=400, text="BAD_REQUEST: not yet"),
            *([fault("get_query_endpoint", "status", status=500)] if where else []),
            create(ALL),
            change(waits),
            later_command(),
            from_here_on(),
            update(SERVICE, outputs={"lastError": None}),
            holds("/scalingSchedule", status=404),
            holds("/upgradeWindow", status=404),
            holds("/serviceQueryEndpoint", status=404),
            has_settings(),
            differs=frozenset({NO_REASONS}),
        )
        for where in ("", ", where it cannot be read")
    ),
    case(
        "a lost response of the create leaves one service with all of it",
        fault("create_service", "lose"),
        create({**ALL, "tags": TAGS}, outputs={"password": None}),
        holds("", tags=[*TAGS]),
        holds("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
        opens(OWN),
        diff({**ALL, "tags": TAGS}, changes=False),
    ),
    case(
        "as many tags as there may be: the mark of the creation makes room",
        create({**SERVICE, "tags": [{"key": f"k{index}"} for index in range(50)]}),
        holds("", tags=[{"key": f"k{index}"} for index in range(50)]),
        diff({**SERVICE, "tags": [{"key": f"k{index}"} for index in range(50)]}, changes=False),
    ),
    case(
        "scaling goes from one mode to the other and back",
        create({**SERVICE, **VERTICAL}, outputs={"autoscalingMode": "vertical"}),
        from_here_on(),
        update({**SERVICE, **HORIZONTAL}, outputs={"numReplicas": None, "replicaMemoryGb": 16}),
        written("scale_service"),
        holds("", autoscalingMode="horizontal", minReplicas=2, maxReplicas=5, numReplicas=None),
        refresh(),
        diff({**SERVICE, **HORIZONTAL}, changes=False),
        update({**SERVICE, **HORIZONTAL, "maxReplicas": 6}),
        holds("", maxReplicas=6),
        update({**SERVICE, **VERTICAL}, outputs={"replicaMemoryGb": None}),
        holds("", autoscalingMode="vertical", numReplicas=3, minReplicas=None, maxReplicaMemoryGb=32),
        refresh(),
        diff({**SERVICE, **VERTICAL}, changes=False),
    ),
    case(
        "a rotation makes another password",
        create({**SERVICE, "passwordRotation": "1"}),
        opens(),
        update({**SERVICE, "passwordRotation": "2"}, secrets=["password"]),
        opens(),
        update({**SERVICE, "passwordRotation": "1"}, secrets=["password"]),
        opens(),
    ),
    case(
        "import takes the settings and the tags in the words of a program",
        create({**ALL, "tags": TAGS}),
        later_command(),
        import_("$id", inputs={**FOUND, "tags": TAGS, "scalingSchedule": IMPORTED}),
        differs=frozenset({IMPORT}),
    ),
    case(
        "import leaves out what nobody has set",
        create(SERVICE),
        later_command(),
        import_("$id", inputs=dict.fromkeys((*NAMES, "scalingSchedule"))),
        differs=frozenset({IMPORT}),
    ),
    case(
        "import goes without settings that the server does not offer",
        create(ALL),
        later_command(),
        fault("get_backup_configuration", "status", status=405),
        fault("get_query_endpoint", "status", status=405),
        fault("get_settings", "status", status=405),
        import_("$id", inputs={"backupConfiguration": None, "queryEndpoint": None, "name": SERVICE["name"]}),
        differs=frozenset({IMPORT}),
    ),
]
