"""Import files: what `pulumi import --file` takes over.

When Pulumi imports a dynamic resource by an id, it hands the dynamic host no provider to read with. A file that holds
inputs and outputs is taken over as it stands, so it holds what a read answers, with the provider in both. The plugin
reads by itself: it needs ids only.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pulumi.dynamic.dynamic import PROVIDER_KEY

from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.dynamic.provider import serialized
from pulumi_clouddb.engine.wire.codec import SECRET_SIGNATURE, SIGNATURE_KEY
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.values import WireDict, WireValues

from .reading import OF_ONE_OBJECT, Found, read

FORM = "TYPE:NAME=ID"
"""How an object to import is written."""


class NotImportableError(CloudDBError):
    """What was asked for cannot be imported.

    Attributes:
        reasons: Why, for each object.
    """

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("\n".join(reasons))


@dataclass(frozen=True)
class Wanted:
    """An object to import.

    Attributes:
        kind: The Pulumi name of its resource.
        name: The name it gets in the stack.
        object_id: Its id as the user writes it.
    """

    kind: str
    name: str
    object_id: str


def parse(words: Iterable[str]) -> list[Wanted]:
    """Return the objects that are written `TYPE:NAME=ID`.

    Raises:
        NotImportableError: Entries are not written so, are of no known type, or are given twice; the error names all.
    """
    wanted: list[Wanted] = []
    reasons: list[str] = []
    for word in words:
        kind, _, rest = word.partition(":")
        name, _, object_id = rest.rpartition("=")
        if not kind or not name or not object_id:
            reasons.append(f"{word!r} is not written {FORM}")
        elif kind not in RESOURCES:
            reasons.append(f"{word!r} names no resource: the types are {', '.join(RESOURCES)}")
        else:
            wanted.append(Wanted(kind, name, object_id))
    names = Counter((each.kind, each.name) for each in wanted)
    objects = Counter((each.kind, each.object_id) for each in wanted)
    reasons += [f"two resources of the type {kind} are named {name!r}" for (kind, name), n in names.items() if n > 1]
    reasons += [f"{kind} {object_id} is given twice" for (kind, object_id), n in objects.items() if n > 1]
    if reasons:
        raise NotImportableError(reasons)
    return wanted


def find(session: Session, wanted: Iterable[Wanted]) -> list[Found]:
    """Read objects; nothing is written to the server.

    Raises:
        NotImportableError: Some could not be read; the error names all of them, as far as the server responds at all.
    """
    found: list[Found] = []
    reasons: list[str] = []
    for each in wanted:
        answer = _read(session, each)
        if isinstance(answer, Found):
            found.append(answer)
            continue
        reasons.append(f"{each.kind}:{each.name}: {answer}")
        if not isinstance(answer, OF_ONE_OBJECT):
            break
    if reasons:
        raise NotImportableError(reasons)
    return found


def _read(session: Session, wanted: Wanted) -> Found | CloudDBError:
    try:
        return read(session, wanted.kind, wanted.name, wanted.object_id)
    except CloudDBError as error:
        return error


def dynamic_document(found: Iterable[Found]) -> WireDict:
    """Return the content of an import file for the classes of this package."""
    return {
        "resources": [
            {
                "type": RESOURCES[each.kind].type.dynamic_token,
                "name": each.name,
                "id": each.object_id,
                "inputs": _stored(each.kind, each.live.inputs),
                "outputs": _stored(each.kind, each.live.state),
            }
            for each in found
        ]
    }


def native_document(found: Iterable[Found]) -> WireDict:
    """Return the content of an import file for the plugin."""
    return {
        "resources": [
            {"type": RESOURCES[each.kind].type.token, "name": each.name, "id": each.import_id} for each in found
        ]
    }


def text(document: WireValues) -> str:
    """Return the text of an import file."""
    return json.dumps(document, indent=4) + "\n"


def import_command(file: str, *, protect: bool) -> str:
    """Return the command that takes over what an import file holds, and whether it protects that from deletion.

    Pulumi protects all of it until the next `pulumi up`, which protects what the program protects.
    """
    words = ["pulumi", "import", "--file", file, "--generate-code=false"]
    return shlex.join(words if protect else [*words, "--protect=false"])


def _stored(kind: str, values: WireValues) -> WireDict:
    """Return properties as state holds them: with the provider, and with secrets in envelopes."""
    hidden = RESOURCES[kind].type.secrets
    stored = {
        name: {SIGNATURE_KEY: SECRET_SIGNATURE, "plaintext": json.dumps(value)} if name in hidden else value
        for name, value in values.items()
    }
    return {**stored, PROVIDER_KEY: serialized(kind)}
