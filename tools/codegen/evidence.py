"""What proves that an object is ours, for each kind of object: a table of docs/reliability-tests.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.create.evidence import CREATED_AT
from pulumi_clouddb.create.verdicts import CREATE_CASES, OBJECT_CASES, CreateFacts, ObjectFacts, Verdict, decide
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.schema.base import extras, wire_name, wire_names
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.tags import CREATE_TAG
from pulumi_clouddb.schema.thing import Role, Thing, body_of, role_of
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName

from .docs import table

_TAG = f"the tag `{CREATE_TAG}`"
MARKS: Mapping[str, tuple[str, str]] = {
    "Service": ("Service", _TAG),
    "PostgresService": ("PostgresService", _TAG),
    "ApiKey": ("Key", "hashes of its id and secret"),
}
"""The record whose requests can carry a mark, and the mark, by resource."""

IN_ANOTHER_FORM: Mapping[tuple[str, VocabularyName], tuple[str, ...]] = {
    ("Dashboard", CLICKHOUSE): ("tiles.series",),  # the servers return them as `config`
}
"""The properties that the servers of a dialect return in another form, so that nobody can compare them."""

MOST_NAMES = 12
"""The most names in one cell."""

ADOPTED, REFUSED = "adopted", "refused"


@dataclass(frozen=True)
class Proof:
    """What proves that an object of one kind is ours, in one dialect.

    Attributes:
        resource: Its Pulumi name.
        dialect: The dialect.
        mark: Its mark; empty without one.
        compared: The inputs that are compared.
        hidden: The inputs that no response shows as they were sent; within objects with dots.
        undocumented: The inputs that the dialect does not document in responses: compared if servers return them.
        is_dated: Whether servers report when it was created.
        is_unique: Whether servers, or this provider, accept only one of a name.
        locks_out: Whether a mistake would lock its owner out.
    """

    resource: str
    dialect: VocabularyName
    mark: str
    compared: tuple[str, ...]
    hidden: tuple[str, ...]
    undocumented: tuple[str, ...]
    is_dated: bool
    is_unique: bool
    locks_out: bool

    def carried(self, inputs: WireValues) -> set[str]:
        """Return the names of the inputs with something that a create sends and no response shows."""
        found = set()
        for path in self.hidden:
            name, _, within = path.partition(".")
            value = inputs.get(name)
            parts = value if isinstance(value, list) else [value]
            if value is not None and (not within or any(within in each for each in parts if each)):
                found.add(name)
        return found

    def verdict(self, *, carries_hidden: bool, died: bool) -> Verdict:
        """Return the decision on an object of somebody else that was created in time, and looks as it was sent.

        Args:
            carries_hidden: Whether the request carried one of the hidden inputs.
            died: Whether the process died, so that nobody knows whether its request was sent.
        """
        seen = ObjectFacts(has_our_mark=False if self.mark else None, created_in_time=True if self.is_dated else None)
        verdict = decide(OBJECT_CASES, seen).verdict
        if verdict is not Verdict.CANNOT_TELL:
            return verdict
        facts = CreateFacts(time_is_known=self.is_dated, shows_all=not carries_hidden, may_not_be_sent=died)
        return decide(CREATE_CASES, replace(facts, mistake_locks_out=self.locks_out)).verdict


def proofs() -> Iterator[Proof]:
    """Yield the proof of each kind of object that a resource creates, in each dialect that has such objects."""
    for name, handler in RESOURCES.items():
        if not isinstance(handler, PlainResource):
            continue  # an override changes what exists
        for dialect in VocabularyName:
            if handler.type.only in (None, dialect):
                yield _proof(name, handler, dialect)


def _proof(name: str, handler: PlainResource[Any], dialect: VocabularyName) -> Proof:
    type_, forms = handler.type, handler.collection.LIST
    record, mark = MARKS.get(name, ("", ""))
    of_dialect = (each for each in _hidden(type_) if _is_of(type_, each.partition(".")[0], dialect))
    hidden = (*of_dialect, *IN_ANOTHER_FORM.get((name, dialect), ()))
    undocumented = tuple(each for each in type_.undocumented if dialect is not CLICKHOUSE)
    sent = [each for each in wire_names(body_of(type_.thing)) if _is_of(type_, each, dialect)]
    on_stack = forms.self_hosted.server_kind is ServerKind.SELF_HOSTED
    return Proof(
        resource=name,
        dialect=dialect,
        mark=mark if record in DIALECTS[dialect].markable else "",
        compared=tuple(each for each in sent if each not in (*hidden, *undocumented)),
        hidden=hidden,
        undocumented=undocumented,
        is_dated=CREATED_AT in wire_names(type_.record) or on_stack,
        is_unique=bool(handler.unique_by),
        locks_out=handler.locks_out,
    )


def _is_of(type_: ResourceType, name: str, dialect: VocabularyName) -> bool:
    return extras(type_.inputs, "only").get(name) in (None, dialect)


def _hidden(type_: ResourceType) -> tuple[str, ...]:
    """Return what a create carries and no response shows: write-only inputs, secrets, and options that are sent."""
    copied = {each for inputs in extras(type_.record, "copies").values() for each in inputs}
    body = body_of(type_.thing)
    asked = [
        wire_name(body, each)
        for each in body.model_fields
        if role_of(type_.thing, each) is Role.ASKED or wire_name(body, each) in type_.unanswered
    ]
    nested = [
        f"{wire}.{wire_name(part, each)}"
        for wire, _, part in fields_of(type_.thing)
        if part is not None and issubclass(part, Thing) and wire in wire_names(body) and wire not in asked
        for each in part.model_fields
        if role_of(part, each) is Role.ASKED
    ]
    return (*(each for each in asked if each not in copied), *nested, *type_.carried)


def evidence(_: Any) -> str:
    """Return the table of docs/reliability-tests.md: one row for each kind, or one for each dialect if these differ."""
    head = [
        "Object",
        "What marks it",
        "What is compared",
        "What no response shows",
        "An equal one of somebody else",
        "One that differs only in what no response shows",
    ]
    rows: dict[str, list[list[str]]] = {}
    for each in proofs():
        rows.setdefault(each.resource, []).append([each.dialect.value, *_row(each)])
    lines = []
    for resource, several in rows.items():
        differ = len(several) > 1 and several[0][1:] != several[1][1:]
        for dialect, *cells in several if differ else several[:1]:
            lines.append([f"`{resource}`{f' ({dialect})' if differ else ''}", *cells])
    return table(head, lines)


def _row(proof: Proof) -> list[str]:
    if proof.mark:
        return [proof.mark, "the mark", "", _outcome(proof), ""]
    compared = _names(proof.compared) if len(proof.compared) <= MOST_NAMES else "all other properties"
    if proof.undocumented:
        compared += f"; if the server returns them, {_names(proof.undocumented)}"
    other = _outcome(proof, carries_hidden=True) if proof.hidden else ""
    return ["none", compared, _names(proof.hidden), _outcome(proof), other]


def _outcome(proof: Proof, *, carries_hidden: bool = False) -> str:
    """Return what happens to somebody else's object that looks as it was sent."""
    alive, dead = (_word(proof, proof.verdict(carries_hidden=carries_hidden, died=died)) for died in (False, True))
    if not proof.is_dated and alive == REFUSED:
        return f"{REFUSED}, as no response shows its age"
    if alive != dead:
        return f"{alive}; {dead} if the process died"
    if alive == ADOPTED and proof.hidden:
        return f"{ADOPTED} if the request had none of these, else {REFUSED}"
    return alive


def _word(proof: Proof, verdict: Verdict) -> str:
    if verdict is Verdict.NOT_OURS:
        return f"not touched; ours is {f'{REFUSED}, as the name is taken' if proof.is_unique else 'created'}"
    return ADOPTED if verdict is Verdict.OURS else REFUSED


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{each}`" for each in sorted(names)) or "nothing"
