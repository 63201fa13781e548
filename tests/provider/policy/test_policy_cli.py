"""The pack in runs of the real CLI: `pulumi preview --policy-pack`, for programs of both front ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import Secret, stack_config
from lives.life import a_pipe
from pulumi_clouddb.policy.rules import RULES
from pulumi_clouddb.policy.rules.service import production_replicas
from support.policy_project import ROOT, Project

pytestmark = pytest.mark.cli

KEY_SECRET = "key-secret-in-clear"
CONFIG = {
    "clouddb:baseUrl": "https://api.clouddb.example",
    "clouddb:vocabulary": "clickhouse",
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


@pytest.fixture(scope="module")
def dynamic(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return the quickstart, a program of the dynamic front end, in a production stack."""
    config: dict[str, str | Secret] = {**CONFIG, "clouddb:keySecret": Secret(KEY_SECRET), "officeNetwork": "0.0.0.0/0"}
    return Project(tmp_path_factory.mktemp("dynamic"), ROOT / "examples" / "quickstart", "prod", config)


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a program of the native front end, with a credential in plain text in the stack's configuration."""
    folder = tmp_path_factory.mktemp("native")
    program = tmp_path_factory.mktemp("program")
    (program / "__main__.py").write_text(NATIVE, encoding="utf-8")
    return Project(folder, program, "dev", {**CONFIG, "clouddb:keySecret": KEY_SECRET})


def test_preview_of_the_dynamic_quickstart_fails(dynamic: Project) -> None:
    """Only the open access list is mandatory, and its message says how to comply; all other violations are advisory."""
    result = dynamic.preview()
    assert not result.ok
    (opened,) = result.violations["service-no-open-access"]
    assert opened["enforcementLevel"] == "mandatory"
    assert "ip_access_list[0].source is '0.0.0.0/0'; " in opened["message"]
    assert opened["resourceUrn"].endswith("::pulumi-python:dynamic/clouddb:Service::shop")
    mandatory = {name for name, each in result.violations.items() if each[0]["enforcementLevel"] == "mandatory"}
    assert mandatory == {"service-no-open-access"}
    assert "production-deletion-protection" in result.violations  # the stack's name matches production
    assert "production-services-watched" not in result.violations  # the service has no id yet
    assert "can't run policy" not in result.output


def test_configuration_excepts_a_resource(dynamic: Project) -> None:
    """The exception is for one rule, by the resource's name."""
    result = dynamic.preview({"service-no-open-access": {"exceptions": ["shop"]}})
    assert result.ok, result.output
    assert "service-no-open-access" not in result.violations


def test_preview_of_a_native_program_is_remediated(native: Project) -> None:
    """The preview contains the fixed inputs; a secret beside them is not shown."""
    advised = ("no-plain-credentials", "one-scaling-per-pipe")
    remediated = ("service-no-open-access", "pipe-within-budget")
    result = native.preview({**dict.fromkeys(advised, "advisory"), **dict.fromkeys(remediated, "remediate")})
    assert result.ok, result.output
    assert set(result.remediations) == set(remediated)
    (fixed,) = result.remediations["service-no-open-access"]
    assert fixed["after"]["ipAccessList"] == [{"source": "203.0.113.0/24", "description": "Office"}]
    assert fixed["after"]["name"] == "Shop orders"
    assert "service-no-open-access" not in result.violations
    (duplicate,) = result.violations["one-scaling-per-pipe"]
    assert (
        "that 'first' already scales" in duplicate["message"] or "that 'second' already scales" in duplicate["message"]
    )
    (clear,) = result.violations["no-plain-credentials"]
    assert "clouddb:keySecret is in plain text; " in clear["message"]
    assert "customer-key" not in result.output
    assert KEY_SECRET not in result.output
    assert "can't run" not in result.output


def test_environment_chooses_a_profile(native: Project) -> None:
    """In the strict profile, a rule is mandatory that is advisory in the baseline."""
    result = native.preview({"service-no-open-access": "disabled"}, CLOUDDB_POLICY_PROFILE="strict")
    assert not result.ok
    (missing,) = result.violations["service-compliance-type"]
    assert missing["enforcementLevel"] == "mandatory"


def test_invalid_configuration_fails_the_preview(native: Project) -> None:
    """The message has the rule, the setting and the limit."""
    most = production_replicas.schema({})["minimum"]["maximum"]
    result = native.preview({"production-replicas": {"minimum": most + 1}})
    assert not result.ok
    assert f"production-replicas: minimum: Must be less than or equal to {most}" in result.output


STACK_RULES = {each.name for each in RULES if not each.types}
SHARED = """
import pulumi

service = pulumi.CustomResource("clouddb:index:Service", "orders", {
    "name": "Shop orders", "provider": "aws", "region": "us-east-1", "numReplicas": 3, "maxReplicaMemoryGb": 64})
pipe = {"serviceId": "SERVICE", "pipeId": "PIPE"}
pulumi.CustomResource("clouddb:index:PipeScaling", "first", {**pipe, "replicas": 2})
"""
TWICE = 'pulumi.CustomResource("clouddb:index:PipeScaling", "second", {**pipe, "replicas": 2})\n'


OF_USAGE = {"max-cost", "quota-headroom"}
TOGETHER = {"alert-tile-keeps-alerts", "unique-names", "one-owner-per-property", "references-within-account"}
"""Rules about several objects, whose cases are in together.py; this program breaks none of them."""


@pytest.mark.parametrize(
    ("stack", "more", "budget", "violated"),
    [("prod", TWICE, 191, STACK_RULES - OF_USAGE - TOGETHER), ("dev", "", 192, set())],
    ids=["rules are violated", "every rule is kept"],
)
def test_rules_about_an_existing_stack(
    stack: str, more: str, budget: int, violated: set[str], clouddb_sandbox: Sandbox, tmp_path: Path
) -> None:
    """They check its budget, pipes, alerts and configuration.

    Only `clouddb ci preview` knows the organization's usage (test_gitops_usage.py).
    """
    sandbox = clouddb_sandbox
    names = a_pipe(sandbox)
    program = SHARED.replace("SERVICE", names["service_id"]).replace("PIPE", names["pipe_id"])
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "__main__.py").write_text(program, encoding="utf-8")
    config = {**sandbox.config} if violated else stack_config(sandbox)
    (tmp_path / "project").mkdir()
    project = Project(tmp_path / "project", tmp_path / "program", stack, config)
    project.up()
    (tmp_path / "program" / "__main__.py").write_text(program + more, encoding="utf-8")
    settings = {"stack-memory-budget": {"enforcementLevel": "advisory", "maximumGb": budget}}
    result = project.preview({"all": "advisory", **settings})
    assert result.ok, result.output
    assert result.violations.keys() & STACK_RULES == violated
