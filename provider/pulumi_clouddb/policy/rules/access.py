"""Rules about the IP access lists of services and keys."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import Context, Findings, Rule, Settings, rule, setting, violation
from pulumi_clouddb.policy.views import if_known, plain
from pulumi_clouddb.schema.base import anywhere, parse_network
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.things.api_keys.api_key import API_KEY, ApiKey
from pulumi_clouddb.things.services.service import SERVICE, Service

Listed = Service | ApiKey
TAGS = ("network", "security")


class Prefixes(Settings):
    """The settings of service-narrow-access and key-narrow-access."""

    shortest_ipv4_prefix: int = setting("Shortest allowed IPv4 prefix, in bits.", default=16, ge=1, le=32)
    shortest_ipv6_prefix: int = setting("Shortest allowed IPv6 prefix, in bits.", default=48, ge=1, le=128)


def _network(source: object) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    """Return the network of an entry; by 0.0.0.0 alone, the vendor's samples mean all addresses."""
    try:
        return parse_network(anywhere(source)) if isinstance(source, str) else None
    except ValueError:
        return None  # the provider's check reports it


def _allows_everybody(source: object) -> bool:
    network = _network(source)
    return network is not None and network.prefixlen == 0


def _no_open_access(listed: Listed, _: Context[Settings]) -> Findings:
    for entry in listed.ip_access_list or ():
        with if_known:
            if _allows_everybody(entry.source):
                yield violation(
                    entry,
                    "source",
                    "replace it with the networks that connect: it allows every address on the internet",
                )


def _without_open_entries(_: Listed, context: Context[Settings]) -> Mapping[str, Any]:
    """Removes the open entries, unless no other entry remains: an empty list could allow everybody, or nobody."""
    kept = []
    for entry in context.args.props["ipAccessList"]:
        values = plain(entry)
        if not isinstance(values, dict) or not _allows_everybody(values.get("source")):
            kept.append(entry)
    return {"ipAccessList": kept} if kept else {}


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
