"""Rules about several resources of a stack, which refer to each other by their ids.

The id of a new object is unknown in a preview: then the resource that a property depends on stands for it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pulumi_policy import PolicyResource, Severity

from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.create.run import Run
from pulumi_clouddb.policy.resources import TYPES
from pulumi_clouddb.policy.rule import Finding, Findings, Settings, StackContext, shown, stack_rule
from pulumi_clouddb.policy.views import Properties, is_of
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.check.claims import contradictions
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.equality import OF_IDS, usual_id
from pulumi_clouddb.schema.names import ID, property_name
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import UNKNOWN, WireDict, WireValues, contains_unknown, objects
from pulumi_clouddb.schema.vendor import among
from pulumi_clouddb.things.alerts.alert import ALERT, Alert
from pulumi_clouddb.things.dashboards.api import keeps_alerts
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD, Dashboard
from pulumi_clouddb.things.dashboards.tile_config_fields import WITH_ALERTS
from pulumi_clouddb.things.pipes.pipe import PIPE, Pipe
from pulumi_clouddb.things.pipes.scaling import PIPE_SCALING, PipeScaling
from pulumi_clouddb.things.services.service import Service

TILES = property_name(Dashboard, lambda board: board.tiles)
TILE_ID = property_name(Alert, lambda alert: alert.tile_id)
PIPE_ID = property_name(PipeScaling, lambda scaling: scaling.pipe_id)
SCALING = property_name(Pipe, lambda pipe: pipe.scaling)
MAY_REPEAT = property_name(Service, lambda service: service.allow_duplicate_name)
BASE_URL = property_name(ProviderConfig, lambda config: config.base_url)
ORGANIZATION_ID = property_name(ProviderConfig, lambda config: config.organization_id)
STACK_URL = property_name(ProviderConfig, lambda config: config.stack_url)

LARGEST_STACK = 5000
"""The most resources of which rules share what they have read."""


@dataclass(frozen=True)
class Declared:
    """A resource of a stack, as its handler sees it.

    Attributes:
        resource: The resource from pulumi-policy.
        handler: The handler of its kind.
        inputs: Its inputs, with the resources that stand for unknown ids.
        outputs: Its outputs, which include its id if it is known.
    """

    resource: PolicyResource
    handler: AnyResource
    inputs: WireDict
    outputs: WireDict

    @property
    def identity(self) -> str:
        """Its id, or its URN in place of an unknown one."""
        return _identity(self.resource)


def declared(context: StackContext[Any], *types: ResourceType) -> Iterator[Declared]:
    """Yield the resources of a stack, of all types or of some, without exceptions."""
    for type_ in types or TYPES:
        for placed in context.all_of(type_):
            yield _declared(placed.resource, type_)


@functools.lru_cache(maxsize=LARGEST_STACK)
def _declared(resource: PolicyResource, type_: ResourceType) -> Declared:
    """Return what the rules of this module share, since each of them reads every resource."""
    props = Properties(resource.props)
    values = {name: props[name] for name in props if props[name] is not None}
    inputs = {name: values[name] for name in wire_names(type_.inputs) if name in values}
    outputs = {name: values[name] for name in type_.output_only if values.get(name, UNKNOWN) is not UNKNOWN}
    named = {name: _with_identities(resource, name, value) for name, value in inputs.items()}
    return Declared(resource, RESOURCES[type_.name], named, outputs)


def _identity(resource: PolicyResource) -> str:
    object_id = Properties(resource.props).get(ID)
    return object_id if isinstance(object_id, str) else resource.urn


def _with_identities(resource: PolicyResource, name: str, value: object) -> object:
    """Return an id, or a list of ids, with the identities of the resources that it depends on in place of unknowns."""
    needed = resource.property_dependencies.get(name, ())
    identities = [_identity(each) for each in needed if any(is_of(type_, each) for type_ in _kinds_of(name))]
    if value is UNKNOWN and len(identities) == 1:
        return identities[0]
    if isinstance(value, list) and value.count(UNKNOWN) == len(identities):
        return [identities.pop() if each is UNKNOWN else each for each in value]
    return value


@functools.cache
def _kinds_of(name: str) -> tuple[ResourceType, ...]:
    """Return the types of the objects with the ids in a property: `logSourceId` is that of a source."""
    word = next((name.removesuffix(each).lower() for each in OF_IDS if name.endswith(each)), "")
    kinds = {type_: type_.name.lower() for type_ in TYPES}
    return tuple(type_ for type_, kind in kinds.items() if word and (word.endswith(kind) or kind.endswith(word)))


@stack_rule(
    "one-scaling-per-pipe",
    "No two resources of a stack scale the same pipe.",
    severity=Severity.HIGH,
    comply="Remove all but one: each update of one reverts the other.",
    tags=("operations",),
)
def one_scaling_per_pipe(context: StackContext[Settings]) -> Findings:
    """Check each PipeScaling, and each Pipe with a scaling; the pipe must be known, or be in the stack."""
    first: dict[str, PolicyResource] = {}
    for each in declared(context, PIPE, PIPE_SCALING):
        is_pipe = each.handler.type is PIPE
        pipe_id = each.identity if is_pipe else each.inputs.get(PIPE_ID)
        if isinstance(pipe_id, str) and (not is_pipe or SCALING in each.inputs):
            other = first.setdefault(usual_id(pipe_id), each.resource)
            if other is not each.resource:
                found = f"is the id of a pipe that {shown(other.name)} already scales"
                yield Finding(PIPE_ID, found, "remove one of the two scalings", each.resource.urn)


@stack_rule(
    "one-owner-per-property",
    "No two resources of a stack set the same property of an object, and no list lacks what another one needs in it.",
    severity=Severity.HIGH,
    comply="Set each property in one place, and name in a list all that other resources add to it.",
    tags=("operations",),
)
def one_owner_per_property(context: StackContext[Settings]) -> Findings:
    """Check what checks of the provider do, also of new objects; scalings of pipes have a rule of their own."""
    run = Run()
    for each in declared(context):
        claims = each.handler.claims(RuleContext(), each.inputs, each.identity, each.outputs)
        others = (claim for claim in claims if claim.place.kind != PIPE.name)
        for found in contradictions(each.resource.urn, run.claims(each.resource.urn, others)):
            yield Finding(found.subject, found.problem, found.advice[:1].lower() + found.advice[1:], found.urn)


@stack_rule(
    "unique-names",
    "No two resources of a stack give their objects a name that only one may have.",
    severity=Severity.MEDIUM,
    comply="Give one of them another name: the server refuses the second one.",
    tags=("naming",),
)
def unique_names(context: StackContext[Settings]) -> Findings:
    """Check the names of new objects, also within a new service; objects that exist already have their names."""
    first: dict[tuple[object, ...], Declared] = {}
    for each in declared(context):
        unique_by = each.handler.unique_by
        values = tuple(each.inputs.get(name) for name in unique_by)
        if not unique_by or contains_unknown(values) or each.inputs.get(MAY_REPEAT):
            continue
        other = first.setdefault((each.handler.type.name, *values), each)
        if other is not each and not (ID in other.outputs and ID in each.outputs):
            found = f"is {shown(values[-1])} as that of {shown(other.resource.name)}"
            yield Finding(unique_by[-1], found, "change one of them", each.resource.urn)


@stack_rule(
    "alert-tile-keeps-alerts",
    "An alert watches a tile of a new dashboard that has tiles with alerts.",
    severity=Severity.HIGH,
    comply=f"Watch a tile of displayType {among(WITH_ALERTS)}: servers delete the alerts of others.",
    tags=("observability",),
)
def alert_tile_keeps_alerts(context: StackContext[Settings]) -> Findings:
    """Check alerts whose tile is unknown: a check of the provider knows the others."""
    boards = {each.resource.urn: objects(each.inputs.get(TILES)) for each in declared(context, DASHBOARD)}
    for each in declared(context, ALERT):
        needed = each.resource.property_dependencies.get(TILE_ID, ())
        tiles = [tile for other in needed for tile in boards.get(other.urn, ())]
        if tiles and each.inputs.get(TILE_ID) is UNKNOWN and not any(map(_may_keep_alerts, tiles)):
            found = f"is that of a tile of {shown(next(iter(needed)).name)}, none of which keeps alerts"
            yield Finding(TILE_ID, found, f"add a tile of displayType {among(WITH_ALERTS)}", each.resource.urn)


def _may_keep_alerts(tile: WireValues) -> bool:
    return contains_unknown(tile) or keeps_alerts(tile)


@stack_rule(
    "references-within-account",
    "The ids of other objects in a resource belong to the account of its provider.",
    severity=Severity.HIGH,
    comply="Give both resources the same provider, or take the id of the object in the other account.",
    tags=("operations",),
)
def references_within_account(context: StackContext[Settings]) -> Findings:
    """Compare the servers and organizations of the providers of both resources, as far as they are configured."""
    every = {each.identity: each for each in declared(context)}
    for each in every.values():
        for name, value in each.inputs.items():
            ids = value if isinstance(value, list) else [value]
            for other in (every[id_] for id_ in ids if name.endswith(OF_IDS) and isinstance(id_, str) and id_ in every):
                pairs = zip(_account(each, other, context), _account(other, other, context), strict=True)
                if any(own and others and own != others for own, others in pairs):
                    found = f"is the id of {shown(other.resource.name)}, whose provider has another account"
                    yield Finding(name, found, "give both the same provider", each.resource.urn)


def _account(of: Declared, referred: Declared, context: StackContext[Any]) -> tuple[object, ...]:
    """Return the address and the organization with which a provider finds objects on the server of another one."""
    is_hosted = referred.handler.server_kind(referred.inputs) is ServerKind.SELF_HOSTED
    settings = Properties(of.resource.provider.props) if of.resource.provider else {}
    values = [
        settings.get(name) or context.facts.config.get(f"clouddb:{name}")
        for name in ((STACK_URL,) if is_hosted else (BASE_URL, ORGANIZATION_ID))
    ]
    return tuple(None if value is UNKNOWN else value for value in values)
