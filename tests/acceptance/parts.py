"""Raw requests to an observability server without objects: those that were recorded, and random ones."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import httpx

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.config import SELF_HOSTED_PREFIX
from real_server import play, random_requests

from .account import LIMITED, NO_TLS, Account, reset_of
from .proxy import SECONDS, WHO


class Part(str, Enum):
    """The parts of a run besides lives and assumptions."""

    REQUESTS = "requests"
    RANDOM = "random"


class Patient(httpx.Client):
    """A client that waits for the rate limit of the server."""

    sleep: Callable[[float], None] = staticmethod(time.sleep)

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request, again after each 429."""
        while (response := super().send(request, **options)).status_code == LIMITED:
            self.sleep(reset_of(response))
        return response


def client_of(account: Account) -> Patient:
    """Return a client of the self-hosted server behind the proxy; its base is the root of the API."""
    headers = {"Authorization": f"Bearer {account.credentials[0]}", WHO: "requests"}
    base = f"{account.proxy_url}{SELF_HOSTED_PREFIX}/"
    return Patient(base_url=base, headers=headers, timeout=SECONDS, trust_env=False, verify=NO_TLS)


def requests(http: httpx.Client, *, write: bool = False) -> Iterator[str]:
    """Send the recorded requests, and yield each whose response differs; or record the responses.

    Raises:
        ValueError: The server has objects.
    """
    answers = play.play(http)
    if write:
        play.record(answers)
        return
    real = play.recorded()
    for name in [*real, *(each for each in answers if each not in real)]:
        if found := list(play.differences(real.get(name), answers.get(name))):
            yield f"{name}: {'; '.join(found)}"


def random(http: httpx.Client, *, seed: int, count: int) -> Iterator[str]:
    """Send random requests, and yield each to which the sandbox responds differently, and a summary.

    Raises:
        ValueError: The server has objects.
    """
    scenarios = list(random_requests.scenarios(seed, count))
    answers = play.send_scenarios(http, scenarios)
    with Sandbox(vocabulary="clickhouse") as sandbox, sandbox.self_hosted() as ours:
        play.empty(ours)
        others = play.send_scenarios(ours, scenarios)
    sent = {each.name: each for scenario in scenarios for each in scenario.requests}
    counted = Counter(play.similarity_of(answers[name], others[name]) for name in sent)
    for name, request in sent.items():
        if play.similarity_of(answers[name], others[name]) is play.Similarity.NONE:
            found = play.differences(play.without_words(answers[name]), play.without_words(others[name]))
            yield f"{name}: {request.method} {request.path} {request.body}: {'; '.join(found)}"
    yield ", ".join(f"{counted[each]} {each.value}" for each in play.Similarity if each is not play.Similarity.NONE)
