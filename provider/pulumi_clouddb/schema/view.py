"""Views: typed access to values of which some may be unknown.

`view_of(Service, values)` reads like a `Service`: `num_replicas` is a number, or None if it is not set. Reading an
unknown value raises `UnknownValueError`. For mypy a view is the model itself, so a misspelt property is a type error.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from .check.rules import USUAL_CONTEXT, RuleContext
from .check.within import typed_in
from .convert import fields_of
from .json_types import JsonType, json_types_of
from .values import UNKNOWN, Path, UnknownValueError, WireValues, show_path

ModelT = TypeVar("ModelT", bound=BaseModel)
ValueT = TypeVar("ValueT")
DefaultT = TypeVar("DefaultT")

_ANY = JsonType()

if_known = suppress(UnknownValueError)
"""`with if_known:` ends the block at the first unknown value."""


class View:
    """An object; see `view_of`. What was read of it is kept: rules read the same few properties again and again."""

    def __init__(
        self,
        model: type[BaseModel],
        values: WireValues,
        path: Path,
        error: type[UnknownValueError],
        late: frozenset[str] = frozenset(),
        context: RuleContext = USUAL_CONTEXT,
    ) -> None:
        self._model, self._values, self._path, self._error, self._late = model, values, path, error, late
        self._context = context

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)  # of no property, and asked by copy.deepcopy before there is a model
        seen = self.__dict__[name] = self._read(name)
        return seen

    def _read(self, name: str) -> object:
        wire, nested, json_type = _field(self._model, name)
        value = self._value(wire, json_type)
        if value is None:
            return None
        path = (*self._path, wire)
        if isinstance(value, (list, tuple)):
            return Items(nested, value, path, self._error, json_type.inner or _ANY)
        if (model := _open_fields(self._model).get(name)) and isinstance(value, Mapping):
            return OpenView(model, value, path, self._error)
        return _seen(nested, value, path, self._error)

    def _value(self, wire: str, json_type: JsonType) -> object:
        value = self._values.get(wire)
        if value is None:
            return UNKNOWN if wire in self._late else None
        return value if json_type.fits(value) else UNKNOWN


class OpenView(View, dict[str, Any]):
    """An object of which only one dialect has a model: a dict by wire name, and a view of that model."""

    def __init__(self, model: type[BaseModel], values: WireValues, path: Path, error: type[UnknownValueError]) -> None:
        View.__init__(self, model, values, path, error)
        dict.__init__(self, values)


class Items(Sequence[object]):
    """A list, which keeps the views of its elements; iteration skips unknown ones."""

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
        self._kept: dict[int, object] = {}

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if index not in self._kept:
            self._kept[index] = _seen(self._model, self._values[index], (*self._path, index), self._error)
        return self._kept[index]

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[object]:
        for index in range(len(self._values)):
            with if_known:
                yield self[index]


def view_of(
    model: type[ModelT],
    values: WireValues,
    *,
    error: type[UnknownValueError] = UnknownValueError,
    late: frozenset[str] = frozenset(),
    context: RuleContext = USUAL_CONTEXT,
) -> ModelT:
    """Return a view of values.

    Args:
        model: The model of the values.
        values: The properties by wire name, possibly `UNKNOWN`. They are not validated, but a value of the wrong JSON
            type is unknown.
        error: The error for an unknown value.
        late: Wire names of the properties that are unknown if they are missing.
        context: The configuration, for rules; see `context_of`.
    """
    return cast(ModelT, View(model, values, (), error, late, context))


@functools.lru_cache(maxsize=256)
def _fields(model: type[BaseModel]) -> dict[str, tuple[str, type[BaseModel] | None, JsonType]]:
    json_types = json_types_of(model)
    return {attribute: (wire, nested, json_types[attribute]) for wire, attribute, nested in fields_of(model)}


@functools.lru_cache(maxsize=256)
def _open_fields(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """Return by attribute the models that objects of properties have in one dialect."""
    fields = model.model_fields.items()
    models = {name: next(filter(None, map(typed_in, (info.annotation, *info.metadata))), None) for name, info in fields}
    return {name: each for name, each in models.items() if each}


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
    """Return the result of a function, or the default if it reads an unknown value."""
    with if_known:
        return read()
    return default


def is_unknown(seen: object, name: str) -> bool:
    """Return whether the property `name` of a view is unknown; a missing one is not."""
    view = cast(View, seen)
    wire, _, json_type = _field(view._model, name)
    return view._value(wire, json_type) is UNKNOWN


def raw_of(seen: object, name: str) -> Any:
    """Return the plain value of the property `name` of a view, of any type.

    Raises:
        UnknownValueError: It is unknown.
    """
    view = cast(View, seen)
    wire, *_ = _field(view._model, name)
    value = view._values.get(wire)
    if value is UNKNOWN:
        raise view._error((*view._path, wire))
    return value


def is_given(seen: object, name: str) -> bool:
    """Return whether the property `name` of a view is set, even if its value is unknown."""
    view = cast(View, seen)
    return view._values.get(_field(view._model, name)[0]) is not None


def is_complete(items: object) -> bool:
    """Return whether all elements of a view's list are known."""
    return not isinstance(items, Items) or UNKNOWN not in items._values


def path_of(seen: object, name: str = "") -> str:
    """Return the property path of a view, or of its property `name`, such as `ipAccessList[2].source`."""
    view = cast(View, seen)
    return show_path((*view._path, _field(view._model, name)[0]) if name else view._path)
