"""The lives of all resources, from `life.py` of each thing.

`test_lives` runs them with the SDK, `contract` with both front ends, `faults` with every fault.
"""

from __future__ import annotations

from pulumi_clouddb.registry import RESOURCES
from support.things import modules

from .life import Life
from .wire import WireLife, wire_life

_MODULES = [*modules("life")]

_DECLARED: dict[str, Life] = {name: life for module in _MODULES for name, life in module.LIVES.items()}

LIVES: dict[str, Life] = {name: life for name, life in _DECLARED.items() if life.name in RESOURCES}
"""All lives, by name."""

UNREGISTERED = {life.name for life in _DECLARED.values()} - {*RESOURCES}
"""Resources that have a life, and that registry.py lacks."""

ON_THE_WIRE: dict[str, WireLife] = {
    life.name: life for module in _MODULES for life in getattr(module, "WIRE_LIVES", [])
}
"""The lives whose requests, diffs, previews or imports differ from the defaults."""

WIRE_LIVES: list[WireLife] = [ON_THE_WIRE.get(name) or wire_life(name, life) for name, life in LIVES.items()]
"""All lives with inputs on the wire."""

OF_NO_INPUT: dict[str, frozenset[str]] = {
    life.name: module.OF_NO_INPUT[life.name] if isinstance(module.OF_NO_INPUT, dict) else module.OF_NO_INPUT
    for module in _MODULES
    if hasattr(module, "OF_NO_INPUT")
    for life in module.LIVES.values()
}
"""Outputs that copy no input, by resource; secret values are removed from `lastError`."""
