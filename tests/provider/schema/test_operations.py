"""Operations of the vendor's servers that this package does not use, each with its reason."""

from __future__ import annotations

from codegen.not_managed import OPERATIONS as UNUSED
from codegen.not_managed import VALUES
from description.bodies import facts_of
from description.declared import NOT_SENT
from description.facts import CLOUD, OBSERVABILITY, plain
from description.here import used

DESCRIBED = {*facts_of(CLOUD).operations, *facts_of(OBSERVABILITY).operations}
"""Method and path of each operation in the vendor's descriptions, and of those that the overlay adds."""

IDS = {
    each["operationId"]: call
    for file in (CLOUD, OBSERVABILITY)
    for call, each in facts_of(file).operations.items()
    if "operationId" in each
}
"""The operations of the descriptions by id."""

ORGANIZATION = "/v1/organizations/{}"
SERVICE = f"{ORGANIZATION}/services/{{}}"
INFRASTRUCTURE = f"{ORGANIZATION}/byocInfrastructure/{{}}"
ENDPOINTS, QUERIES = f"{SERVICE}/query-api-endpoints", f"{SERVICE}/saved-queries"
SSH_KEYS = f"{SERVICE}/clickpipesSshKeyResources"

OF_AUTUMN = {
    "activeBalancesGet": f"GET {ORGANIZATION}/activeBalances",
    "creditBalancesGet": f"GET {ORGANIZATION}/creditBalances",
    "clickPipesServiceContextGet": f"GET {SERVICE}/clickpipes/context",
    "organizationByocInfrastructureGet": f"GET {INFRASTRUCTURE}",
    "organizationByocInfrastructureProgressGet": f"GET {INFRASTRUCTURE}/progress",
    "organizationByocInfrastructureValidate": f"POST {ORGANIZATION}/byocInfrastructure/validate",
    "organizationPrometheusDiscoveryGet": f"GET {ORGANIZATION}/prometheus/discovery",
    "postgresLogsGetList": f"GET {ORGANIZATION}/postgres/{{}}/logs",
    "queryApiEndpointList": f"GET {ENDPOINTS}",
    "queryApiEndpointCreate": f"POST {ENDPOINTS}",
    "queryApiEndpointGet": f"GET {ENDPOINTS}/{{}}",
    "queryApiEndpointUpdate": f"PUT {ENDPOINTS}/{{}}",
    "queryApiEndpointDelete": f"DELETE {ENDPOINTS}/{{}}",
    "savedQueryList": f"GET {QUERIES}",
    "savedQueryCreate": f"POST {QUERIES}",
    "savedQueryGet": f"GET {QUERIES}/{{}}",
    "savedQueryUpdate": f"PUT {QUERIES}/{{}}",
    "savedQueryDelete": f"DELETE {QUERIES}/{{}}",
    "serviceProfilesList": f"GET {ORGANIZATION}/serviceProfiles",
    "replicaAwareRoutingGet": f"GET {SERVICE}/replicaAwareRouting",
    "replicaAwareRoutingUpdate": f"PATCH {SERVICE}/replicaAwareRouting",
    "snapshotConfigurationGet": f"GET {SERVICE}/snapshotConfiguration",
    "snapshotConfigurationUpdate": f"PATCH {SERVICE}/snapshotConfiguration",
    "snapshotGet": f"GET {SERVICE}/snapshots/{{}}",
    "snapshotGetList": f"GET {SERVICE}/snapshots",
    "whoamiGet": "GET /v1/whoami",
    "organizationByocInfrastructureTagsGet": f"GET {INFRASTRUCTURE}/tags",
    "organizationByocInfrastructurePrivateEndpointConfigGet": f"GET {INFRASTRUCTURE}/privateEndpointConfig",
    "postgresServiceBackupGetList": f"GET {ORGANIZATION}/postgres/{{}}/backups",
    "notificationTypesGetList": f"GET {ORGANIZATION}/notificationTypes",
    "clickStackValidateWebhook": f"POST {SERVICE}/clickstack/webhooks/validate",
    "clickPipesSshKeyResources, list": f"GET {SSH_KEYS}",
    "clickPipesSshKeyResources, create": f"POST {SSH_KEYS}",
    "clickPipesSshKeyResources, get": f"GET {SSH_KEYS}/{{}}",
    "clickPipesSshKeyResources, delete": f"DELETE {SSH_KEYS}/{{}}",
    "clickPipesSshKeyResources, validate": f"POST {SSH_KEYS}/{{}}/validate",
    **dict.fromkeys(
        ("notificationGetList", "memberNotificationSettingsGetList", "memberNotificationSettingsUpdate"), ""
    ),
}
"""The operations of the vendor's pages of October 2026 that its kept description lacks; no path if none is known."""


def test_every_operation_is_used_or_has_a_reason() -> None:
    """An operation with neither fails; one with both is not in the table."""
    reasons = {plain(each.call) for each in UNUSED.values()}
    assert [each for each in DESCRIBED if plain(each) not in used() and plain(each) not in reasons] == []
    assert sorted(reasons & used().keys()) == []


def test_every_operation_of_autumn_is_used_or_has_a_reason() -> None:
    """Also those that no kept description has."""
    assert [name for name, call in OF_AUTUMN.items() if plain(call) not in used() and name not in UNUSED] == []


def test_every_unused_operation_is_known() -> None:
    """The id and the request are those of the description, or of the vendor's pages."""
    known = {**IDS, **OF_AUTUMN}
    assert {name: plain(each.call) for name, each in UNUSED.items()} == {name: plain(known[name]) for name in UNUSED}


def test_commands_that_are_not_sent_are_in_the_table() -> None:
    """The page gives the reason for each."""
    commands = [name.partition("command=")[2] for names in NOT_SENT.values() for name in names if "command=" in name]
    assert [each for each in commands if not any(f"command `{each}`" in name for name in VALUES)] == []


def test_every_used_operation_is_described() -> None:
    """None is invented."""
    assert used().keys() - {plain(each) for each in DESCRIBED} == set()
