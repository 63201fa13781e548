"""What the provider and the sandbox assume of servers about stack roles."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import described

PREDEFINED_STACK_ROLES_ARE_MARKED = described("The list of roles contains the predefined ones, with `isPredefined`.")
