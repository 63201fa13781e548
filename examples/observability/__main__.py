"""Observability from nothing: connection, source, webhook, saved search, dashboard and alerts.

No id is copied by hand. Run `pulumi up` in this folder. The program uses the self-hosted server of `clouddb:stackUrl`;
after `pulumi config set cloud true` it creates a service, and uses the server of that service instead. The sandbox
offers both.
"""

import pulumi

import pulumi_clouddb as clouddb

config = pulumi.Config()
in_cloud = config.get_bool("cloud", False)

# 1. The database with the logs. A self-hosted server needs a connection to it. The server of a service already has
#    one, to which its initial sources refer.
service_id: pulumi.Output[str] | None = None
if in_cloud:
    service = clouddb.Service(
        "shop",
        name="Shop logs",
        provider="aws",
        region="eu-central-1",
        ip_access_list=[clouddb.IpAccessEntryArgs(source=config.get("officeNetwork", "203.0.113.0/24"))],
    )
    service_id = service.id
    found = clouddb.list_sources_output(service_id=service_id)
    connection_id = found.sources.apply(lambda sources: str(sources[0].connection))
else:
    connection = clouddb.Connection(
        "shop",
        name="Shop",
        host=config.get("host", "http://localhost:8123"),
        username=config.get("username", "default"),
        password=config.get_secret("password") or "",
    )
    connection_id = connection.id

# 2. The table of the logs, as the OpenTelemetry collector writes it.
logs = clouddb.Source(
    "logs",
    service_id=service_id,
    name="Logs of the shop",
    kind="log",
    connection=connection_id,
    from_=clouddb.SourceFromArgs(database_name="default", table_name="otel_logs"),
    timestamp_value_expression="Timestamp",
    default_table_select_expression="Timestamp, ServiceName, SeverityText, Body",
    service_name_expression="ServiceName",
    severity_text_expression="SeverityText",
    body_expression="Body",
    implicit_column_expression="Body",
)

# 3. The webhook for notifications. The server never returns the header; state contains it encrypted.
on_call = clouddb.Webhook(
    "on-call",
    service_id=service_id,
    name="Shop on call",
    service="generic",
    url=config.get("webhookUrl", "https://events.example.com/shop"),
    body="{{title}}: {{body}} {{link}}",
    headers={"Authorization": config.get_secret("webhookToken") or pulumi.Output.secret("Bearer example")},
)
channel = clouddb.AlertChannelArgs(type="webhook", webhook_id=on_call.id)

# 4. A saved search, and an alert on the number of rows that it finds for a service.
errors = clouddb.SavedSearch(
    "errors",
    service_id=service_id,
    name="Errors of the shop",
    source_id=logs.id,
    where="SeverityText:error",
    where_language="lucene",
    tags=["shop"],
)
clouddb.Alert(
    "errors-of-a-service",
    service_id=service_id,
    name="Many errors of one service",
    saved_search_id=errors.id,
    group_by="ServiceName",
    threshold=50,
    threshold_type="above",
    interval="15m",
    channel=channel,
)

# 5. A dashboard, and an alert on one of its tiles.
dashboard = clouddb.Dashboard(
    "shop",
    service_id=service_id,
    name="Shop",
    tags=["shop"],
    tiles=[
        clouddb.TileArgs(
            key="errors",
            name="Errors",
            x=0,
            y=0,
            w=24,
            h=4,
            config={
                "display_type": "line",
                "source_id": logs.id,
                "select": [{"agg_fn": "count", "where": "SeverityText:error", "where_language": "lucene"}],
            },
        )
    ],
)
clouddb.Alert(
    "too-many-errors",
    service_id=service_id,
    name="Too many errors in the shop",
    note="The runbook is in the wiki.",
    dashboard_id=dashboard.id,
    tile_id=dashboard.tile_ids["errors"],
    threshold=config.get_float("threshold", 100),
    threshold_type="above",
    interval="5m",
    num_consecutive_windows=2,
    channel=channel,
)

pulumi.export("sourceId", logs.id)
pulumi.export("webhookId", on_call.id)
pulumi.export("dashboardId", dashboard.id)
