"""The schema of the package, as `schema.json` beside this file says it."""

from __future__ import annotations

import functools
import json
from pathlib import Path


@functools.cache
def schema_text() -> str:
    """Return the text of the schema.

    The file is the repository's own, by a link that packaging replaces with its content: there is no copy to grow old.
    """
    return Path(__file__).with_name("schema.json").read_text(encoding="utf-8")


@functools.cache
def version() -> str:
    """Return the version of the package."""
    return str(json.loads(schema_text())["version"])
