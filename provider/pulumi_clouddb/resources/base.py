"""Base (being written)."""
from typing import ClassVar
from pulumi_clouddb.models.resource_type import ResourceType


class ResourceHandler:
    """Base."""

    type: ClassVar[ResourceType]
