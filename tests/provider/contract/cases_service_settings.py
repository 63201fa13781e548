"""Services in the clickhouse dialect: tags, scaling in both modes, and the settings with separate operations."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from .case import Case, Run, Step
from .differences import IMPORT, NO_REASONS
from .steps import change, check, create, diff, fault, from_here_on, import_, later_command, refresh, update


def sha256(password: str) -> str:
    """Return the hash of a password that is sent."""
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
GCP: dict[str, Any] = {"bucketProvider": "GCP", "bucketPath": "gs://orders", "accessKeyId": "GOOG1"}
AWS: dict[str, Any] = {
    "bucketProvider": "AWS",
    "bucketPath": "s3://orders",
    "iamRoleArn": "arn:aws:iam::1:role/backups",
}
AZURE: dict[str, Any] = {"bucketProvider": "AZURE", "containerName": "orders"}
SETTINGS: dict[str, Any] = {
    "backupConfiguration": {"backupPeriodInHours": 12, "backupRetentionPeriodInHours": 48},
    "snapshotConfiguration": {"enabled": True, "gap": 30, "timeFrame": 1440},
    "replicaAwareRouting": {"httpEnabled": True, "nativeEnabled": False},
    "queryEndpoint": {"roles": ["sql_console_read_only"], "openApiKeys": ["k2", "k1"]},
    "scalingSchedule": {"entries": [NIGHT, WEEKEND]},
    "upgradeWindow": {"weekday": 3, "startHourUtc": 12},
    "settings": {"max_query_size": "262144", "keep_alive_timeout": "30"},
    "backupBucket": AZURE,
    "backupBucketSecret": "canary-of-the-connection-string",
    "passwordHash": sha256(OWN),
    "passwordDoubleSha1Hash": SHA1,
}
MERGES = "shared_merge_tree_disable_merges_and_mutations_assignment"
NAMES = (
    *("backupConfiguration", "snapshotConfiguration", "replicaAwareRouting", "queryEndpoint", "upgradeWindow"),
    *("settings", "backupBucket"),
)
SNAPSHOTS = SETTINGS["snapshotConfiguration"]
ROUTED = {**SERVICE, "replicaAwareRouting": {"httpEnabled": True}}
IMPORTED_SETTINGS = {name: SETTINGS[name] for name in NAMES}
"""The inputs that an import reads with separate requests."""
ALL = {**SERVICE, **SETTINGS}


SENT = (
    *("reset_password", "configure_backups", "configure_snapshots", "update_replica_aware_routing"),
    *("set_query_endpoint", "set_scaling_schedule", "set_upgrade_window", "update_settings", "create_backup_bucket"),
)
"""The writes of a create after the service runs."""


def case(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of a service in the clickhouse dialect."""
    return Case(f"service of the vendor: {name}", "Service", steps, server=CLICKHOUSE, **more)


def by_hand(method: str, path: str, **body: Any) -> Step:
    """Change an object of the service directly on the server."""

    def act(run: Run) -> None:
        with run.sandbox.management() as http:
            assert http.request(method, f"/services/{run.id}{path}", json=body or None).status_code == 200

    return change(act)


def has_on_server(path: str, status: int = 200, **fields: Any) -> Step:
    """Assert the server's values of the service, or of an object below it."""

    def act(run: Run) -> None:
        with run.sandbox.management() as http:
            response = http.get(f"/services/{run.id}{path}")
        assert response.status_code == status, response.text
        result = response.json().get("result", {})
        result["tags"] = [tag for tag in result.get("tags") or () if tag["key"] != "pulumi-clouddb-create"]
        assert {name: result.get(name) for name in fields} == run.fill(fields)

    return change(act)


def password_works(password: str | None = None) -> Step:
    """Assert that this password works, or the one in state."""

    def act(run: Run) -> None:
        assert run.sandbox.password_works(run.id, password or run.state["password"])

    return change(act)


def written(*operations: str) -> Step:
    """Assert the operations of all later writes, in order."""

    def act(run: Run) -> None:
        sent = [each.operation for each in run.sandbox.requests[run.before :] if each.method != "GET"]
        assert sent == [*operations]

    return change(act)


def has_entries(*entries: dict[str, Any]) -> Step:
    """Assert the names of the schedule's entries."""

    def act(run: Run) -> None:
        with run.sandbox.management() as http:
            result = http.get(f"/services/{run.id}/scalingSchedule").json()["result"]
        assert [entry["name"] for entry in result["entries"]] == [entry["name"] for entry in entries]

    return change(act)


def has_settings(**values: str) -> Step:
    """Assert the settings of the service, as texts."""

    def act(run: Run) -> None:
        with run.sandbox.management() as http:
            settings = http.get(f"/services/{run.id}/clickhouseSettings").json()["result"]["settings"]
        assert {each["name"]: str(each["value"]) for each in settings} == values

    return change(act)


def secret_of_bucket(*secrets: str | None) -> Step:
    """Assert the secrets of all later requests about the bucket."""

    def act(run: Run) -> None:
        sent = [each for each in run.sandbox.requests[run.before :] if str(each.operation).endswith("_backup_bucket")]
        bodies = [each.body for each in sent if isinstance(each.body, dict)]
        assert [each.get("secretAccessKey", each.get("connectionString")) for each in bodies] == [*secrets]

    return change(act)


def only_lists(run: Run) -> None:
    """Assert that only lists of services were requested."""
    assert {each.operation for each in run.sandbox.requests[run.before :]} == {"list_services"}


def is_incomplete(run: Run) -> None:
    """Assert that state contains the error, and no secret that may not have arrived."""
    assert "could not be set" in run.state["lastError"]
    assert {"passwordHash", "passwordDoubleSha1Hash", "backupBucketSecret"}.isdisjoint(run.state["__managed"])


RESTORED = {
    **SERVICE,
    "backupId": "$backup",
    "backupEncryptionConfig": {"key": "canary-of-the-backup", "layers": [{"kind": "AES", "bits": 256}]},
}


def an_encrypted_backup(run: Run) -> None:
    """Back up a service with encryption into a bucket, and name the backup `$backup`."""
    service = run.sandbox.add("services", name="old", region="us-east-1", hasTransparentDataEncryption=True)
    with run.sandbox.management() as http:
        http.post(f"/services/{service['id']}/backupBucket", json=AWS).raise_for_status()
    run.names["backup"] = run.sandbox.add_backup(service["id"])


def sent_encryption(run: Run) -> None:
    """Assert that the create had the encryption, and that no log shows it."""
    (create_request,) = [each for each in run.sandbox.requests if each.operation == "create_service"]
    assert create_request.body["backupEncryptionConfig"] == dict.fromkeys(("key", "layers"), "[secret]")
    assert "canary-of-the-backup" not in str(run.sandbox.requests)


CASES = [
    case(
        "all settings are created, read, and not sent again",
        create({**ALL, "tags": TAGS, "enableCoreDumps": False, **HORIZONTAL}, outputs={"password": None}),
        has_on_server("", tags=[*TAGS], enableCoreDumps=False, minReplicas=2, maxReplicas=5, replicaMemoryGb=16),
        has_on_server("/backupConfiguration", backupPeriodInHours=12, backupRetentionPeriodInHours=48),
        has_on_server("/snapshotConfiguration", enabled=True, gap=30, timeFrame=1440),
        has_on_server("/replicaAwareRouting", httpEnabled=True, nativeEnabled=False),
        has_on_server(
            "/serviceQueryEndpoint", roles=["sql_console_read_only"], openApiKeys=["k2", "k1"], allowedOrigins=""
        ),
        has_entries(NIGHT, WEEKEND),
        has_on_server("/upgradeWindow", weekday=3, startHourUtc=12, duration=6),
        has_settings(max_query_size="262144", keep_alive_timeout="30"),
        has_on_server("/backupBucket", **AZURE),
        password_works(OWN),
        later_command(),
        refresh(outputs={"autoscalingMode": "horizontal"}),
        diff({**ALL, "tags": TAGS, "enableCoreDumps": False, **HORIZONTAL}, changes=False),
        diff({**ALL, "tags": TAGS[::-1], "enableCoreDumps": False, **HORIZONTAL}, changes=False),
    ),
    case(
        "only changed settings are sent",
        create(ALL),
        from_here_on(),
        update({**ALL, "backupConfiguration": {"backupRetentionPeriodInHours": 72}}),
        written("configure_backups"),
        has_on_server("/backupConfiguration", backupPeriodInHours=24, backupRetentionPeriodInHours=72),
        later_command(),
        from_here_on(),
        update({**ALL, "passwordHash": sha256(OTHER), "backupConfiguration": {"backupStartTime": "02:00"}}),
        written("reset_password", "configure_backups"),
        password_works(OTHER),
        has_on_server("/backupConfiguration", backupStartTime="02:00", backupRetentionPeriodInHours=24),
    ),
    case(
        "removed settings are cleared",
        create({**ALL, "tags": TAGS}),
        by_hand("PATCH", "", tags={"add": [{"key": "by", "value": "hand"}]}),
        later_command(),
        update(SERVICE),
        has_on_server("/backupConfiguration", backupPeriodInHours=24, backupRetentionPeriodInHours=24),
        has_on_server("/serviceQueryEndpoint", status=404),
        has_on_server("/scalingSchedule", status=404),
        has_on_server("/upgradeWindow", status=404),
        has_settings(),
        has_on_server("/backupBucket", status=404),
        has_on_server("", tags=[{"key": "by", "value": "hand"}]),
        password_works(OWN),
        later_command(),
        refresh(),
        diff(SERVICE, changes=False),
    ),
    case(
        "changes by hand of managed settings are detected by name",
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
        has_on_server("/backupConfiguration", backupRetentionPeriodInHours=48),
        has_on_server("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
        refresh(),
        diff({**ALL, "tags": TAGS}, changes=False),
    ),
    case(
        "settings that were deleted by hand are detected and restored",
        create(ALL),
        by_hand("DELETE", "/serviceQueryEndpoint"),
        by_hand("DELETE", "/scalingSchedule"),
        later_command(),
        refresh(),
        diff(ALL, changes=True, details={"queryEndpoint": "ADD", "scalingSchedule": "ADD"}),
        update(ALL),
        has_entries(NIGHT, WEEKEND),
        has_on_server("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
    ),
    case(
        "a window, settings and a bucket that were changed by hand are restored, and earlier settings are kept",
        create({name: value for name, value in ALL.items() if name != "settings"}),
        by_hand("PATCH", "/clickhouseSettings", settings={"compatibility": "24.8"}),
        update(ALL),
        by_hand("PUT", "/upgradeWindow", weekday=0, startHourUtc=0),
        by_hand("PATCH", "/clickhouseSettings", settings={"max_query_size": 1, MERGES: 1}),
        by_hand("DELETE", "/clickhouseSettings/keep_alive_timeout"),
        by_hand("DELETE", "/backupBucket"),
        by_hand("POST", "/backupBucket", **AWS),
        later_command(),
        refresh(
            inputs={
                "upgradeWindow": {"weekday": 0, "startHourUtc": 0},
                "settings": {"max_query_size": "1", MERGES: "1"},
                "backupBucket": {"bucketProvider": "AWS"},
            }
        ),
        diff(ALL, changes=True, replaces=[]),
        later_command(),
        update(ALL),
        has_on_server("/upgradeWindow", weekday=3, startHourUtc=12),
        has_settings(max_query_size="262144", compatibility="24.8", keep_alive_timeout="30"),
        has_on_server("/backupBucket", **AZURE),
        refresh(),
        diff(ALL, changes=False),
    ),
    case(
        "only changed settings of the engine are sent, and removed ones are reset",
        create(ALL),
        from_here_on(),
        update({**ALL, "settings": {"max_query_size": "1", "compatibility": "24.8"}}),
        written("update_settings", "delete_setting"),
        has_settings(max_query_size="1", compatibility="24.8"),
        warns=("Setting compatibility of service '[e2e]-orders_1': Test queries before you change",),
    ),
    case(
        "unknown settings are refused before anything is sent",
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
        "without a schema of the settings they are sent unchecked",
        create(SERVICE),
        fault("get_settings_schema", "status", status=405, times=2),
        update({**SERVICE, "settings": {"compatibility": "24.8"}}),
        has_settings(compatibility="24.8"),
        warns=("Setting compatibility of service",),
    ),
    case(
        "the secret of a bucket is sent with each change of the bucket, and alone",
        create({**SERVICE, "backupBucket": GCP, "backupBucketSecret": "canary-1"}),
        from_here_on(),
        update({**SERVICE, "backupBucket": GCP, "backupBucketSecret": "canary-2"}),
        secret_of_bucket("canary-2"),
        from_here_on(),
        update({**SERVICE, "backupBucket": {**GCP, "bucketPath": "gs://other"}, "backupBucketSecret": "canary-2"}),
        secret_of_bucket("canary-2"),
        has_on_server("/backupBucket", bucketPath="gs://other", secretAccessKey=None),
        check(
            {**SERVICE, "backupBucket": GCP},
            failures=["backupBucket"],
        ),
        check({**SERVICE, "backupBucket": {**GCP, "bucketPath": "gs://other"}}, failures=[]),
        from_here_on(),
        update({**SERVICE, "backupBucket": AWS}),
        written("delete_backup_bucket", "create_backup_bucket"),
        has_on_server("/backupBucket", **AWS),
    ),
    case(
        "only the primary service of a warehouse has an upgrade window",
        create(SERVICE),
        change(lambda run: run.sandbox.change("services", run.id, isPrimary=False)),
        later_command(),
        update(
            {**SERVICE, "upgradeWindow": {"weekday": 3, "startHourUtc": 12}},
            fails="upgrade window is set for the primary service of a warehouse only",
        ),
    ),
    case(
        "settings that cannot be read stay in state",
        create(ALL),
        later_command(),
        fault("get_backup_configuration", "html", status=404, times=9),
        refresh(inputs={"backupConfiguration": SETTINGS["backupConfiguration"]}),
        diff(ALL, changes=False),
        warns=("This server offers no way to read backupConfiguration of a service; state keeps its last value.",),
    ),
    case(
        "unmanaged settings are not requested",
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
            has_on_server("/backupConfiguration", backupPeriodInHours=12),
            has_on_server("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
            has_entries(NIGHT, WEEKEND),
            password_works(OWN),
            diff(ALL, changes=False),
        )
        for operation in SENT
    ),
    *(
        case(
            f"a refused {operation} is repeated by the next update",
            fault(operation, "status", status=400, text="BAD_REQUEST: not yet"),
            create(ALL),
            change(is_incomplete),
            diff(ALL, changes=True, replaces=[]),
            later_command(),
            refresh(),
            diff(ALL, changes=True, replaces=[]),
            update(ALL, outputs={"lastError": None, "password": None}),
            has_on_server("/backupConfiguration", backupPeriodInHours=12),
            has_on_server("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
            has_entries(NIGHT, WEEKEND),
            password_works(OWN),
            later_command(),
            refresh(),
            diff(ALL, changes=False),
            differs=frozenset({NO_REASONS}),
        )
        for operation in SENT
    ),
    case(
        "if settings cannot be read after a refusal, the next update sends all of them",
        fault("update_settings", "status", status=400, text="BAD_REQUEST: not yet"),  # the first: none has arrived
        fault("get_query_endpoint", "status", status=500),
        create(ALL),
        change(is_incomplete),
        has_on_server("/scalingSchedule", status=404),
        later_command(),
        update(ALL, outputs={"lastError": None, "password": None}),
        has_on_server("/backupConfiguration", backupPeriodInHours=12),
        has_on_server("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
        has_entries(NIGHT, WEEKEND),
        has_on_server("/upgradeWindow", weekday=3, startHourUtc=12, duration=6),
        has_settings(max_query_size="262144", keep_alive_timeout="30"),
        has_on_server("/backupBucket", **AZURE),
        password_works(OWN),
        differs=frozenset({NO_REASONS}),
    ),
    *(
        case(
            f"settings that arrived before a refusal are cleared when they are removed{where}",
            fault("create_backup_bucket", "status", status=400, text="BAD_REQUEST: not yet"),
            *([fault("get_query_endpoint", "status", status=500)] if where else []),
            create(ALL),
            change(is_incomplete),
            later_command(),
            from_here_on(),
            update(SERVICE, outputs={"lastError": None}),
            has_on_server("/scalingSchedule", status=404),
            has_on_server("/upgradeWindow", status=404),
            has_on_server("/serviceQueryEndpoint", status=404),
            has_settings(),
            differs=frozenset({NO_REASONS}),
        )
        for where in ("", ", even if one cannot be read")
    ),
    case(
        "a lost response of the create leaves one service with all settings",
        fault("create_service", "lose"),
        create({**ALL, "tags": TAGS}, outputs={"password": None}),
        has_on_server("", tags=[*TAGS]),
        has_on_server("/serviceQueryEndpoint", roles=["sql_console_read_only"]),
        password_works(OWN),
        diff({**ALL, "tags": TAGS}, changes=False),
    ),
    case(
        "the maximum number of tags leaves room for the create mark",
        create({**SERVICE, "tags": [{"key": f"k{index}"} for index in range(50)]}),
        has_on_server("", tags=[{"key": f"k{index}"} for index in range(50)]),
        diff({**SERVICE, "tags": [{"key": f"k{index}"} for index in range(50)]}, changes=False),
    ),
    case(
        "an update of the snapshots sends what the program sets",
        create({**SERVICE, "snapshotConfiguration": SNAPSHOTS}),
        update({**SERVICE, "snapshotConfiguration": {"enabled": False}}),
        has_on_server("/snapshotConfiguration", enabled=False, gap=30, timeFrame=1440),
        later_command(),
        refresh(),
        diff({**SERVICE, "snapshotConfiguration": {"enabled": False}}, changes=False),
        by_hand("PATCH", "/snapshotConfiguration", enabled=True),
        later_command(),
        refresh(inputs={"snapshotConfiguration": {"enabled": True}}),
        diff({**SERVICE, "snapshotConfiguration": {"enabled": False}}, changes=True, replaces=[]),
    ),
    case(
        "snapshots that are taken out of the program stay",
        create({**SERVICE, "snapshotConfiguration": SNAPSHOTS}),
        later_command(),
        diff(SERVICE, changes=True),
        update(SERVICE),
        has_on_server("/snapshotConfiguration", enabled=True, gap=30, timeFrame=1440),
        warns=("The program no longer sets snapshotConfiguration of service '[e2e]-orders_1': it stays",),
    ),
    case(
        "an organization that is not enrolled in snapshots has no error without them",
        create(SERVICE),
        later_command(),
        fault("get_snapshot_configuration", "status", status=403, times=9),
        refresh(),
        diff(SERVICE, changes=False),
        import_("$id", inputs={"snapshotConfiguration": None}),
        differs=frozenset({IMPORT}),
        warns=(),
    ),
    case(
        "an organization that is not enrolled in snapshots has an error with them",
        create({**SERVICE, "snapshotConfiguration": SNAPSHOTS}),
        later_command(),
        fault("get_snapshot_configuration", "status", status=403, times=9),
        fault("configure_snapshots", "status", status=403, times=9),
        refresh(inputs={"snapshotConfiguration": None}),
        diff({**SERVICE, "snapshotConfiguration": SNAPSHOTS}, changes=True),
        update(
            {**SERVICE, "snapshotConfiguration": SNAPSHOTS},
            fails=r"snapshotConfiguration of service .*\nRemove snapshotConfiguration, or have the organization",
        ),
    ),
    case(
        "an update of the routing sends what the program sets, which stays when it is taken out",
        create({**ROUTED, "replicaAwareRouting": {"nativeEnabled": True}}),
        update(ROUTED),
        has_on_server("/replicaAwareRouting", httpEnabled=True, nativeEnabled=True),
        later_command(),
        refresh(),
        diff(ROUTED, changes=False),
        by_hand("PATCH", "/replicaAwareRouting", httpEnabled=False),
        later_command(),
        refresh(inputs={"replicaAwareRouting": {"httpEnabled": False}}),
        diff(ROUTED, changes=True, replaces=[]),
        update(ROUTED),
        update(SERVICE),
        has_on_server("/replicaAwareRouting", httpEnabled=True, nativeEnabled=True),
        warns=("The program no longer sets replicaAwareRouting of service '[e2e]-orders_1': it stays",),
    ),
    *(
        case(
            f"an organization without the feature of routing, refused with {status}, has an error with it only",
            create(SERVICE),
            later_command(),
            fault("get_replica_aware_routing", "status", status=status, times=9),
            fault("update_replica_aware_routing", "status", status=status, times=9),
            refresh(),
            diff(SERVICE, changes=False),
            update(
                ROUTED,
                fails=r"replicaAwareRouting of service .*a fault of the sandbox\nRemove replicaAwareRouting, or have",
            ),
            later_command(),
            refresh(inputs={"replicaAwareRouting": None}),
            diff(ROUTED, changes=True),
            import_("$id", inputs={"replicaAwareRouting": None}),
            differs=frozenset({IMPORT}),
            warns=(),
        )
        for status in (400, 403)
    ),
    case(
        "the encryption of a backup is sent once, and never read",
        change(an_encrypted_backup),
        create(
            RESTORED, outputs={"hasTransparentDataEncryption": True}, secrets=["backupEncryptionConfig", "password"]
        ),
        change(sent_encryption),
        later_command(),
        refresh(secrets=["backupEncryptionConfig", "password"]),
        diff(RESTORED, changes=False),
        diff(
            {**RESTORED, "backupEncryptionConfig": {"key": "canary-of-another-backup"}},
            fails="cannot change backupEncryptionConfig in place",
        ),
        check(RESTORED, secrets=["backupEncryptionConfig"], failures=[]),
        diff(SERVICE, changes=True, replaces=[]),
    ),
    case(
        "scaling changes from one mode to the other and back",
        create({**SERVICE, **VERTICAL}, outputs={"autoscalingMode": "vertical"}),
        from_here_on(),
        update({**SERVICE, **HORIZONTAL}, outputs={"numReplicas": None, "replicaMemoryGb": 16}),
        written("scale_service"),
        has_on_server("", autoscalingMode="horizontal", minReplicas=2, maxReplicas=5, numReplicas=None),
        refresh(),
        diff({**SERVICE, **HORIZONTAL}, changes=False),
        update({**SERVICE, **HORIZONTAL, "maxReplicas": 6}),
        has_on_server("", maxReplicas=6),
        update({**SERVICE, **VERTICAL}, outputs={"replicaMemoryGb": None}),
        has_on_server("", autoscalingMode="vertical", numReplicas=3, minReplicas=None, maxReplicaMemoryGb=32),
        refresh(),
        diff({**SERVICE, **VERTICAL}, changes=False),
    ),
    case(
        "a rotation sets another password",
        create({**SERVICE, "passwordRotation": "1"}),
        password_works(),
        update({**SERVICE, "passwordRotation": "2"}, secrets=["password"]),
        password_works(),
        update({**SERVICE, "passwordRotation": "1"}, secrets=["password"]),
        password_works(),
    ),
    case(
        "import returns settings and tags in the form of a program",
        create({**ALL, "tags": TAGS}),
        later_command(),
        import_("$id", inputs={**IMPORTED_SETTINGS, "tags": TAGS, "scalingSchedule": SETTINGS["scalingSchedule"]}),
        differs=frozenset({IMPORT}),
    ),
    case(
        "import omits settings that are not set",
        create(SERVICE),
        later_command(),
        import_("$id", inputs=dict.fromkeys((*NAMES, "scalingSchedule"))),
        differs=frozenset({IMPORT}),
    ),
    case(
        "import omits settings that the server does not offer",
        create(ALL),
        later_command(),
        fault("get_backup_configuration", "status", status=405),
        fault("get_query_endpoint", "status", status=405),
        fault("get_settings", "status", status=405),
        import_("$id", inputs={"backupConfiguration": None, "queryEndpoint": None, "name": SERVICE["name"]}),
        differs=frozenset({IMPORT}),
    ),
]
