"""The usage of the organization, passed from `clouddb ci preview` to the process that runs policies.

Policies send no requests. The command reads the usage before it runs them, and names its file in the environment, which
Pulumi passes to the processes that it starts.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from pydantic import BaseModel

VARIABLE: Final = "CLOUDDB_USAGE"


class QuotaUse(BaseModel):
    """A quota of the organization, and its usage."""

    used: float
    limit: float


class Usage(BaseModel):
    """The usage that the server reports; empty if it was not read, or the key may not read it.

    Attributes:
        quotas: The quotas whose usage the server counts, by code.
        costs: The cost of each service with its pipes in the last 30 days, in credits, by its id.
    """

    quotas: dict[str, QuotaUse] = {}
    costs: dict[str, float] = {}


def read_usage() -> Usage:
    """Return the usage that the command has read; it is empty outside `clouddb ci preview`."""
    file = os.environ.get(VARIABLE)
    return Usage.model_validate_json(Path(file).read_bytes()) if file else Usage()
