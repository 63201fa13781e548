"""What a plan was made from, kept beside it, and what of that has moved since.

The commit itself is recorded and not compared: a squash or a rebase makes another commit of the same files.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from pulumi_clouddb.engine.wire.codec import read
from pulumi_clouddb.schema.base import names_marked, wire_names
from pulumi_clouddb.schema.config import CREDENTIALS, ProviderConfig, environment_name

from .project import PolicyPack, Project
from .report import Change, Part, name_of

MANIFEST_VERSION = 1
SUFFIX = ".manifest.json"
IDENTITY = frozenset({"keyId"})
"""Settings that may differ: a preview may well run with a key that can only read."""

POLICY_PROFILE = "CLOUDDB_POLICY_PROFILE"
"""Chooses the rules of this package's policy pack, which is not always installed."""

VOLATILE = frozenset({"created", "modified", "sourcePosition", "stackTrace"})
"""What a state notes about a resource beside what the resource is."""

SECRET, IN_CLEAR = {"secret": True}, {"secret": False}
"""What stands for a secret value of the configuration, and for a credential that is not encrypted there."""


class PackManifest(Part):
    """A policy pack that the preview ran; paths are relative to the project's folder."""

    path: str
    config: str = ""
    digest: str


class PlanManifest(Part):
    """Everything that a plan depends on. Digests are SHA-256 in hexadecimal; no secret goes into one.

    `reports` are files that the preview wrote, relative to the project's folder; they are no part of the program.
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
        """Keep no credential that is in plain text; a manifest of an earlier version may hold one."""
        in_clear = {key for key, value in configuration.items() if key in CREDENTIALS and value != SECRET}
        return {**configuration, **{key: dict(IN_CLEAR) for key in in_clear}}


def manifest_file(plan: Path) -> Path:
    """Return the file beside a plan that says what it was made from."""
    return plan.with_name(plan.name + SUFFIX)


def read_manifest(project: Project, packs: Sequence[PolicyPack], leave_out: Iterable[Path]) -> PlanManifest:
    """Return what a plan depends on as it is now; `leave_out` names files of the run itself."""
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
    """Return the paths of the policy packs that the preview ran, and that are not given now."""
    given = {each.path for each in now.policies}
    return [each.path for each in planned.policies if each.path not in given]


def changes_since(planned: PlanManifest, now: PlanManifest) -> list[Change]:
    """Return what has moved since the plan was made, empty if it still holds."""
    found = []
    if planned.program != now.program:
        found.append(Change(what="program", planned=_program(planned), now=_program(now)))
    found += _moved("configuration", planned.configuration, now.configuration)
    found += _moved("environment", planned.environment, now.environment)
    for urn in sorted(planned.state.keys() | now.state.keys()):
        before, after = planned.state.get(urn), now.state.get(urn)
        if before != after:
            planned_word = "not in the state" if before is None else "as it was"
            now_word = "gone from the state" if after is None else "in the state" if before is None else "changed"
            found.append(Change(what=f"state of {name_of(urn)}", planned=planned_word, now=now_word))
    before_packs = {each.path: each.digest for each in planned.policies}
    found += _moved("policy pack", before_packs, {each.path: each.digest for each in now.policies}, "not given")
    return found


def state_digests(deployment: Mapping[str, Any]) -> dict[str, str]:
    """Return a digest of each resource in a state, without secrets: each update encrypts those anew."""
    found: dict[str, str] = {}
    for each in deployment.get("resources") or []:
        kept = {key: read(value) for key, value in each.items() if key not in VOLATILE}
        text = json.dumps(kept, sort_keys=True, default=lambda _: SECRET)
        # A resource that waits for its deletion shares the URN of the one that replaces it.
        found[each["urn"]] = _digest((found.get(each["urn"], "") + text).encode())
    return found


def commit_of(folder: Path) -> str:
    """Return the commit that is checked out, empty outside a repository."""
    return _git(folder, "rev-parse", "HEAD").strip()


def digest_file(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return _digest(file.read_bytes())


def _program(manifest: PlanManifest) -> str:
    return f"{manifest.program[:12]}" + (f" at commit {manifest.commit[:12]}" if manifest.commit else "")


def _moved(what: str, planned: Mapping[str, Any], now: Mapping[str, Any], none: str = "not set") -> list[Change]:
    changed = [key for key in sorted(planned.keys() | now.keys()) if planned.get(key) != now.get(key)]
    return [
        Change(what=f"{what} {key}", planned=_words(before, after, none), now=_words(after, before, none))
        for key, before, after in ((key, planned.get(key), now.get(key)) for key in changed)
    ]


def _words(value: Any, other: Any, none: str) -> str:
    """Return a value in words; what is a secret on the other side is not shown on this one."""
    if value is None:
        return none
    return "a secret" if value == SECRET else "in plain text" if value == IN_CLEAR or other == SECRET else str(value)


def read_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the provider and the policies that stand in the environment, without credentials."""
    left_out = {*names_marked(ProviderConfig, "secret"), *IDENTITY}
    names = [environment_name(name) for name in wire_names(ProviderConfig) if name not in left_out]
    return {name: variables[name] for name in [*names, POLICY_PROFILE] if variables.get(name)}


def _pack_manifest(pack: PolicyPack, folder: Path) -> PackManifest:
    # A pack that is gone has a digest too, so that it is reported as changed.
    config = pack.config.read_bytes() if pack.config and pack.config.is_file() else b""
    return PackManifest(
        path=os.path.relpath(pack.path.resolve(), folder),
        config=os.path.relpath(pack.config.resolve(), folder) if pack.config else "",
        digest=_digest(digest_folder(pack.path.resolve()).encode() + config),
    )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_folder(folder: Path, leave_out: Iterable[Path] = ()) -> str:
    """Return a digest of a folder's files, names and contents; of those that git tracks, in a repository.

    Stack configuration is left out: it is compared key by key, and other stacks' is no part of this one.
    """
    left_out = {file.resolve() for file in leave_out}
    digest = hashlib.sha256()
    for name in _tracked(folder) or _walked(folder):
        file = folder / name
        if file.is_file() and file.resolve() not in left_out and not _is_stack_config(name):
            digest.update(f"{name}\0{digest_file(file)}\0".encode())
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
        found += [str((here / name).relative_to(folder)) for name in files if not name.startswith(".")]
    return sorted(found)


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - a command of fixed words
            ["git", "-C", str(folder), *words],  # noqa: S607 - the git on PATH is meant
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return ""
    return done.stdout if done.returncode == 0 else ""
