"""`clouddb ci`: exit code and advice of each operation, by the engine's results.

The engine's results are recordings of the real CLI; test_gitops_commands follows the advice with the CLI.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pulumi.automation.events import EngineEvent

from clouddb_tools.commands.gitops.apply import apply
from clouddb_tools.commands.gitops.drift import drift
from clouddb_tools.commands.gitops.events import Collector, Progress
from clouddb_tools.commands.gitops.exit_codes import ExitCode
from clouddb_tools.commands.gitops.plan_manifest import PackManifest, digest_file, manifest_file, read_manifest
from clouddb_tools.commands.gitops.preview import preview
from clouddb_tools.commands.gitops.project import PolicyPack, Project, Run
from clouddb_tools.commands.gitops.report import Report
from support.recorded import collected

UNCHANGED, FAILS = Run(True, Collector()), Run(False, Collector(), "the program has failed")
DRIFTED = Run(True, collected("drifted", live=True))
REPLACES, BLOCKED = Run(True, collected("replaced")), Run(False, collected("blocked"))
BEYOND = Run(False, Collector(), "resource urn:… violates plan: properties changed: ~~numReplicas")
UPDATES = Run(True, collected("blocked"))
"""An update of the database, from the recording in which a policy blocks it."""


def gone(prefix: str) -> Run:
    """Return the result in which a database of types with a prefix is deleted, and a key is changed."""
    run = Run(True, Collector(live=True))
    for name, object_name, operation in (("Service", "orders", "delete"), ("ApiKey", "reports", "update")):
        type_ = f"{prefix}:{name}"
        urn = f"urn:pulumi:dev::shop::{type_}::{object_name}"
        state = {"type": type_, "urn": urn, "custom": True, "id": "1", "parent": "", "provider": "", "inputs": {}}
        new = None if operation == "delete" else {**state, "outputs": {"name": "other"}}
        step = {"op": operation, "urn": urn, "type": type_, "old": {**state, "outputs": {}}, "new": new, "provider": ""}
        run.events(EngineEvent.from_json({"sequence": 1, "timestamp": 1, "resOutputsEvent": {"metadata": step}}))
    return run


GONE, GONE_NATIVE = gone("pulumi-python:dynamic/clouddb"), gone("clouddb:index")
UNREACHABLE = {
    "clouddb:baseUrl": "http://127.0.0.1:9",
    "clouddb:organizationId": "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11",
    "clouddb:keyId": "id",
    "clouddb:keySecret": "a-secret-of-nobody",
}
"""Settings of a server that does not listen."""


class Scripted(Project):
    """A stack with scripted results of its operations."""

    def __init__(self, folder: Path, settings: Mapping[str, str], **runs: Sequence[Run]) -> None:
        self.folder, self.stack, self.name, self.config = folder, "dev", "shop", {}
        self._settings = dict(settings)
        self._runs = {operation: list(each) for operation, each in runs.items()}

    def preview(self, packs: Sequence[PolicyPack], plan: Path | None = None, **_: object) -> Run:
        """Return the next result of a preview."""
        return self._runs["previews"].pop(0)

    def up(self, plan: Path, packs: Sequence[PolicyPack], progress: Progress | None, *, refresh: bool = False) -> Run:
        """Return the next result of an update."""
        return self._runs["ups"].pop(0)

    def drift(self) -> Run:
        """Return the next result of a drift check."""
        return self._runs["drifts"].pop(0)

    def deployment(self, *, show_secrets: bool = False) -> dict[str, Any]:
        """Return an empty state."""
        return {}

    def settings(self) -> dict[str, str]:
        """Return the settings."""
        return self._settings

    @property
    def left(self) -> list[Run]:
        """The results that were not used."""
        return [run for runs in self._runs.values() for run in runs]


def applied(
    project: Project, edit: Callable[[Path], object] = lambda _: None, packs: bool = False
) -> tuple[Report, ExitCode]:
    """Save a plan, edit the program, and apply the plan."""
    plan = project.folder / "plan.json"
    plan.write_text("{}", encoding="utf-8")
    manifest = read_manifest(project, [], [plan, manifest_file(plan)])
    manifest.plan = digest_file(plan)
    manifest.policies = [PackManifest(path="policies", digest="1" * 64)] if packs else []
    manifest_file(plan).write_text(manifest.model_dump_json(by_alias=True), encoding="utf-8")
    edit(project.folder / "__main__.py")
    return apply(project, plan, manifest)


def in_clear(project: Project) -> tuple[Report, ExitCode]:
    """Preview and save a plan, with a key secret in plain text in the configuration."""
    project.config = {"clouddb:keySecret": {"value": "s3cret", "secret": False}}
    result = preview(project, plan=project.folder / "plan.json")
    assert not (project.folder / "plan.json").exists()
    return result


def repair(project: Project) -> tuple[Report, ExitCode]:
    """Check for drift, and repair it."""
    return drift(project, repair=True)


Operation = Callable[[Project], tuple[Report, ExitCode]]
AGAIN = "Preview again, and have the new plan approved."
STOPPED = "the update was stopped, and earlier steps of the plan may be done"
REFRESH = "run `pulumi refresh --stack dev --yes`"
LOST = "The database orders was deleted on the server, and its data is lost."
RESTORING = "Ask the vendor's support for a backup, and restore it with `backup_id` (PostgresService: `restore_from`)."
ANYWAY = f"To continue without the data, {REFRESH}"
RUNS = {"drifts": [DRIFTED], "previews": [UNCHANGED, UPDATES]}
CASES: dict[str, tuple[Operation, dict[str, list[Run]], ExitCode, str]] = {
    "preview: unreachable servers": (
        lambda project: preview(Scripted(project.folder, UNREACHABLE)),
        {},
        ExitCode.FAILED,
        "cannot be used as they are configured; nothing was previewed",
    ),
    "preview: a credential that would be in the plan": (
        in_clear,
        {},
        ExitCode.FAILED,
        "Nothing was previewed, and no plan was saved: Pulumi would copy clouddb:keySecret into it in plain text.",
    ),
    "preview: a policy": (preview, {"previews": [BLOCKED]}, ExitCode.POLICY, "no plan was saved"),
    "preview: a program that fails": (preview, {"previews": [FAILS]}, ExitCode.FAILED, "nothing was saved"),
    "preview: unexpected changes": (
        lambda project: preview(project, expect_no_changes=True),
        {"previews": [REPLACES]},
        ExitCode.CHANGES,
        "No changes were expected",
    ),
    "apply: another program": (
        lambda project: applied(project, lambda program: program.write_text("pass", encoding="utf-8")),
        {},
        ExitCode.MOVED,
        f"since the plan was made; nothing was applied. {AGAIN}",
    ),
    "apply: without the packs of the preview": (
        lambda project: applied(project, packs=True),
        {},
        ExitCode.MOVED,
        "nothing was applied. Apply with --policy-pack policies.",
    ),
    "apply: live objects that cannot be read": (
        applied,
        {"drifts": [FAILS]},
        ExitCode.FAILED,
        "could not be compared with the state; nothing was applied",
    ),
    "apply: drift": (
        applied,
        {"drifts": [DRIFTED]},
        ExitCode.MOVED,
        f"differ from the state; nothing was applied. To continue, {REFRESH} and preview again",
    ),
    "apply: a deleted database": (
        applied,
        {"drifts": [GONE]},
        ExitCode.MOVED,
        f"{LOST} Nothing was applied. {RESTORING} {ANYWAY} and preview again: the new plan creates empty databases",
    ),
    "apply: a deleted database of the native plugin": (
        applied,
        {"drifts": [GONE_NATIVE]},
        ExitCode.MOVED,
        "restore it with `backupId` (PostgresService: `restoreFrom`)",
    ),
    "apply: a policy": (applied, {"drifts": [UNCHANGED], "ups": [BLOCKED]}, ExitCode.POLICY, "the update was stopped"),
    "apply: a step that is not in the plan": (
        applied,
        {"drifts": [UNCHANGED], "ups": [BEYOND]},
        ExitCode.MOVED,
        f"requires a step that is not in the plan; {STOPPED}. {AGAIN}",
    ),
    "apply: a server that fails": (
        applied,
        {"drifts": [UNCHANGED], "ups": [FAILS]},
        ExitCode.FAILED,
        "completed steps are in the state. Preview again to continue.",
    ),
    "apply: everything": (applied, {"drifts": [UNCHANGED], "ups": [REPLACES]}, ExitCode.OK, ""),
    "drift: live objects that cannot be read": (drift, {"drifts": [FAILS]}, ExitCode.FAILED, "Drift is unknown"),
    "drift: some": (
        drift,
        {"drifts": [DRIFTED]},
        ExitCode.DRIFT,
        f"`clouddb ci drift --repair` restores them; to keep the live values, add them to the program, {REFRESH}",
    ),
    "drift: a deleted database": (
        drift,
        {"drifts": [GONE]},
        ExitCode.DRIFT,
        f"{LOST} `--repair` creates no database, so nothing was repaired. {RESTORING} {ANYWAY}, preview and apply",
    ),
    "repair: a deleted database": (
        repair,
        {"drifts": [GONE]},
        ExitCode.DRIFT,
        f"{LOST} `--repair` creates no database, so nothing was repaired. {RESTORING} {ANYWAY}, preview and apply",
    ),
    "drift: none": (drift, {"drifts": [UNCHANGED]}, ExitCode.OK, ""),
    "repair: with changes that are not applied": (
        repair,
        {"drifts": [DRIFTED], "previews": [REPLACES]},
        ExitCode.DRIFT,
        f"that were not applied yet (reports, orders). To continue, {REFRESH} and preview",
    ),
    "repair: a policy": (
        repair,
        {"drifts": [DRIFTED], "previews": [BLOCKED]},
        ExitCode.POLICY,
        "Nothing was repaired: a mandatory policy",
    ),
    "repair: a program that fails": (
        repair,
        {"drifts": [DRIFTED], "previews": [UNCHANGED, FAILS]},
        ExitCode.FAILED,
        "Nothing was repaired: the preview failed",
    ),
    "repair: a database that would be replaced": (
        repair,
        {"drifts": [DRIFTED], "previews": [UNCHANGED, REPLACES]},
        ExitCode.DRIFT,
        f"create, replace or delete a database (orders) without its data. To do this deliberately, {REFRESH}",
    ),
    "repair: a server that fails": (
        repair,
        {**RUNS, "ups": [FAILS]},
        ExitCode.FAILED,
        "completed steps are in the state. Run it again to continue.",
    ),
    "repair: without an effect": (
        repair,
        {**RUNS, "drifts": [DRIFTED, DRIFTED], "ups": [UPDATES]},
        ExitCode.DRIFT,
        "The repair ran, but live objects differ again",
    ),
    "repair: a result that cannot be read": (
        repair,
        {**RUNS, "drifts": [DRIFTED, FAILS], "ups": [UPDATES]},
        ExitCode.FAILED,
        "its result could not be read. Run `clouddb ci drift` again.",
    ),
    "repair: done": (
        repair,
        {**RUNS, "drifts": [DRIFTED, UNCHANGED], "ups": [UPDATES]},
        ExitCode.OK,
        "match the program",
    ),
}


@pytest.mark.parametrize(("operation", "runs", "code", "explanation"), CASES.values(), ids=CASES)
def test_operation_returns_exit_code_and_advice(
    operation: Operation, runs: dict[str, list[Run]], code: ExitCode, explanation: str, tmp_path: Path
) -> None:
    """Each operation uses all scripted results, and no others."""
    (tmp_path / "__main__.py").write_text("", encoding="utf-8")
    project = Scripted(tmp_path, {}, **runs)
    report, ended = operation(project)
    assert (ended, bool(report.explanation)) == (code, bool(explanation))
    assert explanation in report.explanation
    assert project.left == []
