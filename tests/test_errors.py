"""The public errors are the whole tree."""

from __future__ import annotations

import inspect

from pulumi_clouddb import errors
from pulumi_clouddb.api import errors as declared


def test_the_public_module_names_every_error_of_the_tree() -> None:
    """Who catches errors imports them from `pulumi_clouddb.errors`, and misses none."""
    tree = {name for name, value in vars(declared).items() if inspect.isclass(value) and issubclass(value, Exception)}
    assert sorted(tree) == errors.__all__
    assert all(getattr(errors, name) is getattr(declared, name) for name in tree)


def test_the_drawing_shows_every_error() -> None:
    """The tree at the top of the module is complete."""
    assert all(f" {name} " in (declared.__doc__ or "") for name in errors.__all__)
    assert all(name.endswith("Error") for name in errors.__all__)
