"""Limits are declared as they are described, or a table says why not."""

from __future__ import annotations

from collections import defaultdict

from description.bodies import SELF_HOSTED, bodies_of, facts_of
from description.limits import OTHERWISE, declared_limits, described_limits, differences, joined
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


def test_limits_are_declared_as_described_or_a_table_says_why_not() -> None:
    """This includes nested objects, and limits of one dialect; OTHERWISE lists exactly the exceptions."""
    found: dict[str, set[str]] = defaultdict(set)
    for operation in OPERATIONS.values():
        if operation.only not in (None, CLICKHOUSE) or operation.name.startswith(SELF_HOSTED):
            continue
        schemas = [(facts_of(each.file), each.schema) for each in bodies_of(operation.name, "request") if each.schema]
        resource = next(name for name, each in RESOURCES.items() if operation in each.collection.operations())
        described = joined(described_limits(facts, schema) for facts, schema in schemas)
        found[resource] |= {*differences(declared_limits(operation), described)}
    assert {name: paths for name, paths in found.items() if paths} == {
        name: {*reasons} for name, reasons in OTHERWISE.items()
    }
