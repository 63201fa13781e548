"""What only requests tell before a preview: whether the servers can be reached, and let these credentials in."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pulumi_clouddb.doctor.checks import CHECKS, examine
from pulumi_clouddb.doctor.finding import Finding, Level
from pulumi_clouddb.doctor.situation import Situation

from .report import Message

ASKED = ("addresses", "credentials", "organization", "limit")
"""The checks of `clouddb doctor` that a preview needs; what settings lack, the preview itself tells."""


def server_errors(stack: str, configuration: Mapping[str, str]) -> list[Message]:
    """Return the errors that a stack's servers would answer with; a key that can only read is none.

    Args:
        stack: The stack.
        configuration: Its configuration by whole key, secrets in clear.
    """
    situation = Situation(os.environ, stack, configuration)
    try:
        found = list(examine(situation, [check for check in CHECKS if check.name in ASKED]))
    finally:
        situation.close()
    return [Message(severity="error", text=_text(each)) for each in found if each.level is Level.ERROR]


def _text(finding: Finding) -> str:
    return " ".join(f"{finding.text}. {finding.fix} {finding.command}".split())
