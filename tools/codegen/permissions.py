"""The permissions that a key needs for each operation, for the module with which refusals are explained.

They are facts of the vendor's description, and of tests/description/permissions.json where that lacks them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

_FACTS = Path(__file__).parents[2] / "tests" / "description"


def permissions() -> dict[str, list[str]]:
    """Return the permissions by the name of the operation; one that needs none is left out."""
    stated = {name: fact["permissions"] for name, fact in _read("cloud")["operations"].items() if "permissions" in fact}
    needed = {_plain(name): each for name, each in {**_read("permissions"), **stated}.items()}
    paths = {
        each.name: _plain(f"{each.method} {DIALECTS[CLICKHOUSE].path(each.path)}")
        for each in OPERATIONS.values()
        if each.server_kind is ServerKind.MANAGEMENT
    }
    return {name: needed[path] for name, path in sorted(paths.items()) if path in needed}


def _read(name: str) -> dict[str, Any]:
    return dict(json.loads((_FACTS / f"{name}.json").read_text(encoding="utf-8")))


def _plain(operation: str) -> str:
    """Return an operation without the names of its placeholders."""
    return re.sub(r"{\w+}", "{}", operation)
