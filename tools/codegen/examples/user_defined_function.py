"""Examples of user-defined functions."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples

_CODE = "for line in open(0): print(2 * int(line), flush=True)"
_TWICE = Step(
    "twice",
    "UserDefinedFunction",
    {
        "name": "twice",
        "runtime": "python3.11",
        "type": "executable_pool",
        "arguments": [{"name": "x", "type": "UInt32"}],
        "returnType": "UInt64",
        "files": {"main.py": _CODE},
    },
)
_ATTACHMENT = Step(
    "ordersTwice",
    "UdfAttachment",
    {"functionName": Ref("twice.id"), "serviceId": SERVICE_ID, "version": Ref("twice.version")},
)

EXAMPLES: Examples = {
    "UserDefinedFunction": (Example("Make a function of a file", [_TWICE], {"version": Ref("twice.version")}),),
    "UdfAttachment": (
        Example("Let a service have each new version", [_TWICE, _ATTACHMENT], {"status": Ref("ordersTwice.status")}),
    ),
    "getUserDefinedFunction": (
        Example(
            "Read a function",
            [Step("twice", "getUserDefinedFunction", {"functionName": "twice"})],
            {"version": Ref("twice.version")},
        ),
    ),
    "listUserDefinedFunctions": (
        Example(
            "List the functions of the organization",
            [Step("found", "listUserDefinedFunctions", {})],
            {"functions": Ref("found.userDefinedFunctions")},
        ),
    ),
    "listUserDefinedFunctionVersions": (
        Example(
            "List the versions of a function",
            [Step("found", "listUserDefinedFunctionVersions", {"name": "twice"})],
            {"versions": Ref("found.versions")},
        ),
    ),
    "listUdfAttachments": (
        Example(
            "List the services that have a function",
            [Step("found", "listUdfAttachments", {"name": "twice"})],
            {"attachments": Ref("found.attachments")},
        ),
    ),
}
