"""What a command has printed, as one line."""

from __future__ import annotations

import re


def unboxed(printed: str) -> str:
    """Return what was printed without the box around errors of the command line, and without its line breaks."""
    return re.sub(r"[\s│]+", " ", printed)
