"""Alert (being written)."""
from pulumi_clouddb.models.alert import ALERT
from .base import ResourceHandler


class AlertHandler(ResourceHandler):
    """Alert."""

    type = ALERT
