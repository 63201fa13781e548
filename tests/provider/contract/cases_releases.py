"""An upgrade of the server in the life of an object, and a downgrade: neither shows a change."""

from __future__ import annotations

from clouddb_tools.sandbox import Release
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES

from .case import Case, Step, Values
from .cases_service_settings import ALL
from .steps import change, create, delete, diff, later_command, refresh, update

AUGUST, OCTOBER = Release
FORMS = {name for name, each in RESOURCES.items() if each.collection.LIST.managed.per_page}
"""The resources whose lists have another form in each release; of a service, the settings of the engine do."""


def becomes(release: Release) -> Step:
    """Upgrade or downgrade the server."""
    return change(lambda run: run.sandbox.set_release(release))


def unchanged(inputs: Values) -> tuple[Step, ...]:
    """Refresh in each release, with new lists; the inputs show no change."""
    steps = [(becomes(each), later_command(), refresh(), diff(inputs, changes=False)) for each in Release]
    return (*steps[0], *steps[1], *steps[0])


def of(life: WireLife) -> Case:
    """Return the case of one life."""
    steps = (
        *(becomes(AUGUST), create(life.before), *unchanged(life.before)),
        *(becomes(OCTOBER), update(life.after), *unchanged(life.after)),
        delete(),
    )
    server = {**life.life.server, "vocabulary": "clickhouse"}
    # tests/provider/resources/test_lives.py plays every life in both releases, below the front ends
    return Case(f"{life}: upgraded and downgraded", life.life.name, steps, server, life.life.setting, slow=True)


OLDER = {name: value for name, value in ALL.items() if name != "replicaAwareRouting"}
"""The settings that servers had in August."""

SETTINGS = Case(
    "service of the vendor: upgraded and downgraded",
    "Service",
    (
        *(becomes(AUGUST), create(OLDER), *unchanged(OLDER)),
        *(becomes(OCTOBER), update({**OLDER, "settings": {"keep_alive_timeout": "45"}}), becomes(AUGUST)),
        *(update(OLDER), *unchanged(OLDER)),
    ),
    {"vocabulary": "clickhouse"},
)

CASES = [*(of(life) for life in WIRE_LIVES if life.life.name in FORMS and life.life.release is AUGUST), SETTINGS]
