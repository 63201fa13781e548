"""The names of properties and functions, for the module with which messages are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.schema.annotations import model_in
from pulumi_clouddb.schema.base import Model, names_with, wire_name, wire_names
from pulumi_clouddb.schema.check.within import typed_in


def name_groups() -> dict[str, tuple[str, Iterable[str]]]:
    """Return the groups of names by the name of their constant, each with what it contains."""
    seen: set[type[BaseModel]] = set()
    types = [each.type for each in RESOURCES.values()]
    roots = [*(each.inputs for each in types), *(each.state for each in types)]
    roots += [each.type.inputs for each in FUNCTIONS.values()]
    in_programs = {name for root in roots for name in _names(root, seen)}
    every = {name for model in models() for name in wire_names(model)}
    return {
        "IN_PROGRAMS": ("The properties of resources, and the arguments of functions, by wire name.", in_programs),
        "OTHERS": ("The other properties by wire name: of settings, requests and responses.", every - in_programs),
        "FUNCTIONS": ("The functions.", {*FUNCTIONS}),
        "RESOURCES": ("The resources.", {*RESOURCES}),
        "SECRET": (
            "The properties by wire name that are secret in some model.",
            {name for model in models() for name in names_with(model, "secret")},
        ),
    }


def models() -> frozenset[type[Model]]:
    """Return all models of the package."""
    list(RESOURCES.values())  # a resource is loaded on first use
    return frozenset(each for each in _derived(Model) if each.__module__.startswith("pulumi_clouddb."))


def _derived(base: type[Model]) -> Iterator[type[Model]]:
    for each in base.__subclasses__():
        yield each
        yield from _derived(each)


def _names(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[str]:
    """Yield the wire names of the properties of a model, and of the objects in it."""
    seen.add(model)
    for attribute, info in model.model_fields.items():
        yield wire_name(model, attribute)
        for inner in (model_in(info.annotation), *map(typed_in, (info.annotation, *info.metadata))):
            if inner is not None and inner not in seen:
                yield from _names(inner, seen)
