"""The scaling that all database pipes of a service share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from description.exchange import Exchange


class Scaling(TypedDict, total=False):
    replicaCpuMillicores: Annotated[int, Field(ge=1000, le=32000, multiple_of=1000)]
    replicaMemoryGb: Annotated[float, Field(ge=4, le=128, multiple_of=4)]


EXCHANGES = {
    "get_pipe_cdc_scaling": Exchange(response=Scaling),
    "update_pipe_cdc_scaling": Exchange(Scaling, Scaling),
}
