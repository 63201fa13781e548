"""Base (being written)."""
from typing import ClassVar
from ..models.resource_type import ResourceType


class ResourceHandler:
    """Base."""

    type: ClassVar[ResourceType]
