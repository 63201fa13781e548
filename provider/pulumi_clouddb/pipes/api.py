"""Ingestion pipes of a service."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import SERVICE, management
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.convert import to_wire

from .pipe import PipeResponse, Scaling


class Pipes(Collection[PipeResponse]):
    """The pipes of one service."""

    model = PipeResponse
    id_part = "pipe_id"

    LIST = management("list_pipes", "GET", SERVICE + "/pipes", "Pipe", "list the pipes")
    GET = management("get_pipe", "GET", SERVICE + "/pipes/{pipeId}", "Pipe", "read the pipe", documented=True)
    SCALE = management(
        "scale_pipe", "PATCH", SERVICE + "/pipes/{pipeId}/scaling", "Pipe", "scale the pipe", documented=True
    )

    def scale(self, pipe_id: str, scaling: Scaling) -> PipeResponse:
        """Change the scaling in the fields that are set; the others stay."""
        return self.parsed(self.call(self.SCALE, pipe_id, to_wire(scaling, wire_names(Scaling))))
