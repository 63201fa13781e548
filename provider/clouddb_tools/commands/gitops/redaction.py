"""The second safeguard of secrets: reports contain no secret of the state, the configuration or the program.

The engine masks secret properties. But a program may print a secret, and an error may quote one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

from pulumi_clouddb.engine.wire.codec import read
from pulumi_clouddb.engine.wire.secret import Secret, strip
from pulumi_clouddb.engine.wire.urns import PROVIDERS
from pulumi_clouddb.schema.secrets.masking import secrets_of_settings
from pulumi_clouddb.schema.secrets.redaction import Redactor
from pulumi_clouddb.schema.secrets.spellings import MASK, texts_of

from .report import Part, Report, ResourceChange

PartT = TypeVar("PartT", bound=Part)

SHORTEST: Final = 6
"""Shorter secrets are not masked: that would mask ordinary words."""

PRINTED_BY_THE_ENGINE: Final = re.compile(r"\{&\{\{.*\}\}\}", re.DOTALL)
"""Everything from the first to the last secret in a message of the engine.

The engine prints a secret as Go prints a pointer to a `resource.Secret`, when a step differs from the plan or a
provider rejects an input by name (resource/deploy/plan.go and step_generator.go of Pulumi).
"""


def secrets_of(deployment: Mapping[str, Any], config: Mapping[str, Any], marked: Iterable[str] = ()) -> frozenset[str]:
    """Collect the texts of all secrets.

    Args:
        deployment: An exported state, with secrets in plain text.
        config: A configuration by full key, with secrets in plain text.
        marked: Texts that the program marked as secret in this run.
    """
    texts = {
        *marked,
        *_in_state(read(deployment)),
        *_credentials({key: each.get("value") for key, each in config.items()}),
    }
    for each in deployment.get("resources") or ():
        if str(each.get("type")).startswith(PROVIDERS):
            texts.update(_credentials(strip(read(each.get("inputs") or {}))))
    for each in config.values():
        if each.get("secret"):
            texts.update(_in_setting(str(each.get("value", ""))))
    return frozenset(text for text in texts if len(text) >= SHORTEST)


def _credentials(values: Mapping[str, Any]) -> frozenset[str]:
    """Return the credentials among settings, encrypted or not."""
    return secrets_of_settings({key.removeprefix("clouddb:"): value for key, value in values.items()})


def _in_setting(value: str) -> Iterator[str]:
    """Yield a secret setting, and the texts in it if it is an object or a list."""
    yield value
    try:
        content = json.loads(value)
    except ValueError:
        return
    if isinstance(content, (dict, list)):
        yield from texts_of(content)


def _in_state(value: Any) -> Iterator[str]:
    if isinstance(value, Secret):
        yield from texts_of(strip(value))
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _in_state(inner)


def names_of(project: str, stack: str, resources: Iterable[ResourceChange]) -> Iterator[str]:
    """Yield what is no secret, whatever equals it: the names of a project, a stack and resources, and their ids."""
    yield from (project, stack)
    for each in resources:
        yield from (each.name, each.id)


def masked(report: Report, secrets: frozenset[str]) -> Report:
    """Return the report with every secret replaced, also escaped, encoded or single lines of one.

    Names stay: properties, settings, operations, policies, and those of the project, its stack and its resources.
    """
    redactor = Redactor(secrets, names_of(report.project, report.stack, [*report.resources, *report.drift]))

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
