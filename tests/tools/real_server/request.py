"""One request, and references to objects of other requests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Values = dict[str, Any]

ABSENT = "0123456789abcdef01234567"
"""An id that no object has."""

_NAMED = re.compile(r"<([a-z][\w.]*)>")


@dataclass(frozen=True)
class Request:
    """One request.

    Attributes:
        name: Its unique name.
        body: JSON body; None sends none.
        keep: Name of the object in the response for later requests: `<name.id>` is its id, `<name>` all of it.
        raw: Body as sent, in place of `body`.
        token: Whether the user's token is sent.
        form_only: Whether only the form of the response is compared, as its texts depend on the server.
    """

    name: str
    method: str
    path: str
    body: Any = None
    keep: str | None = None
    raw: bytes | None = None
    token: bool = True
    form_only: bool = False


@dataclass(frozen=True)
class Scenario:
    """Requests that depend on each other; their objects are deleted afterwards."""

    requests: tuple[Request, ...]


def scenario(name: str, *steps: tuple[Any, ...] | Request) -> Scenario:
    """Return a scenario of steps, each with name, method, path, and optionally a body and a name to keep."""
    told = [each if isinstance(each, Request) else Request(*each) for each in steps]
    return Scenario(tuple(Request(**{**vars(each), "name": f"{name}: {each.name}"}) for each in told))


def each_alone(name: str, method: str, path: str, bodies: Mapping[str, Any]) -> Iterable[Scenario]:
    """Yield a scenario with one request for each body."""
    for what, body in bodies.items():
        yield scenario(name, (what, method, path, body))


def without(body: Values, *names: str, **changed: Any) -> Values:
    """Return a body with some properties removed and others set."""
    return {**{name: value for name, value in body.items() if name not in names}, **changed}


def filled(value: Any, kept: Mapping[str, Any]) -> Any:
    """Return a path or body in which kept objects replace their names."""
    if isinstance(value, dict):
        return {name: filled(each, kept) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, kept) for each in value]
    if not isinstance(value, str):
        return value
    whole = _NAMED.fullmatch(value)
    if whole and _is_kept(whole[1], kept):
        return _of(whole[1], kept)
    return _NAMED.sub(lambda found: str(_of(found[1], kept)) if _is_kept(found[1], kept) else found[0], value)


def _is_kept(name: str, kept: Mapping[str, Any]) -> bool:
    return name.partition(".")[0] in kept


def _of(name: str, kept: Mapping[str, Any]) -> Any:
    first, *rest = name.split(".")
    value = kept[first]
    for part in rest:
        value = value[int(part) if part.isdecimal() else part]
    return value
