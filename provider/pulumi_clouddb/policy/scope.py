"""The scope of a rule: production, facts about the stack, and patterns of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any


@dataclass(frozen=True)
class Production:
    """What counts as production. One match is enough; in patterns, `*` stands for any text.

    Args:
        stacks: Patterns of stack names; everything in such a stack is production.
        names: Patterns of the property `name` of resources, regardless of case.
        tags: Tags of the stack and their values, for backends with tags.
    """

    stacks: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)

    def holds(self, urn: str, stack_tags: Mapping[str, str], seen: Any) -> bool:
        """Return whether a resource is production.

        Raises:
            UnknownValueError: It depends on the name of the resource, which is unknown.
        """
        if matches(self.stacks, stack_of(urn)) or any(stack_tags.get(tag) == text for tag, text in self.tags.items()):
            return True
        name = getattr(seen, "name", None) if self.names else None
        return bool(name) and matches(map(str.lower, self.names), str(name).lower())


@dataclass(frozen=True)
class StackFacts:
    """Facts about the stack from the engine.

    Attributes:
        config: The configuration of the stack, decrypted, by full key such as `clouddb:keyId`.
        secret_keys: The keys whose values are stored encrypted; None if the server does not pass them.
    """

    config: Mapping[str, str] = field(default_factory=dict)
    secret_keys: frozenset[str] | None = None


FACTS: ContextVar[StackFacts | None] = ContextVar("facts", default=None)
"""The facts about the stack of a request; None if the server does not pass them, as that of pulumi-policy."""

SECRET_INPUTS: ContextVar[frozenset[str] | None] = ContextVar("secret_inputs", default=None)
"""The top-level inputs of a request that are or contain secrets; None likewise."""


def matches(patterns: Iterable[str], *texts: str) -> bool:
    """Return whether one of the patterns matches one of the texts."""
    return any(fnmatchcase(text, pattern) for pattern in patterns for text in texts)


def stack_of(urn: str) -> str:
    """Return the name of the stack from a URN (`urn:pulumi:<stack>::<project>::<type>::<name>`)."""
    return urn.split("::", 1)[0].rpartition(":")[2]
