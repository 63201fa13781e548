"""Ids that tests name: what every stack of the vendor's sandbox has. In the other dialect they are as good as any."""

from __future__ import annotations

from pulumi_clouddb.sandbox.furnished import CALM, CONNECTION, LOGS, LOUD, METRICS, TRACES

__all__ = ["CALM", "CONNECTION", "LOGS", "LOUD", "METRICS", "TRACES"]
