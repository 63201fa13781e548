"""What becomes of each rule sentence of the vendor's descriptions: a rule that holds it, or the reason why none does.

Three reasons follow from the place of a sentence. Of those in requests, the mistakes of mistakes.py break most, which
check must find; the others are here.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache

from support.rows import Row

from .changes import ADDED, CHANGED, REMOVED
from .facts import CLOUD, OBSERVABILITY, Facts, kept, plain
from .here import owner_of_all, used
from .mistakes import ROWS
from .places import Place, places


class Reason(Enum):
    """Why no rule holds a sentence."""

    UNUSED = "nothing here uses the operation"
    RESPONSE = "it is about what servers return"
    NO_RULE = "it forbids nothing"
    SERVER = "only the server knows: it depends on states, features, or objects of others"
    DONE = "this provider sends it as the sentence asks, whatever the program has"
    UNSET = "programs cannot set it"
    WIDER = "servers accept more"


AT_PLACES = (Reason.UNUSED, Reason.RESPONSE)
"""The reasons that follow from the place of a sentence."""

NOT_HELD: Mapping[Reason, Mapping[str, str]] = {
    Reason.NO_RULE: {
        "7b61ff0a8ba0": "ClickPipePostKafkaSource.exactlyOnce",
        "1c2a3abe16f8": "ClickPipePostKafkaSource.exactlyOnce",
        "4eb8fae11f0a": "ClickPipePostObjectStorageSource.isContinuous",
        "16b0819adb36": "ClickPipePostObjectStorageSource.skipInitialLoad",
        "ece27eef3255": "ClickPipePostgresPipeSettings.replicationMode",
        "c3f4523dc4c9": "ClickPipePostgresPipeTableMapping.partitionKey",
        "fe589c4222b6": "ClickPipeMutateDestination.roles",
        "f1bdf578f6ea": "ClickPipePatchDestination.columns",
        "9b5e2067188b": "ClickStackCreateAlertRequest.numConsecutiveWindows",
        "bed69599ae91": "ClickStackFilterInput.appliesToSourceIds",
        "8c069890998e": "ClickStackMetricTables.summary",
        "06e216b58521": "ClickStackLogSource.knownColumnsListExpression",
        "0706094a44b6": "pgConfig.autovacuum_max_workers",
        "206550b4364c": "pgConfig.autovacuum_vacuum_scale_factor",
        "d66508f2aaa9": "pgConfig.autovacuum_analyze_scale_factor",
        "02f9537fbc6a": "pgConfig.autovacuum_vacuum_insert_scale_factor",
        "8e1c0d5a8bdf": "ServicePostRequest.privatePreviewTermsChecked",
        "a4906462c7a5": "InvitationPostRequest.email",
        "5d0334a68da8": "PATCH /v1/organizations/{organizationId}/roles/{roleId}",
        "da6396583f25": "GET /v1/organizations/{organizationId}/quotas",
        "3ed60c2643ee": "GET /v1/organizations/{organizationId}/services/{serviceId}/privateEndpointConfig",
        "bee61fb6cc09": "PATCH /v1/organizations/{organizationId}/services/{serviceId}/replicaScaling",
        "70052c68110a": "GET /v1/organizations/{organizationId}/services/{serviceId}/clickhouseSettings",
        "489ee9ec9b4a": "GET /v1/organizations/{organizationId}/udfs/{functionName}/attachments",
        "b7b031f57f9a": "PUT /api/v2/dashboards/{id}",
        "d7a90d17adac": "NumberTileColorCondition",
        "9955f8b34507": "SelectItem.numberFormat",
        "5d955e747552": "LineBuilderChartConfig.seriesLimit",
        "06de031c8525": "LineBuilderChartConfig.showOperandSeries",
        "12a82bc971c6": "TableBuilderChartConfig.showOperandSeries",
    },
    Reason.SERVER: {
        "dcf622ecc524": "ServicePostRequest.autoscalingMode",
        "9f0ec805bd78": "ServicePostRequest.minReplicas",
        "02d8bdd9e386": "ServiceReplicaScalingPatchRequest.autoscalingMode",
        "b04c74ae99ba": "ServiceReplicaScalingPatchRequest.minReplicas",
        "a1467d6f732a": "ServicePostRequest.backupId",
        "b356ec0f5dbc": "ClickPipePostgresPipeTableMapping.targetTable",
        "f97597cd7499": "ClickPipePostgresPipeTableMapping.partitionKey",
        "cacbd03a0738": "ClickPipeMySQLPipeTableMapping.partitionKey",
        "2e4ccc34ec41": "ClickPipeMutateMySQLSource.serverId",
        "690a68644ead": "ClickPipePostPubSubSource.enableOrdering",
        "67c38b13c752": "TimeChartSeries.metricDataType",
        "9279fd5f0d94": "SelectItem.metricName",
        "d49a91fb2308": "SelectItem.metricType",
        "e66fe1f1e118": "Formula",
        "210b585d6bf7": "LineBuilderChartConfig.formulas",
        "40d20d5a8cf7": "OnClick",
        "0dc9defb39d5": "SavedSearchInput.sourceId",
        "041d00dbf9d8": "OrganizationPatchRequest.enableCoreDumps",
        "741de484c71b": "PATCH /v1/organizations/{organizationId}",
        "5938bab62e3b": "GET /v1/organizations/{organizationId}",
        "f8f9f3c98307": "POST /v1/organizations/{organizationId}/services/{serviceId}/scalingSchedule",
        "54ca83232283": "DELETE /v1/organizations/{organizationId}/services/{serviceId}/upgradeWindow",
        "1540ed4a365d": "GET /v1/organizations/{organizationId}/services/{serviceId}/clickpipesCdcScaling",
        "d2041b5480a3": "DELETE /v1/organizations/{organizationId}/keys/{keyId}",
    },
    Reason.DONE: {
        "8485c2a72c8a": "ClickPipePatchPostgresSource.tableMappingsToRemove",
        "f64387623031": "ClickPipePatchMongoDBSource.tableMappingsToRemove",
        "85bb366bc8e5": "DELETE /v1/organizations/{organizationId}/services/{serviceId}",
        "54011f764ecd": "GET /api/v2/alerts",
        "2f81d7b80237": "GET /api/v2/alerts",
        "1c6b3af7e28c": "PUT /api/v2/sources/{id}",
        "a48271e54a6e": "POST /v1/organizations/{organizationId}/udfUploads/url",
        "e180de611127": "UpdateAlertRequest",
    },
    Reason.UNSET: {
        "4dc8da9171d9": "ClickPipePostSource.validateSamples",
        "8bf41f5c84bf": "ClickPipePostSource.validateSamples",
        "a89cd0a95af3": "PATCH /v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{clickPipeId}/state",
        "a1392caa1f43": "TileInput",
    },
    Reason.WIDER: {
        # but for the length, which a mistake breaks: the vendor's own examples have hyphens in names
        "e14fa133ba74": "ServicePostRequest.name",
        # the vendor's page on horizontal scaling has services of one replica, and users have first ones with one
        "f5f0698664de": "ServiceScalingPatchRequest.numReplicas",
        # Postgres accepts more of these workers than there are, and uses those that there are
        "d4b0f1626c5b": "pgConfig.max_parallel_workers",
        # since autumn 2026, Pub/Sub and files, too
        "84558b680346": "POST /v1/organizations/{organizationId}/services/{serviceId}/clickpipes/schemaDiscovery",
    },
}
"""The sentences in requests that no rule holds, by digest, each with one of its places."""

TESTED: Mapping[str, str] = {
    "5831922595e5": "provider/things/pipes/test_pipes.py::test_replacement_requires_allow_replacement",
    "28774db77db9": (
        "provider/things/alerts/test_alert_tiles.py::test_preview_rejects_an_alert_that_the_server_would_delete"
    ),
    "5735c1965bad": "provider/resources/test_renames.py::test_preview_rejects_a_taken_name_beside_another_create",
    "cc62154567ce": "provider/resources/test_renames.py::test_taken_name_alone_is_a_warning",
    "bd2823c463c6": "provider/things/roles/test_roles.py::test_system_role_is_not_imported",
    "8e843d85f4f3": "provider/things/roles/test_roles.py::test_system_role_is_not_imported",
    "1bb6a33e7ccc": "provider/things/stack_roles/test_stack_roles.py::test_predefined_role_is_not_imported",
    "5d10271eb8f7": "provider/things/stack_roles/test_stack_roles.py::test_predefined_role_is_not_imported",
    "16786d4528a3": (
        "provider/things/user_defined_functions/test_user_defined_functions.py::test_destroy_warns_of_attached_services"
    ),
}
"""The sentences whose rule needs more than check: the test that shows it."""


@dataclass(frozen=True)
class Account:
    """What becomes of a sentence.

    Attributes:
        places: Where it is.
        here: The mistakes that break it, the test of its rule, or why nothing holds it; None if it is new.
        resources: The resources with these places.
    """

    places: tuple[str, ...]
    here: tuple[Row, ...] | str | Reason | None
    resources: frozenset[str]

    @property
    def held(self) -> bool:
        """Whether a rule holds it."""
        return self.here is not None and not isinstance(self.here, Reason)

    def __str__(self) -> str:
        """Return it in words."""
        if self.here is None:
            return "new: break it in mistakes.py, or give the reason in accounts.py"
        if isinstance(self.here, tuple):
            return f"held: {self.here[0].name} fails at {self.here[0].at or 'the object'}"
        return f"not held: {self.here.value}" if isinstance(self.here, Reason) else f"held: {self.here}"


@cache
def _rows() -> Mapping[str, tuple[Row, ...]]:
    found: dict[str, tuple[Row, ...]] = defaultdict(tuple)
    for each in ROWS:
        for digest in each.breaks:
            found[digest] += (each,)
    return found


def without_variants(origin: str) -> str:
    """Return the place of a schema, which all of its variants share."""
    return re.sub("<[^>]*>", "", origin)


def _of_place(known: Mapping[str, set[Place]], name: str) -> set[Place]:
    """Return where a place of a sentence is used; one whose schema is a reference counts as the object around it."""
    while name not in known and (around := re.match(r"(.+?)(\.[^.\[]*|\[\])$", name)):
        name = around[1]
    return known.get(name, set())


@lru_cache(maxsize=8)
def accounts(facts: Facts) -> Mapping[str, Account]:
    """Return what becomes of each rule sentence of a description, by digest."""
    known: dict[str, set[Place]] = defaultdict(set)
    for place, said in places(facts).items():
        known[without_variants(said.origin)].add(place)
    where: dict[str, list[str]] = defaultdict(list)
    for name, digests in facts.sentences.items():
        for digest in digests:
            where[digest].append(name)
    return {digest: _account(known, digest, tuple(names)) for digest, names in where.items()}


def _account(known: Mapping[str, set[Place]], digest: str, names: tuple[str, ...]) -> Account:
    at = {place for name in names for place in _of_place(known, name) if plain(place.operation) in used()}
    asked = {each for each in at if each.part in ("request", "parameter", "operation")}
    resources = {name for each in asked for name in owner_of_all([each.operation]).name.split(", ")}
    if not asked:
        return Account(names, Reason.RESPONSE if at else Reason.UNUSED, frozenset())
    reason = next((reason for reason, digests in NOT_HELD.items() if digest in digests), None)
    here = _rows().get(digest) or TESTED.get(digest) or reason
    return Account(names, here, frozenset(resources))


@dataclass(frozen=True)
class RuleChange:
    """A rule sentence that a description has, and that another version of it has not.

    Attributes:
        kind: `added`, `removed` or `changed`.
        digest: Its digest: that of the new sentence, or of the removed one.
        account: What becomes of it, with its places.
        before: What became of the sentences that a changed one replaces.
    """

    kind: str
    digest: str
    account: Account
    before: tuple[Account, ...] = ()


def rule_changes(before: Facts, after: Facts) -> Iterator[RuleChange]:
    """Yield the new, changed and removed rule sentences, each once, with the places where it is so."""
    old, new = accounts(before), accounts(after)
    gained, lost = _beyond(new, old), _beyond(old, new)
    replaced = {*gained}  # one that is elsewhere now has moved
    for digest, account in gained.items():
        there = [each for each in lost if each != digest and not {*account.places}.isdisjoint(lost[each].places)]
        replaced |= {*there}
        yield RuleChange(CHANGED if there else ADDED, digest, account, tuple(lost[each] for each in there))
    yield from (RuleChange(REMOVED, digest, account) for digest, account in lost.items() if digest not in replaced)


def _beyond(here: Mapping[str, Account], there: Mapping[str, Account]) -> dict[str, Account]:
    """Return the sentences of one version in the places where another one does not have them."""
    known = {digest: {*account.places} for digest, account in there.items()}
    more = {
        digest: tuple(each for each in account.places if each not in known.get(digest, ()))
        for digest, account in here.items()
    }
    return {digest: replace(here[digest], places=places) for digest, places in more.items() if places}


def counted(found: Mapping[str, Account]) -> str:
    """Return how many sentences are held, and of the others how many for which reason."""
    others = [each.here for each in found.values() if not each.held]
    counts = Counter(each.value if isinstance(each, Reason) else "new" for each in others)
    reasons = [f"{count} {reason}" for reason, count in counts.most_common()]
    return "; ".join([f"{len(found)} rule sentences: {len(found) - len(others)} held", *reasons])


@cache
def of_kept() -> Mapping[str, Account]:
    """Return what becomes of each sentence of both kept descriptions; one in requests of either is one of requests."""
    both = [accounts(kept(file)) for file in (CLOUD, OBSERVABILITY)]
    return {**both[0], **both[1]} | {
        digest: each for one in both for digest, each in one.items() if each.here not in AT_PLACES
    }
