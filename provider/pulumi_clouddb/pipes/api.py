"""Ingestion pipes of a service."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import SERVICE, management
from pulumi_clouddb.schema.values import WireValues

from .pipe import PipeResponse


class Pipes(Collection[PipeResponse]):
    """The pipes of one service."""

    model = PipeResponse
    id_part = "pipe_id"

    LIST = management("list_pipes", "GET", SERVICE + "/pipes", "Pipe", "list the pipes")
    GET = management("get_pipe", "GET", SERVICE + "/pipes/{pipeId}", "Pipe", "read the pipe", documented=True)
    SCALE = management(
        "scale_pipe", "PATCH", SERVICE + "/pipes/{pipeId}/scaling", "Pipe", "scale the pipe", documented=True
    )

    def scale(self, pipe_id: str, body: WireValues) -> PipeResponse:
        """Change the scaling in the fields of the body; the others stay."""
        return self.parsed(self.call(self.SCALE, pipe_id, body))
