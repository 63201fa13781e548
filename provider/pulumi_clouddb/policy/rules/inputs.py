"""Rules about inputs and options of many resources: deprecated properties, names, ignored changes, credentials."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_policy import Severity
from pydantic import field_validator

from pulumi_clouddb.policy.resources import TYPES
from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, rule, setting, shown, violation
from pulumi_clouddb.policy.views import plain
from pulumi_clouddb.schema.base import wire_name
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.secrets.redaction import hide
from pulumi_clouddb.schema.values import Path, show_path
from pulumi_clouddb.things.alerts.alert import ALERT, Alert
from pulumi_clouddb.things.api_keys.api_key import API_KEY, ApiKey
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD, Dashboard
from pulumi_clouddb.things.postgres_services.postgres_service import POSTGRES_SERVICE, PostgresService
from pulumi_clouddb.things.services.service import SERVICE, Service


@functools.cache
def _deprecations(type_: ResourceType) -> Mapping[str, str]:
    """Return the advice for each deprecated input of a resource."""
    return dict(type_.deprecations(wire_name(type_.inputs, attribute) for attribute in type_.inputs.model_fields))


WITH_DEPRECATED = tuple(type_ for type_ in TYPES if _deprecations(type_))


@rule(
    WITH_DEPRECATED,
    "no-deprecated-properties",
    "No deprecated property is used.",
    severity=Severity.LOW,
    comply="Use the successor from the message.",
    tags=("maintenance",),
)
def no_deprecated_properties(_: object, context: Context[Settings]) -> Findings:
    """Check which properties are given, known or not."""
    given = plain(context.args.props)
    for name, advice in _deprecations(context.type).items():
        if given.get(name) is not None:
            yield Finding(name, "is deprecated", advice)


def _compilable(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None
    return pattern


Named = Service | PostgresService | ApiKey | Dashboard | Alert


class Naming(Settings):
    """The settings of naming."""

    pattern: str = setting("Regular expression that the whole name must match.", default=r"[^\W\d_](.*\S)?")

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        return _compilable(pattern)


@rule(
    (SERVICE, POSTGRES_SERVICE, API_KEY, DASHBOARD, ALERT),
    "naming",
    "Names match the pattern.",
    severity=Severity.LOW,
    comply="Rename the object; a new name does not replace it.",
    tags=("naming",),
    settings=Naming,
)
def naming(resource: Named, context: Context[Naming]) -> Findings:
    """Check the object's name, if it has one."""
    if resource.name is not None and not re.fullmatch(context.settings.pattern, resource.name):
        yield violation(resource, "name", f"choose one that matches {context.settings.pattern}")


class Watched(Settings):
    """The settings of no-ignored-protection."""

    properties: list[str] = setting(
        "Properties that ignoreChanges may not contain.",
        default=["ipAccessList", "roles", "expireAt", "state", "deletionProtection"],
    )


@rule(
    (SERVICE, POSTGRES_SERVICE, API_KEY),
    "no-ignored-protection",
    "Pulumi detects changes of properties that protect a service or key.",
    severity=Severity.HIGH,
    comply="Remove the property from ignoreChanges.",
    tags=("security", "drift"),
    control="CM-6 Configuration Settings",
    settings=Watched,
)
def no_ignored_protection(_: object, context: Context[Watched]) -> Findings:
    """Check the option ignoreChanges: with it, an access list that was opened manually stays open."""
    for path in context.args.opts.ignore_changes or ():
        top = re.search(r"\w+|\*", path)  # the first name, also in the form `["name"]`
        if top and (top[0] in context.settings.properties or top[0] == "*"):
            yield Finding("ignoreChanges", f"contains {shown(path)}", "remove it, so that manual changes are detected")


class Credentials(Settings):
    """The settings of no-credentials-in-inputs."""

    patterns: list[str] = setting(
        "Regular expressions for credentials in plain inputs.",
        default=[
            r"[a-zA-Z0-9+.-]://[^/\s:@]+:[^/\s@]+@",  # an address with a password
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*",
            r"(?i)\bbearer\s+[a-z0-9._~+/=-]{16,}",
            r"(?i)\b(password|passwd|secret|token|api_?key)\s*=\s*['\"]?(?=\S{0,99}[0-9])[^\s'\"]{8,}",
            r"\bAKIA[0-9A-Z]{16}\b",  # an access key of AWS
            r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*",  # a signed token (JWT)
        ],
    )

    @field_validator("patterns")
    @classmethod
    def _compile(cls, patterns: list[str]) -> list[str]:
        return [_compilable(pattern) for pattern in patterns]


SHORTEST_SECRET = 8
"""Minimum length of secret configuration to search for; shorter values occur in other texts by chance."""


@rule(
    TYPES,
    "no-credentials-in-inputs",
    "No plain-text input contains a credential.",
    severity=Severity.CRITICAL,
    comply="Remove the credential, and rotate it: state, logs and reviews may already contain it.",
    tags=("credentials", "security"),
    control="IA-5 Authenticator Management",
    settings=Credentials,
)
def no_credentials_in_inputs(_: object, context: Context[Credentials]) -> Findings:
    """Check every text that is not secret; the message does not contain it, and `clouddb ci` masks what was found."""
    secret = {*context.type.secrets, *(context.secret_inputs or ())}
    keys = context.facts.secret_keys or ()
    config_secrets = [text for key in keys if len(text := context.facts.config.get(key, "")) >= SHORTEST_SECRET]
    for name, value in plain(context.args.props).items():
        if name in secret or name.startswith("__"):
            continue
        for path, text in _texts(value, (name,)):
            if any(each in text for each in config_secrets):
                yield Finding(show_path(path), "contains a value of secret configuration", "remove it")
            elif found := [each[0] for pattern in context.settings.patterns for each in re.finditer(pattern, text)]:
                for each in found:
                    hide(each)
                yield Finding(show_path(path), "seems to contain a credential", "remove it, and rotate it")


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))
