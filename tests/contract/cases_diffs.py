"""What a diff says of each property: nested paths, additions, removals, and what makes another object."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.testing import UNKNOWN

from .case import Case
from .steps import diff, has

DIFFS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, str]]] = [
    ("Service", {"numReplicas": 2}, {"numReplicas": 3}, {"numReplicas": "UPDATE"}),
    ("Service", {"numReplicas": 2}, {"numReplicas": UNKNOWN}, {"numReplicas": "UPDATE"}),
    ("Service", {"numReplicas": 2}, {}, {"numReplicas": "DELETE"}),
    ("Service", {}, {"numReplicas": 2}, {"numReplicas": "ADD"}),
    (
        "Service",
        {"ipAccessList": [{"source": "10.0.0.1"}, {"source": "10.0.0.2", "description": "b"}]},
        {"ipAccessList": [{"source": "10.0.0.2/32", "description": "b"}, {"source": "10.0.0.3"}]},
        {"ipAccessList[0]": "DELETE", "ipAccessList[1]": "ADD"},
    ),
    (
        "Service",
        {"ipAccessList": [{"source": "10.0.0.1"}, {"source": "10.0.0.2"}]},
        {"ipAccessList": [{"source": "10.0.0.1"}, {"source": UNKNOWN, "description": "b"}]},
        {"ipAccessList[1].source": "UPDATE", "ipAccessList[1].description": "ADD"},
    ),
    ("PipeScaling", {"pipeId": "a"}, {"pipeId": "b"}, {"pipeId": "UPDATE_REPLACE"}),
    ("ApiKey", {"keyId": "a"}, {}, {"keyId": "DELETE_REPLACE"}),
    ("ApiKey", {}, {"rotation": "2027"}, {"rotation": "ADD_REPLACE"}),
    ("ApiKey", {"roles": ["admin", "developer"]}, {"roles": ["developer"]}, {"roles[0]": "DELETE"}),
    ("Dashboard", {"tiles": [{"name": "a"}, {"name": "b"}]}, {"tiles": [{"name": "a"}]}, {"tiles[1]": "DELETE"}),
    (
        "Dashboard",
        {"tiles": [{"name": "a"}, {"name": "b"}]},
        {"tiles": [{"name": "a", "key": "a"}, {"name": "b", "h": 2}]},
        {"tiles[1].h": "ADD"},
    ),
    (
        "Dashboard",
        {"tiles": [{"name": "a", "config": {"a b": {"c": [1]}}}]},
        {"tiles": [{"name": "a", "config": {"a b": {"c": [1, 2], "d": 0}}}]},
        {'tiles[0].config["a b"].c[1]': "ADD", 'tiles[0].config["a b"].d': "ADD"},
    ),
    ("Alert", {"channel": {"type": "webhook"}}, {"channel": {"type": "email"}}, {"channel.type": "UPDATE"}),
]

CASES = [
    Case(
        f"{resource}: a diff tells {', '.join(f'{path} {kind}' for path, kind in details.items())} {number}",
        resource,
        (
            has(old),
            diff(new, changes=True, details=details),
            diff(new, old_inputs=False, changes=True, details=details),
        ),
        server=None,
    )
    for number, (resource, old, new, details) in enumerate(DIFFS)
]
