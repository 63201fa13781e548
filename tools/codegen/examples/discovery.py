"""Examples of discovering the schema of a stream."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples

_STREAM = {
    "kinesis": {
        "format": "JSONEachRow",
        "streamName": "clicks",
        "region": "us-east-1",
        "iteratorType": "TRIM_HORIZON",
        "authentication": "IAM_ROLE",
        "iamRole": "arn:aws:iam::123456789012:role/stream-reader",
    }
}

EXAMPLES: Examples = {
    "discoverPipeSchema": (
        Example(
            "Inspect the fields of a stream",
            [Step("clicks", "discoverPipeSchema", {"serviceId": SERVICE_ID, "source": _STREAM})],
            {"columns": Ref("clicks.fields")},
        ),
    ),
}
