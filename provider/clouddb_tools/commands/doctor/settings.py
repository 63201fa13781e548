"""Checks the settings without any request: readable, spelt correctly, valid and complete."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from pulumi_clouddb.client.errors import DEBUG_VARIABLE
from pulumi_clouddb.client.transport import CERTIFICATES
from pulumi_clouddb.create.pending_files import FOLDER_VARIABLE
from pulumi_clouddb.schema.base import names_with
from pulumi_clouddb.schema.config import NAMESPACE, ProviderConfig, environment_name, right_value
from pulumi_clouddb.schema.names import nearest

from .finding import Finding, error, ok, warning
from .servers import Management, SelfHosted
from .situation import SELF_HOSTED_SETTINGS, Situation

NAMES = tuple(str(info.alias) for info in ProviderConfig.model_fields.values())

OTHER_VARIABLES = (FOLDER_VARIABLE, DEBUG_VARIABLE, "CLOUDDB_POLICY_PROFILE", "CLOUDDB_OFFLINE")
"""Environment variables of this package and its examples that are not settings."""


def check_settings(situation: Situation) -> Iterator[Finding]:
    """Yield the faults of the settings, or that they are valid."""
    findings = [*_misspelt_keys(situation), *_misspelt_variables(situation), *_invalid(situation)]
    findings += plaintext_credentials(situation)
    if situation.distrust:
        findings.append(
            error("authorities", situation.distrust, "Correct its path, or unset it:", f"unset {CERTIFICATES}")
        )
    if situation.config_error:
        fix = "Run this command in the folder of the Pulumi project, with the name of a stack from this list:"
        findings.insert(0, error("stack-unread", situation.config_error, fix, "pulumi stack ls"))
    else:
        findings += _missing(situation)
    yield from findings
    if not findings:
        where = f"stack {situation.stack}, then the environment" if situation.stack else "the environment"
        yield ok("settings", f"{len(situation.values)} settings from {where} are valid and complete")


def _misspelt_keys(situation: Situation) -> Iterator[Finding]:
    for key in situation.stack_config:
        if not _is_misspelt(key):
            continue
        meant = nearest(key.rpartition(":")[2], NAMES)
        remove = f"{situation.of_stack('rm')} {shlex.quote(key)}"
        if meant is None:
            yield error("misspelt-setting", f"{key} is not a setting", "Remove it:", remove)
            continue
        text = f"{key} is not a setting and has no effect; the nearest name is {NAMESPACE}:{meant}"
        if situation.stack_config.get(f"{NAMESPACE}:{meant}"):
            yield error("misspelt-setting", f"{text}, which is also set", "Remove it:", remove)
            continue
        secret = " --secret" if meant in names_with(ProviderConfig, "secret") else " --plaintext"
        # Three steps: a failed read must not overwrite the setting, and the value must not appear in a process list.
        move = (
            f'VALUE="$({situation.of_stack("get")} {shlex.quote(key)})" && printf %s "$VALUE" | '
            f"{situation.of_stack('set')}{secret} {NAMESPACE}:{meant} && {remove}"
        )
        yield error("misspelt-setting", text, "Move its value there:", move)


def _misspelt_variables(situation: Situation) -> Iterator[Finding]:
    for variable, meant in _meant_by_variables(situation).items():
        if meant is None or situation.environment.get(meant):  # an empty one is not set
            text = f"{variable} is not a variable of this provider and has no effect"
            yield warning("misspelt-variable", text, "Remove it:", f"unset {variable}")
        else:
            yield error(
                "misspelt-variable",
                f"{variable} has no effect; the nearest name is {meant}",
                "Move its value there:",
                f'export {meant}="${variable}"; unset {variable}',
            )


def _meant_by_variables(situation: Situation) -> dict[str, str | None]:
    """Return the unknown variables, each with the nearest known one."""
    known = (*map(environment_name, NAMES), *OTHER_VARIABLES)
    unknown = sorted(
        each for each in situation.environment if each.upper().startswith("CLOUDDB_") and each not in known
    )
    return {variable: nearest(variable, known) for variable in unknown}


def _invalid(situation: Situation) -> Iterator[Finding]:
    for failure in situation.failures:
        name = failure.path.partition(".")[0]
        given = situation.values[name]
        right = right_value(name, given) if isinstance(given, str) else None
        text = f"{NAMESPACE}:{failure.path} {failure.reason}"
        if right or name in ("paths",):
            yield error("invalid-setting", text, "Correct it:", situation.to_set(name, right))
        elif ProviderConfig.model_fields[_attribute(name)].default is None:
            yield error("invalid-setting", text, "Set a valid value:", situation.to_set(name))
        else:
            fix = "Set a valid value, or remove the setting to use the default:"
            yield error("invalid-setting", text, fix, situation.to_remove(name))


def _attribute(name: str) -> str:
    return next(attribute for attribute, info in ProviderConfig.model_fields.items() if info.alias == name)


def plaintext_credentials(situation: Situation) -> Iterator[Finding]:
    """Yield a warning for each credential that the stack's configuration stores in plain text."""
    for key in situation.plaintext_credentials:
        text = (
            f"{key} is in plain text in the configuration of stack {situation.stack}; Pulumi copies it into plans, and "
            "with the Python classes into the state"
        )
        fix = "Replace this credential: everybody who can read the configuration has it. Then set the new one:"
        (of_server,) = (each.credentials for each in (Management, SelfHosted) if key.endswith(each.credentials))
        yield warning("credential-in-clear", text, fix, "; ".join(map(situation.to_set, of_server)))


def _meant_by_misspelt(situation: Situation) -> set[str]:
    """Return the settings whose names are misspelt: they are not also reported as missing."""
    keys = {nearest(key.rpartition(":")[2], NAMES) for key in situation.stack_config if _is_misspelt(key)}
    variables = set(_meant_by_variables(situation).values())
    return {name for name in NAMES if name in keys or environment_name(name) in variables}


def _is_misspelt(key: str) -> bool:
    namespace, _, name = key.partition(":")
    if namespace == NAMESPACE:
        return name not in NAMES
    # A key of another namespace is misspelt only if the namespace is close to ours and the name is one of ours.
    return name in NAMES and nearest(namespace, (NAMESPACE,)) is not None


def _missing(situation: Situation) -> Iterator[Finding]:
    """Yield the missing settings of each server that is partly configured."""
    config = situation.config.model_dump(by_alias=True)
    failed = {failure.path.partition(".")[0] for failure in situation.failures}
    management = situation.management_settings
    meant = _meant_by_misspelt(situation)
    any_given = False
    for needed, server in ((management, "the management API"), (SELF_HOSTED_SETTINGS, "the self-hosted server")):
        given = [name for name in needed if config[name] or name in failed or name in meant]
        any_given = any_given or bool(given)
        for name in needed:
            if given and name not in given:
                text = f"{NAMESPACE}:{name} is not set; {server} needs it in addition to {', '.join(given)}"
                yield error("missing-setting", text, "Set it:", situation.to_set(name))
    if not any_given:
        only = "the environment; --stack NAME reads the settings of a stack"
        where = f"stack {situation.stack} and the environment" if situation.stack else only
        commands = "; ".join(situation.to_set(name) for name in management)
        fix = "Set the key of the management API, and clouddb:baseUrl if it is not the vendor's:"
        yield error("no-settings", f"no server is configured in {where}", fix, commands)
