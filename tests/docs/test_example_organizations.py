"""The program of two organizations: its declarations, and a run with the real CLI and a server for each."""

from __future__ import annotations

from pathlib import Path

import yaml

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, Secret
from support.declared import mistakes
from support.read_yaml import read_yaml
from support.schema import SCHEMA
from support.sdk import YAML

EXAMPLE = Path(__file__).parents[2] / "examples" / "organizations"
PROVIDER = "pulumi:providers:clouddb"


def test_program_matches_the_schema() -> None:
    """Each resource names its provider; the providers have existing inputs, and their secrets are marked."""
    document = yaml.safe_load((EXAMPLE / "Pulumi.yaml").read_text(encoding="utf-8"))
    resources = document["resources"]
    providers = {name: each["properties"] for name, each in resources.items() if each["type"] == PROVIDER}
    assert len(providers) == 2
    for inputs in providers.values():
        assert inputs.keys() <= SCHEMA["provider"]["inputProperties"].keys()
        assert document["config"][inputs["keySecret"][2:-1]]["secret"] is True
    others = {name: each for name, each in resources.items() if name not in providers}
    assert {each["options"]["provider"][2:-1] for each in others.values()} == providers.keys()
    plain = {name: {**each, "options": {}} for name, each in others.items()}
    text = yaml.safe_dump({"resources": plain, "outputs": document["outputs"]})
    assert mistakes(read_yaml(text), SCHEMA) == []


@YAML
def test_one_program_manages_two_organizations(tmp_path: Path) -> None:
    """Each organization gets its objects; another user's key is used; protected objects stay, others are deleted."""
    with Sandbox(vocabulary="clickhouse") as production, Sandbox(vocabulary="clickhouse") as staging:
        config: dict[str, str | Secret] = {}
        for name, sandbox in {"production": production, "staging": staging}.items():
            config |= {
                f"{name}Url": sandbox.url,
                f"{name}Organization": sandbox.config["clouddb:organizationId"],
                f"{name}KeyId": sandbox.config["clouddb:keyId"],
                f"{name}KeySecret": Secret(sandbox.config["clouddb:keySecret"]),
            }
        env = {"CLOUDDB_POLL_INTERVAL_SECONDS": "0.05", "CLOUDDB_PACING": "false"}
        stack = CliStack(EXAMPLE, project="clouddb-organizations", config=config, env=env, work_dir=tmp_path)
        outputs = stack.up().outputs
        (orders,), (of_staging,) = production.services.values(), staging.services.values()
        assert (orders["numReplicas"], of_staging["numReplicas"]) == (3, 2)
        assert production.password_works(orders["id"], outputs["password"].value)
        assert staging.password_works(of_staging["id"], outputs["passwordOfStaging"].value)
        assert [key["name"] for key in production.keys.values()].count("Reports") == 1
        assert "Reports" not in [key["name"] for key in staging.keys.values()]
        assert stack.preview().no_changes

        other = staging.add_key(name="Deployer 2", roles=["admin"])
        stack.set_config("stagingKeyId", other["keyId"])
        stack.set_config("stagingKeySecret", other["keySecret"], secret=True)
        stack.up()
        assert (list(production.services), list(staging.services)) == ([orders["id"]], [of_staging["id"]])
        for sandbox in (production, staging):
            assert sandbox.config["clouddb:keySecret"] not in stack.state_text

        failed = stack.destroy(expect_failure=True)
        assert any("deletionProtection is set" in message for message in failed.errors)
        assert (list(production.services), list(staging.services)) == ([orders["id"]], [])
