"""Times for clients: the Date header and the ids of the observability API follow the sandbox's clock."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Clock, Sandbox
from clouddb_tools.sandbox.ids import Ids

NOW = 1_800_000_000.75
ALERT = {"threshold": 1, "interval": "5m", "thresholdType": "above", "channel": {"type": "webhook", "webhookId": "x"}}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox whose clock only tests advance."""
    with Sandbox(vocabulary="neutral", clock=Clock(lambda: NOW)) as running:
        yield running


def date_of(response: httpx.Response) -> datetime:
    """Return the time in the Date header, which must occur once."""
    (header,) = response.headers.get_list("date")
    return parsedate_to_datetime(header)


def test_responses_have_the_date_of_the_sandbox(sandbox: Sandbox) -> None:
    """Results, refusals, pages, faults and control routes have exactly one header, in seconds."""
    sandbox.fault("list_keys", "status", status=503)
    with sandbox.management() as managed, sandbox.self_hosted() as hosted, sandbox.management(key_secret="x") as wrong:
        responses = [
            managed.get("/services"),
            managed.post("/services", json={"sise": 3}),
            managed.get("/keys"),
            managed.get("/nothing"),
            wrong.get("/services"),
            hosted.get("/dashboards"),
            httpx.get(f"{sandbox.url}/_sandbox/state"),
            httpx.get(f"{sandbox.url}/_sandbox/clouds"),
        ]
    assert [response.status_code for response in responses] == [200, 400, 503, 404, 401, 200, 200, 400]
    assert {date_of(response) for response in responses} == {datetime.fromtimestamp(int(NOW), timezone.utc)}


def test_date_advances_with_the_clock() -> None:
    """The header follows the sandbox's clock."""
    with Sandbox(vocabulary="neutral") as sandbox, sandbox.self_hosted() as http:
        before = date_of(http.get("/sources"))
        sandbox.advance(3600)
        assert timedelta(hours=1) <= date_of(http.get("/sources")) - before < timedelta(hours=1, minutes=1)


def test_observability_ids_contain_their_time() -> None:
    """Dashboards, tiles, alerts and sources have ObjectIds: seconds, five bytes of the process and a counter."""
    with Sandbox(vocabulary="neutral", clock=Clock(lambda: NOW)) as sandbox, sandbox.self_hosted() as http:

        def made(seconds: int) -> list[str]:
            board: dict[str, Any] = http.post("/dashboards", json={"name": "b", "tiles": [{"name": "t"}]}).json()[
                "data"
            ]
            tile_id = board["tiles"][0]["id"]
            body = {**ALERT, "source": "tile", "dashboardId": board["id"], "tileId": tile_id}
            ids = [board["id"], tile_id, http.post("/alerts", json=body).json()["data"]["id"]]
            assert {int(id_[:8], 16) for id_ in ids} == {int(NOW) + seconds}
            return ids

        ids = [source["id"] for source in http.get("/sources").json()["data"]]
        assert {int(id_[:8], 16) for id_ in ids} == {int(NOW)}
        ids += made(0)
        sandbox.advance(90)
        ids += made(90)
    assert {len(bytes.fromhex(id_)) for id_ in ids} == {12}
    assert len({id_[8:18] for id_ in ids}) == 1
    assert len({id_[18:] for id_ in ids}) == len(ids)


def test_same_seed_generates_the_same_ids() -> None:
    """A repeated run with the same seed has the same ids."""

    def some(seed: int) -> list[str]:
        ids = Ids(lambda: NOW, random.Random(seed))  # noqa: S311  # not for secrets
        return [ids.uuid(), ids.object_id(), ids.object_id(), ids.text(20)]

    assert some(1) == some(1)
    assert some(1) != some(2)
    first, second = some(1)[1:3]
    assert int(second[18:], 16) == int(first[18:], 16) + 1
