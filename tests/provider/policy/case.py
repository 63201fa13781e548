"""The forms of policy cases, and the inputs that all of them start from."""

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
"""Inputs of resources that comply with every rule of the profile `baseline` outside production."""
for _life in WIRE_LIVES:
    # A resource without rules of its own complies with the inputs of its first life.
    USUAL.setdefault(_life.life.name, _life.before)


@dataclass(frozen=True)
class Case:
    """A rule about single resources. The inputs of a case are changes of the usual ones.

    Attributes:
        fails: Inputs that violate it; None removes an input.
        says: Beginning of the message: the property path, the value, the limit.
        passes: Inputs that comply.
        unknown: Inputs that are unknown where it matters; by default those that fail.
        fixed: The remediation's result for the inputs that fail; None if there is no remediation.
        stack: The name of the stack; `prod` is production.
        also: Further inputs that violate it, each with the beginning of the message.
        unfixed: Inputs that violate it and that no remediation changes.
        options: Options of the resource that fails, such as `ignore_changes`.
        also_passes: Further inputs that comply.
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
        """Inputs of which too little is known."""
        return dict.fromkeys(self.fails, UNKNOWN) if self.unknown is None else self.unknown

    def resource(self, native: bool, changes: Values, **options: Any) -> Resource:
        """Return the resource of a front end, with some changed inputs."""
        type_ = KINDS[self.about]
        props = {name: value for name, value in {**USUAL[self.about], **changes}.items() if value is not None}
        token = type_.token if native else type_.dynamic_token
        return Resource(token, "it", props, self.stack, **options)


@dataclass(frozen=True)
class Piece:
    """A resource of a stack case.

    It has a kind, a name, outputs, dependencies of its properties, its parent's token, and the properties of its
    provider.
    """

    about: str
    name: str
    props: Values
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parent_type: str = ""
    provider: Values | None = None


@dataclass(frozen=True)
class StackCase:
    """A rule about the whole stack.

    Attributes:
        says: Beginning of the message.
        unknown: A stack of which too little is known.
        at: The name of the resource that the violation is reported on; empty for the stack itself.
        stack: The name of the stack; `prod` is production.
        usage: The server's usage data of the organization, for both stacks.
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
        """Return the resources of a stack, of a front end."""
        return [
            Resource(
                KINDS[each.about].token if native else KINDS[each.about].dynamic_token,
                each.name,
                each.props,
                self.stack,
                each.needs,
                parent_type=each.parent_type,
                provider=each.provider,
            )
            for each in pieces
        ]
