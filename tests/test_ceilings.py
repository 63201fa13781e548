"""Today's figures of what grows when nobody looks, compared with their ceilings."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import lizard
import pytest
from benchmarks.trace import ABOVE

from ceilings import CEILINGS
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.base import Resource
from pulumi_clouddb.schema.check.rules import rule
from pulumi_clouddb.schema.resource_type import ResourceType
from support.loaded import FRONT_ENDS, loaded_for
from support.sources import PACKAGES, PROVIDER, hand_written

COMPLEX = 15
BASES: tuple[type[Any], ...] = (Resource, Collection, ResourceType)


class Figure(NamedTuple):
    """What was measured, and the names of what it counts or was found in."""

    value: int
    names: tuple[str, ...] = ()


Figures = dict[str, dict[str, Figure]]


def of_creates() -> Figures:
    """Measure what a reader of four creates passes above the funnel (benchmarks/trace.py)."""
    command = [sys.executable, "-m", "benchmarks.trace", "--json"]  # in a process that has called nothing before
    done = subprocess.run(command, cwd=PROVIDER.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counts = {resource: depths[ABOVE] for resource, depths in json.loads(done.stdout).items()}
    return {
        f"{what} of a create": {
            resource: Figure(numbers[what], counted(numbers["moves into"])) for resource, numbers in counts.items()
        }
        for what in ("files", "moves")
    }


def counted(numbers: dict[str, int]) -> tuple[str, ...]:
    """Return names with their numbers, the largest first."""
    return tuple(f"{name} ({number})" for name, number in Counter(numbers).most_common())


def of_functions() -> Figures:
    """Measure complexity as lizard does: branches, and conditions within one (`and`, `or`, `if` in an expression)."""
    complexity: dict[str, dict[str, int]] = {package: {} for package in PACKAGES}
    arguments: dict[str, dict[str, int]] = {package: {} for package in PACKAGES}
    for file, text in hand_written().items():
        package = file.partition("/")[0]
        for function in lizard.analyze_file.analyze_source_code(file, text).function_list:
            complexity[package][f"{file}:{function.start_line} {function.name}"] = function.cyclomatic_complexity
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                names = [each.arg for each in every if each.arg not in ("self", "cls")]
                arguments[package][f"{file}:{node.lineno} {node.name}"] = len(names)
    return {
        "largest complexity": {package: largest(each) for package, each in complexity.items()},
        f"functions of a complexity over {COMPLEX}": {
            package: listed(counted({name: value for name, value in each.items() if value > COMPLEX}))
            for package, each in complexity.items()
        },
        "most arguments": {package: largest(each) for package, each in arguments.items()},
    }


def largest(values: dict[str, int]) -> Figure:
    """Return the largest value, with the names that have it."""
    value = max(values.values())
    return Figure(value, tuple(name for name in values if values[name] == value))


def listed(names: Iterable[str]) -> Figure:
    """Return the number of names, with them."""
    every = tuple(names)
    return Figure(len(every), every)


def of_bases() -> Figures:
    """Measure the members of the base classes, own and inherited, and which of them are there for a single class."""
    assert all(RESOURCES.values())  # loads the modules of all things
    overriders = {base.__name__: {name: overriding(base, name) for name in sorted(members(base))} for base in BASES}
    return {
        "members": {base: listed(found) for base, found in overriders.items()},
        "hooks that one class overrides": {
            base: listed(f"{name} ({classes[0]})" for name, classes in found.items() if len(classes) == 1)
            for base, found in overriders.items()
        },
    }


def members(base: type[Any]) -> set[str]:
    """Return the names of methods and attributes, without those of Python and the standard library."""
    return set().union(*(defined(each) for each in base.__mro__ if each.__module__.startswith(PACKAGES[0])))


def defined(kind: type[Any]) -> set[str]:
    """Return the names in the body of a class."""
    names = {*vars(kind), *vars(kind).get("__annotations__", {})} - {"_abc_impl"}
    return {name for name in names if not name.startswith("__")}


def overriding(base: type[Any], name: str) -> list[str]:
    """Return the names of the package's subclasses that define a member anew."""
    return sorted(each.__name__ for each in subclasses(base) if name in defined(each))


def subclasses(base: type[Any]) -> Iterator[type[Any]]:
    """Yield all subclasses in the package, not those of tests."""
    for each in base.__subclasses__():
        if each.__module__.startswith(PACKAGES[0]):
            yield each
            yield from subclasses(each)


def of_processes() -> Figures:
    """Measure which modules of the package each front end loads for a dashboard."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        loaded = {each: loaded_for("Dashboard", each, sandbox)[1] for each in FRONT_ENDS}
    return {"modules loaded for a dashboard": {each: by_folder(modules) for each, modules in loaded.items()}}


def by_folder(modules: set[str]) -> Figure:
    """Return the number of the package's modules, with the number in each folder."""
    own = [name.split(".") for name in modules if name.split(".")[0] == PACKAGES[0]]
    return Figure(len(own), counted(Counter(".".join(parts[:3] if "things" in parts else parts[:2]) for parts in own)))


def of_words() -> Figures:
    """Measure how many words a reader of the code must learn: those in the table of the architecture."""
    page = (PROVIDER.parent / "docs/architecture.md").read_text(encoding="utf-8")
    _, _, rows = page.partition("| word | meaning |\n|---|---|\n")
    words = [row.split(" | ")[0].removeprefix("| ") for row in rows.partition("\n\n")[0].splitlines()]
    return {"words of this code": {"docs/architecture.md": listed(words)}}


CHECKING = ("pulumi_clouddb/schema/check/", "pulumi_clouddb/schema/usual.py", "pulumi_clouddb/schema/vendor.py")
"""Where the checks of values are; the rules of a thing are in its folder."""


def of_sizes() -> Figures:
    """Measure how many lines a resource costs, all in all, of what checks values, and of tests, by the hundred."""
    tests = sum(file.read_text(encoding="utf-8").count("\n") for file in Path(__file__).parent.rglob("*.py"))
    lines = {file: text.count("\n") for file, text in hand_written().items() if file.startswith(f"{PACKAGES[0]}/")}
    checking = {file: number for file, number in lines.items() if file.startswith(CHECKING)}
    return {
        "lines for each resource": {
            name: Figure(sum(each.values()) // len(RESOURCES), counted(each)[:5])
            for name, each in ((PACKAGES[0], lines), ("checks", checking))
        }
        | {"tests": Figure(round(tests // len(RESOURCES), -2))}
    }


def of_rules() -> Figures:
    """Measure what a contributor meets before a first rule: functions that make one, its arguments, and its homes."""
    makers, homes = [], set()
    for file, text in hand_written().items():
        if not file.startswith(PACKAGES[0]) or "/policy/" in file:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.returns and ast.unparse(node.returns).startswith("Rule["):
                makers.append(f"{file}:{node.lineno} {node.name}")
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).startswith("ClassVar[tuple[Rule["):
                homes.add(ast.unparse(node.target))
    parameters = tuple(signature(rule).parameters)
    return {
        "concepts of a rule": {
            "functions that make one": listed(makers),
            "arguments": listed(parameters),
            "homes": listed(sorted(homes)),
        }
    }


@pytest.mark.parametrize("measure", [of_creates, of_functions, of_bases, of_processes, of_words, of_sizes, of_rules])
def test_figures_are_their_ceilings(measure: Callable[[], Figures]) -> None:
    """A figure above its ceiling has a reason in the commit; one below lowers it, so that it stays there."""
    wrong = [
        f"{what}, {of}: {figure.value}, ceiling {CEILINGS[what][of]}\n  {', '.join(figure.names)}"
        for what, figures in measure().items()
        for of, figure in figures.items()
        if figure.value != CEILINGS[what][of]
    ]
    if wrong:
        pytest.fail("\n".join([*wrong, "mend it, or change tests/ceilings.py and say why"]), pytrace=False)
