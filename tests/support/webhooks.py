"""Ids that tests name. Those of the vendor's servers are 24 hexadecimal digits, and they refuse others."""

from __future__ import annotations

CALM = "65f5e4a3b9e77c001a567890"
LOUD = "65f5e4a3b9e77c001a567891"
"""Webhooks."""

LOGS = "65f5e4a3b9e77c001a5678a0"
"""A data source."""
