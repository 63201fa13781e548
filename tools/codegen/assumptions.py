"""The page docs/assumptions.md: what the provider and the sandbox assume of servers."""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from pydantic.alias_generators import to_snake

import pulumi_clouddb.client
import pulumi_clouddb.create
import pulumi_clouddb.resource
import pulumi_clouddb.schema
import pulumi_clouddb.things
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.schema.assumptions import ALL, CLOUD_ONLY, SELF_HOSTED_ONLY, Assumption
from pulumi_clouddb.schema.resource_type import in_words

from .docs import table
from .names import NOTICE

DECLARING = (
    pulumi_clouddb.schema,
    pulumi_clouddb.client,
    pulumi_clouddb.create,
    pulumi_clouddb.resource,
    pulumi_clouddb.things,
)
"""The packages that declare assumptions; those of the sandbox are with the things that it serves."""

UNIQUE, IN_PART = "_are_unique", "_are_listed_in_part"
"""The ends of the names of the assumptions that declarations of collections are."""

INTRODUCTION = """\
For contributors: what do the provider and the sandbox believe of servers that no test of this package can prove, and
from which source? [The acceptance run](acceptance.md) probes all of it on a real server.

*Inferred* means that no source is known. A star marks what is assumed of every server that implements the interface;
everything else is assumed of the vendor's servers only."""

SERVERS = {CLOUD_ONLY: "cloud", SELF_HOSTED_ONLY: "self-hosted", ALL: "both"}
REQUESTS = "requests"


@dataclass(frozen=True)
class Declared:
    """A declared assumption.

    Attributes:
        name: Its name.
        module: The module that declares it.
        assumption: The assumption.
    """

    name: str
    module: str
    assumption: Assumption


def declared_in(*packages: ModuleType) -> Iterator[Declared]:
    """Yield the assumptions that all modules of some packages declare; this imports the modules."""
    for package in packages:
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if info.name.endswith(".__main__") or ".wire.proto." in info.name:  # the latter are Pulumi's
                continue
            for name, value in vars(importlib.import_module(info.name)).items():
                if isinstance(value, Assumption):
                    yield Declared(name.lower(), info.name, value)
                elif isinstance(value, type) and issubclass(value, Collection) and value.__module__ == info.name:
                    yield from (Declared(each, info.name, assumption) for each, assumption in assumptions_of(value))


def assumptions_of(collection: type[Collection[Any]]) -> Iterator[tuple[str, Assumption]]:
    """Yield the names and the assumptions that a collection's `unique_by` and `not_listed` declare, by its `source`."""
    if collection.source is None:
        return
    managed, hosted = collection.LIST.managed, collection.LIST.self_hosted
    servers = ALL if managed is not hosted else CLOUD_ONLY
    plural, one = collection.plural(), in_words(to_snake(collection.model.__name__))
    if collection.unique_by:
        update = ", in a create and in an update" if hasattr(collection, "UPDATE") else ""
        claim = f"A second {one} of one {' and '.join(collection.unique_by)} is refused{update}."
        yield f"{plural}{UNIQUE}", Assumption(claim, collection.source, servers)
    if collection.not_listed:
        claim = f"The list of {in_words(plural)} lacks {' and '.join(f'`{each}`' for each in collection.not_listed)}."
        yield f"{plural}{IN_PART}", Assumption(claim, collection.source, servers)


def declared() -> list[Declared]:
    """Return all assumptions, in the order of their modules."""
    return [*declared_in(*DECLARING)]


def assumptions_page() -> str:
    """Return the text of docs/assumptions.md."""
    topics: dict[str, list[Declared]] = defaultdict(list)
    for each in declared():
        topics[topic_of(each.module)].append(each)
    notice = f"<!-- {NOTICE.format('the assumptions that the code declares')} -->"
    blocks = [notice, "# Assumptions about servers", INTRODUCTION]
    for topic in sorted(topics, key=lambda each: (each != REQUESTS, each.lower())):
        blocks += [f"## {topic[0].upper()}{topic[1:]}", _table(topics[topic])]
    return "\n\n".join(blocks) + "\n"


def topic_of(module: str) -> str:
    """Return what the assumptions of a module are about."""
    _, folder, topic, *_ = module.split(".")
    return in_words(topic) if folder == "things" else REQUESTS


def _table(assumptions: list[Declared]) -> str:
    rows = [
        [
            each.assumption.claim.removesuffix(".") + (" ★" if each.assumption.of_interface else ""),
            f"`{each.name}`",
            SERVERS[each.assumption.servers],
            each.assumption.source,
        ]
        for each in assumptions
    ]
    return table(["Assumption", "Probe", "Servers", "Source"], rows)
