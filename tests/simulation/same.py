"""Compares two final states of lives without random ids, secrets and times."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

SUFFIX = re.compile(r'"keySuffix": "\w+"')
RANDOM = re.compile(r"(?=[\w+/=-]*\d)[\w+/=-]{16,}")
"""A random text: an id, a secret or its hash."""

ISO = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[.]\d+Z")
MOMENT = re.compile(r"\b1[89]\d{8}(?:[.]\d+)?\b")
"""Seconds since 1970, in the simulated years."""


def plain_text(whole: Any, names: Mapping[str, str]) -> str:
    """Return a text that is equal for two final states that differ only in random values.

    Equal values remain equal in the text, and times keep their order.

    Args:
        whole: Everything that the further course depends on, convertible to JSON.
        names: Names for the ids that correspond to each other in all lives.
    """
    text = SUFFIX.sub("", json.dumps(whole, sort_keys=True, default=vars))
    text = ISO.sub(lambda match: repr(_seconds(match.group())), text)
    order = {moment: place for place, moment in enumerate(sorted({float(each) for each in MOMENT.findall(text)}))}
    text = MOMENT.sub(lambda match: f"t{order[float(match.group())]}", text)
    labels: dict[str, str] = {}
    return RANDOM.sub(
        lambda match: names.get(match.group()) or labels.setdefault(match.group(), f"random {len(labels)}"), text
    )


def _seconds(moment: str) -> float:
    return datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc).timestamp()
