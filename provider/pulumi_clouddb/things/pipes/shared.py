"""What the sources of several kinds share: their base, their types, and the rules about roles.

Check refuses what both the vendor's description and its Terraform provider refuse (clickpipe.go, v3.25.3); of what only
one of them refuses, or calls without effect, it warns.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Any, Protocol

from pulumi_clouddb.schema.base import Code, FilledCode, FilledText, prop
from pulumi_clouddb.schema.check.rules import API, TF, Rule, rule
from pulumi_clouddb.schema.check.wording import doubted, matching
from pulumi_clouddb.schema.thing import Part
from pulumi_clouddb.schema.vendor import only_there

from .enums import AwsAuthentication

fixed = partial(prop, replaces=True)
"""Declare a property that no update accepts."""

fixed_there = partial(only_there, replaces=True)

IN_TERRAFORM = TF("clickpipe.go")

_KEYWORD = re.compile(r"(?i)\A\s*(partition by|primary key|order by|ttl)\s+|\s+(asc|desc)\s*\Z")
ALONE = doubted("should be without the keyword of its clause", partial(_KEYWORD.sub, ""))
Clause = Annotated[Code, ALONE]
FilledClause = Annotated[FilledCode, ALONE]
ProjectId = Annotated[
    FilledText,
    doubted(
        "should be the id of a project, with 6 to 30 lowercase letters, digits and hyphens",
        matching(r"[a-z][a-z0-9-]{4,28}[a-z0-9]"),
    ),
]


def ssh_key() -> Any:
    """Declare the key with which a source is reached."""
    return fixed_there("Id of the `PipeSshKey` through whose SSH server the source is reached.")


class Shared(Part):
    """Base of the parts that have the same name in requests and responses."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Name the response type after the inputs."""
        super().__init_subclass__(**kwargs)
        cls.ANSWER = cls.__name__


class WithRole(Protocol):
    """A source that a role of AWS can read."""

    @property
    def authentication(self) -> str | None:
        """Its kind of authentication."""

    @property
    def iam_role(self) -> str | None:
        """The role."""


def lacks_role(source: WithRole) -> bool:
    """Return whether a source that is read with a role has none."""
    return source.authentication == AwsAuthentication.IAM_ROLE and not source.iam_role


def role_missing(schema: str) -> Rule[WithRole]:
    """Return the rule that a source has the role that reads it; `schema` is its name in the description."""
    text = "should be given for authentication IAM_ROLE"
    return rule(lambda source: source.iam_role, text, lacks_role, warns=True, source=API(f"{schema}.iamRole"))


def role_in_vain(schema: str) -> Rule[WithRole]:
    """Return the rule that a source without authentication has no role."""
    return rule(
        lambda source: source.iam_role,
        "has no effect without authentication IAM_ROLE",
        lambda source: source.authentication is None and bool(source.iam_role),
        warns=True,
        source=API(f"{schema}.iamRole"),
    )
