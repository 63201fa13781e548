"""PipeScaling (being written)."""
from pulumi_clouddb.models.pipe_scaling import PIPE_SCALING
from .base import ResourceHandler


class PipeScalingHandler(ResourceHandler):
    """PipeScaling."""

    type = PIPE_SCALING
