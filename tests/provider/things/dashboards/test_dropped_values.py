"""Values that a server drops from the config of a tile without an error."""

from __future__ import annotations

from typing import Any, cast

from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD, Dashboard
from pulumi_clouddb.things.dashboards.vendor import DIALECTS
from support.ids import LOGS
from support.sessions import ProviderProcess


def board(*values: str) -> dict[str, Any]:
    """Return a dashboard with a table of some values."""
    select = [{"aggFn": "count", "alias": each} for each in values]
    config = {"displayType": "table", "sourceId": LOGS, "select": select}
    return {"name": "Orders", "tiles": [{"key": "t", "name": "T", "x": 0, "y": 0, "w": 6, "h": 3, "config": config}]}


def test_dropped_values_are_no_longer_in_state(process: ProviderProcess) -> None:
    """State has the others, so that the next run sends these again; a warning names each."""
    names = [*map(str, range(12))]
    wanted = cast(Dashboard, construct(DASHBOARD.inputs, board(*names)))
    stored = DIALECTS.vendor.without_dropped(process, wanted, board(*names[:9]))
    assert to_wire(stored) == to_wire(construct(DASHBOARD.inputs, board(*names[:9])))
    assert [warning.split(" of ")[0] for warning in process.warnings] == [
        f"The server has dropped tiles[0].config.select[{index}]" for index in (11, 10, 9)
    ]
