"""Short names of texts that are too long, or not for everybody, to be names themselves."""

from __future__ import annotations

import hashlib


def digest(*texts: str) -> str:
    """Return 24 letters and digits that stand for some texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]
