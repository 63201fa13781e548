"""Ids that tests name: what every stack of the vendor's sandbox has. In the other dialect they are as good as any."""

from __future__ import annotations

import re

from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.sandbox.connections import CONNECTION
from pulumi_clouddb.sandbox.sources import LOGS, METRICS, TRACES
from pulumi_clouddb.sandbox.webhooks import CALM, LOUD

__all__ = ["CALM", "CONNECTION", "LOGS", "LOUD", "METRICS", "PLACEHOLDERS", "TRACES"]

PLACEHOLDERS = {name for each in OPERATIONS.values() for name in re.findall(r"{(\w+)}", each.path)} - {"organizationId"}
"""The placeholders in paths of operations, but for that of the configuration."""
