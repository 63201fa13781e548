"""Read and check the configuration, including `clouddb:paths`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import unquote

from pydantic import BaseModel
from pydantic.alias_generators import to_snake

from pulumi_clouddb import registry
from pulumi_clouddb.client.errors import ConfigError
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.check.findings import Failure, failures_of
from pulumi_clouddb.schema.check.rules import OURS, Rule, rule
from pulumi_clouddb.schema.config import ProviderConfig, environment_name, gather, texts_in
from pulumi_clouddb.schema.defaults import models_in
from pulumi_clouddb.schema.names import did_you_mean
from pulumi_clouddb.schema.secrets.masking import secrets_of_settings
from pulumi_clouddb.schema.secrets.redaction import Redactor, remember
from pulumi_clouddb.schema.values import from_text
from pulumi_clouddb.schema.view import raw_of

OPTIONAL = frozenset({"organizationId"})
"""Placeholders that a path may lack: a server may have one organization only."""

_PLACEHOLDER = re.compile(r"\{([A-Za-z]+)\}")


def path_problem(operation: Operation, path: str) -> str | None:
    """Return the problem of a path for an operation, or None. Paths are not quoted: they may contain a token."""
    if not path.startswith("/") or path.startswith("//"):
        return "must begin with one `/`, without scheme and host"
    plain = _PLACEHOLDER.sub("x", path)
    if not re.fullmatch(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*", plain):
        return (
            "must contain only the characters of a path: no query, fragment, space, backslash or character beyond ASCII"
        )
    if {".", ".."} & set(unquote(plain).split("/")):
        return "must not contain the step `.` or `..`"
    own, given = set(_PLACEHOLDER.findall(operation.path)), set(_PLACEHOLDER.findall(path))
    if given - own:
        return f"must not contain {_named(given - own)}; its placeholders are {_named(own) or 'none'}"
    if missing := own - given - OPTIONAL:
        return f"must contain {_named(missing)}"
    return None


def _named(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


def all_problems(config: ProviderConfig) -> str | None:
    """Return the problems of the setting `paths`, or None."""
    paths = from_text(config.paths)
    problems = []
    for name, path in paths.items() if isinstance(paths, dict) else ():
        operation = registry.OPERATIONS.get(name)
        if operation is None:
            problems.append(f"{_shown(name)} is not an operation{did_you_mean(name, registry.OPERATIONS, cutoff=0)}")
        elif isinstance(path, str) and (problem := path_problem(operation, path)):
            problems.append(f"of {name} {problem}")
    return "; ".join(problems) or None


def all_unknown_places(config: ProviderConfig) -> str | None:
    """Return the places of `ignoreWarnings` that nothing can warn of, or None."""
    places = texts_in(raw_of(config, "ignore_warnings"))
    texts = (each for each in places if isinstance(each, str)) if isinstance(places, list) else ()
    return "; ".join(filter(None, map(_place_problem, texts))) or None


def _place_problem(place: str) -> str:
    """Return why no value has a place, such as `Service.ipAccessList[].source`, or an empty text if one may."""
    kind, *names = re.sub(r"\[[^\]]*\]", "", place).split(".")
    if kind in registry.RESOURCES:
        model: type[BaseModel] | None = registry.RESOURCES[kind].type.state
    elif kind in registry.FUNCTIONS:
        model = registry.FUNCTIONS[kind].type.inputs
    else:
        return f"has {place!r}: {kind!r} is no resource{did_you_mean(kind, [*registry.RESOURCES, *registry.FUNCTIONS])}"
    for name in names:
        if model is None:
            break
        known = {to_snake(wire): wire for wire in wire_names(model)}
        if to_snake(name) not in known:
            near = did_you_mean(name, known.values())
            may_be_newer = model.model_config.get("extra") == "allow" and not near
            return "" if may_be_newer else f"has {place!r}, where there is no {name}{near}"
        model = models_in(model).get(known[to_snake(name)])
    return ""


def _shown(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]{1,50}", name) else "one of its names"


class CheckedConfig(ProviderConfig):
    """The configuration, with rules for its paths and places."""

    RULES: ClassVar[tuple[Rule[ProviderConfig], ...]] = (
        rule(lambda config: config.paths, "", all_problems, source=OURS),
        rule(lambda config: config.ignore_warnings, "", all_unknown_places, source=OURS),
    )


def settings_failures(values: Mapping[str, Any]) -> list[Failure]:
    """Return all failures of a configuration by wire name; none quotes a secret."""
    redactor = Redactor(secrets_of_settings(values))
    failures = failures_of(CheckedConfig, values)
    return [replace(failure, reason=redactor(failure.reason)) for failure in failures]


def provider_config(stack_config: Callable[[str], Any]) -> ProviderConfig:
    """Return the configuration: `stack_config(name)` for each setting, else the environment, else the default.

    Raises:
        ConfigError: Settings are invalid; the message has all failures.
    """
    values = gather(stack_config, os.environ)
    remember(secrets_of_settings(values))
    failures = settings_failures(values)
    if failures:
        reasons = "; ".join(" ".join(f"clouddb:{failure}".split()) for failure in failures)
        first = failures[0].path.partition(".")[0]
        raise ConfigError(
            f"{reasons}\nSet it with `pulumi config set`, or in the environment as {environment_name(first)}."
        )
    return ProviderConfig.model_validate(values)
