"""Numbers that servers return as texts, and texts that they return as numbers, are no drift.

The vendor has changed the type of fields in both directions, and a server can be upgraded in the life of a stack.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.additions import ADDED
from pulumi_clouddb.schema.values import mapped
from pulumi_clouddb.things.dashboards.packing import SERVER_FORM
from support.sessions import ProviderProcess, config_for

pytestmark = pytest.mark.beyond_the_description
"""The servers have other types than the description."""

_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]+)?")


def as_texts(value: object) -> object:
    """Return a number as text."""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def as_numbers(value: object) -> object:
    """Return the text of a number as number."""
    return json.loads(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value


class OtherTypes(httpx.BaseTransport):
    """Changes the values in the results of responses."""

    def __init__(self) -> None:
        self._transport = httpx.HTTPTransport()
        self.change: Callable[[object], object] | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response, changed."""
        response = self._transport.handle_request(request)
        raw = response.read()
        content = json.loads(raw) if response.headers.get("content-type") == "application/json" else None
        if self.change is None or not isinstance(content, dict):
            return httpx.Response(response.status_code, headers=response.headers, content=raw)
        results = {name: mapped(self.change, content[name]) for name in ("result", "data") if name in content}
        headers = {name: text for name, text in response.headers.items() if name != "content-length"}
        return httpx.Response(response.status_code, headers=headers, json={**content, **results})

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()


@pytest.mark.parametrize("other", [as_texts, as_numbers])
@pytest.mark.parametrize("begins", ["usual", "other"])
@pytest.mark.parametrize("life", WIRE_LIVES, ids=str)
def test_other_type_of_a_number_is_no_drift(
    life: WireLife, begins: str, other: Callable[[object], object], tmp_path: Path
) -> None:
    """The object is created, read, updated and read in both forms.

    Links of a source are written in the usual form: a write sends back other fields as the server returned them, and
    the sandbox accepts no text for a number.
    """
    name = life.life.name
    options = RESOURCES[name].type.provider_only
    usual = {"validateConnection": False, "waitUntilReady": False}
    more = {each: value for each, value in usual.items() if each in options}
    transport = OtherTypes()
    with Sandbox(**life.life.server) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path, sleep=lambda _: None, transport=transport)
        values = life.life.setting(sandbox)
        before, after = ({**fill(inputs, values), **more} for inputs in (life.before, life.after))
        changes = [None, other] if begins == "usual" else [other, None]
        links = "links of a source" in str(life)
        transport.change = None if links else changes[0]
        id_, state = process.create(name, before, urn="urn:it")
        for inputs in (before, after):
            if inputs is after:
                transport.change = None if links else transport.change
                state = process.update(name, id_, state, after)
            found = []
            for transport.change in (*changes, changes[0]):
                process.api.lists.clear()
                process.api.parsed.clear()
                state = process.read(name, id_, state).state
                assert process.changes(name, state, inputs) == ()
                found.append({each: value for each, value in state.items() if each != SERVER_FORM})
            assert found[0] == found[1] == found[2]
        transport.change = None if links else transport.change
        process.delete(name, id_, state)


def test_what_a_server_has_added_stays_its_own_beside_a_number_of_another_type(tmp_path: Path) -> None:
    """A refresh that finds other types does not forget it."""
    (life,) = [each for each in WIRE_LIVES if str(each) == "self-hosted source"]
    transport = OtherTypes()
    with Sandbox(**life.life.server) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path, sleep=lambda _: None, transport=transport)
        inputs = fill(life.life.after, life.life.setting(sandbox))
        id_, state = process.create("Source", inputs)
        added = {"setting": "by_server", "value": "1"}
        sandbox.change("sources", id_, querySettings=[*inputs["querySettings"], added])
        state[ADDED] = {"querySettings": [*({} for _ in inputs["querySettings"]), added]}
        for transport.change in (None, as_numbers, None):
            process.api.lists.clear()
            process.api.parsed.clear()
            state = process.read("Source", id_, state).state
            assert process.changes("Source", state, inputs) == ()
