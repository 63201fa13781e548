"""Service (being written)."""
from ..models.service import SERVICE
from .base import ResourceHandler


class ServiceHandler(ResourceHandler):
    """Service."""

    type = SERVICE
