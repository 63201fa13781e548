"""Ids of objects that every sandbox of the vendor's dialect has. The neutral dialect accepts any id."""

from __future__ import annotations

import re

from clouddb_tools.sandbox.connections import CONNECTION
from clouddb_tools.sandbox.sources import LOGS, METRICS, TRACES
from clouddb_tools.sandbox.webhooks import CALM, LOUD
from pulumi_clouddb.registry import OPERATIONS

__all__ = ["CALM", "CONNECTION", "LOGS", "LOUD", "METRICS", "PLACEHOLDERS", "TRACES"]

PLACEHOLDERS = {name for each in OPERATIONS.values() for name in re.findall(r"{(\w+)}", each.path)} - {"organizationId"}
"""The placeholders in the paths of operations, except the one that the configuration fills."""
