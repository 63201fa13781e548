"""The class of examples, and the ids in examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clouddb_tools.commands.export.statements import Ref, Step

SERVICE_ID = "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"
PIPE_ID = "c2c6f3de-2a37-4c0e-8b6c-1c7f0c7f4b22"
SNAPSHOT_ID = "4e6f8a0b-2c3d-4e5f-9a1b-3c5d7e9f1a2b"
BACKUP_ID = "1b7d3c5e-6f80-4a9b-8c2d-4e5f6a7b8c90"
WAREHOUSE_ID = "7e4b2c90-1f36-4d1e-a9a4-5b8c6d7e8f44"
KEY_ID = "9a1d1f1e-4b0f-4c51-8a2b-3e5d6f7a8b33"


@dataclass(frozen=True)
class Example:
    """A whole program.

    Attributes:
        title: What it shows.
        steps: Its statements, in order.
        exports: Stack outputs by name.
    """

    title: str
    steps: Sequence[Step]
    exports: Mapping[str, Ref] = field(default_factory=dict)


Examples = Mapping[str, Sequence[Example]]
"""Examples by the name of the resource or function that they show."""
