"""What dashboards, alerts and sources have in common: the stack they belong to, and the form of their ids."""

from __future__ import annotations

import re

from .errors import bad_request, not_found
from .lifecycle import SERVICES
from .state import SELF_HOSTED, Call, SandboxState


def stack_of(state: SandboxState, call: Call) -> str:
    """Return which stack the path means, or refuse a service that is not there."""
    stack = call.stack.lower()
    if stack != SELF_HOSTED and state.store.get(SERVICES, stack) is None:
        raise not_found("Service")
    return stack


def checked_id(value: str) -> str:
    """Return an id of the path as it is stored, or refuse what is none."""
    if not re.fullmatch("[0-9a-fA-F]{24}", value):
        raise bad_request("Params validation failed: id: Invalid ObjectId")
    return value.lower()
