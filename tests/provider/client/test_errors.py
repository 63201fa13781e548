"""The public errors are all errors of this package."""

from __future__ import annotations

import inspect

import pytest

from pulumi_clouddb import errors
from pulumi_clouddb.client import errors as declared
from pulumi_clouddb.registry import RESOURCES


def test_public_module_exports_every_error() -> None:
    """`pulumi_clouddb.errors` exports the classes of client/errors.py themselves."""
    tree = {name for name, value in vars(declared).items() if inspect.isclass(value) and issubclass(value, Exception)}
    assert sorted(tree) == errors.__all__
    assert all(getattr(errors, name) is getattr(declared, name) for name in tree)


def test_docstring_shows_every_error() -> None:
    """The tree in the module's docstring is complete."""
    assert all(f" {name} " in (declared.__doc__ or "") for name in errors.__all__)
    assert all(name.endswith("Error") for name in errors.__all__)


@pytest.mark.parametrize(
    ("kind", "object_id", "message"),
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
def test_missing_object_error_names_the_server(kind: str, object_id: str, message: str) -> None:
    """An id without a service id belongs to the self-hosted server; the advice mentions the missing part."""
    assert str(RESOURCES[kind].missing(object_id)) == message
