"""Typed looks at the properties that a policy sees: by Python names, with unknown told from missing.

`service(args)` gives what reads like a `ServiceArgs`: `service(args).num_replicas` is a number, or None where the
program says nothing. Touching a value that a preview cannot know raises `UnknownValueError`, as pulumi-policy does;
inside `with if_known:` the rest of the block is skipped instead.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar, cast

from pulumi_policy import PolicyResource, ResourceValidationArgs
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, UnknownValueError
from pydantic import BaseModel

from pulumi_clouddb.models.base import wire_name
from pulumi_clouddb.models.convert import model_in
from pulumi_clouddb.models.resource_type import ResourceType
from pulumi_clouddb.models.values import UNKNOWN, Path, show_path, whole_numbers
from pulumi_clouddb.pulumi_wire.codec import UNKNOWN_TEXTS

Args = ResourceValidationArgs | PolicyResource
ModelT = TypeVar("ModelT", bound=BaseModel)

_PLAIN = (str, float, int, bool, type(None))

if_known = suppress(UnknownValueError)
"""`with if_known:` leaves the block where it meets a value that is not known yet."""


class Items(Sequence[Any]):
    """A list of properties; going through it leaves out elements that are not known."""

    def __init__(self, model: type[BaseModel] | None, values: Sequence[Any], path: Path) -> None:
        self._model, self._values, self._path = model, values, path

    def __getitem__(self, index: Any) -> Any:
        return _wrapped(self._model, _read(self._values, index), (*self._path, index))

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        for index in range(len(self._values)):
            with if_known:
                yield self[index]

    @property
    def complete(self) -> bool:
        """Whether every element is known."""
        return all(_read(self._values, index) is not UNKNOWN for index in range(len(self._values)))


class View:
    """An object's properties by the Python names of its model.

    Args:
        model: The model that names the properties.
        values: The properties by wire name, as the policy gets them.
        path: Where the object stands within its resource.
        server_only: Wire names that only a server fills in: there, missing means not known yet.
    """

    def __init__(
        self,
        model: type[BaseModel],
        values: Mapping[str, Any],
        path: Path = (),
        server_only: frozenset[str] = frozenset(),
    ) -> None:
        self._model, self._values, self._path, self._server_only = model, values, path, server_only

    def __getattr__(self, name: str) -> Any:
        wire, nested = _field(self._model, name)
        value = self._value(wire)
        return _wrapped(nested, value, (*self._path, wire))

    def _value(self, wire: str) -> Any:
        value = _read(self._values, wire)
        return UNKNOWN if value is None and wire in self._server_only else value


@functools.cache
def _field(model: type[BaseModel], name: str) -> tuple[str, type[BaseModel] | None]:
    """Return the wire name of a property, and the model of the objects in it."""
    info = model.model_fields.get(name)
    if info is None:
        raise AttributeError(f"{model.__name__} has no property {name!r}")
    return wire_name(model, name), model_in(info.annotation)


def _read(container: Any, key: Any) -> Any:
    """Return one value: UNKNOWN where it is not known, None where there is none."""
    try:
        value = container[key]
    except KeyError:
        return None
    except UnknownValueError:
        return UNKNOWN
    return UNKNOWN if isinstance(value, str) and value in UNKNOWN_TEXTS else value


def _wrapped(model: type[BaseModel] | None, value: Any, path: Path) -> Any:
    if value is UNKNOWN:
        raise UnknownValueError(UNKNOWN_STRING_VALUE, [str(part) for part in path])
    if isinstance(value, _PLAIN):
        return whole_numbers(value)
    if isinstance(value, Mapping):
        return View(model, value, path) if model else plain(value)
    return Items(model, value, path)


def plain(value: Any) -> Any:
    """Return properties as dicts and lists, with `UNKNOWN` for what is not known and whole numbers as ints."""
    if isinstance(value, str):
        return UNKNOWN if value in UNKNOWN_TEXTS else value
    if value is UNKNOWN or isinstance(value, _PLAIN):
        return whole_numbers(value)
    if isinstance(value, Mapping):
        return {key: plain(_read(value, key)) for key in value}
    return [plain(_read(value, index)) for index in range(len(value))]


def is_unknown(seen: object, name: str) -> bool:
    """Tell whether the property `name` of a view is not known yet; one that is missing is known to be."""
    view = cast(View, seen)
    return view._value(_field(view._model, name)[0]) is UNKNOWN


def is_given(seen: object, name: str) -> bool:
    """Tell whether the property `name` of a view is there, be its value known or not."""
    view = cast(View, seen)
    return _read(view._values, _field(view._model, name)[0]) is not None


def is_complete(items: object) -> bool:
    """Tell whether all elements of a view's list are known, so that one can tell what is not in it."""
    return not isinstance(items, Items) or items.complete


def path_of(seen: object, name: str = "") -> str:
    """Return the property path of a view, or of its property `name`, such as `ipAccessList[2].source`."""
    view = cast(View, seen)
    return show_path((*view._path, _field(view._model, name)[0]) if name else view._path)


# -- by resource -----------------------------------------------------------------------------------------------------


def is_of(type_: ResourceType, args: Args) -> bool:
    """Tell whether a policy looks at a resource of this type, of whichever front end."""
    return args.resource_type in (type_.token, type_.dynamic_token)


def resource_view(type_: ResourceType, args: Args) -> Any:
    """Return the view of a resource: of its inputs, or in a stack policy of its outputs.

    In a preview the outputs of a new dynamic resource are missing rather than unknown; for a stack policy every missing
    property counts as unknown, except those that steer this provider and never come from a server.
    """
    if isinstance(args, ResourceValidationArgs):
        return View(type_.inputs, args.props)
    names = frozenset(wire_name(type_.state, attribute) for attribute in type_.state.model_fields)
    return View(type_.state, args.props, server_only=names.difference(type_.provider_only))
