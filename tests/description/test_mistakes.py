"""Check finds what breaks the rules of the vendor's descriptions and of its Terraform provider."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.testing import UNKNOWN
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.schema.check.findings import findings_of
from support.rules import Values
from support.sessions import NOWHERE, ProviderProcess, config_of

from .mistakes import ROWS, VALID, Row, changed
from .terraform import VALIDATORS, Reason

SETTINGS = {name.removeprefix("clouddb:"): value for name, value in NOWHERE.items()}
DEPRECATED = " is deprecated: "
"""In the warnings of properties; others are of values."""
BY_BASE: dict[str, list[Row]] = defaultdict(list)
for _row in (*ROWS, *(each.here for each in VALIDATORS if isinstance(each.here, Row))):
    BY_BASE[_row.base].append(_row)


def found(name: str, inputs: Values, config: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the paths that check refuses, and those of which it warns."""
    session = ProviderProcess(config_of(**{**SETTINGS, "vocabulary": "clickhouse", **config}), Path())
    if name in FUNCTIONS:
        findings = findings_of(FUNCTIONS[name].type.inputs, inputs, session.rules)
        return [each.path for each in findings.failures], [each.path for each in findings.unlisted]
    result = RESOURCES[name].check(session, inputs)
    refused = [each.path for each in result.failures]
    if name == "Pipe" and RESOURCES[name].refusal(session, result.inputs, None):  # of others, it sends requests
        refused.append("")
    doubts = [each.removeprefix(f"{name}.") for each in session.warnings if DEPRECATED not in each]
    return refused, [each.partition(" ")[0] for each in doubts]


@pytest.mark.parametrize("base", VALID)
def test_mistakes_are_found(base: str) -> None:
    """Check refuses a property, or warns of it; of the valid inputs, it finds nothing."""
    name, inputs = VALID[base]
    assert found(name, inputs, {}) == ([], [])
    missed = []
    for row in BY_BASE[base]:
        refused, warned = found(name, row.inputs, row.config)
        missed += [row.name] if row.at not in (*refused, *warned) else []
    assert missed == []


@pytest.mark.parametrize("base", VALID)
def test_unknown_values_are_no_mistakes(base: str) -> None:
    """Check refuses nothing that may still become valid."""
    name, inputs = VALID[base]
    rows = [each for each in BY_BASE[base] if None not in each.changes.values()]
    unknown = {row.name: changed(inputs, dict.fromkeys(row.changes, UNKNOWN)) for row in rows}
    assert {each: refused for each in unknown if (refused := found(name, unknown[each], {})[0])} == {}


def test_reasons_are_those_of_a_short_list() -> None:
    """Each is used, so that the list stays short."""
    assert {each.here for each in VALIDATORS if not isinstance(each.here, Row)} == {*Reason}
