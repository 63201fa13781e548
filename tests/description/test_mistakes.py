"""The mistakes of the vendor's descriptions and of its Terraform provider; provider/schema/test_rows.py plays them."""

from __future__ import annotations

from support.rows import Row

from .terraform import VALIDATORS, Reason


def test_reasons_are_those_of_a_short_list() -> None:
    """Each is used, so that the list stays short."""
    assert {each.here for each in VALIDATORS if not isinstance(each.here, Row)} == {*Reason}
