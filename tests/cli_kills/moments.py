"""The moment of an interruption: a server that is slow, or blocks, at the right request, and the wait for it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any

from clouddb_tools.sandbox import LoggedRequest, Sandbox
from clouddb_tools.sandbox.log import has_fields
from pulumi_clouddb.registry import OPERATIONS

from . import plan as stages
from .plan import BRISK, DESTROY, FAST, FIRST_UP, SECOND_UP, SLOW, Plan
from .processes import POLL_SECONDS
from .programs import FATES, KEPT, KINDS, REMOVED, REPLACED, SCALED, Item

LEAST_SECONDS = {BRISK: 0.02, SLOW: 0.1}
MOST_SECONDS = {BRISK: 0.4, SLOW: 1.5}
MOST_PROVISIONING = {BRISK: 1.0, SLOW: 4.0}
BLOCKED_SECONDS = 1.5
"""Delay of the request at which a command is interrupted before the request is carried out."""


_STOP_AND_DELETE = {("Service", fate): 2 for fate in FATES}
WRITES: Mapping[str, Mapping[tuple[str, str], int]] = {
    FIRST_UP: {},
    SECOND_UP: {
        **{(kind, KEPT): 0 for kind in KINDS},
        ("Service", REPLACED): 3,
        ("ApiKey", REPLACED): 2,
        ("Service", REMOVED): 2,
    },
    DESTROY: _STOP_AND_DELETE,
}
"""The number of writes of a command for an item, by its type and fate, if it is not one."""


def prepare(sandbox: Sandbox, plan: Plan, items: list[Item]) -> None:
    """Set the speed of the server, and block the request at which the command is interrupted."""
    chance = plan.chance
    if plan.command == FIRST_UP and plan.stage in (stages.SENT, stages.CARRIED_OUT):
        body = _body_of(_blocked_at(plan, items))
        if plan.stage == stages.SENT:
            sandbox.fault("*", "delay", match=body, wait=BLOCKED_SECONDS)
        else:
            sandbox.fault("*", "commit_then_hang", match=body)
    provisioning = 0.0
    if plan.speed != FAST:
        least, most = LEAST_SECONDS[plan.speed], MOST_SECONDS[plan.speed]
        for item in items:
            sandbox.fault("*", "delay", times=None, match={"name": item.name}, wait=chance.uniform(least, most))
        for operation in OPERATIONS.values():
            if operation.writes and not operation.name.startswith(("create_", "self_hosted_create_")):
                sandbox.fault(operation.name, "delay", times=None, wait=chance.uniform(least, most / 2))
        provisioning = chance.uniform(0.0, MOST_PROVISIONING[plan.speed])
    if plan.stage == stages.WAITING:
        provisioning = max(provisioning, 1.0)
    if plan.stage == stages.BEFORE:
        sandbox.fault("list_services", "delay", times=None, wait=0.5)
    sandbox.set_latency(provision=provisioning, stop=provisioning / 4, delete=provisioning / 4)


def clear(sandbox: Sandbox) -> None:
    """Remove delays and faults from the server, after it has responded to all requests."""
    while any(each.ms is None for each in sandbox.requests):
        time.sleep(POLL_SECONDS)
    sandbox.clear_faults()
    sandbox.set_latency(provision=0.0, stop=0.0, delete=0.0)


def wait_for(command: subprocess.Popen[bytes], sandbox: Sandbox, plan: Plan, items: list[Item]) -> None:
    """Wait for the moment of the plan, or for the end of the command."""
    happened = _condition(plan, items)
    log: list[LoggedRequest] = []
    while command.poll() is None and not happened(log):
        time.sleep(POLL_SECONDS if log else 5 * POLL_SECONDS)  # the CLI takes seconds to start
        # Read requests without a response again, and all after them.
        known = next((place for place, each in enumerate(log) if each.ms is None), len(log))
        log[known:] = sandbox.logged(since=known)
    if plan.seconds and command.poll() is None:
        try:
            command.wait(plan.seconds)
        except subprocess.TimeoutExpired:
            return


def _condition(plan: Plan, items: list[Item]) -> Callable[[list[LoggedRequest]], bool]:
    writes = sum(WRITES[plan.command].get((item.kind, item.fate), 1) for item in items)
    number = 1 + int(plan.share * writes)
    if plan.stage == stages.BEFORE:
        return bool
    if plan.stage == stages.WAITING:
        return lambda log: any(each.operation == "create_service" and each.ms is not None for each in log)
    if plan.stage == stages.ANY_TIME:
        return lambda log: bool(_writes(log))
    if plan.stage == stages.NEAR_END:
        return lambda log: len(_responded(log)) >= writes
    if plan.stage == stages.RESPONDED:
        return lambda log: len(_responded(log)) >= number
    if plan.command != FIRST_UP:
        return lambda log: len(_writes(log)) >= number
    body = _body_of(_blocked_at(plan, items))  # the server blocks that request
    wanted = {None, "delay"} if plan.stage == stages.SENT else {"commit_then_hang"}
    return lambda log: any(each.fault in wanted and has_fields(each.body, body) for each in _writes(log))


def _blocked_at(plan: Plan, items: list[Item]) -> Item:
    return items[int(plan.share * len(items))]


def _body_of(item: Item) -> dict[str, Any]:
    """Return the fields that identify the create of an item."""
    return {"replicas": SCALED} if item.kind == "PipeScaling" else {"name": item.name}


def _writes(log: list[LoggedRequest]) -> list[LoggedRequest]:
    return [each for each in log if each.method != "GET"]


def _responded(log: list[LoggedRequest]) -> list[LoggedRequest]:
    return [each for each in _writes(log) if each.ms is not None]
