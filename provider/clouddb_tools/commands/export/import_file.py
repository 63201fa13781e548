"""Import files for `pulumi import --file`.

When Pulumi imports a dynamic resource by id, it passes no provider to the dynamic host, which then cannot read the
object. Pulumi copies inputs and outputs of a file into state, so the file contains the result of a read, with the
provider in both. The plugin reads objects itself: it needs only ids, but for inputs that no import by id contains.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.engine.wire.codec import SECRET_SIGNATURE, SIGNATURE_KEY
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.values import WireDict, WireValues

from .reading import OF_ONE_OBJECT, Found, read

FORM = "TYPE:NAME=ID"
"""The format of an object to import."""


class NotImportableError(CloudDBError):
    """Some objects cannot be imported.

    Attributes:
        reasons: The reason for each object.
    """

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("\n".join(reasons))


@dataclass(frozen=True)
class Wanted:
    """An object to import.

    Attributes:
        kind: The Pulumi name of its resource.
        name: The resource name in the stack.
        object_id: Its id as the user wrote it.
    """

    kind: str
    name: str
    object_id: str


def parse(entries: Iterable[str]) -> list[Wanted]:
    """Parse objects in the format `TYPE:NAME=ID`.

    Raises:
        NotImportableError: Entries have another format, an unknown type, or a duplicate; the error lists all.
    """
    wanted: list[Wanted] = []
    reasons: list[str] = []
    for entry in entries:
        kind, _, rest = entry.partition(":")
        name, _, object_id = rest.rpartition("=")
        if not kind or not name or not object_id:
            reasons.append(f"{entry!r} does not have the form {FORM}")
        elif kind not in RESOURCES:
            reasons.append(f"{entry!r} has an unknown type: the types are {', '.join(RESOURCES)}")
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
        NotImportableError: Some could not be read; the error lists them all, unless the server fails as a whole.
    """
    found: list[Found] = []
    reasons: list[str] = []
    for each in wanted:
        resource = f"{each.kind}:{each.name}"
        try:
            found.append(read(session, each.kind, each.name, each.object_id))
        except CloudDBError as error:
            reasons.append(f"{resource}: {error}")
            if not isinstance(error, OF_ONE_OBJECT):
                break
    if reasons:
        raise NotImportableError(reasons)
    return found


def dynamic_document(found: Iterable[Found]) -> WireDict:
    """Return the content of an import file for the classes of this package."""
    from pulumi.dynamic.dynamic import PROVIDER_KEY

    from pulumi_clouddb.dynamic.provider import serialized

    return {
        "resources": [
            {
                "type": RESOURCES[each.kind].type.dynamic_token,
                "name": each.name,
                "id": each.object_id,
                "inputs": {**_stored(each.kind, each.live.inputs), PROVIDER_KEY: serialized(each.kind)},
                "outputs": {**_stored(each.kind, each.live.state), PROVIDER_KEY: serialized(each.kind)},
            }
            for each in found
        ]
    }


def native_document(found: Iterable[Found]) -> WireDict:
    """Return the content of an import file for the plugin.

    Inputs that the plugin leaves out of an import by id are in the file, with the whole state: if a file has any
    state of an object, Pulumi does not ask the plugin for it (ImportStep.Apply of pkg/resource/deploy/step.go).
    """
    return {
        "resources": [
            {
                "type": RESOURCES[each.kind].type.token,
                "name": each.name,
                "id": each.object_id,
                "inputs": _stored(each.kind, each.live.inputs),
                "outputs": _stored(each.kind, each.live.state),
            }
            if each.by_hint
            else {"type": RESOURCES[each.kind].type.token, "name": each.name, "id": each.import_id}
            for each in found
        ]
    }


def text(document: WireValues) -> str:
    """Return the text of an import file."""
    return json.dumps(document, indent=4) + "\n"


def import_command(file: str, *, protect: bool) -> str:
    """Return the command that imports a file.

    With `protect`, Pulumi protects all imported resources until the next `pulumi up`, which applies the options of the
    program.
    """
    command = ["pulumi", "import", "--file", file, "--generate-code=false"]
    return shlex.join(command if protect else [*command, "--protect=false"])


def _stored(kind: str, values: WireValues) -> WireDict:
    """Return properties in the format of state, with secrets in envelopes."""
    secrets = RESOURCES[kind].type.secrets
    return {
        name: {SIGNATURE_KEY: SECRET_SIGNATURE, "plaintext": json.dumps(value)} if name in secrets else value
        for name, value in values.items()
    }
