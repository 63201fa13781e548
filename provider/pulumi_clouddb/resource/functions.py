"""Functions, which only read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pulumi_clouddb.client import collection as api
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import ListNotFoundError, NotFoundError, ResourceError
from pulumi_clouddb.client.operation import OBSERVABILITY, ServerKind
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.create.warnings import usual_place
from pulumi_clouddb.schema.base import FilledText, Model, Record, Text, Uuid, names_with, prop, wire_name, wire_names
from pulumi_clouddb.schema.check.findings import Findings, findings_of
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import ID, NAME, did_you_mean
from pulumi_clouddb.schema.observability import MANAGED_FORM
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType, in_words
from pulumi_clouddb.schema.secrets.spellings import MASK
from pulumi_clouddb.schema.thing import listed_of, make_model
from pulumi_clouddb.schema.values import WireDict, WireValues

ArgumentsT = TypeVar("ArgumentsT", bound=Model)
RecordT = TypeVar("RecordT", bound=Record)
ItemT = TypeVar("ItemT")


@dataclass(frozen=True)
class Function(Generic[ArgumentsT]):
    """A function.

    Attributes:
        type: Its arguments and result.
        read: Returns the result by wire name.
        warnings: Returns what to warn of, given the result.
    """

    type: FunctionType[ArgumentsT]
    read: Callable[[Api, ArgumentsT], WireValues]
    warnings: Callable[[WireValues], Iterable[str]] = lambda _: ()

    def call(self, session: Session, arguments: WireValues, secret: Collection[str] = ()) -> WireDict:
        """Check the arguments and return the result, both by wire name.

        No failure quotes the arguments named in `secret`.

        Raises:
            ResourceError: An argument is invalid, or the object does not exist.
            ApiError: The request failed.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        secret = {*secret, *names_with(self.type.inputs, "secret")}
        findings = findings_of(self.type.inputs, given, session.rules, secret)
        if findings.failures:
            raise ResourceError("; ".join(f"{self.type.name}: {failure}" for failure in findings.failures))
        warn_of_values(session, self.type.name, findings)
        try:
            result = dict(self.read(session.api, construct(self.type.inputs, given)))
        except (NotFoundError, ListNotFoundError) as error:
            named = {name: value for name, value in given.items() if isinstance(value, str)}
            if not named:  # no argument can be wrong
                raise
            what = ", ".join(f"{name} {MASK if name in secret else value}" for name, value in named.items())
            raise ResourceError(
                f"{self.type.name}: there is no such object ({what}): {error.message}",
                f"Take {' and '.join(named)} from an output of a resource, or from the console.",
            ) from None
        for message in self.warnings(result):
            session.warn(message)
        return result


def warn_of_values(session: Session, where: str, findings: Findings) -> None:
    """Warn of values that a server may accept, and hardly anybody means, such as equal ones of many tiles once."""
    equal: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for each in findings.warnings:
        equal[usual_place(each.path), each.reason, each.then].append(each.path)
    for (_, reason, then), (path, *others) in equal.items():
        also = f" (the same at {len(others)} more, up to {others[-1]})" if others else ""
        session.warn_of_value(f"{where}.{path}", f"{reason}{also}\n{then}".rstrip())


def get_one(
    resource: ResourceType,
    collection: type[api.Collection[RecordT]],
    *,
    whole: bool = False,
    form: Any = FilledText,
) -> Function[Model]:
    """Return the function that reads one object by its id.

    Args:
        resource: The type of the object.
        collection: The collection of such objects.
        whole: Whether the result contains unknown fields.
        form: The type of the id.
    """
    id_part = collection.id_part
    one = {id_part: (form | None, prop(f"Id of the {resource.words}.", required=True))}
    inputs = make_model(f"Get{resource.name}Args", __base__=Model, **one, **_place(resource))
    result = listed_of(resource.thing)
    function = FunctionType(f"get{resource.name}", f"Reads one {resource.words} by its id.", inputs, result)

    def read(api: Api, args: Model) -> WireValues:
        return _shown(resource, whole)(_objects(api, collection, args).get(getattr(args, id_part)))

    return Function(function, read)


def list_all(
    resource: ResourceType,
    collection: type[api.Collection[RecordT]],
    *,
    whole: bool = False,
    by_name: bool = False,
    called: str = "",
) -> Function[Model]:
    """Return the function that lists the objects of a server.

    Args:
        resource: The type of the objects.
        collection: The collection of such objects.
        whole: Whether the result contains unknown fields.
        by_name: Whether it has an argument for the name or id of the objects to return.
        called: The name of the objects in descriptions, if not that of the collection.
    """
    plural, place = collection.plural(), _place(resource)
    several, name_of_all = in_words(plural), _title(collection)
    name = {"name": (Text | None, prop(f"Only {several} with exactly this name, or the one with this id."))}
    inputs = make_model(f"List{name_of_all}Args", __base__=Model, **place, **(name if by_name else {}))
    records = list[resource.thing]  # type: ignore[name-defined]
    listed = {plural: (records, prop(f"The {several}, in the server's order.", required=True))}
    result = make_model(f"{resource.name}List", __base__=Record, **listed)
    words = f"Lists the {called or several} of {_where(collection, place)}."
    if left_out := ", ".join(f"`{each}`" for each in collection.not_listed):
        words += f" It leaves out {left_out}, which get{resource.name} returns."
    function = FunctionType(f"list{name_of_all}", words, inputs, result)

    def read(api: Api, args: Model) -> WireValues:
        records = list(_objects(api, collection, args).list().values())
        if (wanted := getattr(args, "name", None)) is not None:
            records = [each for each in records if wanted in (each.answer.get(NAME), each.answer.get(ID))]
        return {wire_name(result, plural): [*map(_shown(resource, whole), records)]}

    return Function(function, read)


def get_by_name(
    resource: ResourceType,
    collection: type[api.Collection[RecordT]],
    *,
    whole: bool = False,
    called: str = "",
) -> Function[Model]:
    """Return the function that finds one object by its name, in the shared list or else in a new one.

    Args:
        resource: The type of the object.
        collection: The collection of such objects.
        whole: Whether the result contains unknown fields.
        called: The name of the objects in descriptions, if not that of the collection.
    """
    several = called or in_words(collection.plural())
    one, name = several.removesuffix("s"), f"get{resource.name}"
    words = "Its name: exactly, or, if no other one has it, apart from upper and lower case."
    wanted = {"name": (FilledText | None, prop(words, required=True))}
    inputs = make_model(f"Get{resource.name}Args", __base__=Model, **wanted, **_place(resource))
    id_ = {ID: (Text, prop(f"Id of the {one}.", required=True))}
    result = make_model(f"{resource.name}Found", __base__=listed_of(resource.thing), **id_)
    function = FunctionType(
        name, f"Finds the {one} with a name. There must be exactly one.", inputs, result, f"list_{collection.plural()}"
    )

    def read(api: Api, args: Any) -> WireValues:
        objects = _objects(api, collection, args)
        found = named(args.name, objects.records() or {}, _name_of)
        if len(found) != 1:  # the shared list can be older than the object, or than its new name
            records = objects.list()
            found = named(args.name, records, _name_of)
            if len(found) != 1:
                fault = not_one(args.name, found, map(_name_of, records.values()))
                raise ResourceError(
                    f"{name}: {one} {args.name!r}: {fault}",
                    "Rename all but one of them, or use the id."
                    if found
                    else f"Call list{_title(collection)} for all names.",
                )
        return _shown(resource, whole)(next(iter(found.values())))

    return Function(function, read)


def named(name: str, records: Mapping[str, ItemT], name_of: Callable[[ItemT], str]) -> dict[str, ItemT]:
    """Return the objects of a name, by id: those with exactly this name, or else those with it in another case."""
    exact = {id_: each for id_, each in records.items() if name_of(each) == name}
    folded = name.casefold()
    return exact or {id_: each for id_, each in records.items() if name_of(each).casefold() == folded}


def not_one(name: str, found: Collection[str], names: Iterable[str]) -> str:
    """Return why a name identifies no object, with the ids of those that have it, or the nearest of all names."""
    if found:
        return f"there are {len(found)} of this name: {', '.join(found)}"
    return f"there is none of this name{did_you_mean(name, names, most=3)}"


def _name_of(record: Record) -> str:
    return str(record.answer.get(NAME))


def _title(collection: type[api.Collection[Any]]) -> str:
    return collection.plural().title().replace("_", "")


def _place(resource: ResourceType) -> WireDict:
    """Return the argument for the service, if there is one."""
    service = resource.inputs.model_fields.get("service_id")
    if service is None:
        return {}
    words = "Id of the service." if service.is_required() else MANAGED_FORM
    return {"service_id": (Uuid | None, prop(words, required=service.is_required()))}


def _where(collection: type[api.Collection[Any]], place: WireDict) -> str:
    """Return the owner of the objects of a collection, for descriptions."""
    if place:
        return "a stack" if collection.LIST.managed.path.startswith(OBSERVABILITY) else "a service"
    of_organization = collection.LIST.managed.server_kind is ServerKind.MANAGEMENT
    return "the organization" if of_organization else "a self-hosted server"


def _objects(api: Api, collection: type[api.Collection[RecordT]], args: Model) -> api.Collection[RecordT]:
    return api.of(collection, getattr(args, "service_id", None))


def _shown(resource: ResourceType, whole: bool) -> Callable[[Record], WireValues]:
    names = wire_names(resource.record)
    return lambda record: record.answer if whole else to_wire(record, names)
