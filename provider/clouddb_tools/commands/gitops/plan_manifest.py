"""The manifest of a plan: a record of its inputs, and the comparison with the inputs of today.

The commit is recorded but not compared: a squash or a rebase makes another commit of the same files.
"""

from __future__ import annotations

import hashlib
import json
import ntpath
import os
import posixpath
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path, PurePath, PureWindowsPath
from typing import Any

from pydantic import Field, field_validator

from pulumi_clouddb.engine.wire.codec import read
from pulumi_clouddb.schema.base import names_with, wire_names
from pulumi_clouddb.schema.config import CREDENTIALS, ProviderConfig, environment_name

from .project import PolicyPack, Project
from .report import Change, Part, name_of

MANIFEST_VERSION = 1
SUFFIX = ".manifest.json"
IDENTITY = frozenset({"keyId"})
"""Settings that may differ: a preview may run with a read-only key."""

POLICY_PROFILE = "CLOUDDB_POLICY_PROFILE"
"""Chooses the profile of this package's policy pack; not imported, as pulumi-policy is optional."""

VOLATILE = frozenset({"created", "modified", "sourcePosition", "stackTrace"})
"""Fields of a resource in state that do not describe the resource."""

SECRET, PLAINTEXT = {"secret": True}, {"secret": False}
"""Placeholders for an encrypted value of the configuration, and for a credential in plain text."""


class PackManifest(Part):
    """A policy pack of the preview; paths are relative to the project's folder."""

    path: str
    config: str = ""
    digest: str


class PlanManifest(Part):
    """The inputs of a plan. Digests are SHA-256 in hexadecimal, of content without secrets.

    `reports` are the files that the preview wrote, relative to the project's folder; they are not part of the program.
    """

    version: int = MANIFEST_VERSION
    project: str
    stack: str
    created: str
    commit: str = ""
    plan: str = ""
    program: str
    configuration: dict[str, str | dict[str, bool]] = Field(default_factory=dict)
    environment: dict[str, str] = Field(default_factory=dict)
    state: dict[str, str] = Field(default_factory=dict)
    policies: list[PackManifest] = Field(default_factory=list)
    reports: list[str] = Field(default_factory=list)

    @field_validator("configuration")
    @classmethod
    def _without_credentials(cls, configuration: dict[str, str | dict[str, bool]]) -> dict[str, str | dict[str, bool]]:
        """Remove credentials in plain text, which a manifest of an earlier version may contain."""
        keys = {key for key, value in configuration.items() if key in CREDENTIALS and value != SECRET}
        return {**configuration, **{key: dict(PLAINTEXT) for key in keys}}


def manifest_file(plan: Path) -> Path:
    """Return the path of a plan's manifest."""
    return plan.with_name(plan.name + SUFFIX)


def read_manifest(project: Project, packs: Sequence[PolicyPack], leave_out: Iterable[Path]) -> PlanManifest:
    """Return the manifest of the inputs of today, without `leave_out`, the files of the run itself."""
    return PlanManifest(
        project=project.name,
        stack=project.stack,
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        commit=commit_of(project.folder),
        program=digest_folder(project.folder, leave_out),
        configuration={
            key: dict(SECRET) if each.get("secret") else str(each.get("value", ""))
            for key, each in project.config.items()
        },
        environment=read_environment(os.environ),
        state=state_digests(project.deployment()),
        policies=[_pack_manifest(pack, project.folder) for pack in packs],
    )


def packs_left_out(planned: PlanManifest, now: PlanManifest) -> list[str]:
    """Return the paths of the preview's policy packs that are not given now."""
    given = {each.path for each in now.policies}
    return [each.path for each in planned.policies if each.path not in given]


def changes_since(planned: PlanManifest, now: PlanManifest) -> list[Change]:
    """Return the changes of the inputs since the plan was made."""
    changes = []
    if planned.program != now.program:
        changes.append(Change(what="program", planned=_program(planned), now=_program(now)))
    changes += _changes("configuration", planned.configuration, now.configuration)
    changes += _changes("environment", planned.environment, now.environment)
    for urn in sorted(planned.state.keys() | now.state.keys()):
        before, after = planned.state.get(urn), now.state.get(urn)
        if before != after:
            old = "not in the state" if before is None else "unchanged"
            new = "removed from the state" if after is None else "in the state" if before is None else "changed"
            changes.append(Change(what=f"state of {name_of(urn)}", planned=old, now=new))
    before_packs = {each.path: each.digest for each in planned.policies}
    changes += _changes("policy pack", before_packs, {each.path: each.digest for each in now.policies}, "not given")
    return changes


def state_digests(deployment: Mapping[str, Any]) -> dict[str, str]:
    """Return a digest of each resource in a state, without secrets, whose ciphertext changes with every update."""
    found: dict[str, str] = {}
    for each in deployment.get("resources") or []:
        kept = {key: read(value) for key, value in each.items() if key not in VOLATILE}
        text = json.dumps(kept, sort_keys=True, default=lambda _: SECRET)
        # A resource that is pending deletion has the URN of its replacement.
        found[each["urn"]] = _digest((found.get(each["urn"], "") + text).encode())
    return found


def commit_of(folder: Path) -> str:
    """Return the checked-out commit, empty outside a repository."""
    return _git(folder, "rev-parse", "HEAD").strip()


def digest_file(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return _digest(file.read_bytes())


def _program(manifest: PlanManifest) -> str:
    return f"{manifest.program[:12]}" + (f" at commit {manifest.commit[:12]}" if manifest.commit else "")


def _changes(what: str, planned: Mapping[str, Any], now: Mapping[str, Any], none: str = "not set") -> list[Change]:
    changed = [key for key in sorted(planned.keys() | now.keys()) if planned.get(key) != now.get(key)]
    return [
        Change(what=f"{what} {key}", planned=_text(before, after, none), now=_text(after, before, none))
        for key, before, after in ((key, planned.get(key), now.get(key)) for key in changed)
    ]


def _text(value: Any, other: Any, none: str) -> str:
    """Return a value as text; it is hidden if the other one is secret."""
    if value is None:
        return none
    return "a secret" if value == SECRET else "in plain text" if value == PLAINTEXT or other == SECRET else str(value)


def read_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the provider and the policies in the environment, without credentials."""
    left_out = {*names_with(ProviderConfig, "secret"), *IDENTITY}
    names = [environment_name(name) for name in wire_names(ProviderConfig) if name not in left_out]
    return {name: variables[name] for name in [*names, POLICY_PROFILE] if variables.get(name)}


def _pack_manifest(pack: PolicyPack, folder: Path) -> PackManifest:
    # A missing pack has a digest, too, so that it is reported as changed.
    config = pack.config.read_bytes() if pack.config and pack.config.is_file() else b""
    return PackManifest(
        path=relative_path(pack.path.resolve(), folder),
        config=relative_path(pack.config.resolve(), folder) if pack.config else "",
        digest=_digest(digest_folder(pack.path.resolve()).encode() + config),
    )


def relative_path(path: PurePath, folder: PurePath) -> str:
    """Return a path as seen from a folder, with `/`: the machine that applies a plan may run another system.

    Args:
        path: An absolute path. On another drive of Windows it stays absolute.
        folder: The absolute path of the folder.
    """
    system = ntpath if isinstance(path, PureWindowsPath) else posixpath
    try:
        return type(path)(system.relpath(path, folder)).as_posix()
    except ValueError:
        return path.as_posix()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_folder(folder: Path, leave_out: Iterable[Path] = ()) -> str:
    """Return a digest of the names and contents of a folder's files, in a repository of the tracked files.

    Configuration files of stacks are left out: the configuration is compared key by key.
    """
    left_out = {file.resolve() for file in leave_out}
    digest = hashlib.sha256()
    for name in _tracked(folder) or _walked(folder):
        file = folder / name
        if file.is_file() and file.resolve() not in left_out and not _is_stack_config(name):
            digest.update(os.fsencode(f"{name}\0{digest_file(file)}\0"))
    return digest.hexdigest()


def _is_stack_config(name: str) -> bool:
    return name.startswith("Pulumi.") and name.endswith((".yaml", ".yml")) and name.count(".") > 1


def _tracked(folder: Path) -> list[str]:
    return sorted(name for name in _git(folder, "ls-files", "-z").split("\0") if name)


def _walked(folder: Path) -> list[str]:
    found = []
    for path, folders, files in os.walk(folder):
        here = Path(path)
        skipped = ("node_modules", "__pycache__")
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and name not in skipped and not (here / name / "pyvenv.cfg").exists()
        ]
        found += [(here / name).relative_to(folder).as_posix() for name in files if not name.startswith(".")]
    return sorted(found)


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - git is found on PATH
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        return ""
    return os.fsdecode(done.stdout) if done.returncode == 0 else ""
