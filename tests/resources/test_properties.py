"""Whatever is asked for: created, read and updated, it shows no difference. The sandbox is called in memory."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.sandbox.settings import Clock, Settings
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.ids import LOGS
from support.memory import MemorySandbox
from support.sessions import config_of

Inputs = dict[str, Any]

NAMES = st.text("abcXYZ019 ", min_size=1, max_size=20).filter(lambda name: bool(name.strip()))
ADDRESSES = st.sampled_from(["203.0.113.7", "203.0.113.0/24", "2001:db8::/32", "0.0.0.0/0", "10.1.2.3/32"])
TEXT = st.text(st.characters(exclude_categories=["C"]), max_size=10)
ENTRIES = st.lists(
    st.fixed_dictionaries({"source": ADDRESSES}, optional={"description": TEXT}),
    max_size=3,
    unique_by=lambda entry: entry["source"],
)
TIMES = st.sampled_from(["2030-01-01T00:00:00Z", "2031-06-01T12:30:00+02:00", "2029-12-31T23:59:59.5Z", ""])
SIZES = st.lists(st.integers(2, 30).map(lambda number: number * 4), min_size=2, max_size=2).map(sorted)
MEMORY: st.SearchStrategy[Inputs] = st.just({}) | SIZES.map(
    lambda sizes: {"minReplicaMemoryGb": sizes[0], "maxReplicaMemoryGb": sizes[1]}
)
TILES = st.lists(
    st.fixed_dictionaries(
        {
            "name": TEXT.filter(bool),
            "x": st.integers(0, 20),
            "y": st.integers(0, 20),
            "w": st.integers(1, 4),
            "h": st.integers(1, 4),
            "series": st.just([{"type": "time", "aggFn": "count", "sourceId": LOGS, "where": "", "groupBy": []}]),
        },
        optional={"asRatio": st.just(False)},
    ),
    max_size=3,
    unique_by=lambda tile: tile["name"],
)
PROGRAMS: dict[str, st.SearchStrategy[Inputs]] = {
    "Service": st.builds(
        dict.__or__,
        MEMORY,
        st.fixed_dictionaries(
            {"name": NAMES, "provider": st.just("aws"), "region": st.just("us-east-1")},
            optional={
                "ipAccessList": ENTRIES,
                "numReplicas": st.integers(2, 20),
                "idleScaling": st.booleans(),
                "idleTimeoutMinutes": st.integers(5, 60) | st.just(7.5),
                "endpoints": st.lists(
                    st.fixed_dictionaries({"protocol": st.just("mysql")}, optional={"enabled": st.booleans()}),
                    max_size=1,
                ),
            },
        ),
    ),
    "ApiKey": st.fixed_dictionaries(
        {
            "name": NAMES,
            "roles": st.lists(st.sampled_from(["admin", "developer", "query_endpoints"]), min_size=1, unique=True),
        },
        optional={"ipAccessList": ENTRIES, "expireAt": TIMES, "state": st.sampled_from(["enabled", "disabled"])},
    ),
    "Dashboard": st.fixed_dictionaries(
        {"name": NAMES, "tiles": TILES}, optional={"tags": st.lists(NAMES, max_size=3, unique=True)}
    ),
}


class InMemory(httpx.BaseTransport):
    """Carries requests to a sandbox by calling it."""

    def __init__(self, sandbox: MemorySandbox) -> None:
        self._sandbox = sandbox

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        response = self._sandbox.request(request.method, request.url.raw_path.decode(), request.headers, request.read())
        return httpx.Response(response.status_code, headers=dict(response.headers), content=bytes(response.body))


@pytest.mark.parametrize(
    "dialect",
    [pytest.param(VocabularyName.NEUTRAL, marks=pytest.mark.slow), VocabularyName.CLICKHOUSE],
    ids=lambda dialect: dialect.value,
)
@pytest.mark.parametrize("resource", PROGRAMS)
def test_what_was_made_shows_no_difference(resource: str, dialect: VocabularyName, tmp_path: Path) -> None:
    """After create, read, update and another read: nothing to change, and inputs that mean the same."""
    sandbox = MemorySandbox(Settings(vocabulary=dialect), Clock())
    identity = sandbox.state.identity
    config = config_of(
        baseUrl="http://127.0.0.1",
        stackUrl="http://127.0.0.1",
        organizationId=identity.organizationId,
        keyId=identity.keyId,
        keySecret=identity.keySecret,
        stackToken=identity.stackToken,
        vocabulary=dialect.value,
    )
    handler, numbers = RESOURCES[resource], itertools.count()

    @settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
    @given(PROGRAMS[resource], PROGRAMS[resource])
    def play(first: Inputs, second: Inputs) -> None:
        session = Session(
            config,
            scope="",
            warn=lambda _: None,
            folder=tmp_path,
            runtime=Runtime(lambda _: None),
            transport=InMemory(sandbox),
        ).for_resource(f"urn:{next(numbers)}")
        wanted = handler.check(session, {**first, **_options(resource)})
        assert wanted.failures == []
        object_id, state = lifecycle.create(session, handler, wanted.inputs)
        for inputs in (first, {**first, **second}):
            checked = handler.check(session, {**inputs, **_options(resource)}).inputs
            if lifecycle.diff(session, handler, object_id, state, checked).changed:
                assert inputs is not first
                state = lifecycle.update(session, handler, object_id, state, checked)
            assert handler.diff(state, checked).changed == ()
            session.api.lists.clear()
            _, live = lifecycle.read(session, handler, object_id, state, checked)
            assert live is not None
            assert handler.diff(live.state, checked).changed == ()
            assert all(handler.same(name, live.inputs.get(name), checked[name]) for name in checked)
        lifecycle.delete(session, handler, object_id, state)

    play()


def _options(resource: str) -> Inputs:
    return {"allowDuplicateName": True} if resource == "Service" else {}
