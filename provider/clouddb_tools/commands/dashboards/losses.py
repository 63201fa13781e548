"""What is lost in a conversion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pulumi_clouddb.things.dashboards.files.losses import Loss


@dataclass(frozen=True)
class Declared:
    """What a converted dashboard loses.

    Attributes:
        name: The file, or the dashboard.
        losses: What is lost.
    """

    name: str
    losses: Sequence[Loss]
