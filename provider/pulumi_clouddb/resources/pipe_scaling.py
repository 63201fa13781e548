"""PipeScaling (being written)."""
from ..models.pipe_scaling import PIPE_SCALING
from .base import ResourceHandler


class PipeScalingHandler(ResourceHandler):
    """PipeScaling."""

    type = PIPE_SCALING
