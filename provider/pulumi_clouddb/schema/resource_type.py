"""What a resource or function is, for everything that is derived from the models: schema, classes, docs, checks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic.alias_generators import to_snake

from .base import Compare, Model, NoRecord, Record, identity, marked, names_marked, wire_name
from .thing import Thing, inputs_of, own_of, record_of, state_of
from .values import WireDict, WireValues
from .vocabulary import VocabularyName


@dataclass(frozen=True)
class ResourceType:
    """One resource: its names, its models, its rules.

    What follows from the models is worked out once: a preview asks for it again and again.

    Attributes:
        name: The Pulumi name, such as `PipeScaling`; the token is `clouddb:index:PipeScaling`.
        description: What it manages, in Markdown.
        inputs: The model of what the user may write.
        wider: The model of the inputs where the servers of the `clickhouse` dialect draw wider limits.
        record: The model of what the server answers.
        own: The model of what this provider adds to state.
        state: The model of what Pulumi keeps: inputs and outputs.
        required_outputs: Wire names of outputs that are always there once the object exists.
        state_inputs: Wire names of the inputs that reading an existing object needs beside its id, where they apply.
        import_id: How the id of an existing object is written to import it.
        problem: Wire name of the output that tells why an object is not what it should be, if there is one.
        kept: What state keeps beside the properties of its model, by name, and of which inputs each is a copy. Of a
            copy, state keeps how it differs from them.
        as_answered: Returns the inputs of such a copy as a server answers them, as far as state knows.
        thing: The class of which the models are projections.
        actual: What handlers see of an object: the record, with what this provider adds.
        only: The dialect whose servers have such objects, or None for all.
        deleted_first_unless: In dynamic mode, a replacement deletes the old object first unless one of these inputs is
            set: its name must be unique, and a person has asked for it. With them, the diff decides: the successor may
            have another name or place, or the old object is protected. None where names need not be unique.
    """

    name: str
    description: str
    inputs: type[Model]
    record: type[Record]
    own: type[Record]
    state: type[Model]
    required_outputs: tuple[str, ...] = ()
    state_inputs: tuple[str, ...] = ()
    import_id: str = "ID"
    problem: str = ""
    kept: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    as_answered: Callable[[WireDict, WireValues], WireDict] = field(default=lambda inputs, _: inputs, hash=False)
    only: VocabularyName | None = None
    wider: type[Model] | None = None
    thing: type[Thing] | None = None
    actual: type[Record] = NoRecord
    deleted_first_unless: tuple[str, ...] | None = None

    @classmethod
    def of(cls, thing: type[Thing], description: str, **more: Any) -> ResourceType:
        """Return the type of a thing, which is named as its class.

        Args:
            thing: The class.
            description: What it manages, in Markdown.
            more: The other attributes.
        """
        models: dict[str, Any] = {
            "inputs": inputs_of(thing),
            "record": record_of(thing),
            "own": own_of(thing),
            "state": state_of(thing),
            "actual": thing,
        }
        return cls(name=thing.__name__, description=description, thing=thing, **{**models, **more})

    @functools.cached_property
    def token(self) -> str:
        """The token in schema.json and in the native front end."""
        return f"clouddb:index:{self.name}"

    @functools.cached_property
    def dynamic_token(self) -> str:
        """The type that Pulumi gives the class of the dynamic front end."""
        return f"pulumi-python:dynamic/clouddb:{self.name}"

    @functools.cached_property
    def snake_name(self) -> str:
        """The name of this resource's file in every folder, such as `pipe_scaling`."""
        return to_snake(self.name)

    @functools.cached_property
    def words(self) -> str:
        """What such an object is called, such as `saved search`."""
        return self.snake_name.replace("_", " ")

    def inputs_in(self, vocabulary: VocabularyName) -> type[Model]:
        """Return the model whose limits hold for the inputs in a dialect."""
        return self.wider if self.wider and vocabulary is VocabularyName.CLICKHOUSE else self.inputs

    @functools.cached_property
    def import_ids(self) -> tuple[str, ...]:
        """How the id of an existing object is written to import it: without a service, and of a service."""
        if not self.state_inputs:
            return (self.import_id,)
        of_service = f"SERVICE_ID/{self.import_id}"
        return (of_service,) if self.needs_service else (self.import_id, of_service)

    @functools.cached_property
    def needs_service(self) -> bool:
        """Whether each such object belongs to a service."""
        service = self.inputs.model_fields.get("service_id") if self.state_inputs else None
        return service is not None and service.is_required()

    @functools.cached_property
    def secrets(self) -> tuple[str, ...]:
        """Wire names of the state's secret properties."""
        return names_marked(self.state, "secret")

    def goes_without_saying(self, name: str, value: object) -> bool:
        """Return whether a server has this value of an input where nobody says one: its default, or an empty list."""
        usual = marked(self.inputs, "server_default").get(name, ())
        return value == [] or any(self.normalized(name, value) == self.normalized(name, each) for each in usual)

    @functools.cached_property
    def unanswered(self) -> tuple[str, ...]:
        """Wire names of the secrets that no server answers as they were said; the others tell how they compare."""
        return tuple(name for name in self.secrets if name not in self._comparisons)

    @functools.cached_property
    def copies(self) -> dict[str, tuple[str, ...]]:
        """The inputs that each output, by wire name, repeats or is derived from."""
        return {**{name: tuple(inputs) for name, inputs in marked(self.state, "copies").items()}, **self.kept}

    def copies_of(self, inputs: Collection[str]) -> frozenset[str]:
        """Return the wire names of the outputs that repeat one of these inputs or are derived from it."""
        return frozenset(name for name, sources in self.copies.items() if any(each in inputs for each in sources))

    @functools.cached_property
    def immutable(self) -> tuple[str, ...]:
        """Wire names of the inputs that no request can change on a living object."""
        return names_marked(self.inputs, "replaces")

    @functools.cached_property
    def provider_only(self) -> tuple[str, ...]:
        """Wire names of the inputs that steer this provider and are never sent."""
        return names_marked(self.inputs, "provider_only")

    @functools.cached_property
    def output_only(self) -> tuple[str, ...]:
        """Wire names of the properties that only the server knows."""
        given = {wire_name(self.inputs, attribute) for attribute in self.inputs.model_fields}
        names = (wire_name(self.state, attribute) for attribute in self.state.model_fields)
        return tuple(name for name in names if name not in given)

    @functools.cached_property
    def _comparisons(self) -> dict[str, Compare]:
        model = self.inputs
        fields = {wire_name(model, attribute): info for attribute, info in model.model_fields.items()}
        found = {name: [each for each in info.metadata if isinstance(each, Compare)] for name, info in fields.items()}
        return {name: each[0] for name, each in found.items() if each}

    def as_said(self, name: str, said: object, served: object) -> object:
        """Return a server's value of an input without what servers add to the objects in it by themselves."""
        comparison = self._comparisons.get(name)
        return _within(said, served) if comparison and comparison.open else served

    def cleared(self, names: Iterable[str]) -> WireDict:
        """Return what an update sends to clear inputs, by wire name; the others are cleared by leaving them out."""
        clears = marked(self.inputs, "clears")
        return {name: clears[name][0] for name in names if name in clears}

    def normalized(self, name: str, value: object) -> Any:
        """Return a value of an input that is equal for all spellings of the same."""
        comparison = self._comparisons.get(name)
        return comparison.normalize(value) if comparison else identity(value)

    def evidence(self, name: str, value: object) -> object:
        """Return what of an input tells an object from others, None where nothing does; secrets come back otherwise."""
        if name in self.unanswered:
            return None
        comparison = self._comparisons.get(name)
        return comparison.evidence(value) if comparison else identity(value)

    def defaults(self) -> WireDict:
        """Return the constant defaults that check fills in, by wire name."""
        return {
            wire_name(self.inputs, attribute): info.default
            for attribute, info in self.inputs.model_fields.items()
            if not info.is_required() and info.default is not None
        }

    def deprecations(self, inputs: Iterable[str]) -> list[tuple[str, str]]:
        """Return (wire name, advice) for each deprecated property among `inputs`."""
        used = set(inputs)
        return [
            (wire_name(self.inputs, attribute), str(info.deprecated))
            for attribute, info in self.inputs.model_fields.items()
            if info.deprecated and wire_name(self.inputs, attribute) in used
        ]


def _within(said: object, served: object) -> object:
    """Return what a server says of those properties of objects that a program says, too."""
    if isinstance(said, Mapping) and isinstance(served, Mapping):
        return {name: _within(said[name], value) for name, value in served.items() if said.get(name) is not None}
    if isinstance(said, list) and isinstance(served, list) and len(said) == len(served):
        return [_within(each, theirs) for each, theirs in zip(said, served, strict=True)]
    return served


ArgumentsT = TypeVar("ArgumentsT", bound=Model)


@dataclass(frozen=True)
class FunctionType(Generic[ArgumentsT]):
    """One function: it reads and never writes.

    Attributes:
        name: The Pulumi name, such as `getPipe`.
        description: What it answers, in Markdown.
        inputs: The model of its arguments.
        result: The model of its answer; a list is wrapped in an object.
    """

    name: str
    description: str
    inputs: type[ArgumentsT]
    result: type[Record]

    @property
    def token(self) -> str:
        """The token in schema.json and in the native front end."""
        return f"clouddb:index:{self.name}"
