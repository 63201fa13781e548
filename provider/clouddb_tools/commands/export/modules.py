"""Splits a long program in Python into one file per kind of resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from pydantic.alias_generators import to_snake

from .layout import WIDTH
from .names import plural
from .statements import Step, variables_in

LONG = 400
"""Lines from which a program is split."""


Writer = Callable[[Sequence[Step], Sequence[str]], str]
"""Writes a program from statements and import lines."""


def modules_of(steps: Sequence[Step], write: Writer) -> Mapping[str, str]:
    """Return the text of each module by name, after the modules that it imports; a single one is `__main__`."""
    whole = write(steps, ())
    kinds = _in_order(steps)
    if len(kinds) < 2 or whole.count("\n") < LONG:
        return {"__main__": whole}
    owners = {to_snake(step.declared): step.kind for step in steps}
    modules = {}
    for kind in kinds:
        own = [step for step in steps if step.kind == kind]
        used = {to_snake(name) for step in own for name in variables_in(step.properties)}
        others = {owners[name] for name in used} - {kind}
        lines = [_import(_module(other), [name for name in used if owners[name] == other]) for other in others]
        modules[_module(kind)] = write(own, sorted(lines))
    names = "\n".join(f"import {name}  # noqa: F401" for name in sorted(modules))
    return {**modules, "__main__": names}


def _module(kind: str) -> str:
    name = plural(to_snake(kind))
    return "ingestion_pipes" if name == "pipes" else name  # the standard library has `pipes` until Python 3.13


def _in_order(steps: Sequence[Step]) -> Sequence[str]:
    """Return the kinds, each after those that it refers to; empty if there is a cycle."""
    owners = {step.declared: step.kind for step in steps}
    needs: dict[str, set[str]] = {step.kind: set() for step in steps}
    for step in steps:
        needs[step.kind] |= {owners[name] for name in variables_in(step.properties)} - {step.kind}
    try:
        return list(TopologicalSorter(needs).static_order())
    except CycleError:
        return []


def _import(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(sorted(names))}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in sorted(names)), ")"])
