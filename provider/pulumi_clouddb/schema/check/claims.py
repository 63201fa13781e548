"""What the resources of a program claim of objects: two of them can contradict each other.

A resource that needs an element in a list contradicts one that sets the list without it, and two that set the same
property contradict each other. What is unknown claims nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from pulumi_clouddb.schema.equality import usual_id
from pulumi_clouddb.schema.values import WireValues


class Place(NamedTuple):
    """A property of an object.

    Attributes:
        kind: The name of its thing.
        service_id: The service in which the id is unique; empty if it is one of the organization or of the server.
        object_id: Its id; empty if there is only one.
        name: The path of the property.
    """

    kind: str
    service_id: str
    object_id: str
    name: str


@dataclass(frozen=True)
class Sets:
    """A resource sets a property.

    Attributes:
        place: The property.
        elements: The texts in it, each with the reason why others cannot use it, if there is one; None if unknown.
        gone: The texts that are no longer in it, if others are added that are not known yet.
    """

    place: Place
    elements: Mapping[str, str] | None = None
    gone: Collection[str] | None = None


@dataclass(frozen=True)
class Needs:
    """A resource needs a text in a list.

    Attributes:
        place: The list.
        element: The text.
        relation: How the resource refers to the one that sets the list, such as `watches a tile of`.
        consequence: What happens without it.
        advice: What to do, as a sentence without its end.
    """

    place: Place
    element: str
    relation: str = field(compare=False)
    consequence: str = field(compare=False)
    advice: str = field(compare=False)


Claim: TypeAlias = Sets | Needs
Meeting: TypeAlias = tuple[Claim, str, Claim]
"""A claim, the URN of another resource, and its claim of the same property."""


def sets(kind: str, service_id: object, object_id: object, values: WireValues) -> Iterator[Sets]:
    """Yield what a resource sets of an object, by wire name; of objects in it, each property."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from map(Sets, places(kind, service_id, object_id, *(f"{name}.{each}" for each in value)))
        else:
            yield from (Sets(place, _elements(value)) for place in places(kind, service_id, object_id, name))


def needs(
    kind: str,
    service_id: object,
    object_id: object,
    name: str,
    element: object,
    *,
    relation: str,
    consequence: str,
    advice: str,
) -> Iterator[Needs]:
    """Yield what a resource needs in a list of another object, if both are known."""
    if isinstance(element, str):
        for place in places(kind, service_id, object_id, name):
            yield Needs(place, usual_id(element), relation, consequence, advice)


def places(kind: str, service_id: object, object_id: object, *names: str) -> Iterator[Place]:
    """Yield the places of properties, if the object is known."""
    if isinstance(service_id, str) and isinstance(object_id, str):
        yield from (Place(kind, usual_id(service_id), usual_id(object_id), name) for name in names)


def _elements(value: object) -> Mapping[str, str] | None:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return None
    return dict.fromkeys(map(usual_id, value), "")


class Contradiction(NamedTuple):
    """Two resources that contradict each other.

    Attributes:
        urn: The resource that should change.
        subject: The resource, or both.
        problem: What is wrong, to follow the subject.
        advice: What to do, as a sentence without its end.
        places: The properties that contradict each other, as properties of the resource that sets them.
    """

    urn: str
    subject: str
    problem: str
    advice: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        """Return the warning, the same whichever resource comes first."""
        return f"{self.subject} {self.problem}.\n{self.advice}."


def contradictions(urn: str, meetings: Iterable[Meeting]) -> Iterator[Contradiction]:
    """Yield the contradictions between a resource and others."""
    both: dict[str, list[Place]] = defaultdict(list)
    for claim, other, others in meetings:
        if isinstance(claim, Sets) and isinstance(others, Sets):
            both[other].append(claim.place)
        elif isinstance(claim, Needs) and isinstance(others, Sets):
            yield from _missing(urn, claim, other, others)
        elif isinstance(claim, Sets) and isinstance(others, Needs):
            yield from _missing(other, others, urn, claim)
    for other, same in both.items():
        first, second = sorted((urn, other))
        kind, _, object_id, _ = same[0]
        names = ", ".join(sorted(place.name for place in same))
        whose = shown(object_id) if object_id.startswith("urn:") else f"{kind} {object_id}".rstrip()
        yield Contradiction(
            first,
            f"{shown(first)} and {shown(second)}",
            f"both set {names} of {whose}: each update of one reverts the other",
            "Set each property in one of the two only",
            tuple(_place(first, place) for place in same),
        )


def _missing(urn: str, need: Needs, other: str, found: Sets) -> Iterator[Contradiction]:
    if found.elements is None:
        return
    is_gone = found.gone is None or need.element in found.gone
    lacking = f"whose {need.place.name} lacks {need.element!r}" if is_gone else ""
    if problem := found.elements.get(need.element, lacking):
        yield Contradiction(
            urn,
            shown(urn),
            f"{need.relation} {shown(other)}, {problem}: {need.consequence}",
            need.advice,
            (_place(other, need.place),),
        )


def _place(urn: str, place: Place) -> str:
    return f"{kind_and_name(urn)[0]}.{place.name}"


def kind_and_name(urn: str) -> tuple[str, str]:
    """Return the name of the type and that of the resource in a URN; empty ones if it is none."""
    parts = urn.split("::", 3)
    return (parts[2].rpartition(":")[2], parts[3]) if len(parts) == 4 else ("", "")


def shown(urn: str) -> str:
    """Return the type and the name in a URN, as in `Pipe 'events'`."""
    kind, name = kind_and_name(urn)
    return f"{kind} {name!r}" if kind else urn
