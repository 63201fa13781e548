"""The second safeguard of secrets: none that state, configuration or program holds stands in a report.

The engine masks the secret properties that it shows. A program may print one, though, and an error may quote one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

from pulumi_clouddb.engine.wire.codec import read
from pulumi_clouddb.engine.wire.secret import Secret, strip
from pulumi_clouddb.engine.wire.urns import PROVIDERS
from pulumi_clouddb.schema.masking import secrets_of_settings
from pulumi_clouddb.schema.redaction import Redactor
from pulumi_clouddb.schema.spellings import MASK, texts_of

from .report import Part, Report

PartT = TypeVar("PartT", bound=Part)

SHORTEST: Final = 6
"""Shorter secrets are not looked for: masking them would mask ordinary words."""

PRINTED_BY_THE_ENGINE: Final = re.compile(r"\{&\{\{.*\}\}\}", re.DOTALL)
"""Secrets in a message of the engine, with all between them.

It prints values where a step is not as planned, and where a provider refuses an input by its name, as Go writes a
pointer to a `resource.Secret` (resource/deploy/plan.go and step_generator.go of Pulumi).
"""


def secrets_of(deployment: Mapping[str, Any], config: Mapping[str, Any], told: Iterable[str] = ()) -> frozenset[str]:
    """Collect the texts of all secrets.

    Args:
        deployment: An exported state, with secrets in plain text.
        config: A configuration by whole key, with secrets in plain text.
        told: What the program has marked in this run.
    """
    texts = {
        *told,
        *_of_state(read(deployment)),
        *_of_provider({key: each.get("value") for key, each in config.items()}),
    }
    for each in deployment.get("resources") or ():
        if str(each.get("type")).startswith(PROVIDERS):
            texts.update(_of_provider(strip(read(each.get("inputs") or {}))))
    for each in config.values():
        if each.get("secret"):
            texts.update(_of_setting(str(each.get("value", ""))))
    return frozenset(text for text in texts if len(text) >= SHORTEST)


def _of_provider(values: Mapping[str, Any]) -> frozenset[str]:
    """Return the credentials among settings, which may stand there in plain text."""
    return secrets_of_settings({key.removeprefix("clouddb:"): value for key, value in values.items()})


def _of_setting(value: str) -> Iterator[str]:
    """Yield a secret of the configuration; of one that is an object or a list, what it consists of, too."""
    yield value
    try:
        content = json.loads(value)
    except ValueError:
        return
    if isinstance(content, (dict, list)):
        yield from texts_of(content)


def _of_state(value: Any) -> Iterator[str]:
    if isinstance(value, Secret):
        yield from texts_of(strip(value))
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _of_state(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _of_state(inner)


def masked(report: Report, secrets: frozenset[str]) -> Report:
    """Return the report with every secret text in it replaced, also where it is escaped, encoded or a line of one.

    What the parts of a report name stays: properties, settings, operations, policies.
    """
    redactor = Redactor(secrets)

    def mask(value: Any) -> Any:
        if isinstance(value, Part):
            return _masked_part(value)
        if isinstance(value, str):
            return redactor(PRINTED_BY_THE_ENGINE.sub(MASK, value))
        if isinstance(value, dict):
            return {mask(key): mask(inner) for key, inner in value.items()}
        return [mask(inner) for inner in value] if isinstance(value, list) else value

    def _masked_part(part: PartT) -> PartT:
        shown = {name: mask(getattr(part, name)) for name in type(part).model_fields if name not in part.NAMES}
        return part.model_copy(update=shown)

    return _masked_part(report)
