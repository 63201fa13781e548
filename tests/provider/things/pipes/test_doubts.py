"""Doubts about pipes, their SSH keys and private endpoints: check warns of what servers may accept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clouddb_tools.testing import UNKNOWN
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.check.findings import findings_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .doubts import DOUBTS


def warnings_about(resource: str, inputs: dict[str, Any]) -> list[str]:
    """Return the warnings about inputs that nothing refuses."""
    found = findings_of(RESOURCES[resource].type.inputs, inputs, RuleContext(vocabulary=CLICKHOUSE))
    assert found.failures == []
    return [*map(str, found.unlisted)]


@pytest.mark.parametrize(("resource", "valid", "doubtful", "warning"), DOUBTS, ids=[each[3] for each in DOUBTS])
def test_warning(resource: str, valid: dict[str, Any], doubtful: dict[str, Any], warning: str) -> None:
    """The mistake causes one warning; the inputs that it leads to, and those with an unknown value, cause none."""
    assert warnings_about(resource, valid) == []
    (found,) = warnings_about(resource, doubtful)
    assert found.startswith(warning)
    as_floats = json.loads(json.dumps(doubtful), parse_int=float)  # Pulumi carries numbers so
    assert warnings_about(resource, as_floats) == [found]
    changed = next(name for name, value in doubtful.items() if valid.get(name) != value)
    assert warnings_about(resource, {**doubtful, changed: UNKNOWN}) == []
