"""Rows of roles: the tags of policies."""

from __future__ import annotations

from typing import Any

from support.rows import Row, Usual

GRANT = "GRANT SELECT ON shop.*"
ONE_OF_TWO = "policies[0].tags.grants or roleV2 should be given, and not both"
ROLE = Usual("Role", {"name": "Readers"})


def tagged(**tags: Any) -> dict[str, Any]:
    """Return policies that give access to databases."""
    policy = {"allowDeny": "ALLOW", "permissions": ["sql-console:database:access"], "resources": ["instance/*"]}
    return {"policies": [{**policy, "tags": tags}]}


CASES: list[Row] = [
    ROLE.warned(tagged(grants=[GRANT]), tagged(grants=[GRANT], roleV2="sql-console-admin"), ONE_OF_TWO),
    ROLE.warned(
        tagged(roleV2="sql-console-readonly"),
        tagged(),
        "policies[0].tags.grants or roleV2 should be given, and not both",
    ),
]
