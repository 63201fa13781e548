"""One request of the list, and how requests refer to what other requests have made."""

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
        name: What it is about; unique in the list.
        body: JSON body; None sends none.
        keep: Name under which later requests find the object of the answer: `<name.id>` is its id, `<name>` all of it.
        raw: Body as it is sent, in place of `body`.
        token: Whether the token of the user is sent.
        form_only: Whether only the form of the answer counts, as its texts belong to whoever runs the server.
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
class Story:
    """Requests that build upon each other; what they have made is deleted after them."""

    requests: tuple[Request, ...]


def story(name: str, *steps: tuple[Any, ...] | Request) -> Story:
    """Return a story of steps, each the name, method, path, and perhaps body and what to keep."""
    told = [each if isinstance(each, Request) else Request(*each) for each in steps]
    return Story(tuple(Request(**{**vars(each), "name": f"{name}: {each.name}"}) for each in told))


def each_alone(name: str, method: str, path: str, bodies: Mapping[str, Any]) -> Iterable[Story]:
    """Yield a story of one request for each body."""
    for what, body in bodies.items():
        yield story(name, (what, method, path, body))


def without(body: Values, *names: str, **changed: Any) -> Values:
    """Return a body without these properties, and with others."""
    return {**{name: value for name, value in body.items() if name not in names}, **changed}


def filled(value: Any, kept: Mapping[str, Any]) -> Any:
    """Return a path or body with what is kept in place of its name."""
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
