"""The overlay has only what the kept facts lack."""

from __future__ import annotations

import pytest

from description.__main__ import covered
from description.facts import CLOUD, OBSERVABILITY, kept
from description.overlay import OVERLAY, Entry, corrected


@pytest.mark.parametrize("entry", OVERLAY, ids=lambda each: each.name)
def test_facts_do_not_have_the_entry(entry: Entry) -> None:
    """Otherwise a newer description covers it: delete the entry."""
    assert entry.is_needed(kept(entry.file))


def test_report_names_entries_that_a_newer_description_covers() -> None:
    """The kept facts cover none, and facts that are corrected by the overlay cover all."""
    for file in (CLOUD, OBSERVABILITY):
        entries = [each for each in OVERLAY if each.file == file]
        assert covered(file, kept(file)) == []
        assert covered(file, corrected(kept(file), entries)) == entries
        assert entries
