"""The typed classes: what goes over the wire, what comes back, and what is refused before anything is sent."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
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
ANSWERS: dict[str, dict[str, Any]] = {
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
    """Plays the engine: keeps each request and answers with the inputs and a few outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Any] = []
        self.inputs: dict[str, dict[str, Any]] = {}
        self.types: dict[str, str] = {}

    def RegisterResource(self, request: Any) -> proto.RegisterResourceResponse:  # noqa: N802 - gRPC's name
        """Keep the request as it came."""
        self.requests.append(request)
        response: proto.RegisterResourceResponse = super().RegisterResource(request)  # type: ignore[no-untyped-call]
        return response

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        """Answer a registration or a read."""
        sent = {name: value for name, value in args.inputs.items() if not name.startswith("__")}
        self.inputs[args.name], self.types[args.name] = sent, args.typ
        return args.resource_id or f"{args.name}-id", {**sent, **ANSWERS.get(base_name(args.typ), {})}


@pytest.fixture(autouse=True)
def monitor() -> Iterator[Monitor]:
    """Put a recording engine in place of the real one."""
    playing = Monitor()
    with mocked_engine(playing, monitor=playing):
        yield playing


def run(program: Callable[[], Mapping[str, pulumi.Output[Any]] | None]) -> dict[str, Any]:
    """Run a program and return its resolved outputs, each on its own, since Output.all makes plain dicts of objects."""
    found: dict[str, Any] = {}

    def keep(name: str) -> Callable[[Any], None]:
        return lambda value: found.update({name: value})

    def inner() -> None:
        for name, output in (program() or {}).items():
            output.apply(keep(name))

    mocks.test(inner)()  # type: ignore[no-untyped-call]
    return found


def secretness(program: Callable[[], Mapping[str, pulumi.Output[Any]]]) -> dict[str, bool]:
    """Run a program and return which of its outputs are secret."""
    found: dict[str, bool] = {}

    async def look() -> None:
        found.update({name: await output.is_secret() for name, output in program().items()})

    mocks.test(look)()  # type: ignore[no-untyped-call]
    return found


def test_names_are_camel_case_on_the_wire(monitor: Monitor) -> None:
    """Translate property names at every depth, whether given as objects or as dicts; enums become their words."""

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
    """Take dicts at every depth, also beside and within classes; mypy knows what each of them may hold."""
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
    """Never run: mypy refuses each statement, and would call an `ignore` unused whose mistake it no longer sees."""
    clouddb.Service("a", name="a", endpoints=[{"protocol": "mysql", "enable": False}])  # type: ignore[list-item]
    clouddb.Service("b", name="b", ip_access_list=[{"description": "office"}])  # type: ignore[list-item]
    clouddb.Dashboard("c", name="c", tiles=[{"series": [{"group_by": 1}]}])  # type: ignore[list-item]
    clouddb.TileArgs(series=[{"sourceId": "logs"}])  # type: ignore[list-item]
    _: clouddb.AlertChannelArgsDict = {"type": "webhook", "webhookId": "w"}  # type: ignore[typeddict-unknown-key]


def test_a_config_is_typed_and_takes_what_no_class_has(monitor: Monitor) -> None:
    """Rename the keys that the class has, in a dict, too; keep others as they are, and the keys of tiles."""
    item = clouddb.SelectItemArgs(agg_fn="avg", value_expression="x")
    typed = clouddb.TileConfigArgs(display_type="line", select=[item])
    newer: dict[str, Any] = {"displayType": "line", "select": [{"aggFn": "avg", "value_expression": "x", "new_key": 1}]}

    def program() -> dict[str, Any]:
        tiles: list[Any] = [
            clouddb.TileArgs(key="my_Own-key", as_ratio=True, config=typed),
            {"key": "errors", "config": newer},
            clouddb.TileArgs(key="search", config={"display_type": "search", "select": "a, b"}),
        ]
        board = clouddb.Dashboard("board", name="Board", tiles=tiles)
        return {"tiles": board.tiles, "own": board.tile_ids["my_Own-key"], "errors": board.tile_ids["errors"]}

    found = run(program)
    line = {"displayType": "line", "select": [{"aggFn": "avg", "valueExpression": "x"}]}
    assert [tile["config"] for tile in monitor.inputs["board"]["tiles"]] == [
        line,
        {**line, "select": [{**line["select"][0], "new_key": 1}]},  # type: ignore[dict-item]
        {"displayType": "search", "select": "a, b"},
    ]
    assert monitor.inputs["board"]["tiles"][0]["asRatio"] is True
    assert (found["own"], found["errors"]) == ("tile-2", "tile-1")
    assert found["tiles"][0].config.display_type == "line"
    assert found["tiles"][0].as_ratio is True


CONFIGS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "lines": (
        lambda: clouddb.LineTileConfigArgs(source_id="s", select=[{"agg_fn": "count"}], group_by="Service"),
        {"displayType": "line", "sourceId": "s", "select": [{"aggFn": "count"}], "groupBy": "Service"},
    ),
    "rows": (
        lambda: clouddb.SearchTileConfigArgs(source_id="s", select="Body"),
        {"displayType": "search", "sourceId": "s", "select": "Body"},
    ),
    "raw SQL": (
        lambda: clouddb.SqlTableTileConfigArgs(connection_id="c", sql_template="SELECT 1"),
        {"displayType": "table", "configType": "sql", "connectionId": "c", "sqlTemplate": "SELECT 1"},
    ),
}


@pytest.mark.parametrize(("config", "sent"), CONFIGS.values(), ids=CONFIGS)
def test_a_config_may_be_of_the_class_of_its_kind(
    monitor: Monitor, config: Callable[[], Any], sent: dict[str, Any]
) -> None:
    """The class says the display type, and what else tells the kind."""

    def program() -> None:
        tile = clouddb.TileArgs(name="Errors", x=0, y=0.5, w=6, h=3, config=config())
        clouddb.Dashboard("shop", name="Shop", tiles=[tile])

    run(program)
    assert monitor.inputs["shop"]["tiles"][0]["config"] == sent


def test_there_is_a_class_of_each_kind_of_tile() -> None:
    """With raw SQL, too, where there is such a tile; each has a typed dict."""
    kinds = [("", kind) for kind in BUILDER] + [("Sql", kind) for kind in RAW_SQL]
    wanted = {f"{sql}{to_pascal(str(DisplayType(kind).value))}TileConfigArgs" for sql, kind in kinds}
    names = {name for name in clouddb.__all__ if re.fullmatch(r"\w+TileConfigArgs", name)}
    assert names == wanted
    assert {f"{name}Dict" for name in names} <= set(clouddb.__all__)


def test_outputs_are_typed() -> None:
    """Read attributes of nested outputs; whole numbers are ints although all numbers travel as floats."""

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

    found = run(program)
    assert isinstance(found["endpoints"][0], outputs.ServiceEndpoint)
    assert found["host"] == "h.example.com"
    assert (found["endpoints"][0].port, type(found["endpoints"][0].port)) == (8443, int)
    assert (found["replicas"], type(found["replicas"])) == (3, int)
    assert (found["scaling"].replicas, found["scaling"].replica_memory_gb) == (4, 0.5)
    assert (found["version"], found["nothing"]) == ("25.1", None)


def test_what_the_provider_object_stores_is_small_and_the_same_each_time(monitor: Monitor) -> None:
    """The stored provider is a reference to a class, plain, equal for equal resources."""

    def program() -> None:
        for name in ("one", "two"):
            clouddb.Service(name, name=name)

    run(program)
    blobs = {request.object["__provider"] for request in monitor.requests if "Service" in request.type}
    assert len(blobs) == 1
    assert len(blobs.pop()) < 200


def test_arguments_may_be_an_object_used_twice(monitor: Monitor) -> None:
    """Take the arguments as an object, leave it as it was, and refuse both forms at once."""
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
def test_a_missing_required_property_is_a_type_error(name: str) -> None:
    """Name every property that is missing; an empty resource of a kind that needs none is left to check."""
    required = SCHEMA["resources"][f"clouddb:index:{name}"]["requiredInputs"]
    if not required:
        run(lambda: {"it": getattr(clouddb, name)("it").urn})
        return
    with pytest.raises(ArgumentError) as caught:
        getattr(clouddb, name)("it")
    assert str(caught.value) == f"{name} 'it': it needs {', '.join(repr(python_name(each)) for each in required)}"
    with pytest.raises(TypeError, match="missing"):
        getattr(clouddb, f"{name}Args")()


def test_an_unknown_property_is_a_type_error() -> None:
    """A misspelt name is refused where it is written."""
    with pytest.raises(TypeError) as caught:
        clouddb.Service("orders", nam="orders", num_replica=3, teem="data")  # type: ignore[call-overload]
    assert isinstance(caught.value, ArgumentError)
    assert str(caught.value) == (
        "Service 'orders': it has no argument 'nam' (did you mean 'name'?); it has no argument 'num_replica' (did you "
        "mean 'num_replicas'?); it has no argument 'teem'; it needs 'name'"
    )
    assert caught.traceback[0].frame.code.path == Path(__file__), "at the line of the program"


def component(provider: pulumi.ProviderResource) -> pulumi.ComponentResource:
    """Register a component whose children get a provider."""
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


def test_paths_in_options_have_the_names_of_the_wire() -> None:
    """Pulumi translates whole names only; the others would be without effect. Keys of maps stay as they are."""
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
def test_a_path_that_names_nothing_is_refused(path: str, problem: str) -> None:
    """It would be without effect."""

    def program() -> None:
        opts = pulumi.ResourceOptions(ignore_changes=[path])
        with pytest.raises(ArgumentError) as refused:
            clouddb.Service("orders", name="orders", opts=opts)
        assert f"Service 'orders': ignore_changes has {path!r}: {problem}" in str(refused.value)
        assert opts.ignore_changes == [path]

    run(program)


@pytest.mark.parametrize(("use", "begins"), OPTIONS_OF_THE_PLUGIN.values(), ids=OPTIONS_OF_THE_PLUGIN)
def test_an_option_that_needs_the_plugin_is_refused(
    use: Callable[[pulumi.ProviderResource], object], begins: str, monitor: Monitor
) -> None:
    """Pulumi would ignore such a provider, and use the account of the stack's configuration."""

    def program() -> None:
        provider = pulumi.ProviderResource("clouddb", "staging", {"keyId": "other"})
        with pytest.raises(ArgumentError, match=f"^{re.escape(begins)}.* needs the native plugin: "):
            use(provider)

    run(program)
    assert not [request.type for request in monitor.requests if "dynamic" in request.type]


def test_a_dynamic_provider_is_accepted(monitor: Monitor) -> None:
    """A provider of Pulumi's dynamic host of its own has its own processes and settings."""

    def program() -> None:
        provider = pulumi.ProviderResource("pulumi-python", "second", {"clouddb:keyId": "other"})
        clouddb.Service("orders", name="orders", opts=pulumi.ResourceOptions(provider=provider))
        clouddb.Service("shop", name="shop", opts=pulumi.ResourceOptions(parent=component(provider)))

    run(program)
    providers = [request.provider for request in monitor.requests if "Service" in request.type]
    assert ["second" in each for each in providers] == [True, True]


MISSPELT_KEYS: dict[str, tuple[Any, str, str | None]] = {
    "where the program says all keys": ([{"key": "errors"}, clouddb.TileArgs(name="Rate")], "eror", "errors"),
    "with those there are, where none is alike": ([{"key": "errors"}], "latency", None),
    "with the nearest of many": ([{"key": f"tile {number}"} for number in range(40)], "tile 3!", "tile 3"),
}


@pytest.mark.usefixtures("monitor")
@pytest.mark.parametrize(("tiles", "key", "near"), MISSPELT_KEYS.values(), ids=MISSPELT_KEYS)
def test_a_key_that_no_tile_has_is_told(tiles: Any, key: str, near: str | None) -> None:
    """Fail in a preview already, with the keys that there are."""
    board = clouddb.Dashboard("board", name="Board", tiles=tiles)
    with pytest.raises(KeyError) as caught:
        board.tile_ids[key]
    assert isinstance(caught.value, UnknownKeyError)
    first, second = str(caught.value).split("\n")
    assert first == f"Dashboard 'board', tile_ids has no {key!r}" + (f"; did you mean {near}?" if near else "")
    assert second.startswith("It has ")
    assert near is None or repr(near) in second
    assert second.count("'") <= 2 * MOST_SHOWN


@pytest.mark.usefixtures("monitor")
def test_a_key_of_tiles_that_are_not_known_yet_is_looked_for_when_they_are() -> None:
    """A key may be an output: what there is shows when the server has answered."""
    tiles = [clouddb.TileArgs(key=pulumi.Output.from_input("errors"))]

    def program(key: str) -> dict[str, Any]:
        board = clouddb.Dashboard("board", name="Board", tiles=tiles)
        return {"id": board.tile_ids[key]}

    assert run(lambda: program("errors"))["id"] == "tile-1"
    with pytest.raises(UnknownKeyError, match="did you mean errors"):
        run(lambda: program("eror"))


def test_deprecated_properties_warn_where_they_are_written(monitor: Monitor) -> None:
    """Warn once, at the line of the program, in either form, and not without cause."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        args = clouddb.ServiceArgs(name="old", tier="production")
        run(lambda: {"urn": clouddb.Service("old", args).urn})
        run(lambda: {"urn": clouddb.Service("older", name="older", max_total_memory_gb=24).urn})
        run(lambda: {"urn": clouddb.Service("new", name="new").urn})
    told = [each for each in caught if each.category is DeprecationWarning and "organization" in str(each.message)]
    assert [each.filename for each in told] == [__file__]
    other = [each for each in caught if "maxReplicaMemoryGb" in str(each.message)]
    assert [each.filename for each in other] == [__file__]
    assert monitor.inputs["old"]["tier"] == "production"


def test_secrets_are_wrapped_on_the_way_in(monitor: Monitor) -> None:
    """A secret input given as plain text leaves the program as a secret."""

    def program() -> dict[str, pulumi.Output[Any]]:
        service = clouddb.Service("orders", name="orders", encryption_key="hunter2")
        return {"key": service.encryption_key, "name": service.name}

    assert secretness(program) == {"key": True, "name": False}
    sent = next(request.object for request in monitor.requests if request.name == "orders")
    assert sent["encryptionKey"]["value"] == "hunter2"


def test_secret_outputs_are_announced_by_their_wire_names(monitor: Monitor) -> None:
    """Merge what only the server answers in secret with what the program asks for."""

    def program() -> None:
        clouddb.Service("orders", pulumi.ResourceOptions(additional_secret_outputs=["engine_version"]), name="orders")
        clouddb.ApiKey("reader", name="reader", roles=["query_endpoints"])
        clouddb.Dashboard("board", name="Board", tiles=[])

    run(program)
    announced = {request.name: set(request.additionalSecretOutputs) for request in monitor.requests}
    hashes = {"passwordHash", "passwordDoubleSha1Hash"}
    assert announced["orders"] == {"password", "encryptionKey", "engineVersion", "backupBucketSecret", *hashes}
    assert announced["reader"] == {"keySecret"}
    assert announced["board"] == set()


def test_get_reads_by_id_and_what_finding_it_needs(monitor: Monitor) -> None:
    """Send the id and nothing else, except the service that a managed dashboard belongs to.

    The option `id` does the same.
    """

    def program() -> dict[str, Any]:
        service = clouddb.Service.get("orders", SERVICE_ID)
        board = clouddb.Dashboard.get("board", "dashboard-1", service_id=SERVICE_ID)
        option = pulumi.ResourceOptions(id=service.id)
        same = clouddb.Service("same", option)  # type: ignore[call-overload]
        return {"service": service.id, "version": service.engine_version, "board": board.id, "same": same.id}

    found = {"service": SERVICE_ID, "version": "25.1", "board": "dashboard-1", "same": SERVICE_ID}
    assert run(program) == found
    assert monitor.inputs == {"orders": {}, "board": {"serviceId": SERVICE_ID}, "same": {}}


def test_a_programs_own_subclass_stays_the_resource(monitor: Monitor) -> None:
    """Keep type and outputs where a program extends a class."""

    class Production(clouddb.Service):
        """A service with a house rule."""

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
    """Answer functions in place of the provider, and keep what was asked."""
    made: list[tuple[str, Mapping[str, Any]]] = []

    def answer(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        made.append((name, arguments))
        sources = {"sources": [{"id": "s", "from": {"Own-key": 1}}]}
        return {"getPipe": PIPE, "listSources": sources}.get(name, {})

    monkeypatch.setattr(functions, "call", answer)
    return made


def test_a_function_answers_typed(calls: list[tuple[str, Mapping[str, Any]]]) -> None:
    """Take snake_case arguments, send wire names, and leave out what is not given."""
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
def test_secrets_in_an_answer_are_secret_outputs() -> None:
    """Keep a credential out of plain values, of what is printed and of exports."""

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


def test_a_function_waits_for_outputs_and_dependencies(calls: list[tuple[str, Mapping[str, Any]]]) -> None:
    """Call with the id of a resource, or without arguments after a resource."""

    def program() -> dict[str, Any]:
        service = clouddb.Service("orders", name="orders")
        after = pulumi.InvokeOutputOptions(depends_on=[service])
        return {
            "pipe": clouddb.get_pipe_output(service_id=service.id, pipe_id="p").scaling,
            "sources": clouddb.list_sources_output(opts=after).sources,
        }

    found = run(program)
    assert found["pipe"].replicas == 2
    assert found["sources"][0].from_ == {"Own-key": 1}
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
    """Run each example as it is printed."""
    monkeypatch.setattr(pulumi, "export", lambda *_: None)
    pulumi.runtime.set_all_config({f"{pulumi.get_project()}:password": "canary"})  # what an example takes from it

    def whole() -> None:
        exec(compile(program, "example", "exec"), {})  # noqa: S102 - our own text

    run(whole)


def test_every_name_is_there() -> None:
    """`__all__` is sorted as ruff sorts it, complete, and each name can be had."""
    generated = {name for name in sdk.__all__ if not name.startswith("_")}
    assert set(clouddb.__all__) == generated | {"__version__"}
    assert all(getattr(clouddb, name) is getattr(sdk, name) for name in generated)
    defined = {
        name
        for module in vars(sdk).values()
        if getattr(module, "__name__", "").startswith("pulumi_clouddb.sdk.")
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__ and not name.startswith("_")
    }
    by_hand = [vars(sys.modules[f"pulumi_clouddb.sdk.{name}"]) for name in ("_base", "_run_end")]
    hidden = {*vars(outputs)}.union(*by_hand)
    assert defined - hidden <= generated
    assert clouddb.__version__ == SCHEMA["version"]
    with pytest.raises(AttributeError, match="no attribute 'Servise'"):
        clouddb.Servise  # type: ignore[attr-defined]  # noqa: B018 - the access is what is tested


def test_the_package_starts_without_pulumi() -> None:
    """Import a part that needs no Pulumi, and only then a class."""
    code = (
        "import sys, pulumi_clouddb, pulumi_clouddb.things.services.service; assert 'pulumi' not in sys.modules;"
        "pulumi_clouddb.Service; assert 'pulumi' in sys.modules; assert 'httpx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.usefixtures("monitor")
def test_a_program_may_have_thousands_of_resources() -> None:
    """Registering a resource costs the same however many came before it."""
    for number in range(1200):
        clouddb.PipeScaling(f"scaling-{number}", service_id=SERVICE_ID, pipe_id=SERVICE_ID, replicas=2)
