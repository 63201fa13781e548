"""The four golden signals of each application: latency, traffic, errors and saturation, and an alert on each of them.

The data are traces and metrics as the OpenTelemetry collector writes them. Run `pulumi up` in this folder; without
`serviceId` the program uses the self-hosted server of `clouddb:stackUrl`. Your applications and their objectives, in
place of those below, are configuration:

    pulumi config set --path applications.payments.latencyMs 300
"""

from collections.abc import Mapping
from typing import NamedTuple

import pulumi

import pulumi_clouddb as clouddb

config = pulumi.Config()
service_id = config.get("serviceId")

USUAL = {"latencyMs": 500.0, "leastRequests": 1.0, "errorRate": 0.01, "cpu": 0.9}
EXAMPLE: dict[str, dict[str, float | str]] = {"checkout": {"latencyMs": 800}, "cart": {"errorRate": 0.02}}
MILLISECONDS = "Duration / 1e6"  # the collector writes nanoseconds


class Signal(NamedTuple):
    """A tile, and the alert on it."""

    key: str
    title: str
    config: clouddb.LineTileConfigArgs
    threshold: float
    threshold_type: clouddb.ThresholdTypeValue


def objectives(application: str, own: Mapping[str, float | str]) -> dict[str, float]:
    """Return the limits of an application: its own ones, which may be text, and the usual ones."""
    if unknown := own.keys() - USUAL.keys():
        raise pulumi.RunError(f"{application} has {', '.join(sorted(unknown))}; there are {', '.join(USUAL)}")
    return {**USUAL, **{name: float(limit) for name, limit in own.items()}}


applications = {name: objectives(name, own) for name, own in config.get_object("applications", EXAMPLE).items()}


traces = clouddb.get_source_output(service_id=service_id, name="Traces")
metrics = clouddb.get_source_output(service_id=service_id, name="Metrics")


def signals(application: str, limits: Mapping[str, float]) -> list[Signal]:
    """Return the four signals of an application."""
    requests = f"ServiceName:{application} SpanKind:Server"
    return [
        Signal(
            "latency",
            f"{application}: latency",
            clouddb.LineTileConfigArgs(
                source_id=traces.id,
                select=[
                    clouddb.SelectItemArgs(
                        agg_fn="quantile", level=0.95, value_expression=MILLISECONDS, where=requests, alias="p95"
                    )
                ],
                number_format={"output": "duration", "factor": 1e-3},
            ),
            limits["latencyMs"],
            "above",
        ),
        Signal(
            "traffic",
            f"{application}: traffic",
            clouddb.LineTileConfigArgs(
                source_id=traces.id, select=[clouddb.SelectItemArgs(agg_fn="count", where=requests, alias="requests")]
            ),
            limits["leastRequests"],
            "below",
        ),
        Signal(
            "errors",
            f"{application}: errors",
            clouddb.LineTileConfigArgs(
                source_id=traces.id,
                select=[
                    clouddb.SelectItemArgs(agg_fn="count", where=f"{requests} StatusCode:Error", alias="failed"),
                    clouddb.SelectItemArgs(agg_fn="count", where=requests, alias="all"),
                ],
                as_ratio=True,
                number_format={"output": "percent", "mantissa": 2},
            ),
            limits["errorRate"],
            "above",
        ),
        Signal(
            "saturation",
            f"{application}: processor",
            clouddb.LineTileConfigArgs(
                source_id=metrics.id,
                select=[
                    clouddb.SelectItemArgs(
                        agg_fn="max",
                        value_expression="Value",
                        metric_type="gauge",
                        metric_name="process.cpu.utilization",
                        where=f"ServiceName:{application}",
                        alias="processor",
                    )
                ],
                number_format={"output": "percent"},
            ),
            limits["cpu"],
            "above",
        ),
    ]


on_call = clouddb.Webhook(
    "on-call",
    service_id=service_id,
    name="On call",
    service="generic",
    url=config.get("webhookUrl", "https://events.example.com/on-call"),
    body="{{title}}: {{body}} {{link}}",
)

board = {name: signals(name, limits) for name, limits in applications.items()}
dashboard = clouddb.Dashboard(
    "golden-signals",
    service_id=service_id,
    name="Golden signals",
    tags=["golden-signals"],
    tiles=[
        clouddb.TileArgs(
            key=f"{name}-{each.key}", name=each.title, x=6 * column, y=4 * row, w=6, h=4, config=each.config
        )
        for row, (name, found) in enumerate(board.items())
        for column, each in enumerate(found)
    ],
)

for name, found in board.items():
    for each in found:
        clouddb.Alert(
            f"{name}-{each.key}",
            service_id=service_id,
            name=each.title,
            dashboard_id=dashboard.id,
            tile_id=dashboard.tile_ids[f"{name}-{each.key}"],
            threshold=each.threshold,
            threshold_type=each.threshold_type,
            interval="5m",
            num_consecutive_windows=2,
            channel=clouddb.AlertChannelArgs(type="webhook", webhook_id=on_call.id),
        )

pulumi.export("dashboardId", dashboard.id)
