"""Alert (being written)."""
from ..models.alert import ALERT
from .base import ResourceHandler


class AlertHandler(ResourceHandler):
    """Alert."""

    type = ALERT
