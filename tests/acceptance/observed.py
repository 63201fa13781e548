"""What a run observes of its server besides problems: durations, lists that lag behind creates, and the rate limit."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from statistics import median

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.registry import OPERATIONS

from .guard import Creation, Request, creation_of, in_terms_of_interface, pattern_of
from .proxy import Exchange

LIMIT_HEADERS = ("ratelimit", "retry-after")
"""Parts of the names of headers that describe the rate limit."""

LIMITED = 429


@dataclass
class _Made:
    """An object that no list has shown yet."""

    creation: Creation
    path: str
    at: float
    misses: int = 0


@dataclass
class Observed:
    """Collects the exchanges of a run; it is a listener of the proxy.

    Attributes:
        seconds: The durations of requests, by operation.
        lags: Of the lists after each create: how many did not show the object, and the seconds until one did.
        limited: The number of responses with 429.
        headers: The values of the headers of the rate limit that were seen last, by name.
    """

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    lags: dict[str, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    limited: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    _sent: list[float] = field(default_factory=list)
    _made: list[_Made] = field(default_factory=list)

    def __call__(self, exchange: Exchange) -> None:
        """Observe one exchange."""
        now = time.monotonic()
        self._sent.append(now)
        self.seconds[operation_of(exchange.method, exchange.path)].append(exchange.seconds)
        self.limited += exchange.status == LIMITED
        self.headers |= {n: v for n, v in exchange.headers.items() if any(part in n for part in LIMIT_HEADERS)}
        if exchange.status is None or exchange.status >= 300:
            return
        if exchange.method == "GET":
            self._listed(exchange, now)
        elif exchange.method == "DELETE":
            self._made = [each for each in self._made if each.path != exchange.path]
        else:
            self._created(exchange, now)

    @property
    def requests(self) -> int:
        """The number of requests."""
        return len(self._sent)

    def most_in(self, window: float) -> int:
        """Return the largest number of requests in a window of seconds."""
        first, most = 0, 0
        for last, at in enumerate(self._sent):
            while self._sent[first] <= at - window:
                first += 1
            most = max(most, last - first + 1)
        return most

    def durations(self) -> Iterator[tuple[str, int, float, float]]:
        """Yield each operation with its number of requests, and their median and longest duration in seconds."""
        for name, seconds in sorted(self.seconds.items()):
            yield name, len(seconds), median(seconds), max(seconds)

    def _created(self, exchange: Exchange, now: float) -> None:
        creation = creation_of(Request(exchange.method, exchange.path, body=exchange.request_body))
        path = creation.made(exchange.response_body) if creation else None
        if creation and path:
            self._made.append(_Made(creation, path, now))

    def _listed(self, exchange: Exchange, now: float) -> None:
        body = exchange.response_body if isinstance(exchange.response_body, dict) else {}
        records = body.get("result", body.get("data"))
        for each in [each for each in self._made if each.creation.list_path == exchange.path]:
            record = each.creation.collection.model.__name__
            named = in_terms_of_interface(record, records if isinstance(records, list) else [])
            if each.path in map(each.creation.object_path, named):
                self.lags[each.creation.collection.plural()].append((each.misses, now - each.at))
                self._made.remove(each)
            else:
                each.misses += 1


def operation_of(method: str, path: str) -> str:
    """Return the name of the operation with this path; the path itself if no operation has it."""
    for name, known, pattern in _operations():
        if known == method and pattern.fullmatch(path):
            return name
    return f"{method} {path}"


@cache
def _operations() -> list[tuple[str, str, re.Pattern[str]]]:
    return [(each.name, each.method, pattern_of(each, dialect)) for each in OPERATIONS.values() for dialect in DIALECTS]
