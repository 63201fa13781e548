"""Who may connect: the IP access lists of services and keys."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.keys.api_key import API_KEY, ApiKey
from pulumi_clouddb.policy.rule import Context, Findings, Rule, Settings, rule, setting, violation
from pulumi_clouddb.policy.views import if_known, plain
from pulumi_clouddb.schema.base import parse_network
from pulumi_clouddb.services.service import SERVICE, Service

Listed = Service | ApiKey
TAGS = ("network", "security")


class Prefixes(Settings):
    """How wide a range of addresses may be."""

    shortest_ipv4_prefix: int = setting("Bits of the shortest IPv4 prefix that is allowed.", default=16, ge=1, le=32)
    shortest_ipv6_prefix: int = setting("Bits of the shortest IPv6 prefix that is allowed.", default=48, ge=1, le=128)


def _range(source: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return parse_network(source)
    except ValueError:
        return None  # check says so


def _is_world(source: str) -> bool:
    network = _range(source)
    return network is not None and network.prefixlen == 0


def _no_open_access(listed: Listed, _: Context[Settings]) -> Findings:
    for entry in listed.ip_access_list or ():
        with if_known:
            if _is_world(entry.source):
                yield violation(
                    entry, "source", "every address on the internet is in it: name the networks that connect"
                )


def _without_open_entries(_: Listed, context: Context[Settings]) -> Mapping[str, Any]:
    """Takes the open entries out where others are left: an empty list could mean anybody, or nobody."""
    kept = [entry for entry in context.args.props["ipAccessList"] if not _lets_in_everybody(plain(entry))]
    return {"ipAccessList": kept} if kept else {}


def _lets_in_everybody(entry: Any) -> bool:
    source = entry.get("source") if isinstance(entry, dict) else None
    return isinstance(source, str) and _is_world(source)


def _narrow_access(listed: Listed, context: Context[Prefixes]) -> Findings:
    # The other rule reports what lets in everybody, and may be excepted there.
    shortest = {4: context.settings.shortest_ipv4_prefix, 6: context.settings.shortest_ipv6_prefix}
    for entry in listed.ip_access_list or ():
        with if_known:
            network = _range(entry.source)
            if network is not None and 0 < network.prefixlen < shortest[network.version]:
                least = shortest[network.version]
                yield violation(entry, "source", f"give ranges of /{least} or longer for IPv{network.version}")


def _described(listed: Listed, _: Context[Settings]) -> Findings:
    for entry in listed.ip_access_list or ():
        with if_known:
            if not (entry.description or "").strip():
                yield violation(entry, "description", "say whose address it is, so that it can be taken out one day")


KINDS = {"service": (SERVICE, "A service"), "key": (API_KEY, "An API key")}
"""What has a list, by the word that names of rules begin with."""


def _open(kind: str) -> Rule[Settings]:
    type_, who = KINDS[kind]
    declared: Rule[Settings] = rule(
        type_,
        f"{kind}-no-open-access",
        f"{who} is not open to every address on the internet.",
        severity=Severity.CRITICAL,
        comply="List the networks that connect instead of 0.0.0.0/0 or ::/0.",
        tags=TAGS,
        control="SC-7 Boundary Protection",
    )(_no_open_access)
    declared.fix(_without_open_entries)
    return declared


def _narrow(kind: str) -> Rule[Prefixes]:
    type_, who = KINDS[kind]
    return rule(
        type_,
        f"{kind}-narrow-access",
        f"{who} lets in no range of addresses that is wider than allowed.",
        severity=Severity.HIGH,
        comply="Split a wide range into the networks that connect, or allow a shorter prefix in the configuration.",
        tags=TAGS,
        control="SC-7 Boundary Protection",
        settings=Prefixes,
    )(_narrow_access)


def _says_whose(kind: str) -> Rule[Settings]:
    type_, who = KINDS[kind]
    return rule(
        type_,
        f"{kind}-access-described",
        f"{who} says of every address it lets in whose it is.",
        severity=Severity.LOW,
        comply="Give each entry of ipAccessList a description.",
        tags=("network", "documentation"),
    )(_described)


service_no_open_access = _open("service")
service_narrow_access = _narrow("service")
service_access_described = _says_whose("service")
key_no_open_access = _open("key")
key_narrow_access = _narrow("key")
key_access_described = _says_whose("key")
