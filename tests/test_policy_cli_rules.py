"""Every rule about single resources under the real CLI: `pulumi preview --policy-pack` of programs of all cases.

In one program stand the resources that fail, pass and are not known yet, each for its own rule; a rule that is given
other settings in another case needs another program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from policy_cases import RESOURCE_CASES
from policy_cases.case import KINDS, Case, Values, for_check
from pulumi_clouddb.models.check import RuleContext
from pulumi_clouddb.testing import UNKNOWN, CliStack, Secret
from pulumi_clouddb.testing.stand_in.values import strip
from support.policy_project import Project

pytestmark = pytest.mark.skipif(not CliStack.available(), reason="there is no pulumi on PATH")

CONFIG: dict[str, str | Secret] = {
    "clouddb:baseUrl": "https://api.clouddb.example",
    "clouddb:organizationId": "7f3c2a10-0000-4000-8000-000000000001",
    "clouddb:keyId": "key",
    "clouddb:keySecret": Secret("secret"),
}
REFUSED_BY_CHECK = {"no-credentials-in-inputs Service", "no-credentials-in-inputs PipeScaling"}
"""Cases whose failing inputs the provider refuses itself, before a policy sees them."""

HEAD = """
import pulumi

unknown = pulumi.CustomResource("clouddb:index:ApiKey", "seed", {"name": "Seed", "roles": ["developer"]}).id
"""


def batches(cases: list[Case]) -> Iterator[list[Case]]:
    """Part cases into programs: those of one stack, in which no rule has two settings."""
    left = cases
    while left:
        stack, settings = (
            left[0].stack,
            {case.rule: case.settings for case in reversed(left) if case.stack == left[0].stack},
        )
        batch = [case for case in left if case.stack == stack and case.settings == settings[case.rule]]
        yield batch
        left = [case for case in left if case not in batch]


def id_of(case: Case) -> str:
    """Name a case."""
    return f"{case.rule} {case.about}"


def forms(case: Case) -> Iterator[tuple[str, Values, Mapping[str, Any]]]:
    """Yield what there is of a case in the program: its name, inputs and options."""
    if id_of(case) not in REFUSED_BY_CHECK:
        yield "fails", case.fails, case.options
    yield "passes", case.passes, case.passing_options
    yield "unknown", case.unknown, {}


def program(cases: list[Case]) -> str:
    """Write the program of cases."""
    lines = [HEAD]
    for number, case in enumerate(cases):
        for form, changes, options in forms(case):
            token = KINDS[case.about].token
            inputs = code(dict(case.resource(True, changes).props))
            given = ", ".join(f"{name}={value!r}" for name, value in options.items())
            name = f"{form}-{number}"
            lines.append(f"pulumi.CustomResource({token!r}, {name!r}, {inputs}, pulumi.ResourceOptions({given}))")
    return "\n".join([*lines, ""])


def code(value: Any) -> str:
    """Write a value as Python, with what is secret and what is not known as the outputs that they are."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {code(each)}" for name, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(code, value)) + "]"
    if isinstance(value, Secret):
        return f"pulumi.Output.secret({code(value.value)})"
    return "unknown" if value is UNKNOWN else repr(value)


BATCHES = list(batches(RESOURCE_CASES))


@pytest.mark.parametrize("cases", BATCHES, ids=[f"{batch[0].stack} {len(batch)} cases" for batch in BATCHES])
def test_each_rule_is_told_where_it_is_broken_and_only_there(
    cases: list[Case], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What breaks a rule is told with the words of the case; what keeps it, or is not known, is not told."""
    main = tmp_path_factory.mktemp("program")
    (main / "__main__.py").write_text(program(cases), encoding="utf-8")
    config = {**CONFIG, **{key: value for case in cases for key, value in case.config.items()}}
    project = Project(tmp_path_factory.mktemp("project"), main, cases[0].stack, config)
    levels = {case.rule: {"enforcementLevel": "advisory", **case.settings} for case in cases}
    found = project.preview({"all": "advisory", **levels})
    assert found.ok, found.output
    assert "can't run policy" not in found.output
    for number, case in enumerate(cases):
        told = [(each["resourceUrn"], each["message"]) for each in found.violations.get(case.rule, [])]
        for form, _, _ in forms(case):
            messages = [message for urn, message in told if urn.endswith(f"::{form}-{number}")]
            if form == "fails":
                assert any(case.says in message for message in messages), (id_of(case), messages)
            else:
                assert messages == [], (id_of(case), form)


def test_check_refuses_what_the_table_says() -> None:
    """No case is left out that the provider would let through."""
    refused = {
        id_of(case)
        for case in RESOURCE_CASES
        if KINDS[case.about].failures(for_check(strip(case.resource(True, case.fails).props)), RuleContext())
    }
    assert refused == REFUSED_BY_CHECK
