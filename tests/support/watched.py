"""A program of 100 dashboards, each watched by an alert."""

WATCHED = """
import pulumi_clouddb as clouddb

for number in range(100):
    dashboard = clouddb.Dashboard(f"dashboard-{number}", name=f"Dashboard {number}", tiles=[
        clouddb.TileArgs(name="errors", x=0, y=0, w=4, h=2,
            series=[clouddb.SeriesArgs(type="time", agg_fn="count", where="")])])
    clouddb.Alert(f"alert-{number}", name=f"Alert {number}", dashboard_id=dashboard.id,
        tile_id=dashboard.tile_ids["errors"], threshold=number, interval="5m", threshold_type="above",
        channel=clouddb.AlertChannelArgs(type="webhook", webhook_id="65f5e4a3b9e77c001a567890"))
"""
