"""The program of docs/other-providers.md: what it passes to the other provider, whose SDK no test can install.

The stand-in has the arguments of the provider's documentation (docs/index.md and docs/resources of clickhousedbops), in
the names that `pulumi package add` gives them in Python.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, Secret, stack_config
from docs.test_examples import blocks

STAND_IN = '''
import pulumi


class _Any(pulumi.ComponentResource):
    """A resource of the other provider: it needs no plugin, and its outputs are its arguments."""

    def __init__(self, resource_name, opts=None, **given):
        kind, required, optional = type(self).__name__, *ARGUMENTS[type(self).__name__]
        assert required <= given.keys() <= required | optional, (kind, sorted(given))
        provider = getattr(opts, "provider", None)
        assert kind == "Provider" or isinstance(provider, Provider), resource_name
        super().__init__(f"clickhousedbops:index/{kind.lower()}:{kind}", resource_name, None)
        vars(self).update({name: pulumi.Output.from_input(value) for name, value in given.items()})
        self.register_outputs({})
        pulumi.export(f"{kind} {resource_name}", given)


ARGUMENTS = {
    "Provider": ({"host", "port", "protocol", "auth_config"}, {"dial_timeout", "query_timeout", "tls_config"}),
    "Database": ({"name"}, {"cluster_name", "comment"}),
    "Role": ({"name"}, {"cluster_name"}),
    "User": (
        {"name", "password_sha256_hash_wo_version"},
        {"cluster_name", "password_sha256_hash", "password_sha256_hash_wo"},
    ),
    "GrantRole": ({"role_name"}, {"cluster_name", "grantee_user_name", "grantee_role_name", "admin_option"}),
    "GrantPrivilege": (
        {"privilege_name"},
        {
            *("cluster_name", "column_name", "database_name", "table_name", "grant_option"),
            *("grantee_role_name", "grantee_user_name"),
        },
    ),
}
globals().update({name: type(name, (_Any,), {}) for name in ARGUMENTS})
'''


def plain(value: Any) -> Any:
    """Return a value without the marks of secrets."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return plain(value.value) if isinstance(value, Secret) else value


def test_program_beside_the_other_provider(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The other provider gets address and password of the service, and each resource that provider."""
    (program,) = blocks("docs/other-providers.md", "python")
    project = tmp_path / "orders"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: orders\nruntime: python\n", encoding="utf-8")
    (project / "__main__.py").write_text(program, encoding="utf-8")
    (project / "pulumi_clickhousedbops.py").write_text(STAND_IN, encoding="utf-8")
    config = {**stack_config(clouddb_sandbox), "orders:alice": Secret("hunter2")}
    stack = FakeEngineStack(project, config=config, work_dir=tmp_path / "work")
    outputs = stack.up().outputs
    (service,) = clouddb_sandbox.services.values()
    endpoint = next(each for each in service["endpoints"] if each["protocol"] == "https")
    connection = plain(outputs["Provider orders"])
    assert (connection["host"], connection["port"]) == (endpoint["host"], endpoint["port"])
    (own,) = [each for each in stack.resources if "password" in each.outputs]
    assert connection["auth_config"]["password"] == plain(own.outputs["password"]) != ""
    assert "hunter2" not in str(outputs)
    assert plain(outputs["GrantRole alice-is-analyst"]) == {"role_name": "analyst", "grantee_user_name": "alice"}
    assert stack.preview().no_changes
    stack.destroy()
