"""Rules about the IP access lists of services and keys."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import Context, Finding, Findings, Rule, Settings, rule, setting, violation
from pulumi_clouddb.policy.views import if_known, plain
from pulumi_clouddb.schema.base import anywhere, parse_network
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.view import path_of
from pulumi_clouddb.things.api_keys.api_key import API_KEY, ApiKey
from pulumi_clouddb.things.services.service import SERVICE, Service

Listed = Service | ApiKey
TAGS = ("network", "security")


class Prefixes(Settings):
    """The settings of service-narrow-access and key-narrow-access."""

    shortest_ipv4_prefix: int = setting("Shortest allowed IPv4 prefix, in bits.", default=16, ge=1, le=32)
    shortest_ipv6_prefix: int = setting("Shortest allowed IPv6 prefix, in bits.", default=48, ge=1, le=128)


Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
"""The addresses of IPv4 as addresses of IPv6."""

_OF_NOBODY: Mapping[int, tuple[str, ...]] = {
    4: (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
        "224.0.0.0/3",
    ),
    6: ("::/3", "4000::/2", "8000::/1"),
}
"""The addresses that nobody on the internet has (the special-purpose registries of IANA), by version."""


def _network(source: object) -> Network | None:
    """Return the network of an entry; by 0.0.0.0 alone, the vendor's samples mean all addresses."""
    try:
        network = parse_network(anywhere(source)) if isinstance(source, str) else None
    except ValueError:
        return None  # the provider's check reports it
    if isinstance(network, ipaddress.IPv6Network) and network.subnet_of(_MAPPED):
        return ipaddress.IPv4Network((int(network.network_address) & 0xFFFFFFFF, network.prefixlen - 96))
    return network


def _allows_everybody(source: object) -> bool:
    network = _network(source)
    return network is not None and (
        network.prefixlen == 0 or (isinstance(network, ipaddress.IPv6Network) and _MAPPED.subnet_of(network))
    )


def _allow_everybody_together(networks: Iterable[Network | None]) -> bool:
    """Return whether networks have every address on the internet, of IPv4 or of IPv6."""
    given = [network for network in networks if network is not None]
    for version, others in _OF_NOBODY.items():
        own = [network for network in given if network.version == version]
        whole: list[Any] = [*own, *map(ipaddress.ip_network, others)]
        if own and [each.prefixlen for each in ipaddress.collapse_addresses(whole)] == [0]:
            return True
    return False


def _no_open_access(listed: Listed, _: Context[Settings]) -> Findings:
    sources = []
    for entry in listed.ip_access_list or ():
        with if_known:
            sources.append(entry.source)
            if _allows_everybody(entry.source):
                yield violation(
                    entry,
                    "source",
                    "replace it with the networks that connect: it allows every address on the internet",
                )
    if not any(map(_allows_everybody, sources)) and _allow_everybody_together(map(_network, sources)):
        yield Finding(
            path_of(listed, "ip_access_list"),
            "has every address on the internet, in several entries",
            "replace these with the networks that connect",
        )


def _without_open_entries(_: Listed, context: Context[Settings]) -> Mapping[str, Any]:
    """Removes the open entries, unless no other entry remains: an empty list could allow everybody, or nobody."""
    kept, given = [], context.args.props["ipAccessList"]
    for entry in given:
        values = plain(entry)
        if not isinstance(values, dict) or not _allows_everybody(values.get("source")):
            kept.append(entry)
    return {"ipAccessList": kept} if 0 < len(kept) < len(given) else {}


def _narrow_access(listed: Listed, context: Context[Prefixes]) -> Findings:
    # Entries for every address are left to no-open-access, which may have an exception for them.
    shortest = {4: context.settings.shortest_ipv4_prefix, 6: context.settings.shortest_ipv6_prefix}
    for entry in listed.ip_access_list or ():
        with if_known:
            network = _network(entry.source)
            if network is not None and 0 < network.prefixlen < shortest[network.version]:
                limit = shortest[network.version]
                yield violation(entry, "source", f"use IPv{network.version} prefixes of /{limit} or longer")


def _access_described(listed: Listed, _: Context[Settings]) -> Findings:
    for entry in listed.ip_access_list or ():
        with if_known:
            if not (entry.description or "").strip():
                yield violation(entry, "description", "describe whose address it is, so that it can be removed later")


def _rules(type_: ResourceType, prefix: str, subject: str) -> tuple[Rule[Settings], Rule[Prefixes], Rule[Settings]]:
    """Return the three rules for the access list of a resource.

    Args:
        type_: The resource.
        prefix: The word with which the names of the rules begin.
        subject: The resource in the descriptions of the rules.
    """
    no_open_access: Rule[Settings] = rule(
        type_,
        f"{prefix}-no-open-access",
        f"{subject} is not open to every address on the internet.",
        severity=Severity.CRITICAL,
        comply="List the networks that connect instead of 0.0.0.0/0 or ::/0.",
        tags=TAGS,
        control="SC-7 Boundary Protection",
    )(_no_open_access)
    no_open_access.fix(_without_open_entries)
    narrow_access: Rule[Prefixes] = rule(
        type_,
        f"{prefix}-narrow-access",
        f"{subject} allows no address range that is wider than the limit.",
        severity=Severity.HIGH,
        comply="Split a wide range into the networks that connect, or set a shorter prefix as the limit.",
        tags=TAGS,
        control="SC-7 Boundary Protection",
        settings=Prefixes,
    )(_narrow_access)
    access_described: Rule[Settings] = rule(
        type_,
        f"{prefix}-access-described",
        f"{subject} has a description for each allowed address.",
        severity=Severity.LOW,
        comply="Add a description to each entry of ipAccessList.",
        tags=("network", "documentation"),
    )(_access_described)
    return no_open_access, narrow_access, access_described


service_no_open_access, service_narrow_access, service_access_described = _rules(SERVICE, "service", "A service")
key_no_open_access, key_narrow_access, key_access_described = _rules(API_KEY, "key", "An API key")
