"""The second safeguard of secrets: none that state or configuration holds stands in a report, wherever it came from.

The engine masks the secret properties that it shows. A program may print one, though, and an error may quote one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pulumi_clouddb.models.redaction import Redactor, secrets_of_settings
from pulumi_clouddb.pulumi_wire.codec import read
from pulumi_clouddb.pulumi_wire.secret import Secret

from .report import Report

SHORTEST = 6
"""Shorter secrets are not looked for: masking them would mask ordinary words."""


def secrets_of(deployment: Any, config: dict[str, Any]) -> frozenset[str]:
    """Collect the texts of all secrets of an exported state and a configuration, both with secrets in clear."""
    texts = {str(each.get("value", "")) for each in config.values() if each.get("secret")}
    ours = {key.removeprefix("clouddb:"): each.get("value") for key, each in config.items() if key[:8] == "clouddb:"}
    texts |= secrets_of_settings(ours)
    texts |= set(_texts(read(deployment), secret=False))
    return frozenset(text for text in texts if len(text) >= SHORTEST)


def _texts(value: Any, *, secret: bool) -> Iterable[str]:
    if isinstance(value, Secret):
        yield from _texts(value.value, secret=True)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner, secret=secret)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, secret=secret)
    elif secret and isinstance(value, str):
        yield value


def masked(report: Report, secrets: frozenset[str]) -> Report:
    """Return the report with every secret text in it replaced, also where it is escaped, encoded or a line of one."""
    redactor = Redactor(secrets)

    def mask(value: Any) -> Any:
        if isinstance(value, str):
            return redactor(value)
        if isinstance(value, dict):
            return {key: mask(inner) for key, inner in value.items()}
        return [mask(inner) for inner in value] if isinstance(value, list) else value

    return Report.model_validate(mask(json.loads(report.model_dump_json())))
