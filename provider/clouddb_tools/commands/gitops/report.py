"""The report of a run, written as JSON and shown as Markdown and in the terminal.

The JSON form is part of the interface of `clouddb ci`; docs/gitops.md describes it. Fields are only added; `version`
changes if a field is removed or changes its meaning.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

REPORT_VERSION = 1

Command = Literal["preview", "apply", "drift"]
Kind = Literal["add", "update", "delete"]


class Part(BaseModel):
    """Base of all parts: snake_case in Python, camelCase in JSON.

    Attributes:
        NAMES: Fields with names, which are not searched for secrets.
    """

    NAMES: ClassVar[frozenset[str]] = frozenset()
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class PropertyChange(Part):
    """The change of a property. A secret value is `[secret]`, an unknown one `[unknown]`.

    The path names elements of lists by key, id or name if they have one: `tiles["errors"].name`.
    """

    NAMES = frozenset({"kind"})

    path: str
    kind: Kind
    old: Any = None
    new: Any = None
    secret: bool = False
    replaces: bool = False


class ResourceChange(Part):
    """The planned or completed change of a resource.

    `operation` is the engine's: create, update, replace, delete, import. In `drift` it is the change on the
    server: update for a changed object, delete for a deleted one. `cost` is the cost of a deleted, replaced or resized
    service with its pipes in the last 30 days, in the vendor's credits.
    """

    NAMES = frozenset({"operation", "urn", "type"})

    operation: str
    urn: str
    type: str
    name: str
    id: str = ""
    database: bool = False
    failed: bool = False
    properties: list[PropertyChange] = Field(default_factory=list)
    cost: float | None = None


class Violation(Part):
    """The violation of a policy by a resource or the whole stack. Only `mandatory` ones block."""

    NAMES = frozenset({"policy", "pack", "level", "urn"})

    policy: str
    pack: str
    level: str
    message: str
    urn: str = ""


class Change(Part):
    """A change since the plan was made."""

    NAMES = frozenset({"what"})

    what: str
    planned: str
    now: str


class Message(Part):
    """An error or a warning of the engine, a provider or the program."""

    NAMES = frozenset({"severity", "urn"})

    severity: str
    text: str
    urn: str = ""


class QuotaPassed(Part):
    """A quota of the organization that the plan would exceed.

    `planned` is the additional usage of the plan, or its total usage if the server does not report `used`.
    """

    NAMES = frozenset({"code"})

    code: str
    name: str
    limit: int
    used: int | None = None
    planned: int
    resources: list[str] = Field(default_factory=list)


class DrawnDashboard(Part):
    """A changed dashboard, and the file with its picture before and after."""

    resource: str
    name: str
    summary: str
    file: str
    url: str = ""


class Report(Part):
    """The report of one run of `clouddb ci`."""

    NAMES = frozenset({"command", "project", "stack", "outcome", "commit", "plan", "counts"})

    version: int = REPORT_VERSION
    command: Command
    project: str = ""
    stack: str
    outcome: str = "ok"
    exit_code: int = 0
    explanation: str = ""
    commit: str = ""
    plan: str = ""
    counts: dict[str, int] = Field(default_factory=dict)
    resources: list[ResourceChange] = Field(default_factory=list)
    drift: list[ResourceChange] = Field(default_factory=list)
    violations: list[Violation] = Field(default_factory=list)
    moved: list[Change] = Field(default_factory=list)
    messages: list[Message] = Field(default_factory=list)
    pictures: list[DrawnDashboard] = Field(default_factory=list)
    quotas: list[QuotaPassed] = Field(default_factory=list)
    not_known: list[str] = Field(default_factory=list)

    @property
    def endangered(self) -> list[ResourceChange]:
        """The replaced or deleted databases."""
        return [each for each in self.resources if each.database and each.operation in ("replace", "delete")]

    @property
    def lost(self) -> list[ResourceChange]:
        """The databases that were deleted on the server, not by Pulumi."""
        return [each for each in self.drift if each.database and each.operation == "delete"]

    @property
    def blocking(self) -> list[Violation]:
        """The violations of mandatory policies."""
        return [each for each in self.violations if each.level == "mandatory"]


def short_type(token: str) -> str:
    """Return the last part of a type token: `Service` for `clouddb:index:Service`."""
    return token.rpartition(":")[2]


def name_of(urn: str) -> str:
    """Return the resource name in a URN."""
    return urn.split("::", 3)[-1]
