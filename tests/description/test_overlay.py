"""The overlay has only what the kept facts lack."""

from __future__ import annotations

import pytest

from description.__main__ import covered
from description.facts import CLOUD, OBSERVABILITY, kept
from description.overlay import OVERLAY, Entry, corrected, objects


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


@pytest.mark.parametrize(
    ("update", "required"), [(None, None), ("PUT", ["name"]), ("PATCH", [])], ids=["none", "whole", "a part"]
)
def test_objects_of_a_place_have_operations(update: str | None, required: list[str] | None) -> None:
    """The body of an update is that of the create; if it changes a part, nothing is required."""
    sent = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    found = {each.name: each.fact for each in objects("/things", "thingId", sent, sent, update=update, per_page=5)}
    updates = {f"{update} /things/{{thingId}}": required} if update else {}
    expected = {"GET /things", "POST /things", "GET /things/{thingId}", "DELETE /things/{thingId}", *updates}
    assert found.keys() == expected
    assert found["GET /things"]["parameters"]["query limit"]["schema"]["maximum"] == 5
    for name, names in updates.items():
        assert found[name]["request"]["application/json"] == {**sent, "required": names}
