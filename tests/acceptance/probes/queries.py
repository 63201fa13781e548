"""Probes of the saved queries and the query API endpoints of a service."""

from __future__ import annotations

from typing import Any

from acceptance.bench import Bench, Values
from acceptance.outcome import Outcome, each_holds, equal, holds_if

SAVED, ENDPOINTS = "/saved-queries", "/query-api-endpoints"
ROLE = "sql_console_read_only"


def _query(bench: Bench, **more: Any) -> Values:
    return {"name": bench.name("Query"), "sql": "SELECT {x:UInt8}", "database": "default", **more}


def _made(bench: Bench, path: str, body: Values) -> Values:
    """Create an object of the shared service, and return its record."""
    return bench.make_cloud(f"/services/{bench.service['id']}{path}", body)


def saved_query_update_replaces(bench: Bench) -> Outcome:
    """Update a query without its parameters."""
    made = _made(bench, SAVED, _query(bench, parameters={"x": "1"}))
    after = bench.of_service("PUT", f"{SAVED}/{made['id']}", _query(bench)).result
    return equal(after.get("parameters") or {}, {}, "the parameters after an update without them")


# -- query API endpoints ----------------------------------------------------------------------------------------------


def _endpoint(bench: Bench, **more: Any) -> Values:
    """Create a query API endpoint, and return its record."""
    return _made(bench, ENDPOINTS, {**_query(bench), "apiKeyIds": [bench.once(_key)], "roles": [ROLE], **more})


def _key(bench: Bench) -> str:
    key = bench.make_cloud("/keys", {"name": bench.name("Key"), "roles": ["query_endpoints"]}, keep=True)
    return str(key["key"]["id"])


def _updated(bench: Bench, made: Values) -> Values:
    """Replace an endpoint by one without optional properties, and return its record."""
    sent = {**_query(bench), **{name: made[name] for name in ("apiKeyIds", "roles")}}
    record: Values = bench.of_service("PUT", f"{ENDPOINTS}/{made['id']}", sent).result
    return record


def query_api_endpoint_update_replaces(bench: Bench) -> Outcome:
    """Update an endpoint without its parameters and origins."""
    after = _updated(bench, _endpoint(bench, parameters={"x": "1"}, allowedOrigins=["https://shop.example.com"]))
    return each_holds(
        equal(after.get("parameters") or {}, {}, "the parameters after an update without them"),
        equal(after.get("allowedOrigins") or [], [], "the origins after an update without them"),
    )


def query_api_endpoint_shows_its_owner(bench: Bench) -> Outcome:
    """Create an endpoint by the API, which cannot make one of the console."""
    return equal(_endpoint(bench).get("ownerType"), "queryApiEndpoint", "the owner type")


def query_api_endpoint_keeps_its_url(bench: Bench) -> Outcome:
    """Update name, query and parameters."""
    made = _endpoint(bench, parameters={"x": "1"})
    return each_holds(
        holds_if(made.get("url"), "a new endpoint has no address"),
        equal(_updated(bench, made).get("url"), made.get("url"), "the address after an update"),
    )
