"""Lives of user-defined functions, and of what services have of them."""

from __future__ import annotations

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.user_defined_functions import USUAL
from lives.life import Life, a_service
from lives.wire import WireLife

CODE, OTHER = "for line in open(0): print(line)", "for line in open(0): print(2 * int(line))"
TWICE = {
    "name": "twice",
    "runtime": "python3.11",
    "type": "executable",
    "arguments": [{"name": "x", "type": "UInt8"}],
    "returnType": "UInt8",
}
"""What a function is at first, without its code."""


def a_function(sandbox: Sandbox) -> dict[str, str]:
    """Make a service, and a function with two versions that are ready."""
    times = dict.fromkeys(("createdAt", "updatedAt"), "2026-01-01T00:00:00Z")
    versions = [{**USUAL, **TWICE, **times, "name": "thrice", "version": 1, "status": "ready", "error": None}]
    sandbox.add("user_defined_functions", **{**TWICE, "name": "thrice"}, version=2, older=versions)
    return a_service(sandbox)


FUNCTION = Life(
    name="UserDefinedFunction",
    kind="user_defined_functions",
    before=(
        "name='twice', runtime='python3.11', type='executable', arguments=[{'name': 'x', 'type': 'UInt8'}], "
        f"return_type='UInt8', files={{'main.py': {CODE!r}}}"
    ),
    after=(
        "name='twice', runtime='native', type='executable_pool', arguments=[{'name': 'y', 'type': 'Int8'}], "
        "return_type='Int8', return_name='z', format='JSONEachRow', pool_size=5, command_read_timeout=20000, "
        "command_write_timeout=30000, max_command_execution_time=20, send_chunk_header=True, "
        f"sandbox_type='netenable', sandbox_version='v3', wait_timeout_minutes=5, files={{'main.py': {OTHER!r}}}"
    ),
    updated=frozenset(
        {
            *("runtime", "type", "arguments", "returnType", "returnName", "format", "poolSize", "files"),
            *("commandReadTimeout", "commandWriteTimeout", "maxCommandExecutionTime", "sendChunkHeader"),
            *("sandboxType", "sandboxVersion", "waitTimeoutMinutes"),
        }
    ),
    drift=lambda sandbox, id_: sandbox.change("user_defined_functions", id_, returnType="String"),
    drifted=frozenset({"returnType"}),
    as_wanted=lambda function: (
        (function["name"], function["runtime"], function["returnType"], function["poolSize"])
        == ("twice", "native", "Int8", 5)
    ),
)
ATTACHMENT = Life(
    name="UdfAttachment",
    kind="udf_attachments",
    setting=a_function,
    before="function_name='thrice', service_id=service_id, version=1",
    after="function_name='thrice', service_id=service_id, version=2, wait_timeout_minutes=5",
    updated=frozenset({"version", "waitTimeoutMinutes"}),
    drift=lambda sandbox, id_: sandbox.change("udf_attachments", id_, version=1),
    drifted=frozenset({"version"}),
    as_wanted=lambda attachment: (attachment["functionName"], attachment["version"]) == ("thrice", 2),
)
LIVES = {"user-defined function": FUNCTION, "attachment of a function": ATTACHMENT}

_ATTACHED = {"functionName": "thrice", "serviceId": "$service_id"}

WIRE_LIVES = [
    WireLife(
        "user-defined function",
        FUNCTION,
        operations=(
            "create_user_defined_function",
            "publish_user_defined_function",
            "delete_user_defined_function",
            "list_user_defined_functions",
        ),
        before={**TWICE, "files": {"main.py": CODE}},
        after={**TWICE, "returnType": "Int8", "files": {"main.py": OTHER}},
        details={"returnType": "UPDATE", 'files["main.py"]': "UPDATE"},
        left_alone=frozenset({"runtime", "type"}),
        extra=frozenset({"files"}),
    ),
    WireLife(
        "attachment of a function",
        ATTACHMENT,
        operations=("attach_udf", "attach_udf", "detach_udf", "list_udf_attachments"),
        before={**_ATTACHED, "version": 1},
        after={**_ATTACHED, "version": 2},
        details={"version": "UPDATE"},
        left_alone=frozenset({"functionName", "serviceId"}),
    ),
]

OF_NO_INPUT = {
    "UserDefinedFunction": frozenset(
        {"id", "version", "status", "error", "createdAt", "updatedAt", "publishedVersion", "lastError"}
    ),
    "UdfAttachment": frozenset({"id", "status", "lastError"}),
}
"""Outputs that tell nothing of an input, by resource."""
