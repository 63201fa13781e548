"""The settings that requests to a server need, and the messages about missing ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pulumi_clouddb.schema.base import names_with
from pulumi_clouddb.schema.config import ProviderConfig, environment_name
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .dialect import DIALECTS
from .operation import CALLER, ServerKind

NEEDED: Mapping[ServerKind, Mapping[str, Callable[[ProviderConfig], object]]] = {
    ServerKind.MANAGEMENT: {
        "baseUrl": lambda config: config.base_url or DIALECTS[config.vocabulary].base_url,
        "organizationId": lambda config: config.organization_id or finds_organization(config),
        "keyId": lambda config: config.key_id,
        "keySecret": lambda config: config.key_secret,
    },
    ServerKind.SELF_HOSTED: {
        "stackUrl": lambda config: config.stack_url,
        "stackToken": lambda config: config.stack_token,
    },
}
"""The settings that each server needs, each with its value in a configuration, or whether it can be left out there."""
_ALTERNATIVE = {
    "baseUrl": f"for the vendor's own servers set {CLICKHOUSE.setting}, which knows their address",
    "stackUrl": "give the resource a serviceId to use the managed form of that service",
}


def missing_settings(config: ProviderConfig, server_kind: ServerKind, *, organization: bool | None = None) -> list[str]:
    """Return the wire names of the settings that requests to a server need and the configuration lacks.

    `organization` tells whether the path of the request names the organization; None stands for any request.
    """
    if organization is None:
        paths = {name: path for name, path in (config.paths or {}).items() if not name.startswith("self_hosted_")}
        organization = all("{organizationId}" in path for path in paths.values())
    unneeded = () if organization else ("organizationId",)
    return [name for name, of in NEEDED[server_kind].items() if not of(config) and name not in unneeded]


def finds_organization(config: ProviderConfig) -> bool:
    """Return whether the servers of this dialect return the organization of the key; older ones do not."""
    return CALLER.only is config.vocabulary


def not_set(missing: Sequence[str], provider: str = "") -> tuple[str, str]:
    """Return a message of two lines about missing settings; an explicit provider gets none from the stack."""
    secret = names_with(ProviderConfig, "secret")
    commands = (f"`pulumi config set{' --secret' * (name in secret)} clouddb:{name} …`" for name in missing)
    place = f"arguments of the provider {provider!r}" if provider else _listed(commands)
    variables = _listed(map(environment_name, missing))
    instead = "".join(f", or {_ALTERNATIVE[name]}" for name in missing if name in _ALTERNATIVE)
    is_, it = ("is", "it") if len(missing) == 1 else ("are", "them")
    return (
        f"{_listed(f'clouddb:{name}' for name in missing)} {is_} not set",
        f"Set {it} with {place}, or in the environment as {variables}{instead}.",
    )


def settings_problem(missing: Sequence[str], misspelt: Mapping[str, str], provider: str = "") -> str | None:
    """Return the problem with settings, and what to do, in one line; None without one.

    `misspelt` has the names that are not settings, each with the one that it probably means; `provider` is the name of
    the explicit provider that has the settings, if they are not those of the stack.
    """
    words = [f"clouddb:{name} is not a setting; did you mean clouddb:{near}?" for name, near in misspelt.items()]
    if missing:
        words.append(". ".join(not_set(missing, provider)))
    if misspelt and not provider:
        words.append(
            f"Rename what is not a setting: {_listed(f'`pulumi config rm clouddb:{name}`' for name in misspelt)}"
        )
        renamed = [near for near in misspelt.values() if near not in missing]
        words[-1] += f", {_listed(f'`pulumi config set clouddb:{name} …`' for name in renamed)}." if renamed else "."
    return " ".join(words) or None


def _listed(words: Iterable[str]) -> str:
    *head, last = words
    return f"{', '.join(head)} and {last}" if head else last
