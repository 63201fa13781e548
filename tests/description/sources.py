"""The rules of check, by the places of the descriptions that state them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from codegen.public_names import models
from pulumi_clouddb.schema.check.rules import API


@cache
def rules_by_place() -> Mapping[str, frozenset[str]]:
    """Return the rules of each place: the class that has it, the property that it is about, and its text."""
    owners: dict[int, str] = {}
    found: dict[str, set[str]] = defaultdict(set)
    for model in sorted(models(), key=lambda each: len(each.__name__)):  # the class before its projections
        for each in model.RULES:
            owner = owners.setdefault(id(each), model.__name__)
            if each.source.kind == API().kind:
                found[each.source.place].add(f"{owner}.{each.path} {each.text}")
    return {place: frozenset(rules) for place, rules in found.items()}


def rules_at(*places: str) -> list[str]:
    """Return the rules that some places state, or a place that they are in."""
    return sorted(
        rule
        for stated, rules in rules_by_place().items()
        if any(each == stated or each.startswith((f"{stated}.", f"{stated}[")) for each in places)
        for rule in rules
    )
