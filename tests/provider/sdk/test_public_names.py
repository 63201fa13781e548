"""Public modules export the names that they declare, and none that they import."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import pytest

import pulumi_clouddb as clouddb
from pulumi_clouddb import outputs

MODULES = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        clouddb,
        outputs,
        *(import_module(f"pulumi_clouddb.{name}") for name in ("errors", "policy")),
        *(import_module(f"clouddb_tools.{name}") for name in ("sandbox", "testing")),
    )
}
LAZY = ("pulumi_clouddb", "testing")
"""Modules that load a name when it is first used."""


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_each_declared_name_exists(module: ModuleType) -> None:
    """`from module import *` works, and `__all__` names nothing twice."""
    names = module.__all__
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


@pytest.mark.parametrize("name", [name for name in MODULES if name != "outputs"])
def test_public_module_exports_no_imported_name(name: str) -> None:
    """Exceptions are submodules, and `annotations` of `__future__`: `pulumi_clouddb.Any` is not a name."""
    module = MODULES[name]
    others = {
        each
        for each, value in vars(module).items()
        if each.isidentifier()  # pytest's assertion rewriting adds others
        and not each.startswith("_")
        and each not in module.__all__
        and each != "annotations"
        and not (isinstance(value, ModuleType) and value.__name__ == f"{module.__name__}.{each}")
    }
    assert others == set()


@pytest.mark.parametrize("name", LAZY)
def test_dir_lists_each_declared_name(name: str) -> None:
    """It includes names that are not loaded yet, and no others."""
    assert dir(MODULES[name]) == sorted(MODULES[name].__all__)
