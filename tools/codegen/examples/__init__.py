"""The example programs as data: `example_text` writes each in Python, TypeScript, Go, Java and YAML.

One module per resource, with the examples of its functions. Property names are wire names.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Sequence
from importlib import import_module

from .example import Example, Examples


def _declared() -> Iterator[tuple[str, Examples]]:
    """Yield the examples of each module by its name."""
    for module in pkgutil.iter_modules(__path__):
        yield module.name, getattr(import_module(f"{__name__}.{module.name}"), "EXAMPLES", {})


EXAMPLES: Examples = {name: each for _, examples in _declared() for name, each in examples.items()}
"""All examples."""


def programs_of(name: str) -> Sequence[Example]:
    """Return the examples of a resource or function.

    Args:
        name: Its Pulumi name.

    Raises:
        LookupError: There are none.
    """
    if name not in EXAMPLES:
        raise LookupError(f"{name} has no example: a module of tools/codegen/examples/ must contain EXAMPLES[{name!r}]")
    return EXAMPLES[name]


def module_of(name: str) -> str:
    """Return the name of the module with the examples of a resource or function."""
    return next(module for module, examples in _declared() if name in examples)
