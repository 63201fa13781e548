"""The life of a memo in both front ends on the sandbox, and its use in the Python class and in a policy."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pulumi_clouddb
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb import policy
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver
from support.plugin import NativePlugin

MEMO = {"name": "Todo", "text": "Write it down."}


def life(driver: GrpcDriver, sandbox: Sandbox) -> None:
    """Create, read, update, change in the console, refresh, import and delete a memo."""
    created = driver.create("Memo", MEMO)
    assert sandbox.objects("memos")[created.id]["text"] == "Write it down."
    assert created.outputs["createdAt"]
    assert driver.invoke("getMemo", {"memoId": created.id}).outputs["name"] == "Todo"
    changed: dict[str, Any] = {"name": "Done"}
    assert driver.diff("Memo", created.id, created.outputs, changed).changes
    updated = driver.update("Memo", created.id, created.outputs, changed)
    assert "text" not in sandbox.objects("memos")[created.id]
    sandbox.change("memos", created.id, name="Mine now")
    driver.configure({**driver.config, "clouddb:requestTimeoutSeconds": "59"})
    assert driver.read("Memo", created.id, updated.outputs, changed).outputs["name"] == "Mine now"
    if isinstance(driver, NativePlugin):  # the engine has no provider for an import in dynamic mode
        assert driver.import_("Memo", created.id).inputs == {"name": "Mine now"}
    driver.delete("Memo", created.id, updated.outputs)
    assert created.id not in sandbox.objects("memos")


def main(folder: str) -> None:
    """Run the life with both front ends."""
    with Sandbox(vocabulary="neutral") as sandbox, FrontEnds(sandbox.config, Path(folder)) as front_ends:
        (failure,) = front_ends.check("Memo", {"name": "n" * 21}).failures
        assert failure == "name must have at most 20 characters but has 21"
        for driver in (front_ends.dynamic, front_ends.native):
            life(driver, sandbox)
    assert pulumi_clouddb.Memo._resource_type_name == "dynamic/clouddb:Memo"
    args: Any = SimpleNamespace(resource_type="clouddb:index:Memo", props=MEMO)
    assert policy.is_memo(args)
    print("lived")


if __name__ == "__main__":
    main(sys.argv[1])
