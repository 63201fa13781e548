"""Names and texts that both the classes and the pages take from schema.json."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

EXAMPLES_START = "\n\n{{% examples %}}"
IMPORT = "import pulumi_clouddb as clouddb"
NATIVE_IMPORT = "import pulumi_clouddb_native as clouddb"
"""How a Python program names this package, and how it names the SDK generated from schema.json."""


def snake_case(name: str) -> str:
    """Return the Python form of a wire name: `minReplicaMemoryGb` → `min_replica_memory_gb`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def base_name(token: str) -> str:
    """Return the last part of a token or reference: `#/types/clouddb:index:Tile` → `Tile`."""
    return token.rpartition(":")[2]


def named_type(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the object or enum type of that name."""
    spec: dict[str, Any] = schema["types"][f"clouddb:index:{name}"]
    return spec


def reachable(roots: Iterable[dict[str, Any]], schema: dict[str, Any]) -> Iterator[str]:
    """Yield the names of all types that properties refer to, each once and behind those that it refers to."""
    seen: set[str] = set()

    def visit(value: Any) -> Iterator[str]:
        if isinstance(value, list):
            for item in value:
                yield from visit(item)
        elif isinstance(value, dict):
            name = base_name(value.get("$ref", "")) if isinstance(value.get("$ref"), str) else ""
            if value.get("$ref", "").startswith("#/types/") and name not in seen:
                seen.add(name)
                yield from visit(named_type(schema, name).get("properties", {}))
                yield name
            for item in value.values():
                yield from visit(item)

    for root in roots:
        yield from visit(list(root.values()))


def prose(spec: dict[str, Any]) -> str:
    """Return the description of a resource or function without its examples."""
    text: str = spec["description"]
    return text.partition(EXAMPLES_START)[0]


def examples_of(spec: dict[str, Any], language: str) -> list[tuple[str, str]]:
    """Return (title, program) of each example in one language; those in Python are for the classes of this package."""
    _, _, section = spec["description"].partition(EXAMPLES_START)
    pattern = rf"### (?P<title>[^\n]+)\n(?:(?!### ).)*?```{language}\n(?P<program>.*?)\n```"
    return [
        (found["title"], found["program"].replace(NATIVE_IMPORT, IMPORT))
        for found in re.finditer(pattern, section, re.DOTALL)
    ]
