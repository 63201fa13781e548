"""The plugin on the wire: what it says of itself, its configuration, unknown and secret values, errors, functions."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2

from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing import UNKNOWN, Secret
from support.host import HostFailed
from support.plugin import NativePlugin, raw

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}
ROOT = Path(__file__).parents[1]


@pytest.fixture
def plugin(clouddb_sandbox: Sandbox, tmp_path: Path) -> Iterator[NativePlugin]:
    """Run the plugin against the sandbox."""
    with NativePlugin(clouddb_sandbox.config, tmp_path) as plugin:
        yield plugin


def test_it_says_what_it_is(plugin: NativePlugin) -> None:
    """It takes part in previews, leaves secrets to the engine, and serves schema.json as it is."""
    assert plugin.configured.supportsPreview
    assert not plugin.configured.acceptSecrets
    schema = json.loads((ROOT / "schema.json").read_text(encoding="utf-8"))
    assert json.loads(plugin.stub.GetSchema(provider_pb2.GetSchemaRequest()).schema) == schema
    assert plugin.stub.GetPluginInfo(empty_pb2.Empty()).version == schema["version"]
    answer = plugin.stub.Handshake(provider_pb2.ProviderHandshakeRequest(engine_address="127.0.0.1:0"))
    assert not answer.accept_secrets


def test_the_folder_is_a_plugin(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The script beside the package starts the plugin, wherever it is called from."""
    script = ROOT / "provider" / "pulumi-resource-clouddb"
    env = {"PULUMI_PYTHON_CMD": sys.executable}
    with NativePlugin(clouddb_sandbox.config, tmp_path, env=env, command=[str(script), "127.0.0.1:0"]) as plugin:
        assert plugin.check("Service", SERVICE).failures == []


def test_a_type_may_be_told_with_its_parent(plugin: NativePlugin) -> None:
    """`Parent$Type` is the type; another one is a clear error."""
    assert plugin.check("my:component:Shop$Service", SERVICE).failures == []
    with pytest.raises(HostFailed, match="this provider has no resource clouddb:index:Server\nLook at schema"):
        plugin.check("Server", SERVICE)


def test_a_wrong_configuration_is_told_property_by_property(plugin: NativePlugin) -> None:
    """CheckConfig names what is wrong; unknown values pass, and the environment's stay out of state."""
    checked = plugin.check_config({"baseUrl": "http://example.com", "keyId": UNKNOWN, "pollIntervalSeconds": "0"})
    assert [path for path, _ in checked.failures] == ["baseUrl", "pollIntervalSeconds"]
    assert checked.inputs["keyId"] is UNKNOWN
    assert "organizationId" not in checked.inputs


def test_configuration_may_come_from_the_environment(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """What the provider's inputs leave out is taken from CLOUDDB_*."""
    config = {name: value for name, value in clouddb_sandbox.config.items() if name != "clouddb:keySecret"}
    env = {"CLOUDDB_KEY_SECRET": clouddb_sandbox.key_secret}
    with NativePlugin(config, tmp_path, env=env) as plugin:
        assert plugin.create("Service", SERVICE).outputs["state"] == "running"


def test_providers_side_by_side_keep_their_credentials(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """Two providers under two keys: each one's requests carry its own."""
    other = clouddb_sandbox.add_key(name="reader", roles=["query_endpoints"])
    config = {**clouddb_sandbox.config, "clouddb:keyId": other["keyId"], "clouddb:keySecret": other["keySecret"]}
    with (
        NativePlugin(clouddb_sandbox.config, tmp_path) as first,
        NativePlugin(config, tmp_path) as second,
    ):
        with pytest.raises(HostFailed, match="403"):
            second.create("Service", SERVICE)
        assert first.create("Service", SERVICE).id


def test_unknown_values_pass_at_any_depth(plugin: NativePlugin) -> None:
    """Check neither refuses nor loses them, and the rest is still checked."""
    tiles = [
        {"key": "a", "name": UNKNOWN, "series": [{"type": "number", "where": UNKNOWN}]},
        {"name": "b", "x": "left"},
    ]
    checked = plugin.check("Dashboard", {"name": UNKNOWN, "tiles": tiles})
    assert checked.inputs == {"name": UNKNOWN, "tiles": tiles}
    assert [path for path, _ in checked.failures] == ["tiles[1].x"]


def test_unknown_values_of_every_type_are_known_for_what_they_are(plugin: NativePlugin) -> None:
    """Each type has a text of its own on the wire."""
    texts = ["1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", "3eeb2bf0-c639-47a8-9e75-3b44932eb421"]
    news = raw({**SERVICE, "idleScaling": texts[0], "numReplicas": texts[1]})
    answer = plugin.stub.Check(provider_pb2.CheckRequest(type="clouddb:index:Service", news=news))
    assert list(answer.failures) == []


def test_secrets_stay_secret_at_any_depth(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """An engine that leaves the envelopes on gets them back where they were."""
    with NativePlugin(clouddb_sandbox.config, tmp_path, secrets=True) as plugin:
        tiles = [{"name": "a", "series": [{"type": "number", "aggFn": "count", "where": Secret("user = 'me'")}]}]
        inputs = {"name": Secret("Orders"), "tiles": tiles}
        request = provider_pb2.CheckRequest(type="clouddb:index:Dashboard", news=plugin._struct(inputs))
        assert plugin.stub.Check(request).inputs == request.news
        made = plugin.create("Dashboard", inputs)
        assert made.secrets == {"name", "tiles"}
        (stored,) = clouddb_sandbox.dashboards.values()
        assert (stored["name"], stored["tiles"][0]["series"][0]["where"]) == ("Orders", "user = 'me'")


def test_secrets_that_only_the_server_knows_come_in_envelopes(plugin: NativePlugin) -> None:
    """Passwords and key secrets are marked by the plugin itself."""
    assert plugin.create("Service", {**SERVICE, "encryptionKey": "mine"}).secrets == {"password", "encryptionKey"}
    assert plugin.create("ApiKey", {"name": "ci", "roles": ["developer"]}).secrets == {"keySecret"}


def test_errors_are_two_lines_without_a_traceback(clouddb_sandbox: Sandbox, plugin: NativePlugin) -> None:
    """What was tried and what the server said; then what to do."""
    clouddb_sandbox.fault("create_service", "status", status=400, text="BAD_REQUEST: no")
    with pytest.raises(HostFailed) as failed:
        plugin.create("Service", SERVICE)
    lines = str(failed.value).splitlines()
    assert len(lines) <= 2
    assert "BAD_REQUEST: no" in lines[0]
    assert "Traceback" not in str(failed.value)


def test_tracebacks_are_shown_where_they_are_wanted(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """CLOUDDB_DEBUG=1 shows where an error comes from."""
    clouddb_sandbox.fault("create_service", "status", status=400, text="BAD_REQUEST: no")
    with (
        NativePlugin(clouddb_sandbox.config, tmp_path, env={"CLOUDDB_DEBUG": "1"}) as plugin,
        pytest.raises(HostFailed, match="Traceback"),
    ):
        plugin.create("Service", SERVICE)


def test_deprecated_properties_are_warned_of(plugin: NativePlugin) -> None:
    """Through the engine where there is one, else on standard error."""
    plugin.check("Service", {**SERVICE, "tier": "production"})
    for _ in range(100):
        if plugin.warnings:
            break
        time.sleep(0.02)
    (warning,) = plugin.warnings
    assert warning.startswith("Service.tier is deprecated")


def test_functions(clouddb_sandbox: Sandbox, plugin: NativePlugin) -> None:
    """They answer what the server says, secrets at any depth in envelopes; unknown arguments ask nothing."""
    service = clouddb_sandbox.add("services", name="existing", provider="aws", region="us-east-1")
    pipe = clouddb_sandbox.add_pipe(service["id"], "objectStorage", name="files")
    assert plugin.invoke("getService", {"serviceId": service["id"]}).outputs["name"] == "existing"
    assert len(plugin.invoke("listServices", {}).outputs["services"]) == 1
    found = plugin.invoke("getPipe", {"serviceId": service["id"], "pipeId": pipe["id"]})
    assert (found.outputs["name"], set(found.secrets)) == ("files", {"source"})
    clouddb_sandbox.forget_requests()
    unknown = plugin.invoke("getService", {"serviceId": UNKNOWN})
    assert set(unknown.outputs.values()) == {UNKNOWN}
    assert clouddb_sandbox.requests == []
    with pytest.raises(HostFailed, match="getService: serviceId must be a UUID"):
        plugin.invoke("getService", {"serviceId": "x"})
    with pytest.raises(HostFailed, match="this provider has no function clouddb:index:getServer"):
        plugin.invoke("getServer", {})
