"""Checks the settings by themselves: read, spelt right, valid and complete."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from pulumi_clouddb.create.pending_files import FOLDER_VARIABLE
from pulumi_clouddb.engine.wire.messages import DEBUG_VARIABLE
from pulumi_clouddb.schema.base import names_marked
from pulumi_clouddb.schema.config import NAMESPACE, ProviderConfig, environment_name, right_address
from pulumi_clouddb.schema.names import nearest
from pulumi_clouddb.schema.vocabulary import VocabularyName

from .finding import Finding, error, ok, warning
from .servers import Management, SelfHosted
from .situation import MANAGEMENT_SETTINGS, SELF_HOSTED_SETTINGS, Situation

NAMES = tuple(str(info.alias) for info in ProviderConfig.model_fields.values())

OTHER_VARIABLES = (FOLDER_VARIABLE, DEBUG_VARIABLE, "CLOUDDB_POLICY_PROFILE", "CLOUDDB_OFFLINE")
"""Environment variables of this package and its examples that are no settings."""


def check_settings(situation: Situation) -> Iterator[Finding]:
    """Yield what is wrong with the settings, or that they are well."""
    found = [*_unread(situation), *_misspelt_keys(situation), *_misspelt_variables(situation)]
    found += [*_invalid(situation), *credentials_in_clear(situation)]
    if not situation.unread:
        found += _missing(situation)
    yield from found
    if not found:
        where = f"stack {situation.stack}, then the environment" if situation.stack else "the environment"
        yield ok("settings", f"{len(situation.values)} settings from {where} are valid and complete")


def _unread(situation: Situation) -> Iterator[Finding]:
    if situation.unread:
        yield error(
            "stack-unread",
            situation.unread,
            "Run it in the folder of the Pulumi project, with the name of one of its stacks; these are listed by:",
            "pulumi stack ls",
        )


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
        if f"{NAMESPACE}:{meant}" in situation.stack_config:
            yield error("misspelt-setting", f"{text}, which is set, too", "Remove it:", remove)
            continue
        secret = " --secret" if meant in names_marked(ProviderConfig, "secret") else " --plaintext"
        # In three steps: a value that could not be read must not replace anything, and stands in no list of processes.
        move = (
            f'VALUE="$({situation.of_stack("get")} {shlex.quote(key)})" && printf %s "$VALUE" | '
            f"{situation.of_stack('set')}{secret} {NAMESPACE}:{meant} && {remove}"
        )
        yield error("misspelt-setting", text, "Move its value there:", move)


def _misspelt_variables(situation: Situation) -> Iterator[Finding]:
    for variable, meant in _meant_by_variables(situation).items():
        if meant is None or meant in situation.environment:
            text = f"{variable} is no variable of this provider and has no effect"
            yield warning("misspelt-variable", text, "Remove it:", f"unset {variable}")
        else:
            yield error(
                "misspelt-variable",
                f"{variable} has no effect; the nearest name is {meant}",
                "Move its value there:",
                f'export {meant}="${variable}"; unset {variable}',
            )


def _meant_by_variables(situation: Situation) -> dict[str, str | None]:
    """Return the misspelt variables, each with the one that is meant."""
    known = (*map(environment_name, NAMES), *OTHER_VARIABLES)
    unknown = sorted(
        each for each in situation.environment if each.upper().startswith("CLOUDDB_") and each not in known
    )
    return {variable: nearest(variable, known) for variable in unknown}


def _invalid(situation: Situation) -> Iterator[Finding]:
    for failure in situation.failures:
        name = failure.path.partition(".")[0]
        given = situation.values[name]
        right = right_address(name, given) if isinstance(given, str) else None
        text = f"{NAMESPACE}:{failure.path} {failure.reason}"
        if right or name in ("paths",):
            yield error("invalid-setting", text, "Correct it:", situation.to_set(name, right))
        elif ProviderConfig.model_fields[_attribute(name)].default is None:
            yield error("invalid-setting", text, "Give it such a value:", situation.to_set(name))
        else:
            remove = situation.to_remove(name)
            yield error(
                "invalid-setting", text, "Set it to such a value, or remove it, which means the default:", remove
            )


def _attribute(name: str) -> str:
    return next(attribute for attribute, info in ProviderConfig.model_fields.items() if info.alias == name)


def credentials_in_clear(situation: Situation) -> Iterator[Finding]:
    """Yield the credentials that are in plain text in the stack's configuration."""
    for key in situation.in_clear:
        text = (
            f"{key} is in plain text in the configuration of stack {situation.stack}; Pulumi copies it into plans, and "
            "with the Python classes into the state"
        )
        fix = "Make a new one and delete this one, which everybody has who reads the configuration. Set the new one:"
        (of_server,) = (each.credentials for each in (Management, SelfHosted) if key.endswith(each.credentials))
        yield warning("credential-in-clear", text, fix, "; ".join(map(situation.to_set, of_server)))


def _meant_by_misspelt(situation: Situation) -> set[str]:
    """Return the settings that misspelt names mean: they are not missing beside that."""
    keys = {nearest(key.rpartition(":")[2], NAMES) for key in situation.stack_config if _is_misspelt(key)}
    variables = set(_meant_by_variables(situation).values())
    return {name for name in NAMES if name in keys or environment_name(name) in variables}


def _is_misspelt(key: str) -> bool:
    namespace, _, name = key.partition(":")
    if namespace == NAMESPACE:
        return name not in NAMES
    # Another namespace belongs to somebody else, unless it is almost ours and holds one of our settings.
    return name in NAMES and nearest(namespace, (NAMESPACE,)) is not None


def _missing(situation: Situation) -> Iterator[Finding]:
    """Yield the settings that a server lacks of which others are set."""
    config = situation.config.model_dump(by_alias=True)
    failed = {failure.path.partition(".")[0] for failure in situation.failures}
    neutral = situation.config.vocabulary is VocabularyName.NEUTRAL
    management = (*(("baseUrl",) if neutral else ()), *MANAGEMENT_SETTINGS)
    meant = _meant_by_misspelt(situation)
    begun = False
    for needed, of in ((management, "the management API"), (SELF_HOSTED_SETTINGS, "the self-hosted server")):
        given = [name for name in needed if config[name] or name in failed or name in meant]
        begun = begun or bool(given)
        for name in needed:
            if given and name not in given:
                text = f"{NAMESPACE}:{name} is not set, and {of} needs it beside {', '.join(given)}"
                yield error("missing-setting", text, "Set it:", situation.to_set(name))
    if not begun:
        where = f"stack {situation.stack} and the environment" if situation.stack else "the environment"
        commands = "; ".join(situation.to_set(name) for name in management)
        yield error("no-settings", f"no server is configured in {where}", "Set the management API:", commands)
