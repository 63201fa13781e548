"""Whether two ends of a life are the same but for ids, secrets and moments that chance has drawn."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

SUFFIX = re.compile(r'"keySuffix": "\w+"')
DRAWN = re.compile(r"(?=[\w+/=-]*\d)[\w+/=-]{16,}")
"""What looks drawn: an id, a secret or its hash."""

ISO = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[.]\d+Z")
MOMENT = re.compile(r"\b1[89]\d{8}(?:[.]\d+)?\b")
"""Seconds since 1970, in the years that are simulated."""


def plain_text(whole: Any, names: Mapping[str, str]) -> str:
    """Return a text that is equal for two ends that differ only in what chance has drawn.

    What was equal before is equal in the text, and of two moments the earlier one stays the earlier one.

    Args:
        whole: Everything that the future depends on, as what can be JSON.
        names: Names of the ids that mean the same in each life.
    """
    text = SUFFIX.sub("", json.dumps(whole, sort_keys=True, default=vars))
    text = ISO.sub(lambda found: repr(_seconds(found.group())), text)
    order = {moment: place for place, moment in enumerate(sorted({float(each) for each in MOMENT.findall(text)}))}
    text = MOMENT.sub(lambda found: f"t{order[float(found.group())]}", text)
    drawn: dict[str, str] = {}
    return DRAWN.sub(
        lambda found: names.get(found.group()) or drawn.setdefault(found.group(), f"drawn {len(drawn)}"), text
    )


def _seconds(moment: str) -> float:
    return datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc).timestamp()
