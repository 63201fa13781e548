"""Values of which some may be unknown, read by the names of their model.

`view_of(Service, values)` reads like a `Service`: `num_replicas` is a number, or None where the values say
nothing. Touching what a preview cannot know raises `UnknownValueError`. Rules, diff, preview and the policies read
this way what may be unknown; for mypy a view is the model itself, so that a misspelt property is a type error.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from .convert import fields_of
from .json_types import JsonType, json_types_of
from .values import UNKNOWN, Path, UnknownValueError, WireValues, show_path

ModelT = TypeVar("ModelT", bound=BaseModel)
ValueT = TypeVar("ValueT")
DefaultT = TypeVar("DefaultT")

_ANY = JsonType()

if_known = suppress(UnknownValueError)
"""`with if_known:` leaves the block where it meets a value that is not known yet."""


class View:
    """An object's properties by the Python names of its model; see `view_of`."""

    def __init__(
        self,
        model: type[BaseModel],
        values: WireValues,
        path: Path,
        error: type[UnknownValueError],
        late: frozenset[str] = frozenset(),
    ) -> None:
        self._model, self._values, self._path, self._error, self._late = model, values, path, error, late

    def __getattr__(self, name: str) -> object:
        wire, nested, json_type = _field(self._model, name)
        value, path = self._value(wire, json_type), (*self._path, wire)
        if isinstance(value, (list, tuple)):
            return Items(nested, value, path, self._error, json_type.inner or _ANY)
        return None if value is None else _seen(nested, value, path, self._error)

    def _value(self, wire: str, json_type: JsonType) -> object:
        value = self._values.get(wire)
        if value is None:
            return UNKNOWN if wire in self._late else None
        return value if json_type.fits(value) else UNKNOWN


class Items(Sequence[object]):
    """A list of properties; going through it leaves out elements that are not known."""

    def __init__(
        self,
        model: type[BaseModel] | None,
        values: Sequence[object],
        path: Path,
        error: type[UnknownValueError],
        json_type: JsonType,
    ) -> None:
        self._model, self._path, self._error = model, path, error
        self._values = [each if json_type.fits(each) else UNKNOWN for each in values]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        return _seen(self._model, self._values[index], (*self._path, index), self._error)

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[object]:
        for index in range(len(self._values)):
            with if_known:
                yield self[index]

    @property
    def complete(self) -> bool:
        """Whether every element is known."""
        return UNKNOWN not in self._values


def view_of(
    model: type[ModelT],
    values: WireValues,
    *,
    error: type[UnknownValueError] = UnknownValueError,
    late: frozenset[str] = frozenset(),
) -> ModelT:
    """Return what reads like the model, without making one of all values.

    Args:
        model: The model that names the properties.
        values: The properties by wire name, `UNKNOWN` among them. None of them is validated, and a value that has
            another JSON type than the model says counts as unknown.
        error: What is raised where an unknown value is touched.
        late: Wire names of the properties that count as unknown, too, where they are missing.
    """
    return cast(ModelT, View(model, values, (), error, late))


@functools.lru_cache(maxsize=256)
def _fields(model: type[BaseModel]) -> dict[str, tuple[str, type[BaseModel] | None, JsonType]]:
    json_types = json_types_of(model)
    return {attribute: (wire, nested, json_types[attribute]) for wire, attribute, nested in fields_of(model)}


def _field(model: type[BaseModel], name: str) -> tuple[str, type[BaseModel] | None, JsonType]:
    """Return the wire name of a property, the model of the objects in it, and its JSON type."""
    try:
        return _fields(model)[name]
    except KeyError:
        raise AttributeError(f"{model.__name__} has no property {name!r}") from None


def _seen(model: type[BaseModel] | None, value: object, path: Path, error: type[UnknownValueError]) -> object:
    if isinstance(value, Mapping):
        return View(model, value, path, error) if model else value
    if value is UNKNOWN or model:
        raise error(path)
    return value


def known_or(default: DefaultT, read: Callable[[], ValueT]) -> DefaultT | ValueT:
    """Return what a function reads, or the default where it meets a value that is not known yet."""
    with if_known:
        return read()
    return default


def is_unknown(seen: object, name: str) -> bool:
    """Return whether the property `name` of a view is not known yet; one that is missing is known to be."""
    view = cast(View, seen)
    wire, _, json_type = _field(view._model, name)
    return view._value(wire, json_type) is UNKNOWN


def raw_of(seen: object, name: str) -> Any:
    """Return the property `name` of a view as it is, where it need not be what its model says.

    Raises:
        UnknownValueError: It is not known yet.
    """
    view = cast(View, seen)
    wire, *_ = _field(view._model, name)
    value = view._values.get(wire)
    if value is UNKNOWN:
        raise view._error((*view._path, wire))
    return value


def is_given(seen: object, name: str) -> bool:
    """Return whether the property `name` of a view is there, be its value known or not."""
    view = cast(View, seen)
    return view._values.get(_field(view._model, name)[0]) is not None


def is_complete(items: object) -> bool:
    """Return whether all elements of a view's list are known, so that one can tell what is not in it."""
    return not isinstance(items, Items) or items.complete


def path_of(seen: object, name: str = "") -> str:
    """Return the property path of a view, or of its property `name`, such as `ipAccessList[2].source`."""
    view = cast(View, seen)
    return show_path((*view._path, _field(view._model, name)[0]) if name else view._path)
