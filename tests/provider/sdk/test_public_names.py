"""Public modules offer what they declare, and nothing that they import for their own use."""

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
"""They load a name when it is first used."""


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_each_declared_name_exists(module: ModuleType) -> None:
    """`from module import *` works, and `__all__` names nothing twice."""
    names = module.__all__
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


@pytest.mark.parametrize("name", [name for name in MODULES if name != "outputs"])
def test_a_public_module_offers_no_name_that_it_imports(name: str) -> None:
    """But for its own submodules, and the `annotations` of `__future__`: `pulumi_clouddb.Any` is not a name."""
    module = MODULES[name]
    others = {
        each
        for each, value in vars(module).items()
        if each.isidentifier()  # pytest adds others, as it rewrites the asserts of a plugin
        and not each.startswith("_")
        and each not in module.__all__
        and each != "annotations"
        and not (isinstance(value, ModuleType) and value.__name__ == f"{module.__name__}.{each}")
    }
    assert others == set()


@pytest.mark.parametrize("name", LAZY)
def test_completion_lists_each_name(name: str) -> None:
    """`dir` knows the names that nobody has used yet, and no others."""
    assert dir(MODULES[name]) == sorted(MODULES[name].__all__)
