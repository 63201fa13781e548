"""What a server does not find is told with the place to take it from; done as told, it works."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.errors import ClientError
from pulumi_clouddb.sandbox import Sandbox
from support.sessions import ProviderProcess, config_for

NOBODY = "0" * 24
ALERT = {"name": "Errors", "threshold": 5, "interval": "5m", "thresholdType": "above"}

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "a tile": ("tileIds of a Dashboard", {"tileId": NOBODY}),
    "a dashboard": ("id of a Dashboard", {"dashboardId": NOBODY}),
    "a webhook": ("id of a Webhook", {"channel": {"type": "webhook", "webhookId": NOBODY}}),
    "a saved search": (
        "id of a SavedSearch",
        {"savedSearchId": NOBODY, "source": "saved_search", "tileId": None, "dashboardId": None},
    ),
}


@pytest.mark.parametrize(("says", "wrong"), CASES.values(), ids=CASES)
def test_what_is_not_there_is_told_with_the_place_to_take_it_from(
    tmp_path: Path, says: str, wrong: dict[str, Any]
) -> None:
    """The second line says which output to use, not that the operation is inferred; with that output it works."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path)
        source = next(iter(sandbox.objects("sources")))
        config = {"displayType": "line", "sourceId": source, "select": [{"aggFn": "count"}]}
        tile = {"name": "errors", "x": 0, "y": 0, "w": 12, "h": 4, "config": config}
        board, outputs = process.create("Dashboard", {"name": "Board", "tiles": [tile]})
        webhook, _ = process.create("Webhook", {"name": "Slack", "service": "generic", "url": "https://example.com/x"})
        right = {
            **ALERT,
            "dashboardId": board,
            "tileId": outputs["tileIds"]["errors"],
            "channel": {"type": "webhook", "webhookId": webhook},
        }
        with pytest.raises(ClientError) as caught:
            process.create("Alert", {name: value for name, value in {**right, **wrong}.items() if value is not None})
        _, advice = str(caught.value).split("\n")
        assert says in advice
        assert "inferred" not in advice
        process.create("Alert", right)
