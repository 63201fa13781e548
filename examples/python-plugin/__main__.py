"""The quickstart in Python, served by the native plugin.

Activate an environment with this package (`pip install '.[sandbox]'` in the clone). Then, here:

    pulumi package add ../../schema.json    # once: writes the SDK to sdks/ and installs it into that environment
    pulumi stack init dev
    pulumi config set clouddb:baseUrl http://127.0.0.1:8980    # and the other lines that `clouddb sandbox` printed
    pulumi up

Values that differ between stacks are configuration with defaults: `pulumi config set maxMemoryGb 96` sets one value.
docs/tour.md lists them. Except for the SDK's name, the program is the same as examples/quickstart.
"""

import pulumi
import pulumi_clouddb_native as clouddb
from lookups import pipe_id

config = pulumi.Config()

# 1. The database. Only these addresses can reach it. Its memory scales with the load between the two sizes. A change
#    of size, name or addresses is an update in place; a change that needs another database is refused.
service = clouddb.Service(
    "shop",
    name="Shop production",
    provider="aws",
    region="eu-central-1",
    min_replica_memory_gb=16,
    max_replica_memory_gb=config.get_int("maxMemoryGb", 64),
    num_replicas=config.get_int("replicas", 3),
    idle_scaling=False,
    release_channel="slow",
    ip_access_list=[
        clouddb.IpAccessEntryArgs(source=config.get("officeNetwork", "203.0.113.0/24"), description="Office"),
        clouddb.IpAccessEntryArgs(source="198.51.100.7", description="Shop server"),
    ],
    deletion_protection=config.get_bool("protect", False),
)

# 2. The scaling of one of its pipes. The pipe exists already (`Pipe` creates one); `pulumi destroy` restores its
#    previous scaling. A new service may have no pipe yet: set `pipe` to an empty text until there is one.
pipe = config.get("pipe", "events")
if pipe:
    scaling = clouddb.PipeScaling(
        "events",
        service_id=service.id,
        pipe_id=pipe_id(service, pipe),
        replicas=4,
        replica_cpu_millicores=500,
        replica_memory_gb=2,
    )
    pulumi.export("pipeState", scaling.pipe_state)

# 3. A key that works only from the report server, and expires. The server returns its secret once; state holds the
#    secret encrypted. Another text in `keyRotation` creates a new key before the old one is deleted.
key = clouddb.ApiKey(
    "reports",
    name="Shop reports",
    roles=["query_endpoints"],
    expire_at="2030-01-01T00:00:00Z",
    ip_access_list=[clouddb.IpAccessEntryArgs(source="198.51.100.20", description="Report server")],
    rotation=config.get("keyRotation", "first"),
)

# 4. A dashboard with three tiles. `key` identifies a tile, so it can be renamed and moved, and keeps its alerts. The
#    service has the data source already (`Source` creates one); it is found by its name.
logs = clouddb.get_source_output(service_id=service.id, name=config.get("source", "Logs"))
dashboard = clouddb.Dashboard(
    "overview",
    service_id=service.id,
    name="Shop overview",
    tags=["shop", "production"],
    tiles=[
        clouddb.TileArgs(
            key="requests",
            name="Requests",
            config=clouddb.TileConfigArgs(
                display_type="line",
                source_id=logs.id,
                select=[clouddb.SelectItemArgs(agg_fn="count")],
                group_by="ServiceName",
            ),
        ),
        clouddb.TileArgs(
            key="errors",
            name="Errors",
            config=clouddb.TileConfigArgs(
                display_type="line",
                source_id=logs.id,
                select=[clouddb.SelectItemArgs(agg_fn="count", where="SeverityText:error", where_language="lucene")],
            ),
        ),
        clouddb.TileArgs(
            key="severity",
            name="Highest severity",
            config=clouddb.TileConfigArgs(
                display_type="table",
                source_id=logs.id,
                select=[clouddb.SelectItemArgs(agg_fn="max", value_expression="SeverityNumber")],
                group_by="ServiceName",
            ),
        ),
    ],
)

# 5. An alert on one of the tiles, and the webhook that it calls.
on_call = clouddb.Webhook(
    "on-call",
    service_id=service.id,
    name="Shop on call",
    service="generic",
    url=config.get("webhookUrl", "https://events.example.com/shop"),
    body="{{title}}: {{body}} {{link}}",
)
alert = clouddb.Alert(
    "too-many-errors",
    service_id=service.id,
    dashboard_id=dashboard.id,
    tile_id=dashboard.tile_ids["errors"],
    name="Too many errors in the shop",
    message="More than 100 errors in five minutes.",
    threshold=100,
    threshold_type="above",
    interval="5m",
    channel=clouddb.AlertChannelArgs(type="webhook", webhook_id=on_call.id),
)

pulumi.export("endpoints", service.endpoints)
pulumi.export("password", service.password)
pulumi.export("reportsKeyId", key.access_key_id)
pulumi.export("reportsKeySecret", key.key_secret)
pulumi.export("dashboardId", dashboard.id)
pulumi.export("alertState", alert.state)
