"""Dashboard (being written)."""
from pulumi_clouddb.models.dashboard import DASHBOARD
from .base import ResourceHandler


class DashboardHandler(ResourceHandler):
    """Dashboard."""

    type = DASHBOARD
