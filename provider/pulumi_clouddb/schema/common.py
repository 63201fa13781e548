"""Models that several resources share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeVar

from pulumi_clouddb.schema.check.rules import Rule, context_of, name_of, rule

from .base import Address, Model, Record, Text, anywhere, parse_network, prop
from .check.wording import UUID_FORM
from .values import WireDict
from .vendor import parameters_in
from .vocabulary import CLICKHOUSE


class IpAccessEntry(Model):
    """An address, or a range of addresses, that may connect."""

    source: Address = prop("Address, or range of addresses, that is allowed.", required=True)
    description: Text | None = prop("Free text that describes the address.")


class AssignedRole(Record):
    """A role of a key, a member or an invitation."""

    role_id: Text | None = prop("Id of the role.")
    role_name: Text | None = prop("Name of the role.")
    role_type: Text | None = prop("Whether it is a role of the `system` or a `custom` one of the organization.")


AWS, GCP, AZURE = "aws", "gcp", "azure"
CLOUDS = {AWS: r"[a-z]+(-[a-z]+)+-\d+", GCP: r"[a-z]+(-[a-z]+)+\d+", AZURE: r"[a-z]+\d*"}
"""The clouds, by the form of their regions: `us-east-1`, `us-east1`, `eastus2`."""


def cloud_of(region: str | None) -> str | None:
    """Return the cloud of a region; None if its name has another form."""
    return next((cloud for cloud, form in CLOUDS.items() if re.fullmatch(form, region or "")), None)


ArgsT = TypeVar("ArgsT")


class _Placed(Protocol):
    """Inputs with a region."""

    @property
    def region(self) -> str | None:
        """Its name."""


PlacedT = TypeVar("PlacedT", bound=_Placed)


def region_of(cloud: Callable[[PlacedT], str | None]) -> Rule[PlacedT]:
    """Return the rule that a region belongs to its cloud; private regions follow no pattern."""

    def broken(args: PlacedT) -> str | None:
        given, owner = cloud(args), cloud_of(args.region)
        return f", not {args.region!r} of {owner}" if owner and given in CLOUDS and owner != given else None

    return rule(lambda args: args.region, f"should be a region of `{name_of(cloud)}`", broken, warns=True)


def formed_by(
    cloud: Callable[[ArgsT], str | None], ids: Callable[[ArgsT], Any], text: str, forms: Mapping[str, str]
) -> Rule[ArgsT]:
    """Return the rule that one or more ids have the form of their cloud."""

    def broken(args: ArgsT) -> str | None:
        form, given = forms.get(cloud(args) or ""), ids(args) or ()
        for each in [given] if isinstance(given, str) else given:
            if form and isinstance(each, str) and not re.fullmatch(form, each):
                digits = each.replace("-", "")
                return f", not {each!r}" + (f"; did you mean {digits}?" if re.fullmatch(form, digits) else "")
        return None

    return rule(ids, text, broken, warns=True, only=CLICKHOUSE)


ENDPOINTS = {AWS: "vpce-.*", GCP: r"\d{6,}", AZURE: rf"/subscriptions/.*|{UUID_FORM}"}
OF_ENDPOINTS = "should be vpce-… on aws, the digits of a connection on gcp, and a UUID or /subscriptions/… on azure"
"""The forms of the ids of private endpoints."""


def public_sources(is_private: Callable[[Any], object] = lambda _: False) -> Rule[Any]:
    """Return the rule that an access list has addresses of the internet, unless clients are in a private network."""

    def broken(args: Any) -> str | None:
        if not context_of(args).public or is_private(args):
            return None
        hidden = [each.source for each in args.ip_access_list or () if _is_hidden(each.source)]
        return f", not {hidden[0]!r}: write the address of your network there" if hidden else None

    return rule(
        lambda args: args.ip_access_list, "should have addresses of the internet", broken, warns=True, only=CLICKHOUSE
    )


def _is_hidden(source: str) -> bool:
    """Return whether an address is private or reserved, such as those of documentation."""
    try:
        network = parse_network(anywhere(source))
    except ValueError:
        return False
    return network.prefixlen >= 7 and not network.is_global  # older Pythons call 0.0.0.0/0 private


def _unfit_parameters(args: Any) -> str | None:
    used = re.findall(r"\{\s*(\w+)\s*:", args.sql or "")
    if unused := [name for name in args.parameters or () if name not in used]:
        return f", not {', '.join(map(repr, unused))}"
    for name, kind in parameters_in(args.sql).items():
        value = (args.parameters or {}).get(name)
        form, example = next((each for types, *each in _FORMS if re.fullmatch(types, kind)), (".*", ""))
        if isinstance(value, str) and not re.fullmatch(form, value, re.IGNORECASE | re.DOTALL):
            return f", with values of their types: {name} is a {kind}, such as {example}, not {value!r}"
    return None


_FORMS: Final = (
    (r"UInt\d+", r"\+?\d+", "7"),
    (r"Int\d+", r"[+-]?\d+", "-7"),
    (r"Float\d+|Decimal.*", r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(inf|nan)", "7.5"),
    (r"UUID", UUID_FORM, "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"),
    (r"Date|Date32", r"\d{4}\D\d\d?\D\d\d?|\d{8}", "2027-01-31"),
    (r"DateTime(64)?(\(.*\))?", r"\d{4}\D\d\d\D\d\d([ T][\d:.]{5,})?|\d+(\.\d+)?", "2027-01-31 08:00:00"),
    (r"Array\(.*\)", r"\[.*\]", "[1,2]"),
)
"""Types of parameters, the form of the texts that the database reads wholly as one, and an example."""

PARAMETERS_OF_SQL: Rule[Any] = rule(
    lambda args: args.parameters,
    "should name parameters of sql, such as `day` for `{day:Date}`",
    _unfit_parameters,
    warns=True,
)
"""Servers keep the default of a parameter that the query lacks, and nothing reads it."""

ROLE, ASSIGNED_ROLES = "role", "assignedRoles"
SYSTEM = "system"
"""The type of a role that nobody can change."""


def in_one_form(reported: WireDict) -> WireDict:
    """Return what a server reports without `role`, which is older and no longer changes, if it has assigned roles."""
    return {name: value for name, value in reported.items() if name != ROLE or not reported.get(ASSIGNED_ROLES)}


def ids_of(roles: list[AssignedRole]) -> list[str]:
    """Return the ids of assigned roles, as in requests."""
    return [role.role_id for role in roles if role.role_id is not None]


ONE_FORM_OF_ROLES: Rule[Any] = rule(
    lambda args: args.role,
    "must not be given together with assignedRoleIds",
    lambda args: args.role is not None and args.assigned_role_ids is not None,
)
"""The vendor's servers keep one of the two: the other would differ in each run."""

SOME_ROLES: Rule[Any] = rule(
    lambda args: args.assigned_role_ids,
    "or role should be given: without them, it gives no role",
    lambda args: args.role is None and args.assigned_role_ids is None,
    warns=True,
)
