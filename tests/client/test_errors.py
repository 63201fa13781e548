"""The public errors are the whole tree."""

from __future__ import annotations

import inspect

import pytest

from pulumi_clouddb import errors
from pulumi_clouddb.client import errors as declared
from pulumi_clouddb.registry import RESOURCES


def test_the_public_module_names_every_error_of_the_tree() -> None:
    """Who catches errors imports them from `pulumi_clouddb.errors`, and misses none."""
    tree = {name for name, value in vars(declared).items() if inspect.isclass(value) and issubclass(value, Exception)}
    assert sorted(tree) == errors.__all__
    assert all(getattr(errors, name) is getattr(declared, name) for name in tree)


def test_the_drawing_shows_every_error() -> None:
    """The tree at the top of the module is complete."""
    assert all(f" {name} " in (declared.__doc__ or "") for name in errors.__all__)
    assert all(name.endswith("Error") for name in errors.__all__)


@pytest.mark.parametrize(
    ("kind", "object_id", "said"),
    [
        (
            "Dashboard",
            "6b03c4d5e6f708192a3b4c5d",
            (
                "Dashboard 6b03c4d5e6f708192a3b4c5d does not exist on the server of clouddb:stackUrl\n"
                "Check the id. If it belongs to a service, write SERVICE_ID/6b03c4d5e6f708192a3b4c5d."
            ),
        ),
        ("Alert", "s/a", "Alert s/a does not exist\nCheck the id, and the organization (clouddb:organizationId)."),
        ("Service", "s", "Service s does not exist\nCheck the id, and the organization (clouddb:organizationId)."),
    ],
)
def test_what_does_not_exist_was_looked_for_somewhere(kind: str, object_id: str, said: str) -> None:
    """An id without its service is of the self-hosted server: the usual slip is that it is missing."""
    assert str(RESOURCES[kind].missing(object_id)) == said
