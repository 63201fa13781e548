"""The plugin on the wire: its metadata, configuration, unknown and secret values, and the engine's log."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, plugin_pb2, provider_pb2

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import UNKNOWN, Secret
from pulumi_clouddb.engine.wire import log as wire_log
from support.engine import EngineLog
from support.front_ends import FrontEnds
from support.grpc_driver import HostError, raw
from support.listening import Listening
from support.plugin import NativePlugin
from support.sessions import NOWHERE

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}
ROOT = Path(__file__).parents[3]


@pytest.fixture
def plugin(neutral_sandbox: Sandbox, processes: FrontEnds) -> NativePlugin:
    """Return the plugin, configured for the sandbox."""
    return processes.only_native(neutral_sandbox.config)


def test_plugin_metadata(plugin: NativePlugin) -> None:
    """The plugin supports previews, accepts secrets, and returns schema.json unchanged."""
    assert plugin.configured.supportsPreview
    assert plugin.configured.acceptSecrets
    schema = json.loads((ROOT / "schema.json").read_text(encoding="utf-8"))
    assert json.loads(plugin.stub.GetSchema(provider_pb2.GetSchemaRequest()).schema) == schema
    assert plugin.stub.GetPluginInfo(empty_pb2.Empty()).version == schema["version"]
    response = plugin.stub.Handshake(provider_pb2.ProviderHandshakeRequest(engine_address="127.0.0.1:0"))
    assert response.accept_secrets


def test_provider_folder_is_a_plugin(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """The script next to the package starts the plugin from any working directory."""
    script = ROOT / "provider" / "pulumi-resource-clouddb"
    env = {"PULUMI_PYTHON_CMD": sys.executable}
    with NativePlugin(neutral_sandbox.config, tmp_path, env=env, command=[str(script)]) as plugin:
        assert plugin.check("Service", SERVICE).failures == []


def test_type_may_contain_its_parent(plugin: NativePlugin) -> None:
    """`Parent$Type` is accepted; an unknown type is an error."""
    assert plugin.check("my:component:Shop$Service", SERVICE).failures == []
    with pytest.raises(HostError, match=r"no resource clouddb:index:Server\nschema\.json lists all of them"):
        plugin.check("Server", SERVICE)


def test_configuration_may_come_from_the_environment(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """CLOUDDB_* replaces missing inputs of the provider."""
    config = {name: value for name, value in neutral_sandbox.config.items() if name != "clouddb:keySecret"}
    env = {"CLOUDDB_KEY_SECRET": neutral_sandbox.key_secret}
    with NativePlugin(config, tmp_path, env=env) as plugin:
        assert plugin.create("Service", SERVICE).outputs["state"] == "running"


def test_providers_use_their_own_credentials(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """Two providers with two keys run at the same time."""
    other = neutral_sandbox.add_key(name="reader", roles=["query_endpoints"])
    config = {**neutral_sandbox.config, "clouddb:keyId": other["keyId"], "clouddb:keySecret": other["keySecret"]}
    with (
        NativePlugin(neutral_sandbox.config, tmp_path) as first,
        NativePlugin(config, tmp_path) as second,
    ):
        with pytest.raises(HostError, match="403"):
            second.create("Service", SERVICE)
        assert first.create("Service", SERVICE).id


PROVIDERS = {
    "default": ("default_0_1_0", "with `pulumi config set clouddb:keyId …`"),
    "explicit": ("staging", "with arguments of the provider 'staging'"),
}


@pytest.mark.parametrize(("name", "place"), PROVIDERS.values(), ids=PROVIDERS)
def test_advice_for_a_missing_setting_names_its_source(
    name: str, place: str, neutral_sandbox: Sandbox, tmp_path: Path
) -> None:
    """An explicit provider does not read the stack's configuration."""
    config = {key: value for key, value in neutral_sandbox.config.items() if key != "clouddb:keyId"}
    advice = f"Set it {place}, or in the environment as CLOUDDB_KEY_ID."
    with NativePlugin(config, tmp_path, provider_name=name) as plugin:
        (failure,) = plugin.check("Service", SERVICE).failures
        assert failure == f"clouddb:keyId is not set. {advice}"
        with pytest.raises(HostError, match=f"clouddb:keyId is not set\n{advice}"):
            plugin.invoke("listServices", {})


def test_unknown_values_of_every_type_are_recognized(plugin: NativePlugin) -> None:
    """The wire has a different text for each type."""
    texts = ["1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", "3eeb2bf0-c639-47a8-9e75-3b44932eb421"]
    news = raw({**SERVICE, "idleScaling": texts[0], "numReplicas": texts[1]})
    response = plugin.stub.Check(provider_pb2.CheckRequest(type="clouddb:index:Service", news=news))
    assert list(response.failures) == []


def test_nested_secrets_stay_secret(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """An engine that sends secrets in envelopes gets the envelopes back in their places."""
    with NativePlugin(neutral_sandbox.config, tmp_path, secrets=True) as plugin:
        place = {"x": 0, "y": 0, "w": 6, "h": 6}  # check computes what is left out
        series = [{"type": "number", "aggFn": "count", "where": Secret("user = 'me'")}]
        tiles = [{"name": "a", **place, "series": series}]
        inputs = {"name": Secret("Orders"), "tiles": tiles}
        request = provider_pb2.CheckRequest(type="clouddb:index:Dashboard", news=plugin._struct("Dashboard", inputs))
        assert plugin.stub.Check(request).inputs == request.news
        made = plugin.create("Dashboard", inputs)
        assert made.secrets == {"name", "tiles", "tileIds", "__served"}
        (stored,) = neutral_sandbox.dashboards.values()
        assert (stored["name"], stored["tiles"][0]["series"][0]["where"]) == ("Orders", "user = 'me'")


def test_names_in_a_secret_are_no_details_of_a_diff(tmp_path: Path) -> None:
    """The engine would print them, whether the value becomes a secret or is one no more."""
    before, after = {"type": "webhook"}, {"type": "email"}
    state = {"channel": before, "__managed": ["channel"]}
    with NativePlugin(NOWHERE, tmp_path, secrets=True) as plugin:
        for old, new in ((before, Secret(after)), (Secret(before), after)):
            found = plugin.diff("Alert", "id", state, {"channel": new}, {"channel": old})
            assert found.details == {"channel": "UPDATE"}


def test_debug_shows_tracebacks(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """CLOUDDB_DEBUG=1 adds them to errors."""
    neutral_sandbox.fault("create_service", "status", status=400, text="BAD_REQUEST: no")
    with (
        NativePlugin(neutral_sandbox.config, tmp_path, env={"CLOUDDB_DEBUG": "1"}) as plugin,
        pytest.raises(HostError, match="Traceback"),
    ):
        plugin.create("Service", SERVICE)


def test_function_with_unknown_arguments_sends_nothing(neutral_sandbox: Sandbox, plugin: NativePlugin) -> None:
    """All its outputs are unknown; an unknown function is an error."""
    unknown = plugin.invoke("getService", {"serviceId": UNKNOWN})
    assert set(unknown.outputs.values()) == {UNKNOWN}
    assert neutral_sandbox.requests == []
    with pytest.raises(HostError, match=r"no function clouddb:index:getServer\nschema\.json lists all of them"):
        plugin.invoke("getServer", {})


def test_attached_engine_gets_the_warnings(plugin: NativePlugin) -> None:
    """Attach sends the engine's address to a running plugin (`PULUMI_DEBUG_PROVIDERS`)."""
    other = EngineLog()
    plugin.stub.Attach(plugin_pb2.PluginAttach(address=other.address))
    plugin.check("Service", {**SERVICE, "tier": "production"})
    plugin.stub.Attach(plugin_pb2.PluginAttach(address=plugin.engine.address))
    other.stop()
    (warning,) = other.warnings
    assert warning.startswith("Service.tier is deprecated")
    assert plugin.warnings == []


class Busy(EngineLog):
    """An engine that records how long a provider waits for it to take a message."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        super().__init__()

    def Log(self, request: engine_pb2.LogRequest, context: Any) -> empty_pb2.Empty:  # noqa: N802
        """Record the remaining time."""
        self.waits.append(context.time_remaining())
        return super().Log(request, context)


def test_warning_waits_for_a_busy_engine() -> None:
    """A progress message does not: the next one replaces it."""
    engine, log = Busy(), wire_log.EngineLog()
    log.address = engine.address
    log.warn("a warning")
    log.status("urn", "progress")
    engine.stop()
    warning, status = engine.waits
    assert warning > 20
    assert status < 5


@pytest.mark.parametrize("value", [4711, True, {"text": "{{title}}"}, ["a"]], ids=str)
def test_text_that_yaml_has_parsed_is_rejected_with_advice(value: Any, tmp_path: Path) -> None:
    """Pulumi's YAML parses texts of the configuration; the error quotes no secret, and its own words are not masked."""
    advice = (
        "; in YAML, quote it; a text of the configuration that looks like a number, a boolean or JSON arrives as such: "
        "write fn::toJSON: ${…} in place of ${…}"
    )
    hook = {"name": "On call", "service": "generic", "url": "https://x.example.com/"}
    with Listening({**NOWHERE, "clouddb:vocabulary": "clickhouse"}, tmp_path) as plugin:
        (failure,) = plugin.check("Webhook", {**hook, "body": Secret(value)}).failures
        assert failure.startswith("body must be text, not the secret value given")
        assert failure.endswith(advice)
