"""The minimum time of requests under the published rate limits."""

from __future__ import annotations

from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT, SELF_HOSTED_LIMIT, RateLimit

FLOOR_IS = "what the limit dictates"

DYNAMIC_AT_A_TIME = 4
"""Concurrent operations of Pulumi's host of dynamic providers (pulumi.dynamic.__main__)."""

__all__ = ["DYNAMIC_AT_A_TIME", "FLOOR_IS", "MANAGEMENT_LIMIT", "SELF_HOSTED_LIMIT", "earliest", "ready_at"]


def earliest(requests: int, limit: RateLimit) -> float:
    """Return the earliest time of the last request, in seconds after the first one."""
    return (requests - 1) // limit.requests * limit.seconds


def ready_at(
    stacks: int, services: int, latency: float, at_a_time: int, machines: int = 1, limit: RateLimit = MANAGEMENT_LIMIT
) -> float:
    """Return when the last service can be ready: of `services` in each stack, of which each begins `at_a_time`.

    Each machine lists the existing services before its first post, as it must to create no duplicate. Rounds follow one
    another, and within a round only these lists and the posts use the limit, without polls.
    """
    rounds = -(-services // at_a_time)
    together = earliest(machines + stacks * services, limit) + latency
    one_by_one = rounds * latency + earliest(machines + stacks * min(services, at_a_time), limit)
    return max(together, one_by_one)
