"""A deleted service: everything in it is gone, in a read, a delete and an import, if the server says so for certain.

A 404 to a list within a service can be a fault; the service itself decides. docs/on-fire.md plays it with the CLI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config
from lives.life import Life, a_service, fill
from lives.table import LIVES
from pulumi_clouddb.client.errors import ApiError, ResourceError
from pulumi_clouddb.client.operation import READ_SERVICE
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.base import SERVICE_ID
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, NEUTRAL, VocabularyName
from support import in_a_service
from support.five import dynamic_program
from support.ids import CALM
from support.sessions import ProviderProcess, config_for

SERVICE = "service_id"


def a_tile_of_a_service(sandbox: Sandbox) -> dict[str, str]:
    """Create a service with a dashboard."""
    names = a_service(sandbox)
    series = {"type": "time", "sourceId": "1" * 24, "aggFn": "count", "where": "", "groupBy": []}
    tile = {"name": "one", "x": 0, "y": 0, "w": 4, "h": 3, "series": [series]}
    board = sandbox.add("dashboards", name="Watched", tiles=[tile], serviceId=names[SERVICE])
    return {**names, "dashboard_id": str(board["id"]), "one": str(board["tiles"][0]["id"])}


ALERT = Life(
    "Alert",
    before={
        "serviceId": f"${SERVICE}",
        "dashboardId": "$dashboard_id",
        "tileId": "$one",
        "source": "tile",
        "threshold": 1,
        "interval": "5m",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": CALM},
    },
    after={},
    drift=None,
    setting=a_tile_of_a_service,
)

IN_SERVICES = {
    name: life
    for name, life in {**LIVES, "managed alert": ALERT}.items()
    if SERVICE_ID in life.before and RESOURCES[life.name].collection.LIST.managed.is_of_service
}
CASES = [
    pytest.param(life, dialect, id=f"{name} {dialect.value}")
    for name, life in IN_SERVICES.items()
    for dialect in ((life.only,) if life.only else (NEUTRAL, CLICKHOUSE))
]
WITHOUT_OVERRIDES = [
    case for case in CASES if not isinstance(RESOURCES[cast(Life, case.values[0]).name], OverrideResource)
]
"""Of an override, the object that it changes decides."""
each_in_a_service = pytest.mark.parametrize(("life", "dialect"), CASES)


def test_every_resource_of_a_service_is_here() -> None:
    """A new one must have a life in a service."""
    lists = {name: each.collection.LIST.managed for name, each in RESOURCES.items()}
    of_services = {name for name, each in RESOURCES.items() if SERVICE_ID in wire_names(each.type.inputs)}
    assert {life.name for life in IN_SERVICES.values()} == {name for name in of_services if lists[name].is_of_service}


@dataclass(frozen=True)
class InService:
    """An object in a service."""

    life: Life
    sandbox: Sandbox
    folder: Path
    id: str
    state: WireDict
    names: dict[str, str]

    def process(self) -> ProviderProcess:
        """Return the process of another run."""
        return ProviderProcess(config_for(self.sandbox), self.folder, sleep=lambda _: None, scope="another")

    @property
    def import_id(self) -> str:
        """Its id for an import."""
        of_service = self.id.startswith(self.names[SERVICE])
        return self.id if of_service else f"{self.names[SERVICE]}/{self.id}"

    def read(self) -> WireDict | None:
        """Refresh it."""
        _, found = lifecycle.read(self.process(), RESOURCES[self.life.name], self.id, self.state, {})
        return None if found is None else found.inputs

    def lose_service(self) -> None:
        """Delete the service by hand."""
        self.sandbox.remove("services", self.names[SERVICE])


@contextmanager
def made(life: Life, dialect: VocabularyName, folder: Path) -> Iterator[InService]:
    """Create the object of a life on a sandbox."""
    with Sandbox(vocabulary=dialect.value) as sandbox:
        names = life.setting(sandbox)
        inputs = fill(life.before, names)
        if "validateConnection" in RESOURCES[life.name].type.provider_only:
            inputs["validateConnection"] = False
        process = ProviderProcess(config_for(sandbox), folder, sleep=lambda _: None)
        yield InService(life, sandbox, folder, *process.create(life.name, inputs), names)


@each_in_a_service
def test_it_is_gone_with_its_service(life: Life, dialect: VocabularyName, tmp_path: Path) -> None:
    """A read takes it out of state, a delete has nothing to do, and an import names the service."""
    with made(life, dialect, tmp_path) as it:
        assert it.read() is not None
        it.lose_service()
        assert it.read() is None
        it.process().delete(life.name, it.id, it.state)
        with pytest.raises(ResourceError, match=f"does not exist: the server has no service {it.names[SERVICE]}\n"):
            lifecycle.read(it.process(), RESOURCES[life.name], it.import_id, {}, {})


@pytest.mark.parametrize(("life", "dialect"), WITHOUT_OVERRIDES)
def test_it_is_gone_although_it_cannot_be_read_alone(life: Life, dialect: VocabularyName, tmp_path: Path) -> None:
    """The server offers only the list of its kind; the 404 of the service decides."""
    collection = RESOURCES[life.name].collection
    with made(life, dialect, tmp_path) as it:
        it.lose_service()
        if hasattr(collection, "GET"):
            it.sandbox.fault(collection.GET.managed.name, "html", status=404, times=9)
        assert it.read() is None


UNSURE: dict[str, Callable[[InService], None]] = {
    "the service exists": lambda it: None,
    "a page in place of the service": lambda it: it.sandbox.fault(
        READ_SERVICE.managed.name, "html", status=404, times=9
    ),
    "a server that fails": lambda it: it.sandbox.fault(READ_SERVICE.managed.name, "status", status=500, times=9),
    "a refusal": lambda it: it.sandbox.fault(READ_SERVICE.managed.name, "status", status=403, times=9),
}


@pytest.mark.parametrize("why", UNSURE)
@pytest.mark.parametrize(("life", "dialect"), WITHOUT_OVERRIDES)
def test_it_stays_if_the_service_may_exist(life: Life, dialect: VocabularyName, why: str, tmp_path: Path) -> None:
    """The server lists nothing of it, but does not say that the service is gone: state is kept, or the read fails."""
    collection = RESOURCES[life.name].collection
    with made(life, dialect, tmp_path) as it:
        it.sandbox.fault(collection.LIST.managed.name, "not_found", times=9)
        UNSURE[why](it)
        if hasattr(collection, "GET"):
            assert it.read() is not None
            it.sandbox.fault(collection.GET.managed.name, "html", status=404, times=9)
        try:
            found = it.read()
        except ApiError:
            return
        assert found is not None


def test_stack_with_everything_in_a_service(sandbox: Sandbox, tmp_path: Path) -> None:
    """A refresh drops what was in the service, and the next run makes it again in the restored one."""
    service, *within = in_a_service.steps(sandbox)
    stack = FakeEngineStack(dynamic_program([service, *within]), config=stack_config(sandbox), work_dir=tmp_path)
    stack.up()
    lost = stack.resource(service.variable).id
    backup = sandbox.add_backup(lost)
    sandbox.remove("services", lost)
    of_organization = [each for each in within if each.kind in ("PrivateEndpoint", "UdfAttachment")]
    assert stack.refresh().changes["delete"] == 1 + len(within) - len(of_organization)
    restored = replace(service, properties={**service.properties, "backupId": backup})
    stack.set_program(dynamic_program([restored, *within]))
    assert stack.up().ok
    assert stack.preview(refresh=True).no_changes
    assert stack.destroy().ok
