"""Lives of the resources: a program before and after, and what strangers change; a `life.py` for each thing.

`test_lives` takes them through the SDK, `contract` through both front ends, `faults` through every fault.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from .life import Life
from .wire import WireLife

_FOLDERS = sorted(file.parent for file in Path(__file__).parents[1].glob("provider/things/*/life.py"))
_MODULES = [import_module(f"things.{folder.name}.life") for folder in _FOLDERS]

LIVES: dict[str, Life] = {name: life for module in _MODULES for name, life in getattr(module, "LIVES", {}).items()}
"""All lives, by name."""

WIRE_LIVES: list[WireLife] = [life for module in _MODULES for life in getattr(module, "WIRE_LIVES", [])]
"""All lives in the words of the wire."""

OF_NO_INPUT: dict[str, frozenset[str]] = {
    life.name: named[life.name] if isinstance(named := module.OF_NO_INPUT, dict) else named
    for module in _MODULES
    for life in getattr(module, "LIVES", {}).values()
}
"""Outputs that tell nothing of an input, by resource; of `lastError` the values of secrets are taken out."""
