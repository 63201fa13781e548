"""Sources, connections and dashboards in files: templates have their names, other files their ids."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from pulumi_clouddb.schema.check.wording import OBJECT_ID
from pulumi_clouddb.schema.choice import ClosedChoice


class Kind(ClosedChoice, because="each kind has a list of its own"):
    """Kinds of objects that a dashboard refers to."""

    SOURCE = "source", "a data source"
    CONNECTION = "connection", "a connection"
    DASHBOARD = "dashboard", "a dashboard"


Refer: TypeAlias = Callable[[Kind, str], object]
"""Returns the id for a name or id in a file, or what takes its place in a program; None if there is no such object."""


def is_id(text: str) -> bool:
    """Return whether a text is an id and not a name: the server's loaders of files decide the same way."""
    return re.fullmatch(OBJECT_ID, text) is not None
