"""The programs of docs/restoring.md: a backup is found and restored into a new service."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, Secret, stack_config

ROOT = Path(__file__).parents[2]


def test_restoring_guide_works(tmp_path: Path, sandbox: Sandbox) -> None:
    """The programs run unchanged; a later backup causes no change, and the old service is unchanged."""
    page = (ROOT / "docs" / "restoring.md").read_text(encoding="utf-8")
    find, restore = map(textwrap.dedent, re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    project = tmp_path / "restore"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: restore\nruntime: python\n", encoding="utf-8")
    program = project / "__main__.py"
    program.write_text(find, encoding="utf-8")
    lost = sandbox.add("services", name="orders", provider="aws", region="eu-central-1")
    first, last = sandbox.add_backup(lost["id"]), sandbox.add_backup(lost["id"])
    stack = FakeEngineStack(project, config=stack_config(sandbox), work_dir=tmp_path / "work")
    stack.set_config("restore:serviceId", lost["id"])
    backups = stack.up().outputs["backups"]
    assert [(each["id"], each["status"]) for each in backups] == [(last, "done"), (first, "done")]

    stack.set_config("restore:backupId", backups[1]["id"])
    program.write_text(restore, encoding="utf-8")
    outputs = stack.up().outputs
    (made,) = [each for each in sandbox.services.values() if each["id"] != lost["id"]]
    (request,) = [each for each in sandbox.requests if each.operation == "create_service"]
    assert isinstance(request.body, dict)
    assert request.body["backupId"] == first
    assert isinstance(outputs["password"], Secret)
    assert sandbox.password_works(made["id"], outputs["password"].value)

    sandbox.add_backup(lost["id"])
    assert stack.preview().no_changes
    stack.set_config("restore:backupId", last)
    refused = stack.preview(expect_failure=True)
    assert any("cannot change backup_id" in message for message in refused.errors), refused.errors
    program.write_text(restore.replace('    backup_id=config.require("backupId"),\n', ""), encoding="utf-8")
    assert stack.up().ok
    assert {lost["id"], made["id"]} == {*sandbox.services}
