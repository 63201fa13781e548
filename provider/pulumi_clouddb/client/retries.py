"""Whether and when a failed request is sent again. Which errors allow it is in `errors`; `Client` asks after each."""

from __future__ import annotations

import random

from pulumi_clouddb.schema.config import ProviderConfig

from .errors import AmbiguousError, ApiError, ConnectError, RateLimitError
from .operation import Operation
from .rate_limiter import LIMIT_REACHED
from .runtime import SHOWN_AFTER_SECONDS, Runtime

LONGEST_PAUSE_SECONDS = 20.0
CONNECT_RETRY_SECONDS = 30.0
SPREAD = random.Random()  # noqa: S311 (guards nothing)
"""Spreads requests. It does not touch the generator of the `random` module, which the program may have seeded."""


def may_retry(config: ProviderConfig, operation: Operation, error: ApiError, elapsed: float, *, once: bool) -> bool:
    """Return whether a request is retried after an error, `elapsed` seconds after its first attempt began."""
    is_lost = isinstance(error, AmbiguousError) and operation.writes
    is_final = once and (is_lost or isinstance(error, RateLimitError))
    return error.retryable and not is_final and elapsed + (error.retry_after or 0.0) < _budget(config, error)


def _budget(config: ProviderConfig, error: ApiError) -> float:
    """Return for how long retries may begin: 30 s without a connection, much longer after 429.

    A wait that would end after that time is pointless.
    """
    if isinstance(error, RateLimitError):
        return config.limit_retry_seconds
    return min(config.retry_seconds, CONNECT_RETRY_SECONDS) if isinstance(error, ConnectError) else config.retry_seconds


def wait_for_retry(runtime: Runtime, error: ApiError, attempt: int) -> None:
    """Wait as long as the server asked for, else 0.5, 1, 2 … at most 20 s, plus up to half of that.

    Pacing may add to it. A wait of more than a second shows its reason.
    """
    if error.retry_after is not None:
        seconds = error.retry_after + SPREAD.uniform(0.05, 0.5)
    else:
        seconds = min(0.5 * 2.0 ** min(attempt, 10), LONGEST_PAUSE_SECONDS) * SPREAD.uniform(1.0, 1.5)
    if seconds > SHOWN_AFTER_SECONDS:
        runtime.progress(f"waiting {seconds:.0f} s: {_reason(error)}")
    runtime.sleep(seconds)


def _reason(error: ApiError) -> str:
    if error.may_pass:
        return f"the server works on it ({error.message})"
    if isinstance(error, RateLimitError):
        return LIMIT_REACHED
    return f"the last request failed ({f'status {error.status}' if error.status else 'no response'})"
