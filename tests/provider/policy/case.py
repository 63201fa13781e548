"""What a case says, and the resources that all of them start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clouddb_tools.testing import UNKNOWN, Secret
from lives.table import WIRE_LIVES
from pulumi_clouddb.policy.resources import TYPES
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.things.organizations.measured_usage import Usage
from support.policy_host import Resource

Values = Mapping[str, Any]
Config = Mapping[str, str | Secret]

SERVICE_ID = "7f3c2a10-0000-4000-8000-000000000001"
PIPE_ID = "7f3c2a10-0000-4000-8000-000000000002"
KINDS: dict[str, ResourceType] = {type_.name: type_ for type_ in TYPES}
USUAL: dict[str, Values] = {
    "Service": {
        "name": "Shop",
        "provider": "aws",
        "region": "eu-central-1",
        "numReplicas": 3,
        "maxReplicaMemoryGb": 64,
        "ipAccessList": [{"source": "203.0.113.0/24", "description": "Office"}],
    },
    "PipeScaling": {"serviceId": SERVICE_ID, "pipeId": PIPE_ID, "replicas": 2},
    "ApiKey": {
        "name": "Reports",
        "roles": ["developer"],
        "ipAccessList": [{"source": "203.0.113.7", "description": "Report server"}],
    },
    "Dashboard": {"name": "Shop", "tiles": [{"key": "errors", "name": "Errors", "series": [{"sourceId": "logs"}]}]},
    "Alert": {
        "name": "Errors",
        "message": "Look at the log.",
        "threshold": 100,
        "interval": "5m",
        "source": "tile",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": "on-call"},
    },
}
"""Inputs of resources that keep every rule of the profile `baseline` outside production."""
for _life in WIRE_LIVES:
    # A resource without rules of its own keeps them with what its first life begins with.
    USUAL.setdefault(_life.life.name, _life.before)


@dataclass(frozen=True)
class Case:
    """One rule about single resources.

    Attributes:
        fails: Inputs, beside the usual ones, that break it; None takes an input away.
        says: What the message begins with: the property path, the value, the limit.
        passes: Inputs, beside the usual ones, that keep it.
        unknown: Inputs, beside the usual ones, that are not known yet where it matters; by default those that fail.
        fixed: What the remediation makes of the inputs that fail; None where there is none.
        stack: The stack; `prod` is production.
        also: More that breaks it, with what the message begins with.
        unfixed: Inputs that break it and that no remediation touches.
        options: Options of the resource that fails, such as `ignore_changes`.
        also_passes: More that keeps it.
        passing_options: Options of the resource that passes, such as `protect`.
    """

    rule: str
    about: str
    fails: Values
    says: str
    passes: Values = field(default_factory=dict)
    unknown: Values | None = None
    fixed: Values | None = None
    settings: Values = field(default_factory=dict)
    stack: str = "dev"
    also: tuple[tuple[Values, str], ...] = ()
    unfixed: tuple[Values, ...] = ()
    options: Values = field(default_factory=dict)
    also_passes: tuple[Values, ...] = ()
    passing_options: Values = field(default_factory=dict)
    config: Config = field(default_factory=dict)

    @property
    def undecided(self) -> Values:
        """Inputs, beside the usual ones, of which too little is known."""
        return dict.fromkeys(self.fails, UNKNOWN) if self.unknown is None else self.unknown

    def resource(self, native: bool, changes: Values, **options: Any) -> Resource:
        """Return the resource with some inputs of its own, of either front end."""
        type_ = KINDS[self.about]
        props = {name: value for name, value in {**USUAL[self.about], **changes}.items() if value is not None}
        token = type_.token if native else type_.dynamic_token
        return Resource(token, "it", props, self.stack, **options)


@dataclass(frozen=True)
class Piece:
    """A resource of a stack case: its kind, name and outputs, what its properties depend on, its parent's token."""

    about: str
    name: str
    props: Values
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parent_type: str = ""


@dataclass(frozen=True)
class StackCase:
    """One rule about the whole stack.

    Attributes:
        says: What the message begins with.
        unknown: A stack of which too little is known.
        at: The name of the resource that the violation is shown on; the stack itself without one.
        stack: The stack; `prod` is production.
        usage: What the server counts of the organization, where both stacks are.
    """

    rule: str
    says: str
    fails: tuple[Piece, ...] = ()
    passes: tuple[Piece, ...] = ()
    unknown: tuple[Piece, ...] = ()
    at: str = ""
    settings: Values = field(default_factory=dict)
    stack: str = "prod"
    config: Config = field(default_factory=dict)
    good_config: Config = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    def resources(self, native: bool, pieces: tuple[Piece, ...]) -> list[Resource]:
        """Return the resources of a stack, of either front end."""
        return [
            Resource(
                KINDS[each.about].token if native else KINDS[each.about].dynamic_token,
                each.name,
                each.props,
                self.stack,
                each.needs,
                parent_type=each.parent_type,
            )
            for each in pieces
        ]
