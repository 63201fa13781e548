"""Models that several resources share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from pulumi_clouddb.schema.check.rules import OURS, PAGE, Rule, Source, context_of, name_of, rule

from .base import Address, Model, Prose, Record, Text, anywhere, parse_network, prop
from .check.wording import UUID_FORM
from .values import WireDict
from .vendor import PARAMETERS_IN_SQL, parameters_in
from .vocabulary import CLICKHOUSE


class IpAccessEntry(Model):
    """An address, or a range of addresses, that may connect."""

    source: Address = prop("Address, or range of addresses, that is allowed.", required=True)
    description: Prose | None = prop("Free text that describes the address.")


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


REGIONS = PAGE("https://clickhouse.com/docs/products/cloud/reference/supported-regions")

ArgsT = TypeVar("ArgsT")


def region_of(region: Callable[[ArgsT], str | None], cloud: Callable[[ArgsT], str | None]) -> Rule[ArgsT]:
    """Return the rule that a region belongs to its cloud; private regions follow no pattern."""

    def broken(args: ArgsT) -> str | None:
        given, owner = cloud(args), cloud_of(region(args))
        return f", not {region(args)!r} of {owner}" if owner and given in CLOUDS and owner != given else None

    return rule(region, f"should be a region of `{name_of(cloud)}`", broken, warns=True, source=REGIONS)


def formed_by(
    cloud: Callable[[ArgsT], str | None],
    ids: Callable[[ArgsT], Any],
    text: str,
    forms: Mapping[str, str],
    source: Source,
) -> Rule[ArgsT]:
    """Return the rule that one or more ids have the form of their cloud."""

    def broken(args: ArgsT) -> str | None:
        form, given = forms.get(cloud(args) or ""), ids(args) or ()
        for each in [given] if isinstance(given, str) else given:
            if form and isinstance(each, str) and not re.fullmatch(form, each):
                digits = each.replace("-", "")
                return f", not {each!r}" + (f"; did you mean {digits}?" if re.fullmatch(form, digits) else "")
        return None

    return rule(ids, text, broken, warns=True, only=CLICKHOUSE, source=source)


_ENDPOINTS = {AWS: "vpce-.*", GCP: r"\d{6,}", AZURE: rf"/subscriptions/.*|{UUID_FORM}"}
OF_ENDPOINTS = "should be vpce-… on aws, the digits of a connection on gcp, and a UUID or /subscriptions/… on azure"


def ids_of_endpoints(cloud: Callable[[ArgsT], str | None], ids: Callable[[ArgsT], Any]) -> Rule[ArgsT]:
    """Return the rule that the ids of private endpoints have the form of their cloud."""
    page = PAGE(
        "https://clickhouse.com/docs/products/cloud/guides/security/connectivity/private-networking/aws-privatelink"
    )
    return formed_by(cloud, ids, OF_ENDPOINTS, _ENDPOINTS, page)


def public_sources(
    listed: Callable[[ArgsT], Sequence[IpAccessEntry] | None], is_private: Callable[[ArgsT], object] = lambda _: False
) -> Rule[ArgsT]:
    """Return the rule that an access list has addresses of the internet, unless clients are in a private network."""

    def broken(args: ArgsT) -> str | None:
        if not context_of(args).public or is_private(args):
            return None
        hidden = [each.source for each in listed(args) or () if _is_hidden(each.source)]
        return f", not {hidden[0]!r}: write the address of your network there" if hidden else None

    return rule(listed, "should have addresses of the internet", broken, warns=True, only=CLICKHOUSE, source=OURS)


def _is_hidden(source: str) -> bool:
    """Return whether an address is private or reserved, such as those of documentation."""
    try:
        network = parse_network(anywhere(source))
    except ValueError:
        return False
    return network.prefixlen >= 7 and not network.is_global  # older Pythons call 0.0.0.0/0 private


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


def parameters_of(
    sql: Callable[[ArgsT], str | None], given: Callable[[ArgsT], Mapping[str, str] | None]
) -> Rule[ArgsT]:
    """Return the rule that parameters are those of a query: nothing reads others, which servers keep."""

    def broken(args: ArgsT) -> str | None:
        text, values = sql(args) or "", given(args) or {}
        used = re.findall(r"\{\s*(\w+)\s*:", text)
        if unused := [name for name in values if name not in used]:
            return f", not {', '.join(map(repr, unused))}"
        for name, kind in parameters_in(text).items():
            value = values.get(name)
            form, example = next((each for types, *each in _FORMS if re.fullmatch(types, kind)), (".*", ""))
            if isinstance(value, str) and not re.fullmatch(form, value, re.IGNORECASE | re.DOTALL):
                return f", with values of their types: {name} is a {kind}, such as {example}, not {value!r}"
        return None

    text = "should name parameters of sql, such as `day` for `{day:Date}`"
    return rule(given, text, broken, warns=True, source=PARAMETERS_IN_SQL)


ROLE, ASSIGNED_ROLES = "role", "assignedRoles"
SYSTEM = "system"
"""The type of a role that nobody can change."""


def in_one_form(reported: WireDict) -> WireDict:
    """Return what a server reports without `role`, which is older and no longer changes, if it has assigned roles."""
    return {name: value for name, value in reported.items() if name != ROLE or not reported.get(ASSIGNED_ROLES)}


def ids_of(roles: list[AssignedRole]) -> list[str]:
    """Return the ids of assigned roles, as in requests."""
    return [role.role_id for role in roles if role.role_id is not None]


def one_form_of_roles(role: Callable[[ArgsT], object], ids: Callable[[ArgsT], object]) -> Rule[ArgsT]:
    """Return the rule that roles are given in one form: servers keep one of two, and the other would be drift."""
    text = "must not be given together with assignedRoleIds"
    return rule(role, text, lambda _: True, given=lambda args: (role(args), ids(args)), source=OURS)


def some_roles(role: Callable[[ArgsT], object], ids: Callable[[ArgsT], object]) -> Rule[ArgsT]:
    """Return the rule that a resource that gives roles has some."""
    text = "or role should be given: without them, it gives no role"
    return rule(ids, text, lambda args: role(args) is ids(args) is None, warns=True, source=OURS)
