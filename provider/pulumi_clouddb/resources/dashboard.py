"""Dashboard (being written)."""
from ..models.dashboard import DASHBOARD
from .base import ResourceHandler


class DashboardHandler(ResourceHandler):
    """Dashboard."""

    type = DASHBOARD
