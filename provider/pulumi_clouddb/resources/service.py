"""Service (being written)."""
from pulumi_clouddb.models.service import SERVICE
from .base import ResourceHandler


class ServiceHandler(ResourceHandler):
    """Service."""

    type = SERVICE
