"""Links of sources that refer to each other: created one after the other, and cleared in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.commands.export.statements import Ref, Step
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, Stack, stack_config
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from support.five import dynamic_program, native_program
from support.ids import LOGS, METRICS, TRACES
from support.sessions import ProviderProcess, config_for
from things.sources.checks import LOG, METRIC, SESSION, TRACE

SPANS: dict[str, Any] = {**TRACE, "name": "Spans"}


class Pair:
    """Logs that refer to traces, and traces whose link back is set apart."""

    def __init__(self, process: ProviderProcess, sandbox: Sandbox) -> None:
        self.process, self.sandbox = process, sandbox
        self.traces, self.traces_state = process.create("Source", SPANS)
        self.logs_inputs = {**LOG, "traceSourceId": self.traces}
        self.logs, self.logs_state = process.create("Source", self.logs_inputs)
        self.inputs = {"sourceId": self.traces, "logSourceId": self.logs}
        self.id, self.state = process.create("SourceLinks", self.inputs)

    @property
    def links(self) -> tuple[Any, Any]:
        """The link of each source on the server."""
        sources = self.sandbox.objects("sources")
        return sources[self.logs].get("traceSourceId"), sources[self.traces].get("logSourceId")


@pytest.fixture
def pair(process: ProviderProcess, sandbox: Sandbox) -> Pair:
    """Two sources that refer to each other."""
    return Pair(process, sandbox)


def test_sources_refer_to_each_other_without_drift(pair: Pair) -> None:
    """The source does not report the link that it does not set, and an update of it keeps the link."""
    assert (pair.id, pair.links) == (pair.traces, (pair.traces, pair.logs))
    process = pair.process
    seen = process.read("Source", pair.traces, pair.traces_state).state
    assert process.changes("Source", seen, SPANS) == ()
    assert process.changes("SourceLinks", process.read("SourceLinks", pair.id, pair.state).state, pair.inputs) == ()
    process.update("Source", pair.traces, seen, {**SPANS, "name": "Other", "durationPrecision": 6})
    process.update("Source", pair.logs, pair.logs_state, {**pair.logs_inputs, "name": "Other"})
    assert pair.links == (pair.traces, pair.logs)
    assert pair.sandbox.objects("sources")[pair.traces]["durationPrecision"] == 6


def test_links_set_by_another_process_survive_an_update_of_the_source(pair: Pair, tmp_path: Path) -> None:
    """The update replaces the source by a current record, not by one of a recent list."""
    pair.process.read("Source", pair.traces, pair.traces_state)
    other = ProviderProcess(config_for(pair.sandbox), tmp_path / "other")
    other.update("SourceLinks", pair.id, pair.state, {**pair.inputs, "metricSourceId": METRICS})
    pair.process.update("Source", pair.traces, pair.traces_state, {**SPANS, "name": "Other"})
    assert pair.sandbox.objects("sources")[pair.traces]["metricSourceId"] == METRICS


@pytest.mark.parametrize("order", ["links first", "source first"])
def test_destroy_clears_the_link(order: str, pair: Pair) -> None:
    """The rest of the source stays; without the source, nothing is left to do."""
    process = pair.process
    if order == "source first":
        process.delete("Source", pair.traces, pair.traces_state)
        process.delete("SourceLinks", pair.id, pair.state)
        assert pair.traces not in pair.sandbox.objects("sources")
        assert lifecycle.read(process, RESOURCES["SourceLinks"], pair.id, pair.state, {}) == (pair.id, None)
        return
    process.delete("SourceLinks", pair.id, pair.state)
    assert pair.links == (pair.traces, None)
    assert process.changes("Source", process.read("Source", pair.traces, pair.traces_state).state, SPANS) == ()
    process.delete("Source", pair.logs, pair.logs_state)
    process.delete("Source", pair.traces, pair.traces_state)


def test_links_follow_a_replaced_source(pair: Pair) -> None:
    """A new id of the other source is an update; a new id of the source itself replaces the links."""
    process = pair.process
    logs, _ = process.create("Source", {**pair.logs_inputs, "name": "Newer"})
    moved = {**pair.inputs, "logSourceId": logs}
    diff = partial(RESOURCES["SourceLinks"].diff, pair.state)
    assert (diff(moved).changed, diff(moved).replaces) == (("logSourceId",), ())
    process.update("SourceLinks", pair.id, pair.state, moved)
    assert pair.links == (pair.traces, logs)
    assert diff({**moved, "sourceId": TRACES}).replaces == ("sourceId",)


def test_removed_links_get_their_former_value(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Links that the program has never set stay."""
    id_, state = process.create("SourceLinks", {"sourceId": TRACES, "logSourceId": "2" * 24, "metricSourceId": METRICS})
    assert state["original"]["logSourceId"] == LOGS
    sandbox.change("sources", TRACES, sessionSourceId="3" * 24)
    state = process.update("SourceLinks", id_, state, {"sourceId": TRACES, "logSourceId": "2" * 24})
    traces = sandbox.objects("sources")[TRACES]
    assert (traces["logSourceId"], traces.get("metricSourceId")) == ("2" * 24, None)
    process.delete("SourceLinks", id_, state)
    traces = sandbox.objects("sources")[TRACES]
    assert (traces["logSourceId"], traces["sessionSourceId"]) == (LOGS, "3" * 24)


@pytest.mark.parametrize(
    ("source", "link", "other"),
    [(LOG, "logSourceId", "metricSourceId or traceSourceId"), (SESSION, "logSourceId", "traceSourceId")],
    ids=["log", "session"],
)
def test_links_that_the_kind_does_not_have_are_refused(
    source: dict[str, Any], link: str, other: str, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """The server would drop them without an error."""
    id_, _ = process.create("Source", source)
    with pytest.raises(ResourceError) as refused:
        process.create("SourceLinks", {"sourceId": id_, link: LOGS})
    assert str(refused.value) == (
        f"SourceLinks {id_}: the source is of kind {source['kind']}, which has no {link}\nSet {other} instead."
    )
    assert sandbox.count("update_source") == 0


def test_links_of_a_source_of_metrics(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The name of its table, which the server requires, may be empty."""
    id_, _ = process.create("Source", METRIC)
    links, state = process.create("SourceLinks", {"sourceId": id_, "logSourceId": LOGS})
    assert sandbox.objects("sources")[id_]["logSourceId"] == LOGS
    process.delete("SourceLinks", links, state)
    assert "logSourceId" not in sandbox.objects("sources")[id_]


def test_an_import_shares_the_links_between_source_and_links(pair: Pair) -> None:
    """The source has the links that programs can create with it, and the links those that they create later."""
    process = pair.process
    source, links = RESOURCES["Source"], RESOURCES["SourceLinks"]
    _, logs = source.import_(process, pair.logs, source._args({}))
    _, traces = source.import_(process, pair.traces, source._args({}))
    id_, apart = links.import_(process, pair.traces, links._args({}))
    assert logs.wanted.trace_source_id == pair.traces
    assert traces.wanted.log_source_id is None
    assert (id_, apart.wanted.source_id, apart.wanted.log_source_id) == (pair.traces, pair.traces, pair.logs)
    _, alone = links.import_(process, pair.logs, links._args({}))
    assert alone.wanted.trace_source_id == pair.traces


def whole(logs: str = "Logs", **links: Any) -> list[Step]:
    """Return two sources that refer to each other, and the links of one."""
    return [
        Step("spans", "Source", SPANS),
        Step("logs", "Source", {**LOG, "name": logs, "traceSourceId": Ref("spans.id")}),
        Step("links", "SourceLinks", {"sourceId": Ref("spans.id"), "logSourceId": Ref("logs.id"), **links}),
    ]


@pytest.mark.parametrize(
    ("engine", "program"),
    [
        pytest.param(FakeEngineStack, dynamic_program, id="fake engine"),
        pytest.param(CliStack, dynamic_program, id="cli, dynamic", marks=pytest.mark.cli),
        pytest.param(CliStack, native_program, id="cli, plugin", marks=pytest.mark.cli),
    ],
)
def test_sources_that_refer_to_each_other_live_in_one_program(
    engine: type[Stack], program: Callable[[Sequence[Step]], str], sandbox: Sandbox, tmp_path: Path
) -> None:
    """Neither a preview nor a refresh shows a change; the update keeps both links, and the destroy leaves nothing."""
    before = dict(sandbox.objects("sources"))
    stack = engine(program(whole()), config=stack_config(sandbox), work_dir=tmp_path)
    assert stack.up().changes["create"] >= 3
    for steps, metrics in ((whole(), None), (whole("Other", metricSourceId=METRICS), METRICS)):
        stack.set_program(program(steps))
        stack.up()
        spans, logs = (sandbox.objects("sources")[stack.resource(each).id] for each in ("spans", "logs"))
        found = (logs["traceSourceId"], spans["logSourceId"], spans.get("metricSourceId"))
        assert found == (spans["id"], logs["id"], metrics)
        assert logs["name"] == steps[1].properties["name"]
        assert stack.preview().no_changes
        assert stack.refresh().no_changes
        assert stack.preview().no_changes
    stack.destroy()
    assert stack.resources == []
    assert sandbox.objects("sources") == before
