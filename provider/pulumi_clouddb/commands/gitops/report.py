"""The report of a run: what is written as JSON, and what the Markdown and the terminal show.

The JSON form is part of the interface of `clouddb ci`; docs/gitops.md describes it. A field is only ever added;
`version` changes when one changes its meaning or goes.
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
        NAMES: The fields that name something, and so are not searched for secrets.
    """

    NAMES: ClassVar[frozenset[str]] = frozenset()
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class PropertyChange(Part):
    """One property that differs. A secret value is `[secret]`, one that is not known yet `[unknown]`.

    The path names elements of lists by their keys, ids or names where they have some: `tiles["errors"].name`.
    """

    NAMES = frozenset({"kind"})

    path: str
    kind: Kind
    old: Any = None
    new: Any = None
    secret: bool = False
    replaces: bool = False


class ResourceChange(Part):
    """What happens, or has happened, to one resource.

    `operation` is the engine's word: create, update, replace, delete, import, read. In `drift` it says what happened
    on the server: update for an object that was changed, delete for one that is gone. `cost` is what a service that is
    deleted, replaced or resized has cost in the last 30 days, with its pipes, in the vendor's credits.
    """

    NAMES = frozenset({"operation", "type"})

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
    """A policy that a resource, or the stack as a whole, violates. Only `mandatory` ones block."""

    NAMES = frozenset({"policy", "pack", "level"})

    policy: str
    pack: str
    level: str
    message: str
    urn: str = ""


class Change(Part):
    """Something that is no longer as it was when the plan was made."""

    NAMES = frozenset({"what"})

    what: str
    planned: str
    now: str


class Message(Part):
    """An error or a warning of the engine, a provider or the program."""

    NAMES = frozenset({"severity"})

    severity: str
    text: str
    urn: str = ""


class QuotaPassed(Part):
    """A quota of the organization that the plan would pass.

    `planned` is how much more the plan takes; where the server does not count what is used, how much in all.
    """

    NAMES = frozenset({"code"})

    code: str
    name: str
    limit: int
    used: int | None = None
    planned: int
    resources: list[str] = Field(default_factory=list)


class DrawnDashboard(Part):
    """A dashboard that changes, and the file that shows it before and after."""

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
        """The databases that are replaced or deleted."""
        return [each for each in self.resources if each.database and each.operation in ("replace", "delete")]

    @property
    def blocking(self) -> list[Violation]:
        """The violations that end in a failure."""
        return [each for each in self.violations if each.level == "mandatory"]


def short_type(token: str) -> str:
    """Return the last word of a type: `Service` for `clouddb:index:Service`."""
    return token.rpartition(":")[2]


def name_of(urn: str) -> str:
    """Return the name in a URN."""
    return urn.split("::", 3)[-1]
