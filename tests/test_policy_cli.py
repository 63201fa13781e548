"""The pack in whole runs of the real CLI: `pulumi preview --policy-pack`, for programs of either front end."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from pulumi_clouddb.testing import CliStack

ROOT = Path(__file__).parents[1]
PACK = ROOT / "examples" / "policy-pack"
KEY_SECRET = "key-secret-in-clear"
CONFIG = {
    "clouddb:baseUrl": "https://api.clouddb.example",
    "clouddb:organizationId": "7f3c2a10-0000-4000-8000-000000000001",
    "clouddb:keyId": "key",
}
NATIVE = """
import pulumi

service = pulumi.CustomResource("clouddb:index:Service", "orders", {
    "name": "Shop orders", "provider": "aws", "region": "eu-central-1", "numReplicas": 2, "maxReplicaMemoryGb": 64,
    "encryptionKey": pulumi.Output.secret("customer-key"),
    "ipAccessList": [{"source": "0.0.0.0/0"}, {"source": "203.0.113.0/24", "description": "Office"}],
})
pulumi.CustomResource("clouddb:index:PipeScaling", "events", {"serviceId": service.id, "pipeId": service.id,
    "replicas": 9})
for name in ("first", "second"):
    pulumi.CustomResource("clouddb:index:PipeScaling", name, {"serviceId": service.id, "replicas": 2,
        "pipeId": "7f3c2a10-0000-4000-8000-000000000002"})
"""


@dataclass(frozen=True)
class Preview:
    """What a preview came to: whether it went well, its policy events by policy, and all that was printed."""

    ok: bool
    violations: dict[str, list[dict[str, Any]]]
    remediations: dict[str, list[dict[str, Any]]]
    output: str


class Project:
    """A project whose previews run with the pack; its stack is made once."""

    def __init__(self, folder: Path, program: Path, main: str, stack: str, config: Mapping[str, str]) -> None:
        self._folder, self._stack = folder, stack
        self._environment = CliStack(program, work_dir=folder).environment
        for name in ("backend", "home", "project"):
            (folder / name).mkdir()
        settings = {"name": "clouddb-quickstart", "runtime": "python", "main": main}
        (folder / "project" / "Pulumi.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        self._pulumi("stack", "init", stack)
        words = [word for key, value in config.items() for word in ("--plaintext", f"{key}={value}")]
        self._pulumi("config", "set-all", *words)

    def preview(self, config: Mapping[str, Any] | None = None, **environment: str) -> Preview:
        """Preview with the example's pack, and a configuration of it."""
        log, given = self._folder / "events.json", self._folder / "config.json"
        log.unlink(missing_ok=True)
        given.write_text(json.dumps(config or {}), encoding="utf-8")
        done = self._pulumi(
            *("preview", "--diff", "--event-log", str(log)),
            *("--policy-pack", str(PACK), "--policy-pack-config", str(given)),
            **environment,
        )
        events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
        kinds = ("policyEvent", "policyRemediationEvent")
        violations, remediations = ([each[kind] for each in events if kind in each] for kind in kinds)
        return Preview(done.returncode == 0, _by(violations), _by(remediations), done.stdout + done.stderr)

    def _pulumi(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", *words, "--non-interactive", "--color", "never", "--cwd", str(self._folder / "project")]
            + (["--stack", self._stack] if words[1] != "init" else []),
            env={**self._environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )


def _by(events: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    return {name: [each for each in events if each["policyName"] == name] for name in {e["policyName"] for e in events}}


@pytest.fixture(scope="module")
def dynamic(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The quickstart, which is a program of the dynamic front end, in a stack of production."""
    _need_cli()
    main = ROOT / "examples" / "quickstart"
    config = {**CONFIG, "officeNetwork": "0.0.0.0/0"}
    return Project(tmp_path_factory.mktemp("dynamic"), ROOT, str(main), "prod", config)


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A program of the native front end, with a secret in the stack's configuration in clear."""
    _need_cli()
    folder = tmp_path_factory.mktemp("native")
    program = tmp_path_factory.mktemp("program")
    (program / "__main__.py").write_text(NATIVE, encoding="utf-8")
    return Project(folder, ROOT, str(program), "dev", {**CONFIG, "clouddb:keySecret": KEY_SECRET})


def _need_cli() -> None:
    if not CliStack.available():
        pytest.skip("there is no pulumi on PATH")


def test_a_preview_of_the_dynamic_quickstart_is_stopped(dynamic: Project) -> None:
    """The open list stops it, with a message that says how to comply; the rest is advice."""
    found = dynamic.preview()
    assert not found.ok
    (opened,) = found.violations["service-no-open-access"]
    assert opened["enforcementLevel"] == "mandatory"
    assert "ipAccessList[0].source is '0.0.0.0/0'; " in opened["message"]
    assert opened["resourceUrn"].endswith("::pulumi-python:dynamic/clouddb:Service::shop")
    mandatory = {name for name, each in found.violations.items() if each[0]["enforcementLevel"] == "mandatory"}
    assert mandatory == {"service-no-open-access"}
    assert "production-deletion-protection" in found.violations  # the stack's name says that it is production
    assert "production-services-watched" not in found.violations  # though the service has no id yet
    assert "can't run policy" not in found.output


def test_a_configuration_excepts_a_resource(dynamic: Project) -> None:
    """By name, for one rule."""
    found = dynamic.preview({"service-no-open-access": {"exceptions": ["shop"]}})
    assert found.ok, found.output
    assert "service-no-open-access" not in found.violations


def test_a_preview_of_a_native_program_is_remediated(native: Project) -> None:
    """The fixed inputs are what is previewed; a secret beside them stays hidden, and is not told."""
    advised = ("no-plain-credentials", "one-scaling-per-pipe")
    remediated = ("service-no-open-access", "pipe-within-budget")
    found = native.preview({**dict.fromkeys(advised, "advisory"), **dict.fromkeys(remediated, "remediate")})
    assert found.ok, found.output
    assert set(found.remediations) == set(remediated)
    (fixed,) = found.remediations["service-no-open-access"]
    assert fixed["after"]["ipAccessList"] == [{"source": "203.0.113.0/24", "description": "Office"}]
    assert fixed["after"]["name"] == "Shop orders"
    assert "service-no-open-access" not in found.violations
    (twin,) = found.violations["one-scaling-per-pipe"]
    assert "which 'first' scales already" in twin["message"] or "which 'second' scales already" in twin["message"]
    (clear,) = found.violations["no-plain-credentials"]
    assert "clouddb:keySecret is in clear; " in clear["message"]
    assert "customer-key" not in found.output
    assert KEY_SECRET not in found.output
    assert "can't run" not in found.output


def test_the_environment_chooses_a_profile(native: Project) -> None:
    """The strict profile stops what the baseline only advises against."""
    found = native.preview({"service-no-open-access": "disabled"}, CLOUDDB_POLICY_PROFILE="strict")
    assert not found.ok
    (missing,) = found.violations["service-compliance-type"]
    assert missing["enforcementLevel"] == "mandatory"


def test_a_configuration_that_does_not_fit_stops_the_preview(native: Project) -> None:
    """It names the rule, the setting and the limit."""
    found = native.preview({"production-replicas": {"minimum": 21}})
    assert not found.ok
    assert "production-replicas: minimum: Must be less than or equal to 20" in found.output
