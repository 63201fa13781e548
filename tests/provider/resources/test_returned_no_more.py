"""A property that a server has returned, and returns no more, has no value there: that is drift; an update sends it.

One that it has never returned is no drift; docs/reliability.md has both rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from _pytest.mark import ParameterSet

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Release, Sandbox
from clouddb_tools.testing import Stack, stack_config
from lives.life import Life, a_service, fill
from lives.table import LIVES
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.lifecycle import ReadResult
from pulumi_clouddb.resource.state import ANSWERED
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, NEUTRAL, VocabularyName
from pulumi_clouddb.things.services.settings import READS
from support.engines import ENGINES
from support.five import dynamic_program
from support.ids import CALM, CONNECTION, LOGS, LOUD, TRACES
from support.sessions import ProviderProcess, config_for

pytestmark = pytest.mark.beyond_the_description
"""These servers return less than the description has."""

Place = tuple[str, ...]
"""The names that lead to a property; lists have none."""


# -- the programs --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """A program of one resource.

    Attributes:
        resource: The Pulumi name.
        name: The name of the case.
        inputs: Its inputs, with `$` names.
        setting: Creates the objects that it needs.
        dialects: The dialects whose servers accept it.
        release: The oldest release of the vendor's servers that accepts it.
    """

    resource: str
    name: str
    inputs: WireDict
    setting: Callable[[Sandbox], dict[str, str]] = lambda _: {}
    dialects: tuple[VocabularyName, ...] = (NEUTRAL, CLICKHOUSE)
    release: Release = Release.OCTOBER_2026

    def __str__(self) -> str:
        """Return the name of the case."""
        return self.name


def _of(life: Life, name: str, inputs: WireDict) -> Program:
    return Program(life.name, name, inputs, life.setting, (life.only,) if life.only else (NEUTRAL, CLICKHOUSE))


def _source(kind: str, texts: str = "", **more: Any) -> WireDict:
    table = {"databaseName": "shop", **({} if kind == "metric" else {"tableName": "rows"})}
    expressions = {f"{name}Expression": f"Column{name}" for name in ("timestampValue", *texts.split())}
    return {"name": kind, "kind": kind, "connection": CONNECTION, "from": table, **expressions, **more}


_SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}
_ONE_SIZE = {"minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 16}
_NIGHT = {"name": "night", "weekdays": [1], "startHourUtc": 22, "endHourUtc": 6, "numReplicas": 2}
_ALERT = {"threshold": 1, "interval": "5m", "thresholdType": "above", "channel": {"type": "webhook", "webhookId": CALM}}
_CHART = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
_VIEW = {
    "databaseName": "shop",
    "tableName": "view",
    "dimensionColumns": "ServiceName",
    "minGranularity": "1m",
    "minDate": "2027-01-31T00:00:00Z",
    "timestampColumn": "Timestamp",
    "aggregatedColumns": [{"aggFn": "sum", "sourceColumn": "Duration", "mvColumn": "sum__Duration"}],
}
_ATTRIBUTE = {"sqlExpression": "a", "luceneExpression": "b", "alias": "c"}
_COLUMN = {"name": "ServiceName", "label": "Service", "valueExpression": "lower(ServiceName)", "allowAll": True}
_OF_LOGS = (
    "defaultTableSelect serviceName serviceVersion severityText body eventAttributes resourceAttributes traceId spanId "
    "displayedTimestampValue implicitColumn knownColumnsList tableFilter orderBy"
)
_OF_SPANS = (
    "defaultTableSelect duration traceId spanId parentSpanId spanName spanKind statusCode statusMessage "
    "spanEventsValue spanLinksValue sampleRate"
)


def a_search(sandbox: Sandbox) -> dict[str, str]:
    """Create a saved search."""
    return {"search_id": str(sandbox.add("saved_searches", name="Errors", sourceId=LOGS)["id"])}


def _only_vendor(resource: str, name: str, inputs: WireDict, **more: Any) -> Program:
    return Program(resource, name, inputs, dialects=(CLICKHOUSE,), **more)


FURTHER = [
    Program("Service", "endpoints", {**_SERVICE, "privateEndpointIds": ["vpce-1a2b3c4d"], "releaseChannel": "slow"}),
    _only_vendor("Service", "tags", {**_SERVICE, "tags": [{"key": "team", "value": "shop"}], "enableCoreDumps": True}),
    Program("Service", "total memory", {**_SERVICE, "minTotalMemoryGb": 48, "maxTotalMemoryGb": 96}),
    _only_vendor(
        "Service",
        "replicas",
        {**_SERVICE, "autoscalingMode": "horizontal", "minReplicas": 2, "maxReplicas": 4, **_ONE_SIZE},
    ),
    _only_vendor(
        "Service",
        "settings",
        {
            **_SERVICE,
            "backupConfiguration": {"backupPeriodInHours": 12, "backupRetentionPeriodInHours": 48},
            "snapshotConfiguration": {"enabled": True, "gap": 30, "timeFrame": 1440},
            "replicaAwareRouting": {"httpEnabled": True, "nativeEnabled": True},
            "queryEndpoint": {"roles": ["sql_console_admin"], "allowedOrigins": "https://shop.example.com"},
            "scalingSchedule": {"entries": [_NIGHT]},
            "upgradeWindow": {"weekday": 3, "startHourUtc": 6},
            "settings": {"max_query_size": "1"},
            "backupBucket": {
                "bucketProvider": "AWS",
                "bucketPath": "https://b.s3.amazonaws.com",
                "iamRoleArn": "arn:aws:iam::111111111111:role/b",
            },
        },
    ),
    _only_vendor(
        "ApiKey",
        "roles by id",
        {"name": "ci", "assignedRoleIds": ["$role_id"]},
        setting=lambda sandbox: {"role_id": next(iter(sandbox.objects("roles")))},
    ),
    _only_vendor(
        "Alert",
        "alert on a search",
        {
            **_ALERT,
            "source": "saved_search",
            "savedSearchId": "$search_id",
            "groupBy": "ServiceName",
            "thresholdType": "between",
            "thresholdMax": 9,
            "note": "n",
            "numConsecutiveWindows": 2,
            "scheduleStartAt": "2026-12-01T00:00:00Z",
        },
        setting=a_search,
    ),
    _only_vendor(
        "Alert",
        "alert on two channels",
        {
            **{name: value for name, value in _ALERT.items() if name != "channel"},
            "source": "inline",
            "chartConfig": _CHART,
            "scheduleOffsetMinutes": 1,
            "channels": [{"type": "webhook", "webhookId": each} for each in (CALM, LOUD)],
        },
    ),
    Program("SavedSearch", "columns", {"name": "Errors", "sourceId": LOGS, "select": "Timestamp", "tags": ["a"]}),
    _only_vendor(
        "Source",
        "logs",
        _source(
            "log",
            _OF_LOGS,
            section="shop",
            disabled=True,
            metricSourceId="4" * 24,
            traceSourceId=TRACES,
            useTextIndexForImplicitColumn="disabled",
            highlightedTraceAttributeExpressions=[_ATTRIBUTE],
            highlightedRowAttributeExpressions=[_ATTRIBUTE],
            materializedViews=[_VIEW],
            metadataMaterializedViews={"keyRollupTable": "k", "kvRollupTable": "kv", "granularity": "1h"},
        ),
    ),
    _only_vendor(
        "Source",
        "logs of a service",
        {
            "serviceId": "$service_id",
            **_source("log", "defaultTableSelect"),
            "filterSettings": {"databaseName": "shop", "tableName": "values", "columns": [_COLUMN]},
        },
        setting=a_service,
    ),
    _only_vendor(
        "Source", "spans", _source("trace", _OF_SPANS, sessionSourceId="3" * 24, logSourceId=LOGS, durationPrecision=6)
    ),
    _only_vendor(
        "Source",
        "metrics",
        _source("metric", "resourceAttributes serviceName", metricTables={"gauge": "g", "sum": "s"}, seriesTable="t"),
    ),
    _only_vendor(
        "Dashboard",
        "filters",
        {
            "name": "Filtered",
            "tiles": [],
            "containers": [{"id": "c", "title": "Shop", "collapsed": True}],
            "savedFilterValues": [{"type": "sql", "condition": "ServiceName = 'shop'"}],
            "savedQuery": "level:error",
            "savedQueryLanguage": "lucene",
            "filters": [{"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS}],
        },
    ),
    _only_vendor(
        "SourceLinks",
        "links of logs",
        {"sourceId": LOGS, "traceSourceId": TRACES},
    ),
]
"""Programs with the inputs that no life has."""

PROGRAMS = [
    *(_of(life, f"{name} {form}", getattr(life, form)) for name, life in LIVES.items() for form in ("after", "before")),
    *FURTHER,
]


# -- the places of properties ----------------------------------------------------------------------------------------


def places(value: Any, before: Place = ()) -> Iterator[Place]:
    """Yield the places of all properties in a value."""
    if isinstance(value, list):
        for each in value:
            yield from places(each, before)
    elif isinstance(value, dict):
        for name, each in value.items():
            yield (*before, name)
            yield from places(each, (*before, name))


WITHIN = ("result", "data", "items", "service", "key", "scaling", "add", "privateEndpoints", "byocConfig")
"""The names under which messages have objects, or elements of a list that they add."""


def has(value: Any, place: Place) -> bool:
    """Return whether a message has the property at a place of an object."""
    if isinstance(value, list):
        return any(has(each, place) for each in value)
    if not isinstance(value, dict):
        return False
    first, *rest = place
    here = first in value and (not rest or has(value[first], tuple(rest)))
    return here or any(has(value[name], place) for name in WITHIN if name in value)


def sends(body: Any, place: Place) -> bool:
    """Return whether a write contains the property; that of tables names those to add, that of scaling its parts."""
    *above, last = place
    within = place[1:] or ("replicas",)
    return has(body, place) or has(body, (*above, f"{last}ToAdd")) or (place[0] == "scaling" and has(body, within))


def without(value: Any, place: Place, instead: Sequence[Any] = ()) -> Any:
    """Return a message without the property at a place of its objects, or with another value there."""
    if isinstance(value, list):
        return [without(each, place, instead) for each in value]
    if not isinstance(value, dict):
        return value
    first, *rest = place
    shown = {name: without(each, place, instead) if name in WITHIN else each for name, each in value.items()}
    if first in shown and rest:
        shown[first] = without(shown[first], tuple(rest), instead)
    elif first in shown:
        del shown[first]
        shown |= dict(zip((first,), instead, strict=False))
    return shown


class Server(httpx.BaseTransport):
    """A sandbox whose responses to reads lack properties until a write contains them.

    Attributes:
        left_out: The places of the properties.
        of_writes: Whether the responses to writes lack them, too, whatever the writes contain.
        lists_only: Whether only lists lack them.
        reads_alone: Whether it offers the reads of single objects.
        instead: The value that it returns in their place, if there is one.
        shown: The responses to reads.
    """

    def __init__(self, *left_out: Place, of_writes: bool = False) -> None:
        self.left_out, self.of_writes, self.lists_only, self.reads_alone = left_out, of_writes, False, True
        self.instead: Sequence[Any] = ()
        self.shown: list[Any] = []
        self._server = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Pass a request on, and return the response without these properties."""
        sent, is_read = _read(request.read()), request.method == "GET"
        response = self._server.handle_request(request)
        content, kept = _read(response.read()), {**response.headers}
        if is_read:
            self.shown.append(content)
        elif not self.of_writes:
            self.left_out = tuple(each for each in self.left_out if not sends(sent, each))
        is_list = isinstance(content, dict) and isinstance(content.get("result", content.get("data")), list)
        if is_read and not is_list and not self.reads_alone:
            return httpx.Response(404, html="<html></html>", request=request)
        if (is_read or self.of_writes) and (is_list or not self.lists_only):
            for each in self.left_out:
                content = without(content, each, self.instead)
        kept = {name: kept[name] for name in kept if name in ("content-type", "date")}
        raw = response.content if content is None else json.dumps(content).encode()
        return httpx.Response(response.status_code, headers=kept, content=raw, request=request)

    def close(self) -> None:
        """Close the connections."""
        self._server.close()


def _read(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None


# -- the tests ---------------------------------------------------------------------------------------------------------


@dataclass
class Object:
    """An object of a program on a server."""

    program: Program
    server: Server
    process: ProviderProcess
    inputs: WireDict
    id: str
    state: WireDict

    def read(self, state: WireDict) -> ReadResult:
        """Refresh it."""
        self.process.api.lists.clear()
        return self.process.read(self.program.resource, self.id, state)

    def changes(self, state: WireDict) -> tuple[str, ...]:
        """Return the properties that an update would change."""
        return self.process.changes(self.program.resource, state, self.inputs)


@contextmanager
def made(program: Program, dialect: VocabularyName, folder: Path, server: Server) -> Iterator[Object]:
    """Create the object of a program on a sandbox."""
    with Sandbox(vocabulary=dialect.value, release=program.release.value) as sandbox:
        process = ProviderProcess(config_for(sandbox), folder, sleep=lambda _: None, transport=server)
        inputs = {
            name: each for name, each in fill(program.inputs, program.setting(sandbox)).items() if each is not None
        }
        if "validateConnection" in RESOURCES[program.resource].type.provider_only:
            inputs["validateConnection"] = False
        id_, state = process.create(program.resource, inputs, urn="urn:it")
        try:
            yield Object(program, server, process, inputs, id_, state)
        finally:
            process.client.close()
            server.close()


def cases(programs: Iterable[Program], *, all_dialects: bool = True) -> Iterator[ParameterSet]:
    """Yield programs with their dialects; quick are those of the newest servers that set what no one before sets."""
    seen: set[Place] = set()
    for program in programs:
        new = {(program.resource, name) for name in program.inputs} - seen
        seen |= new
        for dialect in program.dialects if all_dialects else program.dialects[-1:]:
            slow = [] if new and dialect is program.dialects[-1] else [pytest.mark.slow]
            yield pytest.param(program, dialect, marks=slow, id=f"{program} {dialect.value}")


ELSEWHERE = {
    "Service.privatePreviewTermsChecked": "no server returns it",
    "Service.transparentDataEncryptionKeyId": "it needs a service with such encryption",
    "Service.stopped": "the state shows it",
    "Pipe.startPaused": "no server returns it",
    "ByocInfrastructure.gcpPscSubnetId": "it needs a network of one's own",
    "Member.role": "servers return it in another form, with assignedRoleIds",
    "Service.ipAccessList.source": "without it, an element of the list is none, so that the list has another type",
    "ApiKey.ipAccessList.source": "as for services",
    "Service.endpoints.protocol": "as for addresses",
    "Service.scalingSchedule": "it has an operation of its own, too",
    "Service.settings": "the schema of the settings has this name, too",
    "Dashboard.savedFilterValues.type": "it has one value",
    "Alert.chartConfig": "a warning says that its page has a chart that the API cannot express",
    "Pipe.source": "each pipe has one",
    "Pipe.destination": "each pipe has one, and no update sends it",
}
"""The inputs whose absence is no drift, and why."""


def shown_at(place: Place) -> Place:
    """Return the place of a property in responses: settings of a service with an operation of their own are alone."""
    return place[1:] or place if place[0] in READS else place


WHOLE = {
    "Pipe.source.postgres": "an update adds the tables that the pipe still has",
    "UserDefinedFunction": "a version never changes: another one shows its number",
}
"""The same for all within an object."""


def changeable(type_: ResourceType, inputs: WireDict, dialect: VocabularyName = CLICKHOUSE) -> Iterator[Place]:
    """Yield the places of the inputs that somebody can take away; what means the same if left out is none of them."""
    for place in dict.fromkeys(places(inputs)):
        name, fixed = place[0], {*type_.immutable, *type_.provider_only}
        path = ".".join((type_.name, *place))
        if name in fixed or path in ELSEWHERE or path.startswith((*WHOLE,)):
            continue
        documented = dialect is CLICKHOUSE or name not in type_.undocumented
        if documented and (place[1:] or not type_.is_server_default(name, inputs[name])):
            yield place


@pytest.mark.parametrize(("program", "dialect"), [*cases(PROGRAMS)])
def test_property_that_is_returned_no_more_is_drift(program: Program, dialect: VocabularyName, tmp_path: Path) -> None:
    """It has no value then, and the next update sends it; this applies to each property that the server returns."""
    server, type_, silent = Server(), RESOURCES[program.resource].type, []
    with made(program, dialect, tmp_path, server) as it:
        first = it.read(it.state)
        assert not it.changes(first.state)
        shown, state = [*server.shown], first.state
        for place in changeable(type_, it.inputs, dialect):
            if not has(shown, shown_at(place)):
                continue
            server.left_out = (shown_at(place),)
            found = it.read(state)
            if found.inputs.get(place[0]) == first.inputs[place[0]]:
                silent.append(".".join(place))
                server.left_out = ()
                continue
            try:
                assert place[0] in it.changes(found.state)
                state = it.process.update(program.resource, it.id, found.state, it.inputs)
            except ResourceError as error:
                assert "in place" in str(error)  # noqa: PT017 - each pipe has such properties
                server.left_out = ()
            assert server.left_out == (), f"the update does not send {place}"
            again = it.read(state)
            assert (again.inputs, it.changes(again.state)) == (first.inputs, ()), place
            state = again.state
    assert silent == []


ONE_OF_EACH = [*{program.resource: program for program in PROGRAMS if program not in FURTHER}.values()]
APART = (*READS, "pgConfig", "pgBouncerConfig")
"""The inputs that operations of their own return, whose absence is that of such an object."""


def names_of(program: Program) -> list[str]:
    """Return the inputs in the record of an object that somebody can take away."""
    found = changeable(RESOURCES[program.resource].type, program.inputs)
    return [place[0] for place in found if not place[1:] and place[0] not in APART]


@pytest.mark.parametrize(("program", "dialect"), [*cases(PROGRAMS)])
def test_what_a_server_never_returns_is_no_drift(program: Program, dialect: VocabularyName, tmp_path: Path) -> None:
    """Neither its responses to writes nor to reads have what the program sets."""
    at_once = program.resource == "PipeCdcScaling"  # otherwise it is waited for
    program = replace(program, inputs={**program.inputs, **({"waitTimeoutMinutes": 0} if at_once else {})})
    server = Server(*((name,) for name in names_of(program)), of_writes=True)
    with made(program, dialect, tmp_path, server) as it:
        first = it.read(it.state)
        assert not it.changes(first.state)
        assert not it.changes(it.read(first.state).state)


@pytest.mark.parametrize(("program", "dialect"), [*cases(ONE_OF_EACH, all_dialects=False)])
def test_what_nobody_can_take_away_is_no_drift(program: Program, dialect: VocabularyName, tmp_path: Path) -> None:
    """No request changes it, so the response lacks it for another reason, and nothing is replaced."""
    resource, server = RESOURCES[program.resource], Server()
    identity = (*resource.collection.identity, "userId")
    with made(program, dialect, tmp_path, server) as it:
        first = it.read(it.state)
        server.left_out = tuple((name,) for name in resource.type.immutable if name not in identity)
        assert not it.changes(it.read(first.state).state)


COMPARED_WHOLE = ("Dashboard",)
"""Their state has the whole response, with which each read is compared."""
NEVER_LISTED = ("PipeScaling", "PipeCdcScaling", "PostgresService")
"""All or a part of them is read alone."""


@pytest.mark.parametrize(("program", "dialect"), [*cases(ONE_OF_EACH, all_dialects=False)])
def test_only_whole_responses_of_the_right_type_count(
    program: Program, dialect: VocabularyName, tmp_path: Path
) -> None:
    """Lists may lack what single reads have, and values of another type are ignored; so is all that nobody recorded."""
    server, resource = Server(), RESOURCES[program.resource]
    with made(program, dialect, tmp_path, server) as it:
        first = it.read(it.state)
        server.left_out = tuple((name,) for name in names_of(program))
        if program.resource not in COMPARED_WHOLE:
            older = {name: value for name, value in first.state.items() if name != ANSWERED}
            assert it.read(older).inputs == first.inputs
            server.instead = ([["of another type"]],)
            assert it.read(first.state).inputs == first.inputs
            server.instead = ()
        if hasattr(resource.collection, "GET"):
            server.lists_only = True
            assert it.read(first.state).inputs == first.inputs
        if hasattr(resource.collection, "GET") and program.resource not in (*NEVER_LISTED, *COMPARED_WHOLE):
            server.lists_only, server.reads_alone = False, False
            assert it.read(first.state).inputs == first.inputs


@pytest.mark.parametrize(("changed", "drift"), [("description", ()), ("url", ("description",))])
def test_what_an_update_does_not_show(changed: str, drift: tuple[str, ...], tmp_path: Path) -> None:
    """A server may omit the new value: nobody has taken it away, although the server returned the old one.

    What the update has not sent, somebody has taken away.
    """
    server = Server()
    program = next(each for each in PROGRAMS if each.name == "self-hosted webhook before")
    with made(program, CLICKHOUSE, tmp_path, server) as it:
        server.left_out, server.of_writes = (("description",),), True
        it.inputs[changed] = "https://hooks.example.com/other"
        state = it.process.update("Webhook", it.id, it.state, it.inputs)
        assert it.changes(it.read(state).state) == drift


@pytest.mark.parametrize("name", RESOURCES)
def test_every_input_is_in_a_program(name: str) -> None:
    """The others are options, secrets that no server returns, what nobody can change, or have a reason."""
    type_ = RESOURCES[name].type
    left = {*wire_names(type_.inputs)} - {*type_.provider_only, *type_.unanswered, *type_.immutable}
    left -= {each for program in PROGRAMS if program.resource == name for each in program.inputs}
    assert {f"{name}.{each}" for each in left} <= {*ELSEWHERE}


@pytest.mark.parametrize("engine", ENGINES)
def test_previews_and_refreshes_show_it(engine: type[Stack], sandbox: Sandbox, tmp_path: Path) -> None:
    """Somebody replaces a source without what the program sets; the next run sends that again."""
    logs = _source("log", "defaultTableSelect body implicitColumn")
    program = dynamic_program([Step("logs", "Source", logs)])
    stack = engine(program, config=stack_config(sandbox), work_dir=tmp_path)
    stack.up()
    id_ = stack.resource("logs").id
    edited = {name: value for name, value in logs.items() if name not in ("bodyExpression", "implicitColumnExpression")}
    with sandbox.self_hosted() as client:
        assert "bodyExpression" not in client.put(f"/sources/{id_}", json=edited).raise_for_status().json()["data"]
    changed = {"bodyExpression", "implicitColumnExpression"}
    (step,) = [each for each in stack.preview(refresh=True).steps if each.op == "update"]
    assert {*step.changed} == changed
    stack.refresh()
    assert "bodyExpression" not in stack.resource("logs").outputs
    assert stack.up().changes["update"] == 1
    assert sandbox.sources[id_]["bodyExpression"] == logs["bodyExpression"]
    assert stack.preview(refresh=True).no_changes
