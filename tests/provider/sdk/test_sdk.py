"""The typed classes: the values they send and return, and the errors they raise before anything is sent."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime import mocks, proto
from pydantic.alias_generators import to_pascal

import pulumi_clouddb as clouddb
from codegen.names import base_name, examples_of
from pulumi_clouddb import outputs, sdk
from pulumi_clouddb.engine.dynamic import functions
from pulumi_clouddb.errors import ArgumentError, UnknownKeyError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.public_names import python_name
from pulumi_clouddb.sdk._keyed import MOST_SHOWN
from pulumi_clouddb.sdk._options import translate_paths
from pulumi_clouddb.things.dashboards.tile_config_fields import BUILDER, RAW_SQL, DisplayType
from support.mocked import Engine, mocked_engine
from support.schema import SCHEMA

SERVICE_ID = "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"
OUTPUTS: dict[str, dict[str, Any]] = {
    "Service": {
        "endpoints": [{"protocol": "https", "host": "h.example.com", "port": 8443.0}],
        "numReplicas": 3.0,
        "engineVersion": "25.1",
        "password": "initial",
    },
    "Dashboard": {"tileIds": {"errors": "tile-1", "my_Own-key": "tile-2"}},
    "PipeScaling": {"effectiveScaling": {"replicas": 4.0, "replicaMemoryGb": 0.5}},
    "ApiKey": {"adopted": False},
}


class Monitor(Engine):
    """A fake engine that keeps each request, and responds with the inputs and some outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Any] = []
        self.inputs: dict[str, dict[str, Any]] = {}
        self.types: dict[str, str] = {}

    def RegisterResource(self, request: Any) -> proto.RegisterResourceResponse:  # noqa: N802 - gRPC's name
        """Keep the request."""
        self.requests.append(request)
        response: proto.RegisterResourceResponse = super().RegisterResource(request)  # type: ignore[no-untyped-call]
        return response

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        """Respond to a registration or a read."""
        sent = {name: value for name, value in args.inputs.items() if not name.startswith("__")}
        self.inputs[args.name], self.types[args.name] = sent, args.typ
        return args.resource_id or f"{args.name}-id", {**sent, **OUTPUTS.get(base_name(args.typ), {})}


@pytest.fixture(autouse=True)
def monitor() -> Iterator[Monitor]:
    """Replace the engine by a recording one."""
    recording = Monitor()
    with mocked_engine(recording, monitor=recording):
        yield recording


def run(program: Callable[[], Mapping[str, pulumi.Output[Any]] | None]) -> dict[str, Any]:
    """Run a program and return its resolved outputs one by one, since Output.all converts objects to plain dicts."""
    values: dict[str, Any] = {}

    def keep(name: str) -> Callable[[Any], None]:
        return lambda value: values.update({name: value})

    def inner() -> None:
        for name, output in (program() or {}).items():
            output.apply(keep(name))

    mocks.test(inner)()  # type: ignore[no-untyped-call]
    return values


def secretness(program: Callable[[], Mapping[str, pulumi.Output[Any]]]) -> dict[str, bool]:
    """Run a program and return which of its outputs are secret."""
    secret: dict[str, bool] = {}

    async def read() -> None:
        secret.update({name: await output.is_secret() for name, output in program().items()})

    mocks.test(read)()  # type: ignore[no-untyped-call]
    return secret


def test_names_are_camel_case_on_the_wire(monitor: Monitor) -> None:
    """Names are translated at every depth, in objects and in dicts; enums become their values."""

    def program() -> None:
        clouddb.Service(
            "orders",
            name="orders",
            region=clouddb.Region.EU_WEST_1,
            provider="aws",
            min_replica_memory_gb=8,
            ip_access_list=[clouddb.IpAccessEntryArgs(source="203.0.113.0/24"), {"source": "198.51.100.7"}],
        )
        clouddb.Alert(
            "errors", threshold=1, threshold_type="above", interval="5m", channel={"type": "webhook", "webhook_id": "w"}
        )

    run(program)
    assert monitor.types["orders"] == "pulumi-python:dynamic/clouddb:Service"
    assert monitor.inputs["orders"] == {
        "name": "orders",
        "region": "eu-west-1",
        "provider": "aws",
        "minReplicaMemoryGb": 8,
        "ipAccessList": [{"source": "203.0.113.0/24"}, {"source": "198.51.100.7"}],
    }
    assert monitor.inputs["errors"]["thresholdType"] == "above"
    assert monitor.inputs["errors"]["channel"] == {"type": "webhook", "webhookId": "w"}


def test_objects_may_be_typed_dicts(monitor: Monitor) -> None:
    """Dicts are accepted at every depth, also beside and within classes; mypy knows their keys."""
    office: clouddb.IpAccessEntryArgsDict = {"source": "203.0.113.0/24"}
    series: clouddb.SeriesArgsDict = {"source_id": "logs", "agg_fn": pulumi.Output.from_input("count"), "group_by": []}
    tiles: list[clouddb.TileArgs | clouddb.TileArgsDict] = [
        {"name": "Errors", "as_ratio": True, "series": [series, clouddb.SeriesArgs(source_id="traces")]},
        clouddb.TileArgs(name="Speed", series=[series]),
    ]

    def program() -> None:
        clouddb.ApiKey("reader", clouddb.ApiKeyArgs(name="reader", ip_access_list=[office, {"source": "198.51.100.7"}]))
        clouddb.Service("orders", name="orders", endpoints=[{"protocol": "mysql", "enabled": False}])
        clouddb.Dashboard("board", name="Board", tiles=tiles)

    run(program)
    wire = {"sourceId": "logs", "aggFn": "count", "groupBy": []}
    assert monitor.inputs["reader"]["ipAccessList"] == [{"source": "203.0.113.0/24"}, {"source": "198.51.100.7"}]
    assert monitor.inputs["orders"]["endpoints"] == [{"protocol": "mysql", "enabled": False}]
    assert monitor.inputs["board"]["tiles"] == [
        {"name": "Errors", "asRatio": True, "series": [wire, {"sourceId": "traces"}]},
        {"name": "Speed", "series": [wire]},
    ]


def mistakes_in_typed_dicts() -> None:
    """Never run: mypy reports each statement, and reports an unneeded `ignore` if it no longer does."""
    clouddb.Service("a", name="a", endpoints=[{"protocol": "mysql", "enable": False}])  # type: ignore[list-item]
    clouddb.Service("b", name="b", ip_access_list=[{"description": "office"}])  # type: ignore[list-item]
    clouddb.Dashboard("c", name="c", tiles=[{"series": [{"group_by": 1}]}])  # type: ignore[list-item]
    clouddb.TileArgs(series=[{"sourceId": "logs"}])  # type: ignore[list-item]
    _: clouddb.AlertChannelArgsDict = {"type": "webhook", "webhookId": "w"}  # type: ignore[typeddict-unknown-key]


def test_tile_config_translates_only_known_keys(monitor: Monitor) -> None:
    """Keys of the class are translated, in a dict, too; other keys and the keys of tiles are unchanged."""
    item = clouddb.SelectItemArgs(agg_fn="avg", value_expression="x")
    typed = clouddb.TileConfigArgs(display_type="line", select=[item])
    newer: dict[str, Any] = {"displayType": "line", "select": [{"aggFn": "avg", "value_expression": "x", "new_key": 1}]}

    def program() -> dict[str, Any]:
        tiles: list[Any] = [
            clouddb.TileArgs(key="my_Own-key", as_ratio=True, config=typed),
            {"key": "errors", "config": newer},
            clouddb.TileArgs(key="search", config={"display_type": "search", "columns": "a, b"}),
        ]
        board = clouddb.Dashboard("board", name="Board", tiles=tiles)
        return {"tiles": board.tiles, "own": board.tile_ids["my_Own-key"], "errors": board.tile_ids["errors"]}

    resolved = run(program)
    line = {"displayType": "line", "select": [{"aggFn": "avg", "valueExpression": "x"}]}
    assert [tile["config"] for tile in monitor.inputs["board"]["tiles"]] == [
        line,
        {**line, "select": [{**line["select"][0], "new_key": 1}]},  # type: ignore[dict-item]
        {"displayType": "search", "columns": "a, b"},
    ]
    assert monitor.inputs["board"]["tiles"][0]["asRatio"] is True
    assert (resolved["own"], resolved["errors"]) == ("tile-2", "tile-1")
    assert resolved["tiles"][0].config.display_type == "line"
    assert resolved["tiles"][0].as_ratio is True


CONFIGS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "lines": (
        lambda: clouddb.LineTileConfigArgs(source_id="s", select=[{"agg_fn": "count"}], group_by="Service"),
        {"displayType": "line", "sourceId": "s", "select": [{"aggFn": "count"}], "groupBy": "Service"},
    ),
    "rows": (
        lambda: clouddb.SearchTileConfigArgs(source_id="s", columns="Body"),
        {"displayType": "search", "sourceId": "s", "columns": "Body"},
    ),
    "raw SQL": (
        lambda: clouddb.SqlTableTileConfigArgs(connection_id="c", sql_template="SELECT 1"),
        {"displayType": "table", "configType": "sql", "connectionId": "c", "sqlTemplate": "SELECT 1"},
    ),
}


@pytest.mark.parametrize(("config", "sent"), CONFIGS.values(), ids=CONFIGS)
def test_tile_config_may_have_the_class_of_its_kind(
    monitor: Monitor, config: Callable[[], Any], sent: dict[str, Any]
) -> None:
    """The class sets the display type, and the configuration type if needed."""

    def program() -> None:
        tile = clouddb.TileArgs(name="Errors", x=0, y=0.5, w=6, h=3, config=config())
        clouddb.Dashboard("shop", name="Shop", tiles=[tile])

    run(program)
    assert monitor.inputs["shop"]["tiles"][0]["config"] == sent


def test_each_kind_of_tile_has_a_class() -> None:
    """Raw SQL has separate classes; each class has a typed dict."""
    kinds = [("", kind) for kind in BUILDER] + [("Sql", kind) for kind in RAW_SQL]
    expected = {f"{sql}{to_pascal(str(DisplayType(kind).value))}TileConfigArgs" for sql, kind in kinds}
    names = {name for name in clouddb.__all__ if re.fullmatch(r"\w+TileConfigArgs", name)}
    assert names == expected
    assert {f"{name}Dict" for name in names} <= set(clouddb.__all__)


def test_outputs_are_typed() -> None:
    """Nested outputs have attributes, and whole numbers are ints although all numbers travel as floats."""

    def program() -> dict[str, Any]:
        service = clouddb.Service("orders", name="orders")
        scaling = clouddb.PipeScaling("clicks", service_id=SERVICE_ID, pipe_id=SERVICE_ID)
        return {
            "endpoints": service.endpoints,
            "host": service.endpoints.apply(lambda endpoints: endpoints[0].host if endpoints else None),
            "replicas": service.num_replicas,
            "version": service.engine_version,
            "nothing": service.iam_role,
            "scaling": scaling.effective_scaling,
        }

    resolved = run(program)
    assert isinstance(resolved["endpoints"][0], outputs.ServiceEndpoint)
    assert resolved["host"] == "h.example.com"
    assert (resolved["endpoints"][0].port, type(resolved["endpoints"][0].port)) == (8443, int)
    assert (resolved["replicas"], type(resolved["replicas"])) == (3, int)
    assert (resolved["scaling"].replicas, resolved["scaling"].replica_memory_gb) == (4, 0.5)
    assert (resolved["version"], resolved["nothing"]) == ("25.1", None)


def test_stored_provider_is_small_and_constant(monitor: Monitor) -> None:
    """It is a reference to a class, in plain text, and equal for equal resources."""

    def program() -> None:
        for name in ("one", "two"):
            clouddb.Service(name, name=name)

    run(program)
    blobs = {request.object["__provider"] for request in monitor.requests if "Service" in request.type}
    assert len(blobs) == 1
    assert len(blobs.pop()) < 200


def test_arguments_object_can_be_used_twice(monitor: Monitor) -> None:
    """It is not changed; an object together with arguments is an error."""
    args = clouddb.ServiceArgs(name="orders", num_replicas=3)

    def program() -> None:
        clouddb.Service("one", args)
        clouddb.Service("two", args, pulumi.ResourceOptions(protect=True))

    run(program)
    assert monitor.inputs["one"] == monitor.inputs["two"] == {"name": "orders", "numReplicas": 3}
    assert [request.protect for request in monitor.requests if "Service" in request.type] == [False, True]
    with pytest.raises(TypeError, match="not both: region"):
        clouddb.Service("three", args, region="eu-west-1")  # type: ignore[call-overload]


@pytest.mark.parametrize("name", list(RESOURCES))
def test_missing_required_property_is_a_type_error(name: str) -> None:
    """The error lists all missing properties; a resource without required ones is created."""
    required = SCHEMA["resources"][f"clouddb:index:{name}"]["requiredInputs"]
    if not required:
        run(lambda: {"it": getattr(clouddb, name)("it").urn})
        return
    with pytest.raises(ArgumentError) as caught:
        getattr(clouddb, name)("it")
    assert str(caught.value) == f"{name} 'it': it needs {', '.join(repr(python_name(each)) for each in required)}"
    with pytest.raises(TypeError, match="it needs"):
        getattr(clouddb, f"{name}Args")()


def test_unknown_property_is_a_type_error() -> None:
    """The error is raised at the line of the program, with suggestions."""
    with pytest.raises(TypeError) as caught:
        clouddb.Service("orders", nam="orders", num_replica=3, teem="data")  # type: ignore[call-overload]
    assert isinstance(caught.value, ArgumentError)
    assert str(caught.value) == (
        "Service 'orders': it has no argument 'nam' (did you mean 'name'?); it has no argument 'num_replica' (did you "
        "mean 'num_replicas'?); it has no argument 'teem'; it needs 'name'"
    )
    assert caught.traceback[0].frame.code.path == Path(__file__), "the traceback begins at the program"


def component(provider: pulumi.ProviderResource) -> pulumi.ComponentResource:
    """Return a component whose children get a provider."""
    return pulumi.ComponentResource("my:index:Shop", "shop", None, pulumi.ResourceOptions(providers=[provider]))


OPTIONS_OF_THE_PLUGIN: dict[str, tuple[Callable[[pulumi.ProviderResource], object], str]] = {
    "a provider of the plugin": (
        lambda provider: clouddb.Service("orders", name="orders", opts=pulumi.ResourceOptions(provider=provider)),
        "Service 'orders': the option provider",
    ),
    "a provider of the plugin, to read": (
        lambda provider: clouddb.Service.get("orders", SERVICE_ID, opts=pulumi.ResourceOptions(provider=provider)),
        "Service 'orders': the option provider",
    ),
    "a provider for a function": (
        lambda provider: clouddb.list_services_output(opts=pulumi.InvokeOutputOptions(provider=provider)),
        "list_services_output: the option provider",
    ),
    "a provider of the parent": (
        lambda provider: clouddb.Service(
            "orders", name="orders", opts=pulumi.ResourceOptions(parent=component(provider))
        ),
        "Service 'orders': the option provider",
    ),
    "a provider of the parent, for a function": (
        lambda provider: clouddb.list_services_output(opts=pulumi.InvokeOutputOptions(parent=component(provider))),
        "list_services_output: the option provider",
    ),
    "an import": (
        lambda _: clouddb.Service("orders", name="orders", opts=pulumi.ResourceOptions(import_=SERVICE_ID)),
        "Service 'orders': the option import_",
    ),
    "a replacement by an option": (
        lambda _: clouddb.Service("orders", name="orders", opts=pulumi.ResourceOptions(replace_on_changes=["name"])),
        "Service 'orders': the option replace_on_changes",
    ),
}

PATHS = {
    "name": "name",
    "ip_access_list": "ipAccessList",
    "ipAccessList[0].source": "ipAccessList[0].source",
    "ip_access_list[*].description": "ipAccessList[*].description",
    'ip_access_list[0]["description"]': 'ipAccessList[0]["description"]',
    "backup_configuration.backup_period_in_hours": "backupConfiguration.backupPeriodInHours",
    "settings.max_threads": "settings.max_threads",
    "*": "*",
    "[*]": "[*]",
}


def test_paths_in_options_are_translated_to_wire_names() -> None:
    """Pulumi translates whole names only, and other paths would have no effect. Keys of maps are unchanged."""
    for option in ("ignore_changes", "hide_diffs"):
        opts = pulumi.ResourceOptions()
        setattr(opts, option, [*PATHS])
        assert translate_paths(opts, "Service") == []
        assert getattr(opts, option) == [*PATHS.values()]
    outputs = pulumi.ResourceOptions(additional_secret_outputs=["last_error", "endpoints"])
    assert translate_paths(outputs, "Service") == []
    assert outputs.additional_secret_outputs == ["lastError", "endpoints"]
    tiles = pulumi.ResourceOptions(ignore_changes=["tiles[0].series[1].agg_fn"])
    assert translate_paths(tiles, "Dashboard") == []
    assert tiles.ignore_changes == ["tiles[0].series[1].aggFn"]


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("ip_acces_list", "it has no property 'ip_acces_list' (did you mean 'ip_access_list'?)"),
        ("ip_access_list[0].sourc", "it has no property 'sourc' (did you mean 'source'?)"),
        ("name[", "it is not a path"),
        ("", "it is not a path"),
    ],
)
@pytest.mark.usefixtures("monitor")
def test_unknown_path_in_options_is_rejected(path: str, problem: str) -> None:
    """It would have no effect."""

    def program() -> None:
        opts = pulumi.ResourceOptions(ignore_changes=[path])
        with pytest.raises(ArgumentError) as refused:
            clouddb.Service("orders", name="orders", opts=opts)
        assert f"Service 'orders': ignore_changes has {path!r}: {problem}" in str(refused.value)
        assert opts.ignore_changes == [path]

    run(program)


@pytest.mark.parametrize(("use", "message"), OPTIONS_OF_THE_PLUGIN.values(), ids=OPTIONS_OF_THE_PLUGIN)
def test_option_that_needs_the_plugin_is_rejected(
    use: Callable[[pulumi.ProviderResource], object], message: str, monitor: Monitor
) -> None:
    """Pulumi would ignore such a provider, and use the credentials of the stack's configuration."""

    def program() -> None:
        provider = pulumi.ProviderResource("clouddb", "staging", {"keyId": "other"})
        with pytest.raises(ArgumentError, match=f"^{re.escape(message)}.* needs the native plugin: "):
            use(provider)

    run(program)
    assert not [request.type for request in monitor.requests if "dynamic" in request.type]


def test_dynamic_provider_is_accepted(monitor: Monitor) -> None:
    """Another provider of Pulumi's dynamic host has its own processes and settings."""

    def program() -> None:
        provider = pulumi.ProviderResource("pulumi-python", "second", {"clouddb:keyId": "other"})
        clouddb.Service("orders", name="orders", opts=pulumi.ResourceOptions(provider=provider))
        clouddb.Service("shop", name="shop", opts=pulumi.ResourceOptions(parent=component(provider)))

    run(program)
    providers = [request.provider for request in monitor.requests if "Service" in request.type]
    assert ["second" in each for each in providers] == [True, True]


MISSPELT_KEYS: dict[str, tuple[Any, str, str | None]] = {
    "similar to a key": ([{"key": "errors"}, clouddb.TileArgs(name="Rate")], "eror", "errors"),
    "similar to no key": ([{"key": "errors"}], "latency", None),
    "similar to one of many": ([{"key": f"tile {number}"} for number in range(40)], "tile 3!", "tile 3"),
}


@pytest.mark.usefixtures("monitor")
@pytest.mark.parametrize(("tiles", "key", "similar"), MISSPELT_KEYS.values(), ids=MISSPELT_KEYS)
def test_unknown_tile_key_is_an_error(tiles: Any, key: str, similar: str | None) -> None:
    """It is raised in a preview already, and lists the existing keys."""
    board = clouddb.Dashboard("board", name="Board", tiles=tiles)
    with pytest.raises(KeyError) as caught:
        board.tile_ids[key]
    assert isinstance(caught.value, UnknownKeyError)
    first, second = str(caught.value).split("\n")
    assert first == f"Dashboard 'board', tile_ids has no {key!r}" + (f"; did you mean {similar}?" if similar else "")
    assert second.startswith("It has ")
    assert similar is None or repr(similar) in second
    assert second.count("'") <= 2 * MOST_SHOWN


@pytest.mark.usefixtures("monitor")
def test_tile_key_is_checked_when_the_tiles_are_known() -> None:
    """Keys may be outputs, which are known only after the server's response."""
    tiles = [clouddb.TileArgs(key=pulumi.Output.from_input("errors"))]

    def program(key: str) -> dict[str, Any]:
        board = clouddb.Dashboard("board", name="Board", tiles=tiles)
        return {"id": board.tile_ids[key]}

    assert run(lambda: program("errors"))["id"] == "tile-1"
    with pytest.raises(UnknownKeyError, match="did you mean errors"):
        run(lambda: program("eror"))


def test_deprecated_property_is_left_to_the_providers_warning(monitor: Monitor) -> None:
    """The class gives none of its own: the provider's is in Python names, and shown wherever the property is set."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        run(lambda: {"urn": clouddb.Service("old", clouddb.ServiceArgs(name="old", max_total_memory_gb=24)).urn})
    assert monitor.inputs["old"]["maxTotalMemoryGb"] == 24


def test_secret_inputs_are_wrapped(monitor: Monitor) -> None:
    """A secret input that is given as plain text is sent as a secret."""

    def program() -> dict[str, pulumi.Output[Any]]:
        service = clouddb.Service("orders", name="orders", encryption_key="hunter2")
        return {"key": service.encryption_key, "name": service.name}

    assert secretness(program) == {"key": True, "name": False}
    sent = next(request.object for request in monitor.requests if request.name == "orders")
    assert sent["encryptionKey"]["value"] == "hunter2"


def test_secret_outputs_are_sent_under_wire_names(monitor: Monitor) -> None:
    """They are the secret outputs of the class and those of the program's option."""

    def program() -> None:
        clouddb.Service("orders", pulumi.ResourceOptions(additional_secret_outputs=["engine_version"]), name="orders")
        clouddb.ApiKey("reader", name="reader", roles=["query_endpoints"])
        clouddb.Dashboard("board", name="Board", tiles=[])

    run(program)
    announced = {request.name: set(request.additionalSecretOutputs) for request in monitor.requests}
    hashes = {"passwordHash", "passwordDoubleSha1Hash"}
    keys = {"encryptionKey", "backupBucketSecret", "backupEncryptionConfig"}
    assert announced["orders"] == {"password", "engineVersion", *keys, *hashes}
    assert announced["reader"] == {"keySecret"}
    assert announced["board"] == set()


def test_get_sends_the_id_and_state_inputs_only(monitor: Monitor) -> None:
    """A managed dashboard also needs its service.

    The option `id` does the same.
    """

    def program() -> dict[str, Any]:
        service = clouddb.Service.get("orders", SERVICE_ID)
        board = clouddb.Dashboard.get("board", "dashboard-1", service_id=SERVICE_ID)
        option = pulumi.ResourceOptions(id=service.id)
        same = clouddb.Service("same", option)  # type: ignore[call-overload]
        return {"service": service.id, "version": service.engine_version, "board": board.id, "same": same.id}

    expected = {"service": SERVICE_ID, "version": "25.1", "board": "dashboard-1", "same": SERVICE_ID}
    assert run(program) == expected
    assert monitor.inputs == {"orders": {}, "board": {"serviceId": SERVICE_ID}, "same": {}}


def test_subclass_keeps_the_resource_type(monitor: Monitor) -> None:
    """A program may extend a class; type and outputs stay the same."""

    class Production(clouddb.Service):
        """A service with a fixed setting."""

        def __init__(self, resource_name: str) -> None:
            super().__init__(resource_name, name=resource_name, deletion_protection=True)

    assert run(lambda: {"version": Production("orders").engine_version})["version"] == "25.1"
    assert monitor.types["orders"] == "pulumi-python:dynamic/clouddb:Service"


PIPE: dict[str, Any] = {
    "id": "p",
    "scaling": {"replicas": 2, "replicaMemoryGb": 0.5},
    "source": {"objectStorage": {"url": "https://x/*.csv", "connectionString": "AccountKey=abc"}},
    "settings": {"engine_max_threads": 4},
}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Mapping[str, Any]]]:
    """Replace the provider's functions, and keep the calls."""
    made: list[tuple[str, Mapping[str, Any]]] = []

    def answer(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        made.append((name, arguments))
        sources = {"sources": [{"id": "s", "from": {"Own-key": 1}}]}
        return {"getPipe": PIPE, "listSources": sources}.get(name, {})

    monkeypatch.setattr(functions, "call", answer)
    return made


def test_function_returns_a_typed_result(calls: list[tuple[str, Mapping[str, Any]]]) -> None:
    """Arguments are in snake_case, sent under wire names, and left out if not given."""
    pipe = clouddb.get_pipe(service_id=SERVICE_ID, pipe_id="p")
    assert calls == [("getPipe", {"serviceId": SERVICE_ID, "pipeId": "p"})]
    assert isinstance(pipe, clouddb.GetPipeResult)
    assert pipe.source is not None
    assert pipe.source.object_storage is not None
    assert pipe.source.object_storage.url == "https://x/*.csv"
    assert pipe.source.kafka is None
    assert pipe.settings is not None
    assert pipe.settings.engine_max_threads == 4
    (source,) = clouddb.list_sources().sources
    assert (source.id, source["id"], source.from_) == ("s", "s", {"Own-key": 1})
    assert calls[1] == ("listSources", {})


@pytest.mark.usefixtures("calls")
def test_secrets_in_a_result_are_secret_outputs() -> None:
    """A credential is not in plain values, in the repr or in exports."""

    def program() -> dict[str, pulumi.Output[Any]]:
        pipe = clouddb.get_pipe(service_id=SERVICE_ID, pipe_id="p")
        assert "AccountKey" not in repr(pipe)
        assert pipe.source is not None
        assert pipe.source.object_storage is not None
        assert isinstance(pipe.source.object_storage.connection_string, pulumi.Output)
        later = clouddb.get_pipe_output(service_id=SERVICE_ID, pipe_id="p")
        return {
            "now": pipe.source.object_storage.connection_string,
            "later": later.source.object_storage.connection_string,
            "url": later.source.object_storage.url,
        }

    assert secretness(program) == {"now": True, "later": True, "url": False}


def test_function_waits_for_outputs_and_dependencies(calls: list[tuple[str, Mapping[str, Any]]]) -> None:
    """It is called with the id of a resource, or after a resource that it depends on."""

    def program() -> dict[str, Any]:
        service = clouddb.Service("orders", name="orders")
        after = pulumi.InvokeOutputOptions(depends_on=[service])
        return {
            "pipe": clouddb.get_pipe_output(service_id=service.id, pipe_id="p").scaling,
            "sources": clouddb.list_sources_output(opts=after).sources,
        }

    resolved = run(program)
    assert resolved["pipe"].replicas == 2
    assert resolved["sources"][0].from_ == {"Own-key": 1}
    assert ("getPipe", {"serviceId": "orders-id", "pipeId": "p"}) in calls


def python_examples() -> Iterator[Any]:
    """Yield every Python example of the schema."""
    for section in ("resources", "functions"):
        for token, spec in SCHEMA[section].items():
            for title, program in examples_of(spec, "python"):
                yield pytest.param(program, id=f"{base_name(token)}: {title}")


@pytest.mark.usefixtures("calls")
@pytest.mark.parametrize("program", list(python_examples()))
def test_python_examples_run(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each example runs unchanged."""
    monkeypatch.setattr(pulumi, "export", lambda *_: None)
    pulumi.runtime.set_all_config({f"{pulumi.get_project()}:password": "canary"})  # the setting of an example

    def whole() -> None:
        exec(compile(program, "example", "exec"), {})  # noqa: S102 - our own text

    run(whole)


def is_of(value: object, module: str) -> bool:
    """Return whether a module defines a value."""
    return getattr(value, "__module__", "") == module


def test_all_lists_every_generated_name() -> None:
    """`__all__` is complete, and each of its names can be imported."""
    names = {*clouddb.__all__} - {"__version__"}
    assert all(getattr(clouddb, name) for name in names)
    defined: dict[bool, set[str]] = {True: set(), False: set()}
    for each in pkgutil.walk_packages(sdk.__path__, "pulumi_clouddb.sdk."):
        _, _, folder, *_ = each.name.split(".")
        if not folder.startswith("_") or folder in ("_enums", "_inputs"):
            own = [name for name, value in vars(import_module(each.name)).items() if is_of(value, each.name)]
            defined[folder == "outputs"] |= {name for name in own if not name.startswith("_")}
    assert defined[True] == {*outputs.__all__}
    assert defined[False] <= names
    assert clouddb.__version__ == SCHEMA["version"]
    with pytest.raises(AttributeError, match="no 'Servise'; did you mean Service"):
        clouddb.Servise  # type: ignore[attr-defined]  # noqa: B018 - the access is what is tested


def test_package_is_imported_without_pulumi() -> None:
    """Pulumi is loaded with the first class."""
    code = (
        "import sys, pulumi_clouddb, pulumi_clouddb.things.services.service; assert 'pulumi' not in sys.modules;"
        "pulumi_clouddb.Service; assert 'pulumi' in sys.modules; assert 'httpx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.usefixtures("monitor")
def test_thousand_resources_are_registered_quickly() -> None:
    """The time for a resource does not depend on the number of earlier ones."""
    for number in range(1200):
        clouddb.PipeScaling(f"scaling-{number}", service_id=SERVICE_ID, pipe_id=SERVICE_ID, replicas=2)
