"""How people err: operators that change one place of valid inputs.

`mutants` applies each operator wherever it fits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from typing import Any

Path = tuple[Any, ...]
Operator = Callable[[Any], Any]
"""Returns another value, or None where it does not fit."""

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
_OBJECT_ID = re.compile(r"[0-9a-f]{24}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DURATION = re.compile(r"\d+[smhd]")
_NETWORK = re.compile(r"\d+(\.\d+){3}/\d+")
_HOST = re.compile(r"[a-z][\w-]*(\.[\w-]+)+")


def _where(pattern: re.Pattern[str], change: Callable[[str], object]) -> Operator:
    return lambda text: change(text) if pattern.match(text) else None


def _is_id(text: str) -> bool:
    return bool(_UUID.fullmatch(text) or _OBJECT_ID.fullmatch(text))


TEXTS: Mapping[str, Operator] = {
    "a blank before": lambda text: f" {text}",
    "a blank after": lambda text: f"{text} ",
    "a line break after": lambda text: f"{text}\n",
    "quotes around": lambda text: f'"{text}"',
    "a placeholder": lambda text: f"<{text}>",
    "a variable": lambda text: f"${{{text}}}",
    "upper case": str.upper,
    "lower case": str.lower,
    "a capital": str.capitalize,
    "plural": lambda text: f"{text}s",
    "singular": lambda text: text.removesuffix("s") or None,
    "hyphens": lambda text: text.translate(str.maketrans("_-", "-_")),
    "no text": lambda text: "",
    "a page for a text": lambda text: f"{text}{'x' * 5_000}",
    "letters exchanged": lambda text: f"{text[0]}{text[2]}{text[1]}{text[3:]}" if len(text) > 3 else None,
    "a list for a text": lambda text: [text],
    "a number for a text": lambda text: 7,
    "an object for a text": lambda text: {"name": text},
    "a name for an id": lambda text: "my-object" if _is_id(text) else None,
    "an id of another kind": lambda text: (
        ("6" * 24 if "-" in text else f"{'6' * 8}-0000-4000-8000-{'6' * 12}") if _is_id(text) else None
    ),
    "an id without its prefix": _where(re.compile(r"(arn:|[a-z]+-|\w+/)[\w:/-]+\Z"), lambda text: text[-6:]),
    "host bits": _where(_NETWORK, lambda text: re.sub(r"\.0/", ".7/", text)),
    "a mask": _where(_NETWORK, lambda text: re.sub(r"/\d+", "/255.255.255.0", text)),
    "no protocol": lambda text: text.partition("://")[2] or None,
    "two protocols": _where(re.compile("https?://"), lambda text: f"https://{text}"),
    "a protocol before a host": _where(_HOST, lambda text: f"https://{text}"),
    "no zone": _where(re.compile(rf"{_DATE.pattern}T"), lambda text: re.sub(r"(Z|[+-]\d\d:\d\d)\Z", "", text)),
    "a day after its month": _where(_DATE, lambda text: _DATE.sub("2027-02-30", text)),
    "a day first": _where(_DATE, lambda text: _DATE.sub("31.01.2027", text)),
    "a duration in words": _where(_DURATION, lambda text: f"{text[:-1]} minutes"),
    "a duration in seconds": _where(re.compile(r"\d+m\Z"), lambda text: f"{int(text[:-1]) * 60}s"),
    "two addresses": _where(re.compile(r"\S+@\S+\Z"), lambda text: f"{text}, b@example.com"),
}
NUMBERS: Mapping[str, Operator] = {
    "a unit": lambda number: f"{number:g}GB",
    "a text for a number": lambda number: f"{number:g}",
    "a negative number": lambda number: -number or -1,
    "a number in a list": lambda number: [number],
    "another order of magnitude": lambda number: number * 1024,
}
LISTS: Mapping[str, Operator] = {
    "an element for a list": lambda items: items[0] if items else None,
    "a map for a list": lambda items: {str(index): each for index, each in enumerate(items)} if items else None,
    "a list in a list": lambda items: [items],
    "commas for a list": lambda items: ",".join(items) if all(isinstance(each, str) for each in items) else None,
}
MAPS: Mapping[str, Operator] = {
    "a list for a map": lambda values: [values],
    "pairs for a map": lambda values: [{"name": name, "value": each} for name, each in values.items()],
    "JSON for a map": json.dumps,
}
NAMES: Mapping[str, Callable[[str], str]] = {
    "a name in snake case": lambda name: re.sub("[A-Z]", lambda upper: f"_{upper[0].lower()}", name),
    "a name in the plural": lambda name: f"{name}s",
    "a name in upper case": str.upper,
    "a misspelt name": lambda name: f"{name[0]}{name[2]}{name[1]}{name[3:]}" if len(name) > 3 else name,
}
MOVED = "an object in its neighbour"
OPERATORS = (*TEXTS, *NUMBERS, *LISTS, *MAPS, *NAMES, "a property left out", "a reference to nothing", MOVED)


def walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each value within a value, with its path."""
    for name, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, name), each
        yield from walk(each, (*path, name))


def at(value: Any, path: Path) -> Any:
    """Return the value at a path."""
    for part in path:
        value = value[part]
    return value


def with_value(value: Any, path: Path, new: Any) -> Any:
    """Return a copy with another value at a path."""
    if not path:
        return new
    first, *rest = path
    inner = with_value(at(value, (first,)) if rest else None, tuple(rest), new)
    if isinstance(value, dict):
        return {**value, first: inner}
    return [inner if index == first else each for index, each in enumerate(value)]


def without_value(value: Any, path: Path) -> Any:
    """Return a copy without the value at a path."""
    *outer, last = path
    owner = at(value, tuple(outer))
    if isinstance(owner, dict):
        return with_value(value, tuple(outer), {name: each for name, each in owner.items() if name != last})
    return with_value(value, tuple(outer), [each for index, each in enumerate(owner) if index != last])


def renamed(value: Any, path: Path, name: str) -> Any:
    """Return a copy in which the property at a path has another name."""
    *outer, last = path
    owner = at(value, tuple(outer))
    return with_value(value, tuple(outer), {name if each == last else each: item for each, item in owner.items()})


def _operators_of(value: Any) -> Mapping[str, Operator]:
    if isinstance(value, str):
        return TEXTS
    if isinstance(value, (int, float)):
        return {} if isinstance(value, bool) else NUMBERS
    return LISTS if isinstance(value, list) else MAPS if isinstance(value, dict) else {}


def mutants(inputs: dict[str, Any]) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Yield each mistake in one place of the inputs: the operator, the place, and the inputs with it."""
    places = [*walk(inputs)]
    for name, inner in permutations((name for name, value in inputs.items() if isinstance(value, dict)), 2):
        yield MOVED, (name, inner), with_value(without_value(inputs, (inner,)), (name, inner), inputs[inner])
    texts = [value for _, value in places if isinstance(value, str)]
    for path, value in places:
        for operator, change in _operators_of(value).items():
            new = change(value)
            if new is not None and new != value:
                yield operator, path, with_value(inputs, path, new)
        if isinstance(value, str) and texts.count(value) > 1 and not _is_id(value):
            yield "a reference to nothing", path, with_value(inputs, path, f"{value}x")
        if isinstance(path[-1], str):
            yield "a property left out", path, without_value(inputs, path)
            for operator, rename in NAMES.items():
                if rename(path[-1]) != path[-1]:
                    yield operator, path, renamed(inputs, path, rename(path[-1]))
