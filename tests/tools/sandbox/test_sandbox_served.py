"""Handlers that follow from the declaration of a collection."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clouddb_tools.sandbox.app import make_state
from clouddb_tools.sandbox.responses import HTTPError
from clouddb_tools.sandbox.served import Served
from clouddb_tools.sandbox.settings import Settings
from clouddb_tools.sandbox.state import Call
from pulumi_clouddb.schema.base import Model, Text, prop
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.saved_queries.api import SavedQueries


class Noted(Model):
    """A body with a field that null clears, and one that it does not."""

    note: Text | None = prop("Note.", clears=None)
    title: Text | None = prop("Title.")


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_update_clears_what_is_declared_so(method: str) -> None:
    """Null removes the field from the object, and is refused in place of another."""
    state = make_state(Settings(vocabulary=VocabularyName.CLICKHOUSE))
    served, service = Served(SavedQueries, Noted), str(state.ids.uuid())
    state.store.put("services", service, {"id": service})
    served.add(state, service, {"id": "q", "note": "a", "title": "b"})
    operation = replace(SavedQueries.UPDATE.managed, method=method)
    place = {"serviceId": service, "savedQueryId": "q"}
    with pytest.raises(HTTPError, match="title"):
        served.update(state, Call(operation, place, body={"title": None}))
    updated = served.update(state, Call(operation, place, body={"note": None, "title": "c"}))
    assert {name: updated.get(name, "absent") for name in ("note", "title")} == {"note": "absent", "title": "c"}
