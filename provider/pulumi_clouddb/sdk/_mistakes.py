# Written by hand; the other files of this package are generated.
"""Mistakes in programs that Python or Pulumi would report without the way out: names, options and kinds of values."""

import functools
import inspect
import re
import sys
from collections.abc import Awaitable, Callable, Collection, ItemsView, Iterable, Iterator, Mapping, Sequence
from datetime import date
from types import NoneType, UnionType
from typing import Any, Final, ParamSpec, TypeVar, Union, get_args, get_origin

import pulumi
from pulumi._types import input_type_py_to_pulumi_names, input_type_types, is_input_type

_PACKAGE = __name__.partition(".")[0]
_Params = ParamSpec("_Params")
_ResultT = TypeVar("_ResultT")

_OPTIONS: Final = frozenset(inspect.signature(pulumi.ResourceOptions).parameters)
"""The names of the options that every resource has."""

_KINDS: Final[Mapping[type, str]] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "an object",
}
_SENT: Final = (
    *(str, int, float, type(None), Sequence, Mapping),
    *(pulumi.Output, Awaitable, pulumi.Resource, pulumi.Asset, pulumi.Archive, pulumi.output.Unknown),
)
"""The types of the values that Pulumi can send."""


def with_advice(call: Callable[_Params, _ResultT]) -> Callable[_Params, _ResultT]:
    """Add advice to the TypeError about wrong arguments: the nearest names, and the functions that take a name."""

    @functools.wraps(call)
    def checked(*args: _Params.args, **kwargs: _Params.kwargs) -> _ResultT:
        try:
            return call(*args, **kwargs)
        except TypeError as error:
            _explain(error, call, args, kwargs)
            raise

    return checked


def _explain(error: TypeError, call: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Raise an error with advice, if the arguments do not fit the function."""
    owner, _, method = call.__qualname__.rpartition(".")
    name, own = (owner, args[1:]) if method == "__init__" else (call.__name__, args)
    if mistakes := _call_mistakes(call, own, named):
        from pulumi_clouddb.client.errors import ArgumentError

        by_name = own or "name" in named
        raise ArgumentError(f"{name}: {'; '.join(mistakes)}{_lists(name) if by_name else ''}") from error.__cause__


def _call_mistakes(call: Callable[..., Any], own: Sequence[Any], named: Mapping[str, Any]) -> list[str]:
    """Return a message for each mistake in the arguments of a call; all must be given by name."""
    takes = [each for each in inspect.signature(call).parameters.values() if each.name != "self"]
    names = [each.name for each in takes]
    mistakes = [f"it takes {', '.join(names) or 'nothing'} by name"] if own else []
    mistakes += argument_mistakes(named, names)
    missing = [each.name for each in takes if each.default is each.empty and each.name not in named]
    if missing and not own:
        mistakes.append(f"it needs {', '.join(map(repr, missing))}")
    return mistakes


def _lists(function: str) -> str:
    """Return which function finds objects by their names, for one that reads an object by its id."""
    name = f"list_{function.removeprefix('get_').removesuffix('_output')}s"
    listing = getattr(sys.modules[_PACKAGE], name, None) if function.startswith("get_") else None
    if listing is None:
        return ""
    by_name = "name" in inspect.signature(listing).parameters
    return f"; {name}({'name=…' if by_name else '…'}) finds objects by their name"


def argument_mistakes(
    named: Collection[str], known: Collection[str], outputs: Collection[str] = (), resource: Any = None
) -> list[str]:
    """Return a message for each argument that does not exist; `resource` is the class of a resource's arguments."""
    return [
        f"it has no argument {name!r}{_instead(name, known, outputs, resource)}" for name in named if name not in known
    ]


def _instead(name: str, known: Collection[str], outputs: Collection[str], resource: Any) -> str:
    if resource and name in _OPTIONS:
        return f", which is an option of Pulumi: write opts=pulumi.ResourceOptions({name}=…)"
    from pulumi_clouddb.schema.names import nearest

    near, place = nearest(name, known), _place(name, resource) if resource else ""
    suggestion = f", which belongs into {place}" if place else f" (did you mean {near!r}?)" if near else ""
    return f", which is an output{suggestion or ': leave it out'}" if name in outputs else suggestion


def _place(name: str, model: Any) -> str:
    """Return the argument whose object, or each of whose objects, has a property; an empty text if none has it."""
    types, python = _types_and_names(model)
    inner = {own: _model(_element(types[wire])) for own, wire in python.items()}
    return next((own for own, each in inner.items() if each and name in _types_and_names(each)[1]), "")


def _element(type_: Any) -> Any:
    """Return the type of the elements of a list; another type as it is."""
    lists = [each for each in (type_, *_choices(type_)) if get_origin(each) is Sequence]
    return get_args(lists[0])[0] if lists else type_


def no_attribute(owner: object, name: str, names: Collection[str], instead: str = "") -> AttributeError:
    """Return the error for an attribute that does not exist, with the nearest one."""
    from pulumi_clouddb.schema.names import did_you_mean

    return AttributeError(
        f"{owner} has no {name!r}{f'; did you mean {instead}?' if instead else did_you_mean(name, names)}"
    )


def misfits(args: object, path: str = "") -> Iterator[str]:
    """Yield a message for each value that Pulumi cannot send as an argument of its type; none quotes the value.

    Pulumi's own messages name the type that it expects as the one that it got (`_get_list_element_type` of pulumi
    3.272: "Unexpected type. Expected 'list' got '<class 'str'>'" of a list where a text belongs).
    """
    yield from _misfits(type(args), vars(args), path)


def _misfits(model: Any, values: Mapping[str, Any], path: str) -> Iterator[str]:
    types, python = _types_and_names(model)
    for name, value in ItemsView(values):  # an output type can have a property `items`, which hides the method
        wire = name if name in types else python.get(name, name)
        shown = next((py for py in python if python[py] == wire), name)
        for misfit in _misfit(value, types.get(wire), f"{path}{shown}"):
            yield misfit + (_separated(model, shown) if isinstance(value, (list, tuple)) else "")


@functools.cache
def _types_and_names(model: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the types of properties by wire name, and their wire names by Python name."""
    return input_type_types(model), input_type_py_to_pulumi_names(model)


def _misfit(value: Any, type_: Any, path: str) -> Iterator[str]:
    kind = _kind(type_)
    if is_input_type(type(value)):
        yield from misfits(value, f"{path}.")
    elif not isinstance(value, _SENT) or isinstance(value, (bytes, bytearray)):
        yield f"{path} must be {_KINDS.get(kind, 'a value of JSON')}, not {type(value).__name__}{_way_out(value)}"
    elif isinstance(value, (list, tuple)):
        if kind not in (list, None):
            yield f"{path} must be {_KINDS[kind]}, not a list{_without_list(value, type_)}"
        for index, item in enumerate(value if kind is list else ()):
            yield from _misfit(item, get_args(type_)[0], f"{path}[{index}]")
    elif isinstance(value, Mapping):
        if kind not in (list, dict, None):
            yield f"{path} must be {_KINDS[kind]}, not an object"
        elif (model := _model(type_)) is not None:
            yield from _misfits(model, value, f"{path}.")


def _without_list(value: Sequence[Any], type_: Any) -> str:
    """Return what to write in place of a list; nothing where that would lose an element."""
    if _kind(type_) is dict and _model(type_) is None:
        return ': write {"NAME": VALUE}, with an entry for each element'
    fits = len(value) == 1 and not any(_misfit(value[0], type_, ""))
    return ": write a single one, without the brackets" if fits else ""


def _separated(model: Any, name: str) -> str:
    """Return how a text has several elements, which only its description says."""
    described = re.search(rf"^    {name}: .*(?:\n {{8}}.*)*", inspect.getdoc(model.__init__) or "", re.MULTILINE)
    several = described and "separated by commas" in " ".join(described[0].split())
    return "; it is one text, with several separated by commas" if several else ""


def _way_out(value: object) -> str:
    if isinstance(value, date):
        return ": write the text that its isoformat() returns"
    return (
        ": write list(…) around it" if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)) else ""
    )


def _kind(type_: Any) -> Any:
    """Return the type of the values that an annotation accepts: one of `_KINDS`, or None if there are several."""
    if get_origin(type_) in (Sequence, Mapping):
        return list if get_origin(type_) is Sequence else dict
    if isinstance(type_, type):
        return dict if is_input_type(type_) else next((each for each in _KINDS if issubclass(type_, each)), None)
    kinds = {_kind(each) for each in _choices(type_)}
    return kinds.pop() if len(kinds) == 1 else None


def _model(type_: Any) -> Any:
    return next((each for each in (type_, *_choices(type_)) if isinstance(each, type) and is_input_type(each)), None)


def _choices(type_: Any) -> list[Any]:
    """Return the types of a union, without those that stand for values of the future."""
    if get_origin(type_) not in (Union, UnionType):
        return []
    later = (Awaitable, pulumi.Output)
    return [each for each in get_args(type_) if each is not NoneType and get_origin(each) not in later]
