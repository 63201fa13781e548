"""An organization as one program: a service, its users, a pipe that fills it, and its dashboards and alerts.

Nothing is clicked in the console, and no id is copied by hand: from an empty organization, `pulumi up` makes all of it,
and `pulumi destroy` leaves the organization as it was. docs/organization.md runs it on the sandbox, and in the cloud.
"""

import pulumi

import pulumi_clouddb as clouddb

config = pulumi.Config()

# 1. The organization. `pulumi destroy` restores its previous settings.
clouddb.OrganizationSettings("organization", enable_core_dumps=False)

# 2. The database, with a replica more on working days, and how the office reaches it.
shop = clouddb.Service(
    "shop",
    name="Shop",
    provider="aws",
    region="eu-central-1",
    num_replicas=2,
    idle_scaling=False,
    ip_access_list=[{"source": config.get("officeNetwork", "203.0.113.0/24"), "description": "Office"}],
    tags=[{"key": "team", "value": "shop"}],
    backup_configuration={"backup_retention_period_in_hours": 7 * 24},
    upgrade_window={"weekday": 0, "start_hour_utc": 6},
    scaling_schedule={
        "entries": [
            {
                "name": "working hours",
                "weekdays": [1, 2, 3, 4, 5],
                "start_hour_utc": 6,
                "end_hour_utc": 18,
                "num_replicas": 3,
            }
        ]
    },
)

clouddb.PrivateEndpoint(
    "office",
    endpoint_id=config.get("endpoint", "vpce-0a1b2c3d4e5f67890"),
    description="Network of the office",
    service_id=shop.id,
)

# 3. Its users: a custom role, a key that has it, and an invitation for each member of the team.
reader = clouddb.Role(
    "reader",
    name="Reader of the shop",
    policies=[
        {
            "allow_deny": "ALLOW",
            "permissions": ["control-plane:service:view", "sql-console:database:access"],
            "resources": [shop.id.apply(lambda service_id: f"instance/{service_id}")],
            "tags": {"role_v2": "sql-console-readonly"},
        }
    ],
)
reports = clouddb.ApiKey("reports", name="Reports of the shop", assigned_role_ids=[reader.id])
for address in config.get_object("team", ["ada@example.com", "grace@example.com"]):
    clouddb.Invitation(address, email=address, assigned_role_ids=[reader.id])

# 4. A pipe that fills it from a stream, and also creates the table.
clicks = clouddb.Pipe(
    "clicks",
    service_id=shop.id,
    name="Clicks",
    source={
        "kafka": {
            "type": "kafka",
            "format": "JSONEachRow",
            "brokers": config.get("brokers", "kafka.example.com:9092"),
            "topics": "clicks",
            "authentication": "SCRAM-SHA-512",
        }
    },
    credentials={
        "username": "pipe",
        "password": config.get_secret("streamPassword") or pulumi.Output.secret("example"),
    },
    destination={
        "database": "default",
        "table": "clicks",
        "managed_table": True,
        "table_definition": {"engine": {"type": "MergeTree"}, "sorting_key": ["at"]},
        "columns": [{"name": "at", "type": "DateTime64(9)"}, {"name": "page", "type": "String"}],
    },
    field_mappings=[
        {"source_field": "at", "destination_field": "at"},
        {"source_field": "page", "destination_field": "page"},
    ],
    scaling={"replicas": 1},
)

# 5. Dashboards and alerts on the service's observability server.
found = clouddb.list_sources_output(service_id=shop.id)
table = clouddb.Source(
    "clicks",
    service_id=shop.id,
    name="Clicks",
    kind="log",
    connection=found.sources.apply(lambda sources: str(sources[0].connection)),
    from_={"database_name": "default", "table_name": "clicks"},
    timestamp_value_expression="at",
    default_table_select_expression="at, page",
    opts=pulumi.ResourceOptions(depends_on=clicks),
)
on_call = clouddb.Webhook(
    "on-call",
    service_id=shop.id,
    name="Shop on call",
    service="generic",
    url=config.get("webhookUrl", "https://events.example.com/shop"),
    body="{{title}}: {{body}} {{link}}",
)
dashboard = clouddb.Dashboard(
    "shop",
    service_id=shop.id,
    name="Shop",
    tags=["shop"],
    tiles=[
        {
            "key": "clicks",
            "name": "Clicks",
            "x": 0,
            "y": 0,
            "w": 24,
            "h": 4,
            "config": clouddb.TileConfigArgs(
                display_type="line", source_id=table.id, select=[clouddb.SelectItemArgs(agg_fn="count", where="")]
            ),
        }
    ],
)
clouddb.Alert(
    "no-clicks",
    service_id=shop.id,
    name="Nobody clicks",
    dashboard_id=dashboard.id,
    tile_id=dashboard.tile_ids["clicks"],
    threshold=config.get_int("leastClicks", 1),
    threshold_type="below",
    interval="15m",
    channel={"type": "webhook", "webhook_id": on_call.id},
)

pulumi.export("endpoints", shop.endpoints)
pulumi.export("password", shop.password)
pulumi.export("reportsKeyId", reports.access_key_id)
pulumi.export("reportsKeySecret", reports.key_secret)
pulumi.export("dashboardId", dashboard.id)
