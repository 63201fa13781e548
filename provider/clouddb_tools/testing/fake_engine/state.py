"""The fake engine's resources and its state file.

The file is JSON in a format of its own, not a Pulumi checkpoint. Secrets are not encrypted: each is replaced by a
reference to a second file, which only its owner can read (mode 0600). This is sufficient for tests only.
"""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from clouddb_tools.testing.result import ResourceState
from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import SIGNATURE_KEY, Properties
from pulumi_clouddb.engine.wire.secret import Secret, strip

SECRET_MARK = "secret"  # noqa: S105 - a marker, not a secret


@dataclass(eq=False)
class Resource:
    """One resource of the state (deploy's resource.State); two can share a URN while one is pending deletion."""

    urn: str
    custom: bool
    id: str = ""
    inputs: Properties = field(default_factory=dict)
    outputs: Properties = field(default_factory=dict)
    parent: str = ""
    dependencies: list[str] = field(default_factory=list)
    property_dependencies: dict[str, list[str]] = field(default_factory=dict)
    deleted_with: str = ""
    replace_with: list[str] = field(default_factory=list)
    protect: bool = False
    retain_on_delete: bool = False
    external: bool = False
    delete: bool = False
    pending_replacement: bool = False
    ignore_changes: list[str] = field(default_factory=list)
    replace_on_changes: list[str] = field(default_factory=list)
    additional_secret_outputs: list[str] = field(default_factory=list)

    @property
    def type(self) -> str:
        """The type, without the types of parents."""
        return urns.plain_type(self.urn)

    @property
    def name(self) -> str:
        """The name in the program."""
        return urns.name(self.urn)

    def depends_on(self) -> set[str]:
        """Return the URNs that this resource refers to.

        They are its parent, its dependencies, and what it is replaced or deleted with.
        """
        urns_ = {*self.dependencies, *self.replace_with, self.deleted_with, self.parent}
        return urns_.union(*self.property_dependencies.values()) - {""}

    def public(self) -> ResourceState:
        """The public form of the resource."""
        return ResourceState(
            urn=self.urn,
            type=self.type,
            name=self.name,
            id=self.id,
            inputs=self.inputs,
            outputs=self.outputs,
            parent=self.parent,
            dependencies=tuple(self.dependencies),
            protect=self.protect,
            external=self.external,
            delete=self.delete,
        )


@dataclass(frozen=True)
class _Entry:
    """The last written form of a resource, cached because each step saves the state but changes few resources."""

    values: tuple[Any, ...]
    text: str
    secrets: dict[str, Any]


class StateFile:
    """The state file and the file of its secrets."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.secrets_path = path.with_name(f"{path.stem}.secrets.json")
        self._entries: dict[Resource, _Entry] = {}

    def load(self) -> list[Resource]:
        """Read the resources; none if the file does not exist."""
        if not self.path.exists():
            return []
        secrets = json.loads(self.secrets_path.read_text(encoding="utf-8"))
        known = {each.name for each in fields(Resource)}
        entries = json.loads(self.text())["resources"]
        return [Resource(**{k: _decode(v, secrets) for k, v in entry.items() if k in known}) for entry in entries]

    def save(self, resources: list[Resource]) -> None:
        """Write the resources.

        Both files are replaced atomically. The secrets are written first and include those of the last save, so the
        state is readable even if the process dies between the two writes.
        """
        before = self._entries
        self._entries = {each: self._entry(each, before.get(each)) for each in resources}
        secrets: dict[str, Any] = {}
        for entry in (*before.values(), *self._entries.values()):
            secrets.update(entry.secrets)
        _write(self.secrets_path, json.dumps(secrets))
        texts = ",\n".join(entry.text for entry in self._entries.values())
        _write(self.path, f'{{"version": 1, "resources": [\n{texts}\n]}}\n')

    def text(self) -> str:
        """The text of the state file, or an empty text if it does not exist."""
        return self.path.read_text(encoding="utf-8") if self.path.exists() else ""

    @staticmethod
    def _entry(resource: Resource, before: _Entry | None) -> _Entry:
        values = tuple(getattr(resource, each.name) for each in fields(Resource))
        if before is not None and all(old is new for old, new in zip(before.values, values, strict=True)):
            return before
        secrets: dict[str, Any] = {}
        names = [each.name for each in fields(Resource)]
        shown = _encode(dict(zip(names, values, strict=True)), secrets, uuid.uuid4().hex[:12])
        return _Entry(values, json.dumps(shown, indent=1), secrets)


def _encode(value: Any, secrets: dict[str, Any], owner: str) -> Any:
    if isinstance(value, Secret):
        ref = f"{owner}-{len(secrets)}"
        secrets[ref] = strip(value)
        return {SIGNATURE_KEY: SECRET_MARK, "ref": ref}
    if isinstance(value, dict):
        return {key: _encode(inner, secrets, owner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_encode(inner, secrets, owner) for inner in value]
    return value


def _decode(value: Any, secrets: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        if value.get(SIGNATURE_KEY) == SECRET_MARK:
            return Secret(secrets[value["ref"]])
        return {key: _decode(inner, secrets) for key, inner in value.items()}
    if isinstance(value, list):
        return [_decode(inner, secrets) for inner in value]
    return value


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)
