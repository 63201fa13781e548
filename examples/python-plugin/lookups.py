"""Find a pipe and a data source by name or by id.

A name costs one request in each run. An id costs none: configure ids when the stack exists.
"""

import re
from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_clouddb_native as clouddb

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
OBJECT_ID = re.compile(r"[0-9a-f]{24}", re.IGNORECASE)


def pipe_id(service: clouddb.Service, pipe: str) -> pulumi.Input[str]:
    """Return the id of a pipe of the service; `pipe` is its name or its id."""
    if UUID.fullmatch(pipe):
        return pipe
    found = clouddb.list_pipes_output(service_id=service.id, name=pipe)
    return found.pipes.apply(lambda pipes: _only(f"pipe named {pipe!r}", "pipe", [each.id for each in pipes]))


def source_id(service: clouddb.Service, source: str) -> pulumi.Input[str]:
    """Return the id of a data source of the service; `source` is its name or its id."""
    if OBJECT_ID.fullmatch(source):
        return source
    found = clouddb.list_sources_output(service_id=service.id, name=source)
    return found.sources.apply(
        lambda sources: _only(f"data source named {source!r}", "source", [str(each.id) for each in sources])
    )


def _only(what: str, key: str, ids: Sequence[Any]) -> str:
    if len(ids) == 1:
        return str(ids[0])
    found = "no" if not ids else f"{len(ids)} times a"
    raise pulumi.RunError(
        f"The service has {found} {what}. Create one in the console, or choose another with `pulumi config set {key}`, "
        "then run again. Existing objects stay."
    )
