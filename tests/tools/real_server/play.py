"""Send the requests to a server, and compare the responses with those of the real server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import httpx

from .request import Request, Scenario, Values, filled
from .requests import SCENARIOS, WORLD

ANSWERS = Path(__file__).with_name("answers.json")
COLLECTIONS = ("alerts", "dashboards", "saved-searches", "webhooks", "sources", "connections")
"""Collections, in the order in which their objects can be deleted."""

UNSORTED = ("sources", "connections")
"""Lists without an order."""

LONGEST = 100
"""Limit of characters and elements; the rest is counted."""

_ID = re.compile(r"\b[0-9a-f]{24}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def play(http: httpx.Client) -> dict[str, Values]:
    """Send all requests, and return the responses by the names of the requests.

    Args:
        http: A client of a server without objects; its base is the root of the API, and it sends the token.

    Raises:
        ValueError: The server has objects already.
    """
    return send_scenarios(http, SCENARIOS)


def send_scenarios(http: httpx.Client, scenarios: Iterable[Scenario]) -> dict[str, Values]:
    """Send the requests of some scenarios; see `play`."""
    world = make_world(http)
    answers: dict[str, Values] = {}
    for each in scenarios:
        answers.update(_send_scenario(http, each, world))
    _delete(http, (f"{each.path}/{world[each.name]['id']}" for each in WORLD))
    return answers


class Similarity(Enum):
    """The similarity of a response to that of the real server."""

    EQUAL = "equal"
    EXCEPT_MESSAGES = "refused by both with different properties"
    NONE = "different"


def similarity_of(real: Values, other: Values) -> Similarity:
    """Return the similarity of a response to that of the real server."""
    if real == other:
        return Similarity.EQUAL
    return (
        Similarity.NONE if any(differences(without_words(real), without_words(other))) else Similarity.EXCEPT_MESSAGES
    )


def without_words(answer: Values) -> Values:
    """Return a response without the message of a refusal."""
    body = answer.get("body")
    if isinstance(body, dict) and isinstance(body.get("message"), list):
        return {**answer, "body": "refused"}
    return {**answer, "body": {**body, "errors": "some"}} if isinstance(body, dict) and body.get("errors") else answer


def make_world(http: httpx.Client) -> dict[str, Any]:
    """Create the objects that the requests refer to, and return them by name.

    Raises:
        ValueError: The server has objects already.
    """
    refuse_objects(http)
    world: dict[str, Any] = {}
    for request in WORLD:
        world[request.name] = _data(_send(http, request, world))
    return world


def refuse_objects(http: httpx.Client) -> None:
    """Check that a server has no objects.

    Raises:
        ValueError: It has.
    """
    if found := [each for each in (*COLLECTIONS, "team/invitations") if _all(http, each)]:
        raise ValueError(
            f"the server must have no objects, but it has {', '.join(found)}; take one that was just set up"
        )


def empty(http: httpx.Client) -> None:
    """Delete all objects of a server."""
    for collection in COLLECTIONS:
        for each in _all(http, collection):
            http.delete(f"{collection}/{each['id']}").raise_for_status()


def _all(http: httpx.Client, collection: str) -> list[Values]:
    found: list[Values] = _data(http.get(collection))
    return found


def _data(answer: httpx.Response) -> Any:
    if answer.status_code != httpx.codes.OK:
        raise ValueError(f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text}")
    return answer.json()["data"]


def _send_scenario(http: httpx.Client, scenario: Scenario, world: Mapping[str, Any]) -> Iterator[tuple[str, Values]]:
    kept, made = dict(world), []
    for request in scenario.requests:
        answer = _send(http, request, kept)
        yield request.name, shown(answer, dict(_ids(kept)), request)
        if answer.status_code == httpx.codes.OK and isinstance(data := _object(answer), dict):
            kept.update({request.keep: data} if request.keep else {})
            if request.method == "POST" and "id" in data:
                made.append(f"{request.path}/{data['id']}")
    _delete(http, made)


def _delete(http: httpx.Client, made: Iterable[str]) -> None:
    """Delete the objects that requests have made; those of others stay."""
    for path in sorted(made, key=lambda each: COLLECTIONS.index(each.partition("/")[0])):
        http.delete(path)


def _ids(kept: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each id of the kept objects with its name, the first name last."""
    items = list(kept.items() if isinstance(kept, dict) else enumerate(kept) if isinstance(kept, list) else ())
    for name, value in reversed(items):
        if name == "id" and isinstance(value, str):
            yield value, path
        yield from _ids(value, f"{path}.{name}".lstrip("."))


def _object(answer: httpx.Response) -> Any:
    body = answer.json()
    return body.get("data") if isinstance(body, dict) else None


def _send(http: httpx.Client, request: Request, kept: Mapping[str, Any]) -> httpx.Response:
    path, headers = filled(request.path, kept), {} if request.token else {"Authorization": "Bearer nobody"}
    if request.raw is not None:
        headers["Content-Type"] = "application/json"
        return http.request(request.method, path, content=request.raw, headers=headers)
    body = {} if request.body is None else {"json": filled(request.body, kept)}
    return http.request(request.method, path, headers=headers, **body)


def shown(answer: httpx.Response, known: Mapping[str, str], request: Request) -> Values:
    """Return a response without parts that differ between runs; ids are replaced by the names of their objects."""
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if kind != "application/json":
        return {"status": answer.status_code, **({"page": True} if kind == "text/html" else {"text": answer.text})}
    body = _plain(answer.json(), known)
    if isinstance(body, list):
        return {"status": answer.status_code, "body": [_properties(each) for each in body]}
    if request.path in UNSORTED and isinstance(body.get("data"), list):
        body["data"].sort(key=lambda each: (each["name"], each["id"]))
    if isinstance(body.get("errors"), list):
        body["errors"] = sorted({each["path"] for each in body["errors"] if each["path"]}) or body["errors"]
    return {"status": answer.status_code, "body": _form(body) if request.form_only else body}


def _plain(value: Any, known: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each, known) for name, each in value.items()}
    if isinstance(value, str) and " validation failed: " in value:
        return refused_properties(value)
    if isinstance(value, list):
        rest = [f"{len(value)} elements"] if len(value) > LONGEST else []
        return [_plain(each, known) for each in (value[:1] if rest else value)] + rest
    if isinstance(value, str) and len(value) > LONGEST and len(set(value)) == 1:
        return f"{value[:10]}, {len(value)} characters"
    if isinstance(value, str):
        named = _ID.sub(lambda found: f"<{known.get(found[0], 'id')}>", value)
        return _TIME.sub("<time>", named)
    return value


def _properties(refusal: Values) -> list[str]:
    """Return the properties that a refusal of the team's routes names."""
    return [f"{refusal['type']} {'.'.join(each['path'])}" for each in refusal["errors"]["issues"]]


def refused_properties(message: str) -> list[str]:
    """Return the part of the request and the properties that a refusal names; messages differ between releases."""
    named: set[str] = set()
    part = ""
    for each in message.split("; "):
        head, begins, rest = each.partition(" validation failed: ")
        part, failure = (head, rest) if begins else (part, each)
        path, text, _ = failure.partition(": ")
        named.add(f"{part} {path}" if text and " " not in path.strip() else part)
    return sorted(named)


def _form(value: Any) -> Any:
    """Return the type of each value."""
    if isinstance(value, dict):
        return {name: _form(each) for name, each in value.items()}
    return [_form(each) for each in value] if isinstance(value, list) else type(value).__name__


def recorded() -> dict[str, Values]:
    """Return the recorded responses of the real server, by the names of the requests."""
    answers: dict[str, Values] = json.loads(ANSWERS.read_text())
    return answers


def record(answers: Mapping[str, Values]) -> None:
    """Write the responses of a real server, one line for each request."""
    lines = (f"{json.dumps(name)}: {json.dumps(each, sort_keys=True)}" for name, each in answers.items())
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def differences(real: Any, other: Any, path: str = "") -> Iterator[str]:
    """Yield the differences between two responses."""
    if isinstance(real, dict) and isinstance(other, dict):
        for name in sorted(real.keys() | other.keys()):
            inner = f"{path}.{name}".lstrip(".")
            if name not in other:
                yield f"{inner}: is missing; the real server has {_brief(real[name])}"
            elif name not in real:
                yield f"{inner}: {_brief(other[name])}; the real server has no such thing"
            else:
                yield from differences(real[name], other[name], inner)
    elif isinstance(real, list) and isinstance(other, list) and len(real) == len(other):
        for index, (one, another) in enumerate(zip(real, other, strict=True)):
            yield from differences(one, another, f"{path}[{index}]")
    elif real != other or isinstance(real, bool) != isinstance(other, bool):
        yield f"{path}: {_brief(other)}; the real server has {_brief(real)}"


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}..."
