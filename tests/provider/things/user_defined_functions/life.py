"""Lives of user-defined functions and their attachments."""

from __future__ import annotations

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.user_defined_functions import USUAL
from lives.life import Life, a_service
from lives.wire import wire_life

CODE, OTHER = "for line in open(0): print(line)", "for line in open(0): print(2 * int(line))"
TWICE = {
    "name": "twice",
    "runtime": "python3.11",
    "type": "executable",
    "arguments": [{"name": "x", "type": "UInt8"}],
    "returnType": "UInt8",
}
"""The inputs of a function at creation, without its code."""


def a_function(sandbox: Sandbox) -> dict[str, str]:
    """Create a service, and a function with two versions that are ready."""
    times = dict.fromkeys(("createdAt", "updatedAt"), "2026-01-01T00:00:00Z")
    versions = [{**USUAL, **TWICE, **times, "name": "thrice", "version": 1, "status": "ready", "error": None}]
    sandbox.add("user_defined_functions", **{**TWICE, "name": "thrice"}, version=2, older=versions)
    return a_service(sandbox)


FUNCTION = Life(
    "UserDefinedFunction",
    before={**TWICE, "files": {"main.py": CODE}},
    after={
        "name": "twice",
        "runtime": "native",
        "type": "executable_pool",
        "arguments": [{"name": "y", "type": "Int8"}],
        "returnType": "Int8",
        "returnName": "z",
        "format": "JSONEachRow",
        "poolSize": 5,
        "commandReadTimeout": 20000,
        "commandWriteTimeout": 30000,
        "maxCommandExecutionTime": 20,
        "sendChunkHeader": True,
        "sandboxType": "netenable",
        "deterministic": True,
        "memoryLimitMib": 512,
        "waitTimeoutMinutes": 5,
        "files": {"main.py": OTHER},
    },
    drift={"returnType": "String"},
    wanted=lambda function: (
        (function["name"], function["runtime"], function["returnType"], function["poolSize"])
        == ("twice", "native", "Int8", 5)
    ),
)

_ATTACHED = {"functionName": "thrice", "serviceId": "$service_id"}

ATTACHMENT = Life(
    "UdfAttachment",
    before={**_ATTACHED, "version": 1},
    after={**_ATTACHED, "version": 2, "waitTimeoutMinutes": 5},
    drift={"version": 1},
    setting=a_function,
)
LIVES = {"user-defined function": FUNCTION, "attachment of a function": ATTACHMENT}

WIRE_LIVES = [
    wire_life(
        "user-defined function",
        FUNCTION,
        after={**TWICE, "returnType": "Int8", "files": {"main.py": OTHER}},
        operations=(
            "create_user_defined_function",
            "publish_user_defined_function",
            "delete_user_defined_function",
            "list_user_defined_functions",
        ),
        details={"returnType": "UPDATE", 'files["main.py"]': "UPDATE"},
        known=frozenset({"runtime", "type"}),
        extra=frozenset({"files"}),
    ),
    wire_life(
        "attachment of a function",
        ATTACHMENT,
        operations=("attach_udf", "attach_udf", "detach_udf", "list_udf_attachments"),
    ),
]

OF_NO_INPUT = {
    "UserDefinedFunction": frozenset({"version", "status", "error", "publishedVersion", "lastError"}),
    "UdfAttachment": frozenset({"status", "lastError"}),
}
"""Outputs that copy no input, by resource."""
