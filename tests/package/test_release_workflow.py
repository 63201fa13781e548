"""The workflows of this repository: whose code they run, and what a release proves of its files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

WORKFLOWS = Path(__file__).parents[2] / ".github" / "workflows"


def steps(workflow: str) -> list[dict[str, Any]]:
    """Return the steps of all jobs of a workflow."""
    jobs = yaml.safe_load((WORKFLOWS / workflow).read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job.get("steps", ())]


@pytest.mark.parametrize("workflow", sorted(each.name for each in WORKFLOWS.glob("*.yml")))
def test_actions_are_pinned_to_commits(workflow: str) -> None:
    """A tag can be moved to other code."""
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []


def test_a_release_publishes_what_it_attests() -> None:
    """All files of dist/ are in SHA256SUMS when that is attested; nothing is built after it."""
    commands = [step.get("run") or step["uses"].partition("@")[0] for step in steps("release.yml")]
    told = [next((name for name in ORDER if name in each), None) for each in commands]
    assert [each for each in told if each] == ORDER
    (attested,) = (step["with"] for step in steps("release.yml") if "attest" in step.get("uses", ""))
    assert attested == {"subject-checksums": "dist/SHA256SUMS"}


ORDER = ["make dist", "make sbom", "make sdks", "actions/attest-build-provenance", "gh release create"]
