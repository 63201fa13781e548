"""docs/beyond-one-machine.md: state in a bucket of a server that has a name, with the real CLI."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from support.bucket import NAME, bucket

PAGE = (Path(__file__).parents[2] / "docs" / "beyond-one-machine.md").read_text(encoding="utf-8")


@pytest.mark.cli("pulumi-language-yaml")
def test_state_in_a_bucket_of_a_server_with_a_name(tmp_path: Path) -> None:
    """The page's address works there, and a preview writes nothing to the bucket: a role that can only read does."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: yaml\n", encoding="utf-8")
    (address,) = re.findall(r"'(s3://\S+s3ForcePathStyle\S+)'", PAGE)

    def pulumi(*words: str) -> None:
        command = ["pulumi", *words, "--non-interactive"]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    with bucket() as server:
        env = {
            **os.environ,
            **server.env,
            "AWS_ENDPOINT_URL": server.address.replace("127.0.0.1", "localhost"),
            "PULUMI_BACKEND_URL": address.replace("team-state", NAME),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_HOME": str(tmp_path / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }
        pulumi("stack", "init", "dev")
        before = server.texts("pulumi")
        pulumi("preview", "--stack", "dev")
        assert server.texts("pulumi") == before != []
