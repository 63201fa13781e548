"""What the server counts of the organization, passed from the command that asks it to the process that judges.

Policies send no requests: `clouddb ci preview` asks before it runs them, and names a file in the environment, which
Pulumi hands on to the processes that it starts.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from pydantic import BaseModel

VARIABLE: Final = "CLOUDDB_USAGE"


class QuotaUse(BaseModel):
    """A limit of the organization, and how much of it is used."""

    used: float
    limit: float


class Usage(BaseModel):
    """What the server counts; empty where nobody asked it, or the key may not ask.

    Attributes:
        quotas: The quotas whose use the server counts, by code.
        costs: The cost of each service with its pipes in the last 30 days, in credits, by its id.
    """

    quotas: dict[str, QuotaUse] = {}
    costs: dict[str, float] = {}


def read_usage() -> Usage:
    """Return what the command has asked; nothing outside `clouddb ci preview`."""
    file = os.environ.get(VARIABLE)
    return Usage.model_validate_json(Path(file).read_bytes()) if file else Usage()
