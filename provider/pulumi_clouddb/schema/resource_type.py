"""Resources and functions as types: schema, classes, docs and checks are derived from them."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic.alias_generators import to_snake

from .additions import ADDED, KEPT, NONE, UNRECORDED, Shape, additions, can_gain, matches, without_additions
from .annotations import shape_of
from .base import Answer, Compare, Model, Record, extras, identity, in_metadata, names_with, prop, wire_name, wire_names
from .convert import times_of, with_stamps
from .defaults import defaults_of, models_in
from .equality import AtLeast, ids_of, with_usual_ids
from .thing import Thing, inputs_of, make_model, own_of, record_of, state_of
from .values import WireDict, WireValues, digest_of, text_of
from .vocabulary import VocabularyName

_SPELLINGS = {
    "api": "API",
    "byoc": "BYOC",
    "pipe ssh": "pipe SSH",
    "postgres": "Postgres",
    "query api": "query API",
    "udf": "UDF",
    "user defined": "user-defined",
}


def in_words(snake_name: str) -> str:
    """Return a name as it is written in a sentence, such as `saved search` or `Postgres service`."""
    words = snake_name.replace("_", " ")
    found = next((each for each in _SPELLINGS if words.startswith(f"{each} ")), "")
    return _SPELLINGS.get(found, "") + words[len(found) :]


def with_article(words: str) -> str:
    """Return words with the article of their sound: `an API key`, `an SSH key`, `a user-defined function`."""
    first = words.partition(" ")[0]
    is_spelt = len(first) > 1 and first.isupper()
    return f"{'an' if first[0].lower() in ('aefhilmnorsx' if is_spelt else 'aeio') else 'a'} {words}"


@dataclass(frozen=True)
class Packing:
    """How state stores the outputs of a resource: as they are, or in a subclass, in less space.

    Attributes:
        copies: The inputs that a hidden entry of state repeats, by its name: it is secret if one of them is.
    """

    copies: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def pack(self, inputs: WireValues, outputs: WireDict) -> WireDict:
        """Return the outputs to store."""
        return outputs

    def unpack(self, inputs: WireDict, outputs: WireDict) -> tuple[WireDict, WireDict]:
        """Return stored inputs and outputs as they were, or as this version would have stored them.

        Raises:
            ValueError: State was edited by hand, and the outputs do not fit the inputs.
        """
        return inputs, outputs


@dataclass(frozen=True)
class ResourceType:
    """A resource type: its names, its models, its rules.

    Attributes:
        thing: The class with its fields; the models are projections of it.
        description: What it manages, in Markdown.
        required_outputs: Wire names of the outputs that every object has.
        state_inputs: Wire names of the inputs that reading an existing object needs besides its id; Pulumi's
            `stateInputs`.
        import_id: The form of the id of an object to import.
        id_has_slashes: Whether an id can contain a slash: the cloud provider has given it.
        packing: How state stores the outputs.
        only: The dialect whose servers have such objects; None for all.
        wider: The model of the inputs in the dialect `clickhouse`, if its limits are wider.
        carried: Options of this provider that are added to the body of a create; updates do not send them in that form.
    """

    thing: type[Thing]
    description: str
    required_outputs: tuple[str, ...] = ()
    state_inputs: tuple[str, ...] = ()
    import_id: str = "ID"
    id_has_slashes: bool = False
    packing: Packing = Packing()
    only: VocabularyName | None = None
    wider: type[Model] | None = None
    carried: tuple[str, ...] = ()

    # -- names ---------------------------------------------------------------------------------------------------

    @functools.cached_property
    def name(self) -> str:
        """The Pulumi name, such as `PipeScaling`."""
        return self.thing.__name__

    @functools.cached_property
    def token(self) -> str:
        """The type token in schema.json and in the plugin."""
        return f"clouddb:index:{self.name}"

    @functools.cached_property
    def dynamic_token(self) -> str:
        """The type token of a dynamic resource."""
        return f"pulumi-python:dynamic/clouddb:{self.name}"

    @functools.cached_property
    def snake_name(self) -> str:
        """The name of this resource's files, such as `pipe_scaling`."""
        return to_snake(self.name)

    @functools.cached_property
    def words(self) -> str:
        """The name in a sentence, such as `saved search`."""
        return in_words(self.snake_name)

    @functools.cached_property
    def with_article(self) -> str:
        """The name of one in a sentence, such as `an alert`."""
        return with_article(self.words)

    @functools.cached_property
    def import_ids(self) -> tuple[str, ...]:
        """The forms of the id of an object to import, without and with a service."""
        if not self.state_inputs:
            return (self.import_id,)
        of_service = f"SERVICE_ID/{self.import_id}"
        return (of_service,) if self.needs_service else (self.import_id, of_service)

    @functools.cached_property
    def needs_service(self) -> bool:
        """Whether each such object belongs to a service."""
        service = self.inputs.model_fields.get("service_id") if self.state_inputs else None
        return service is not None and service.is_required()

    # -- models --------------------------------------------------------------------------------------------------

    @functools.cached_property
    def inputs(self) -> type[Model]:
        """The model of the inputs."""
        return inputs_of(self.thing)

    @functools.cached_property
    def record(self) -> type[Record]:
        """The model of a response."""
        return record_of(self.thing)

    @functools.cached_property
    def own(self) -> type[Record]:
        """The model of the outputs that this provider adds."""
        return own_of(self.thing)

    @functools.cached_property
    def state(self) -> type[Model]:
        """The model of inputs and outputs."""
        return state_of(self.thing)

    def inputs_in(self, vocabulary: VocabularyName) -> type[Model]:
        """Return the model of the inputs with the limits of a dialect."""
        return self.wider if self.wider and vocabulary is VocabularyName.CLICKHOUSE else self.inputs

    # -- properties, by wire name --------------------------------------------------------------------------------

    @functools.cached_property
    def required(self) -> frozenset[str]:
        """The required inputs."""
        fields = self.inputs.model_fields
        return frozenset(wire_name(self.inputs, each) for each, info in fields.items() if info.is_required())

    @functools.cached_property
    def secrets(self) -> tuple[str, ...]:
        """The secret inputs and outputs."""
        return names_with(self.state, "secret")

    @functools.cached_property
    def unanswered(self) -> tuple[str, ...]:
        """The secrets that no response contains in the form of the input; the others declare how they compare."""
        return tuple(name for name in self.secrets if name not in self._comparisons)

    @functools.cached_property
    def copies(self) -> dict[str, tuple[str, ...]]:
        """The inputs that each output repeats or is derived from."""
        stated = {name: tuple(inputs) for name, inputs in extras(self.state, "copies").items()}
        return {**stated, **self.packing.copies, ADDED: self.containers, KEPT: wire_names(self.inputs)}

    @functools.cached_property
    def containers(self) -> tuple[str, ...]:
        """The inputs that are lists or objects, and that responses contain in their form."""
        without = {*self.provider_only, *self.unanswered, *wire_names(self.own)}
        fields = {wire_name(self.inputs, each): info.annotation for each, info in self.inputs.model_fields.items()}
        kinds = {name: shape_of(annotation).kind for name, annotation in fields.items() if name not in without}
        return tuple(name for name, kind in kinds.items() if kind in (list, dict) or name in models_in(self.inputs))

    def copies_of(self, inputs: Collection[str]) -> frozenset[str]:
        """Return the outputs that repeat one of these inputs or are derived from it."""
        return frozenset(name for name, sources in self.copies.items() if any(each in inputs for each in sources))

    @functools.cached_property
    def immutable(self) -> tuple[str, ...]:
        """The inputs that no request can change in place."""
        return names_with(self.inputs, "replaces")

    @functools.cached_property
    def provider_only(self) -> tuple[str, ...]:
        """The options of this provider, which are never sent."""
        return names_with(self.inputs, "provider_only")

    @functools.cached_property
    def output_only(self) -> tuple[str, ...]:
        """The outputs that are not inputs."""
        inputs = wire_names(self.inputs)
        return tuple(name for name in wire_names(self.state) if name not in inputs)

    def defaults(self) -> WireDict:
        """Return the defaults that check fills in."""
        return {
            wire_name(self.inputs, attribute): info.default
            for attribute, info in self.inputs.model_fields.items()
            if not info.is_required() and info.default is not None
        }

    def with_texts(self, inputs: WireValues) -> WireDict:
        """Return inputs with texts for the numbers that programs write where the API has texts of digits."""
        digits = {name for name, how in self._comparisons.items() if how.digits}
        return {name: text_of(value) if name in digits else value for name, value in inputs.items()}

    def deprecations(self, inputs: Iterable[str]) -> list[tuple[str, str]]:
        """Return each deprecated property among `inputs`, and the advice."""
        used = set(inputs)
        return [
            (wire_name(self.inputs, attribute), str(info.deprecated))
            for attribute, info in self.inputs.model_fields.items()
            if info.deprecated and wire_name(self.inputs, attribute) in used
        ]

    @functools.cached_property
    def staying(self) -> tuple[str, ...]:
        """The inputs that stay on the server as they are if an update does not send them."""
        changing = {*self.required, *self.immutable, *self.provider_only}
        for name in ("taken_out", "clears"):
            changing.update(extras(self.inputs, name))
        return tuple(name for name in wire_names(self.inputs) if name not in changing)

    def clearing_values(self, names: Iterable[str]) -> WireDict:
        """Return the values that clear inputs in an update; the other inputs are cleared by leaving them out."""
        clears = extras(self.inputs, "clears")
        return {name: clears[name][0] for name in names if name in clears}

    # -- values --------------------------------------------------------------------------------------------------

    @functools.cached_property
    def _comparisons(self) -> dict[str, Compare]:
        return {wire_name(self.inputs, each): how for each, how in in_metadata(self.inputs, Compare).items()}

    def normalized(self, name: str, value: object) -> Any:
        """Return an equal value for all spellings of the same input."""
        comparison, value = self._comparisons.get(name), self._spelled(name, value)
        return comparison.normalize(value) if comparison else identity(value)

    def digest(self, name: str, value: object) -> str:
        """Return a digest that all spellings of an input have in common."""
        return digest_of(self.normalized(name, value))

    def evidence(self, name: str, value: object) -> object:
        """Return the part of an input that identifies an object, None if there is none, as for write-only secrets."""
        if name in self.unanswered:
            return None
        comparison, value = self._comparisons.get(name), self._spelled(name, value)
        return comparison.evidence_of(value) if comparison else identity(value)

    @functools.cached_property
    def identified_in_part(self) -> frozenset[str]:
        """The inputs of which only a part identifies an object: servers return the rest in another form."""

        def is_in_part(how: Compare) -> bool:
            in_part = how.evidence not in (None, how.normalize)
            return how.open_objects or (in_part and not isinstance(how.evidence_of([]), AtLeast))

        return frozenset(name for name, how in self._comparisons.items() if is_in_part(how))

    @functools.cached_property
    def undocumented(self) -> frozenset[str]:
        """The inputs that only one dialect documents in responses; servers of the other may return them, too."""
        answers = in_metadata(self.inputs, Answer)
        return frozenset(wire_name(self.inputs, each) for each, answer in answers.items() if answer.only)

    def _spelled(self, name: str, value: object) -> object:
        """Return an input with its times and ids in one spelling."""
        if name in self._with_times:
            value = with_stamps(self.inputs, {name: value})[name]
        return with_usual_ids(name, value) if name in self._with_ids else value

    @functools.cached_property
    def _with_times(self) -> frozenset[str]:
        """The inputs with times, at any depth."""
        return frozenset(times_of(self.inputs))

    @functools.cached_property
    def _with_ids(self) -> frozenset[str]:
        """The inputs with ids, at any depth; objects that may have any entries are among them."""
        return ids_of(self.inputs)

    def is_server_default(self, name: str, value: object) -> bool:
        """Return whether leaving out an input means the same: its default, the value that clears it, or nothing."""
        return (
            value in ([], "")
            or (value == {} and self._names_nothing(name))
            or any(self.normalized(name, value) == self.normalized(name, each) for each in self._meant_by_none(name))
        )

    def _meant_by_none(self, name: str) -> list[object]:
        """Return the values of an input that leaving it out means, too."""
        return [*self.defaults_of(name), *self.clearing_values([name]).values()]

    def _names_nothing(self, name: str) -> bool:
        """Return whether an empty object means the same as none: servers may add any entries to it."""
        comparison = self._comparisons.get(name)
        return comparison is not None and comparison.open_objects and comparison.normalize is identity

    def defaults_of(self, name: str) -> list[object]:
        """Return the server's default of an input, if it is stated as a value."""
        return defaults_of(self.inputs, name)

    # -- what servers add ----------------------------------------------------------------------------------------

    def additions(self, name: str, wanted: object, served: object) -> Any:
        """Return what a server has beyond an input; `UNRECORDED` if the rest does not mean the same as the input."""
        if wanted == served:
            return NONE
        added = additions(wanted, identity(served), self._shape(name))
        rest = self.without_additions(name, wanted, served, added)
        return added if self.normalized(name, rest) == self.normalized(name, wanted) else UNRECORDED

    def can_gain(self, name: str, wanted: object) -> bool:
        """Return whether a read without recorded additions would accept further entries of an input."""
        return can_gain(wanted, self._shape(name))

    def without_additions(self, name: str, wanted: object, served: object, added: Any = UNRECORDED) -> object:
        """Return a server's value of an input without the recorded additions, in the program's order if none counts."""
        if self.normalized(name, wanted) == self.normalized(name, served):
            return wanted
        shape = self._shape(name)
        rest = without_additions(wanted, identity(served), added, shape)
        if not isinstance(wanted, list) or not isinstance(rest, list) or len(rest) < 2:
            return rest
        if self.normalized(name, rest) != self.normalized(name, rest[::-1]):
            return rest
        pairs = matches(wanted, rest, shape.meaning)
        others = [each for place, each in enumerate(rest) if place not in pairs.values()]
        return [*(rest[pairs[index]] for index in sorted(pairs)), *others]

    def _shape(self, name: str) -> Shape:
        comparison = self._comparisons.get(name)
        whole = comparison is None or not comparison.open_objects
        return Shape(models_in(self.inputs).get(name), whole, lambda each: self.normalized(name, [each]))


ArgumentsT = TypeVar("ArgumentsT", bound=Model)


@dataclass(frozen=True)
class FunctionType(Generic[ArgumentsT]):
    """A function, which only reads.

    Attributes:
        name: The Pulumi name, such as `getPipe`.
        description: What it returns, in Markdown.
        inputs: The model of its arguments.
        result: The model of its result; a list is wrapped in an object.
        operation: The operation that it calls, if that has not the name of the function.
    """

    name: str
    description: str
    inputs: type[ArgumentsT]
    result: type[Record]
    operation: str = ""

    @property
    def token(self) -> str:
        """The token in schema.json and in the plugin."""
        return f"clouddb:index:{self.name}"


class NoArguments(Model):
    """The arguments of a function that has none."""


def list_function(
    name: str, description: str, inputs: type[ArgumentsT], field: str, record: type[Record], words: str
) -> FunctionType[ArgumentsT]:
    """Return a function whose result is a list of records, in a field that `words` describe."""
    records: Any = list[record]  # type: ignore[valid-type]
    result = make_model(f"{name}Result", __base__=Record, **{field: (records, prop(words, required=True))})
    return FunctionType(name, description, inputs, result)
