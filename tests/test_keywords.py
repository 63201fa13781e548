"""`pytest -k Name` selects the tests of a resource, also those whose cases have other names."""

from __future__ import annotations

import pytest

from lives.table import LIVES, WIRE_LIVES
from lives.wire import WireLife


@pytest.mark.parametrize("life", LIVES.values(), ids=LIVES)
@pytest.mark.parametrize("wire", WIRE_LIVES[:1], ids=str)
def test_case_of_a_table_has_the_name_of_its_resource(
    life: object, wire: WireLife, request: pytest.FixtureRequest
) -> None:
    """The id of the case is that of the life, such as `saved query`."""
    assert {getattr(life, "name", ""), wire.life.name} <= request.node.extra_keyword_matches
