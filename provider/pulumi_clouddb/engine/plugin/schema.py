"""The schema of the package, from `schema.json` in this folder."""

from __future__ import annotations

import functools
from pathlib import Path


@functools.cache
def schema_text() -> str:
    """Return the text of the schema.

    In the repository, the file is a link, which packaging replaces with its content: no copy can become outdated.
    """
    return Path(__file__).with_name("schema.json").read_text(encoding="utf-8")
