"""Requests that servers accept in one of two forms."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import ConflictError, UnauthorizedError
from pulumi_clouddb.things.services.api import Services
from support.scripted import Response, Scripted, error, ok
from support.sessions import config_of

UPDATE = Services.UPDATE_SETTINGS.managed
OTHER_FORM = error(400, "BAD_REQUEST: settings must be text")


def api_of(server: Scripted) -> Api:
    """Return the servers, without retries."""
    return Api(Client(config_of(baseUrl=server.url, vocabulary="clickhouse", retryTimeoutSeconds=0)))


@pytest.mark.parametrize(
    ("response", "kind"),
    [(error(409, "CONFLICT: busy"), ConflictError), (error(403, "FORBIDDEN: not allowed"), UnauthorizedError)],
    ids=["busy", "not permitted"],
)
def test_refusal_of_the_accepted_form_is_raised(response: Response, kind: type[Exception]) -> None:
    """That of the other form says nothing about why the settings did not change."""
    with Scripted(OTHER_FORM, response) as server:
        with pytest.raises(kind):
            api_of(server).of(Services).change_settings("s", {"max_query_size": "1"})
        assert server.count == 2


def test_concurrent_requests_remember_the_accepted_form() -> None:
    """Each of them has met the refusal of the other form; the next request is sent in the accepted form at once."""
    both = threading.Barrier(2, timeout=30)
    sent: list[str] = []

    with Scripted(OTHER_FORM, OTHER_FORM, ok()) as server:
        api = api_of(server)

        def form(name: str, wait: Callable[[], object] = int) -> Callable[[], object]:
            def send() -> object:
                sent.append(name)
                wait()
                return api.client.call(UPDATE, {}, service_id="s")

            return send

        def update(_: int) -> object:
            return api.in_either_form(UPDATE, form("newer", both.wait), form("older", both.wait))

        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(update, range(2))) == [{}, {}]
        sent.clear()
        api.in_either_form(UPDATE, form("newer"), form("older"))
    assert sent == ["older"]
