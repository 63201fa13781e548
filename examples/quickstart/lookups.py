"""Find a pipe by name or by id.

A name costs one request in each run. An id costs none: configure the id when the stack exists.
"""

import re
from collections.abc import Sequence
from typing import Any

import pulumi

import pulumi_clouddb as clouddb

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def pipe_id(service: clouddb.Service, pipe: str) -> pulumi.Input[str]:
    """Return the id of a pipe of the service; `pipe` is its name or its id."""
    if UUID.fullmatch(pipe):
        return pipe
    found = clouddb.list_pipes_output(service_id=service.id, name=pipe)
    return found.pipes.apply(lambda pipes: _only(pipe, [each.id for each in pipes]))


def _only(pipe: str, ids: Sequence[Any]) -> str:
    if len(ids) == 1:
        return str(ids[0])
    found = "no pipe" if not ids else f"{len(ids)} pipes"
    raise pulumi.RunError(
        f"The service has {found} named {pipe!r}. Create one in the console, or choose another with "
        "`pulumi config set pipe`, then run again. Existing objects stay."
    )
