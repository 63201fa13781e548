"""Probes of what a run cannot find out; each says why, and changes nothing."""

from __future__ import annotations

from acceptance.bench import Bench
from acceptance.outcome import NotProbed, Outcome


def idle_connections_stay_open_for_five_seconds(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("the proxy of the run has connections of its own")


def failed_check_keeps_the_state(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("a check of an alert needs a database with data")


def another_address_clears_headers(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("no response contains the headers of a webhook")


def organization_has_hundred_keys_at_most(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("a probe would use up the keys of the organization")


def uploads_are_used_once(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("an upload does not go through the proxy of the run")


def pubsub_pipes_need_their_credentials(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("the file of needs has no Pub/Sub topic")


def bigquery_pipes_keep_their_source(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("the file of needs has no BigQuery data set")


def idle_service_can_be_stopped(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("a service of the run would have to be idle first")


def primary_stops_last(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("a run creates no service in a warehouse, which may be that of others")


def mongodb_address_is_masked(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("the file of needs has no MongoDB database")


def chart_of_the_page_is_hidden(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("only the page of a server can set what the API cannot express")


def byoc_tags_are_read_by_themselves(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("an infrastructure takes an hour, and a cloud account of its own")


def missing_language_is_stored_as_null(_: Bench) -> Outcome:
    """Send nothing."""
    return NotProbed("no response of the API shows what is stored")
