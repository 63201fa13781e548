"""The overlay has only what the kept facts lack, and bodies are validated with it."""

from __future__ import annotations

from typing import Any

import pytest

from description.__main__ import covered
from description.facts import CLOUD, OBSERVABILITY, kept
from description.overlay import OVERLAY, Entry, corrected, described
from description.validators import UNKNOWN, faults, validators_of
from pulumi_clouddb.registry import OPERATIONS
from support.judge import FACTS, faults_of


@pytest.mark.parametrize("entry", OVERLAY, ids=lambda each: each.name)
def test_facts_do_not_have_the_entry(entry: Entry) -> None:
    """Otherwise a newer description covers it: delete the entry."""
    found = described(kept(entry.file), entry)
    assert found is not None, "the description has no such schema any more"
    assert found != entry.fact, "the description has it"


def test_report_names_entries_that_a_newer_description_covers() -> None:
    """The kept facts cover none, and facts that are corrected by the overlay cover all."""
    for file in (CLOUD, OBSERVABILITY):
        entries = [each for each in OVERLAY if each.file == file]
        assert covered(file, kept(file)) == []
        assert covered(file, corrected(kept(file), entries)) == entries
        assert entries


ALERT: dict[str, Any] = {
    "threshold": 1,
    "thresholdType": "above",
    "interval": "5m",
    "channel": {"type": "webhook", "webhookId": "0" * 24},
}
BODIES: dict[str, tuple[str, str, Any, list[str]]] = {
    "a valid body": ("self_hosted_create_alert", "request", ALERT, []),
    "an unknown property": (
        "self_hosted_create_alert",
        "request",
        {**ALERT, "colour": "red"},
        [UNKNOWN],
    ),
    "an unknown property of a type among several": (
        "create_alert",
        "request",
        {**ALERT, "channel": {"type": "webhook", "webhookId": "0" * 24, "colour": "red"}},
        [UNKNOWN],
    ),
    "a missing property": ("self_hosted_create_alert", "request", {"channel": ALERT["channel"]}, ["required"]),
    "another type": ("self_hosted_create_alert", "request", {**ALERT, "threshold": "1"}, ["type"]),
    "an unknown value": ("self_hosted_create_alert", "request", {**ALERT, "interval": "2m"}, ["enum"]),
    "no date": ("self_hosted_create_alert", "request", {**ALERT, "scheduleStartAt": "soon"}, ["format"]),
    "no id": ("create_private_endpoint", "response", {"id": 1}, ["type"]),
    "a property that only the newer description has": (
        "create_alert",
        "request",
        {**ALERT, "channels": [ALERT["channel"]]},
        [],
    ),
    "a property that only the cloud has": (
        "create_alert",
        "request",
        {**ALERT, "channel": {"type": "email", "emailRecipients": ["a@example.com"]}},
        [],
    ),
    "null against the description": ("self_hosted_get_dashboard", "response", {"savedQueryLanguage": None}, []),
}


@pytest.mark.parametrize("case", BODIES)
def test_bodies_are_validated_against_the_facts(case: str) -> None:
    """An unknown property is a fault wherever it is; null is none where the overlay has it."""
    name, part, value, expected = BODIES[case]
    found = {str(each.validator) for each in faults(validators_of(name, part), value)}
    assert found >= set(expected)
    assert bool(found) is bool(expected)


def test_judge_reports_what_only_the_facts_describe() -> None:
    """The types of `described.py` are those of both forms; the facts of the self-hosted server have no severity."""
    operation = OPERATIONS["self_hosted_create_alert"]
    channel = {**ALERT["channel"], "severity": None}
    assert {kind for kind, _ in faults_of(operation, "request", {**ALERT, "channel": channel})} == {FACTS}
    assert list(faults_of(operation, "request", ALERT)) == []
