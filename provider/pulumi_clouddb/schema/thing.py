"""Things: a class declares each field with its role, and models are projections of it by role.

    class Connection(Thing):
        host: Text | None = prop("Address of the database.", required=True)      # sent and returned
        password: Text | None = asked("Password of the user.", secret=True)      # sent, never returned
        keep: Flag | None = option("Keep it when it is deleted.")                # steers this provider, never sent
        created_at: Text | None = answered("When it was created (ISO-8601).")    # returned only
        own_id: Text | None = ours("Its id.")                                    # this provider adds it to state
        rows: list[Row] | None = prop("Its rows.")                               # a `Part`: its fields have roles

A handler gets two values of the class: the inputs of the program, and the last response. Neither is validated with it:
inputs are checked with `inputs_of`, which has all limits, and responses are parsed with `record_of`, which has none.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, GetCoreSchemaHandler, create_model
from pydantic_core import CoreSchema

from .annotations import class_in, shape_of
from .base import (
    Answer,
    AnsweredNumber,
    AnsweredText,
    AnsweredTexts,
    AnsweredWhole,
    Compare,
    Flag,
    Model,
    NoRecord,
    Record,
    extras_of,
    in_response,
    prop,
    wire_name,
)
from .check.rules import Rule
from .values import WireDict


class Role(str, Enum):
    """Where a field occurs; one without a role is in requests and responses."""

    ASKED = "asked"
    OPTION = "option"
    ANSWERED = "answered"
    OURS = "ours"
    HIDDEN = "hidden"


class Thing(Record):
    """Base of all things; see the module.

    Attributes:
        ANSWER: The name of the response in schema.json.
        ANSWER_WORDS: The description of the response, if that of the class does not fit.
        LAST: The attributes that follow all others of their role, in this order.
    """

    ANSWER: ClassVar[str] = ""
    ANSWER_WORDS: ClassVar[str] = ""
    LAST: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[BaseModel], handler: GetCoreSchemaHandler, /) -> CoreSchema:
        """Within a response, a thing has the fields that lists return."""
        return handler.generate_schema(listed_of(cls))


class Part(Thing):
    """Base of the objects within things, such as the tiles of a dashboard: their fields have roles, too.

    A projection of a thing contains projections of its parts. The inputs of a part have the name of its class.
    """


ThingT = TypeVar("ThingT", bound=Thing)
ModelT = TypeVar("ModelT", bound=Model)


def _once(project: Callable[[type[Thing]], type[ModelT]]) -> Callable[[type[Thing]], type[ModelT]]:
    """Return a cached projection that several threads may call."""
    made = functools.cache(project)

    @functools.wraps(project)
    def locked(thing: type[Thing]) -> type[ModelT]:
        with _making:
            return made(thing)

    return locked


_making = threading.RLock()


def _field(role: Role, words: str, **declared: Any) -> Any:
    field = prop(words, provider_only=role is Role.OPTION, **declared)
    field.json_schema_extra["clouddb"]["role"] = role.value
    return field


asked = functools.partial(_field, Role.ASKED)
"""Declare a field that is sent and never returned; see `prop`."""

option = functools.partial(_field, Role.OPTION)
"""Declare an option of this provider, which is never sent; see `prop`."""

answered = functools.partial(_field, Role.ANSWERED)
"""Declare a field that only servers set; see `prop`."""

ours = functools.partial(_field, Role.OURS)
"""Declare a field that this provider adds to state; see `prop`."""


def hidden(words: str, name: str, *, formerly: str = "") -> Any:
    """Declare an internal entry of state, under a name that no program sees.

    State of earlier versions has no such flag, but the text `formerly` in `lastError` where it would be set.
    """
    field = _field(Role.HIDDEN, words, alias=name)
    if formerly:
        field.json_schema_extra["clouddb"]["formerly"] = formerly
    return field


@_once
def body_of(thing: type[Thing]) -> type[Model]:
    """Return the model of a create's body: the inputs without options and without fields that only updates send."""
    roles = {None, Role.ASKED}
    name, field = f"{thing.__name__}Body", _as_declared(body_of)
    without = {each for each in thing.model_fields if extras_of(thing, each).keys() & {"later", "provider_only"}}
    made: type[Model] = _projection(thing, name, Model, roles, field, (), without)
    sent = {wire_name(made, attribute) for attribute in made.model_fields}
    made.RULES = tuple(each for each in thing.RULES if each.is_of_servers and {each.path, *each.needs} <= sent)
    return made


@_once
def inputs_of(thing: type[Thing]) -> type[Model]:
    """Return the model of the inputs, with all limits."""
    name = thing.__name__ if issubclass(thing, Part) else f"{thing.__name__}Args"
    roles = {None, Role.ASKED, Role.OPTION}
    return _projection(thing, name, Model, roles, _as_declared(inputs_of), thing.RULES)


@_once
def record_of(thing: type[Thing]) -> type[Record]:
    """Return the model of a response: without limits, and open for unknown fields."""
    return _projection(thing, _answer_name(thing), Record, {None, Role.ANSWERED}, as_answered)


@_once
def listed_of(thing: type[Thing]) -> type[Record]:
    """Return the model of an object in a list: without the fields that operations of their own return."""
    apart = {name for name in thing.model_fields if in_response(thing, name).apart}
    return _projection(thing, _answer_name(thing), Record, {None, Role.ANSWERED}, as_answered, without=apart)


def _answer_name(thing: type[Thing]) -> str:
    return thing.ANSWER or f"{thing.__name__}Response"


@functools.cache
def answer_of(model: type[Record]) -> type[Record]:
    """Return the model to parse a response with: the projection of a thing, or the record itself."""
    return record_of(model) if issubclass(model, Thing) else model


@_once
def own_of(thing: type[Thing]) -> type[Record]:
    """Return the model of the fields that this provider adds to state."""
    outputs = {name: _as_output(thing, name) for name in thing.model_fields if in_response(thing, name).output}
    roles, field = {Role.OURS, Role.HIDDEN}, _as_declared(record_of)
    own = _projection(thing, f"{thing.__name__}Own", Record, roles, field, more=outputs)
    return own if own.model_fields else NoRecord


@_once
def state_of(thing: type[Thing]) -> type[Model]:
    """Return the model of state: the response, overridden by the inputs, overridden by this provider's fields."""
    parts = (record_of(thing), inputs_of(thing), own_of(thing))
    fields: WireDict = {}
    for part in parts:
        shown = [each for each in part.model_fields if role_of(thing, each) is not Role.HIDDEN]
        fields |= {name: (part.model_fields[name].annotation, part.model_fields[name]) for name in shown}
    rules = inputs_of(thing).RULES
    return _made(f"{thing.__name__}State", Model, thing, fields, rules)


def role_of(thing: type[Thing], attribute: str) -> Role | None:
    """Return the role of a field; None if it is in requests and responses."""
    role = extras_of(thing, attribute).get("role")
    return Role(role) if role else None


def with_ours(answer: ThingT, before: ThingT) -> ThingT:
    """Return a response with the fields that this provider has added to an earlier one."""
    roles = (Role.OURS, Role.HIDDEN)
    ours = [attribute for attribute in type(answer).model_fields if role_of(type(answer), attribute) in roles]
    return answer.model_copy(update={name: getattr(before, name) for name in ours if name in before.model_fields_set})


def as_answered(thing: type[Thing], attribute: str) -> tuple[Any, Any]:
    """Return a field in a response: without limits and defaults, and with any text for an enum."""
    info, extras, answer = thing.model_fields[attribute], extras_of(thing, attribute), in_response(thing, attribute)
    field = prop(answer.words or extras["words"], only=answer.only)
    kept = {name: extras[name] for name in ("secret", "api", "copies", "only") if name in extras}
    field.json_schema_extra["clouddb"] |= kept
    field.repr, field.validation_alias = info.repr, info.validation_alias
    field.metadata = [each for each in info.metadata if isinstance(each, (Compare, Answer))]
    return (lenient(info.annotation) if answer.type is None else answer.type) | None, field


def _as_output(thing: type[Thing], attribute: str) -> tuple[Any, Any]:
    kind, field = as_answered(thing, attribute)
    field.json_schema_extra["clouddb"]["words"] = in_response(thing, attribute).output
    return kind, field


def _as_declared(project: Callable[[type[Thing]], type[Model]]) -> Callable[[type[Thing], str], tuple[Any, Any]]:
    """Return a function that gives a field of a thing, which pydantic copies, with projections of the parts in it."""

    def field(thing: type[Thing], attribute: str) -> tuple[Any, Any]:
        info = thing.model_fields[attribute]
        return _projected(info.annotation, project), info

    return field


def _projected(annotation: Any, project: Callable[[type[Thing]], type[Model]]) -> Any:
    """Return a type with projections of the parts in it."""
    if class_in(annotation, Part) is None:
        return annotation
    shape = shape_of(annotation)
    made: Any = list[_projected(shape.inner[0], project)] if shape.kind is list else project(shape.kind)  # type: ignore[misc]
    return made | None if shape.optional else made


def lenient(annotation: Any) -> Any:
    """Return the type in a response for a type in a request: servers return some numbers as texts, and reversely."""
    kind, inner, *_ = shape_of(annotation)
    if kind is list:
        return list[lenient(inner[0])]  # type: ignore[misc]
    if kind is dict and inner[1] is not Any and issubclass(shape_of(inner[1]).kind, str):
        return AnsweredTexts
    if kind is dict or issubclass(kind, BaseModel):
        return answer_of(kind) if issubclass(kind, Record) else WireDict
    if issubclass(kind, str):  # so are the enums
        return AnsweredText
    if issubclass(kind, bool):
        return Flag
    return AnsweredWhole if issubclass(kind, int) else AnsweredNumber


def _projection(
    thing: type[Thing],
    name: str,
    base: type[Any],
    roles: Iterable[Role | None],
    field: Callable[[type[Thing], str], tuple[Any, Any]],
    rules: tuple[Rule[Any], ...] = (),
    without: Collection[str] = (),
    more: Mapping[str, tuple[Any, Any]] = MappingProxyType({}),
) -> type[Any]:
    ordered = [*(each for each in thing.model_fields if each not in thing.LAST), *thing.LAST]
    named = [attribute for attribute in ordered if role_of(thing, attribute) in roles]
    if not issubclass(thing, Part):
        named.sort(key=lambda attribute: role_of(thing, attribute) is Role.OPTION)  # the options come last
    fields = {each: field(thing, each) for each in named if each not in without}
    return _made(name, base, thing, {**fields, **more}, rules)


def _made(name: str, base: type[Any], thing: type[Thing], fields: WireDict, rules: tuple[Rule[Any], ...]) -> type[Any]:
    naming = {"alias_generator": thing.model_config.get("alias_generator")}
    made: type[Any] = make_model(name, __base__=base, __module__=thing.__module__, __cls_kwargs__=naming, **fields)
    made.__doc__ = thing.ANSWER_WORDS if base is Record and thing.ANSWER_WORDS else thing.__doc__
    made.RULES, made.DIALECT = rules, thing.DIALECT
    answered_only = [each for each in thing.model_fields if role_of(thing, each) is Role.ANSWERED]
    made.SERVER_SETS = {wire_name(thing, each): in_response(thing, each).instead for each in answered_only}
    return made


make_model: Callable[..., Any] = create_model
