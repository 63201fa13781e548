"""Messages in the names of Python: nobody but a Python program uses this front end."""

from __future__ import annotations

import functools

from pulumi_clouddb import registry
from pulumi_clouddb.schema.public_names import PythonNames


@functools.cache
def _names() -> PythonNames:
    types = [each.type for each in registry.RESOURCES.values()]
    arguments = [each.type.inputs for each in registry.FUNCTIONS.values()]
    return PythonNames([*(each.inputs for each in types), *(each.state for each in types), *arguments])


def in_python(message: str) -> str:
    """Return a message with the names that properties have in Python: `ip_access_list[2].source must be …`."""
    return _names()(message)
