"""A resource is complete only with its half of the tests: each missing part is one failed case that names its file.

The other tests go through these tables, and leave out a resource that a table lacks.
"""

from __future__ import annotations

import pytest

from faults.console import DIFFERENT
from lives.table import LIVES, OF_NO_INPUT, WIRE_LIVES
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from resources.test_needed_settings import CASES
from support.estate import Estate, kinds_in

PER_RESOURCE = {
    "LIVES in life.py of its folder": {life.name for life in LIVES.values()},
    "OF_NO_INPUT in life.py of its folder": set(OF_NO_INPUT),
    "WIRE_LIVES in life.py of its folder": {each.life.name for each in WIRE_LIVES},
    "CASES of resources/test_needed_settings.py": {name for name, _, _ in CASES.values()},
}
"""The resources that each table in tests/ has."""


@pytest.fixture(scope="module")
def exported_kinds() -> set[str]:
    """The resources in the sandbox that exports are tested with."""
    with Sandbox(vocabulary=CLICKHOUSE) as sandbox:
        Estate(sandbox, CLICKHOUSE)
        return kinds_in(sandbox)


@pytest.mark.parametrize("name", RESOURCES)
def test_a_resource_is_in_every_table(name: str, exported_kinds: set[str]) -> None:
    """CONTRIBUTING.md describes the tables."""
    missing = [table for table, names in PER_RESOURCE.items() if name not in names]
    handler = RESOURCES[name]
    if not isinstance(handler, OverrideResource) and handler.collection.plural() not in DIFFERENT:
        missing.append("DIFFERENT of faults/console.py")
    if name not in exported_kinds:
        missing.append("Estate of support/estate.py")
    assert not missing, f"{name} is missing in tests/: {', '.join(missing)}"


@pytest.mark.parametrize("table", PER_RESOURCE)
def test_a_table_has_no_other_resources(table: str) -> None:
    """A resource that was removed or renamed is named."""
    assert PER_RESOURCE[table] - set(RESOURCES) == set()
