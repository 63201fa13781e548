"""Types of notifications, and targets of Prometheus, which have no envelope."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.errors import InvalidResponseError
from pulumi_clouddb.registry import FUNCTIONS, OPERATIONS
from support.scripted import Response, Scripted, ok
from support.sessions import ProviderProcess, config_of

TARGETS, TYPES = FUNCTIONS["getPrometheusTargets"], FUNCTIONS["listNotificationTypes"]


def test_types_of_notifications_are_listed(process: ProviderProcess) -> None:
    """Each has a stable name."""
    first = TYPES.call(process, {})["notificationTypes"][0]
    assert (first["name"], first["severity"]) == ("service_backup_failed", "warning")


@pytest.mark.parametrize("filtered", [None, True, False])
def test_each_service_is_a_target(filtered: bool | None, process: ProviderProcess, sandbox: Sandbox) -> None:
    """The filter is a label of each target, and on by default."""
    id_ = sandbox.add("services", name="orders")["id"]
    args = {} if filtered is None else {"filteredMetrics": filtered}
    (group,) = TARGETS.call(process, args)["targetGroups"]
    assert group["labels"]["clickhouse_service_id"] == id_
    assert group["labels"]["__param_filtered_metrics"] == ("false" if filtered is False else "true")


@pytest.mark.parametrize(
    "response", [ok([]), Response(200, "{"), Response(200, "")], ids=["envelope", "broken", "empty"]
)
def test_targets_that_are_no_list_are_an_error(response: Response) -> None:
    """An empty list would remove all targets."""
    with Scripted(response) as server:
        client = Client(config_of(vocabulary="clickhouse", baseUrl=server.url, retryTimeoutSeconds=0))
        with pytest.raises(InvalidResponseError, match="not a list"):
            client.call(OPERATIONS["get_prometheus_targets"])
