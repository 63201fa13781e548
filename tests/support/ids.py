"""Ids that tests name: what every stack of the vendor's sandbox has. In the other dialect they are as good as any."""

from __future__ import annotations

from pulumi_clouddb.sandbox.connections import CONNECTION
from pulumi_clouddb.sandbox.sources import LOGS, METRICS, TRACES
from pulumi_clouddb.sandbox.webhooks import CALM, LOUD

__all__ = ["CALM", "CONNECTION", "LOGS", "LOUD", "METRICS", "TRACES"]
