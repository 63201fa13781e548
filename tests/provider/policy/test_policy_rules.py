"""Every rule of the pack: violations, compliant inputs, unknown values, and the result of its remediation.

Each case runs in the real policy host, with the types of both front ends.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest

from clouddb_tools.testing import UNKNOWN, Secret
from policy.access import OFFICE
from policy.case import KINDS, Case, Config, Piece, StackCase
from policy.cases import RESOURCE_CASES, STACK_CASES
from pulumi_clouddb.engine.wire.codec import from_struct, to_struct
from pulumi_clouddb.engine.wire.secret import has_secret, strip
from pulumi_clouddb.policy.rules import RULES
from pulumi_clouddb.schema.check.findings import failures_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.public_names import in_python
from pulumi_clouddb.things.organizations.measured_usage import VARIABLE, Usage
from support.policy_host import PolicyHost, Resource, Violation

ROOT = Path(__file__).parents[3]
BY_NAME = {rule.name: rule for rule in RULES}
FRONT_ENDS = {"dynamic": False, "native": True}
SERIALIZED = "gASVqwAAAA=="
"""A value of `__provider`; no rule reads it."""


def named(cases: list[Any]) -> list[Any]:
    """Return cases as parameters whose ids are the rules, with the resource if there is one."""
    return [pytest.param(case, id=f"{case.rule} {getattr(case, 'about', '')}".strip()) for case in cases]


on_both = pytest.mark.parametrize("native", FRONT_ENDS.values(), ids=FRONT_ENDS)
each_case = pytest.mark.parametrize("case", named(RESOURCE_CASES))
each_stack = pytest.mark.parametrize("case", named(STACK_CASES))
each_remediation = pytest.mark.parametrize("case", named([case for case in RESOURCE_CASES if case.fixed is not None]))


CaseT = TypeVar("CaseT", Case, StackCase)


def excepting(case: CaseT, *names: str) -> CaseT:
    """Return the case with exceptions from the rule."""
    return dataclasses.replace(case, settings={**case.settings, "exceptions": names})


# -- the host --------------------------------------------------------------------------------------------------------


class Pack:
    """The rules of examples/policy-pack, in the process that the engine starts."""

    def __init__(self, host: PolicyHost) -> None:
        self._host = host

    def violations(self, case: Case, resource: Resource) -> list[str]:
        """Return the messages of one rule about a resource."""
        self._configure(case, case.config)
        reported = [each for each in self._host.analyze(resource) if each.policy == case.rule]
        assert {each.level for each in reported} <= {"mandatory"}
        return [_own(each) for each in reported]

    def remediation(self, case: Case, resource: Resource) -> dict[str, Any]:
        """Return a resource's inputs after the remediation of one rule."""
        self._configure(case, case.config, "remediate")
        return self._host.remediate(resource)[0]

    def stack_violations(
        self, case: StackCase, pieces: tuple[Piece, ...], native: bool, config: Config
    ) -> list[tuple[str, str]]:
        """Return the messages of one rule about a stack, each with the URN of its resource."""
        self._configure(case, config)
        reported = self._host.analyze_stack(case.resources(native, pieces))
        return [(_own(each), each.urn) for each in reported if each.policy == case.rule]

    def _configure(self, case: Case | StackCase, config: Config, level: str = "mandatory") -> None:
        """Set the level of one rule, disable all others, and set the decrypted configuration, as the engine does."""
        self._host.configure(dict.fromkeys(BY_NAME, "disabled") | {case.rule: level}, {case.rule: case.settings})
        secret = [key for key, value in config.items() if isinstance(value, Secret)]
        self._host.configure_stack(case.stack, {key: str(strip(value)) for key, value in config.items()}, secret)


def _own(violation: Violation) -> str:
    """Return a message without its first line, the description of the rule."""
    description, _, own = violation.message.partition("\n")
    assert description == BY_NAME[violation.policy].description
    assert "\n" not in own
    return own


@pytest.fixture(scope="module")
def usage_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file from which the host reads the server's usage data."""
    file = tmp_path_factory.mktemp("usage") / "usage.json"
    file.write_text(Usage().model_dump_json())
    return file


@pytest.fixture(scope="module")
def pack(usage_file: Path) -> Iterator[Pack]:
    """Start one host for all cases."""
    with PolicyHost(ROOT / "examples" / "policy-pack", {VARIABLE: str(usage_file)}) as host:
        yield Pack(host)


def in_program(text: str, native: bool) -> str:
    """Return a text with the names of the program, which is in Python if it has dynamic resources."""
    return text if native else in_python(text)


# -- single resources ------------------------------------------------------------------------------------------------


@on_both
@each_case
def test_rule(case: Case, native: bool, pack: Pack) -> None:
    """A violation is reported with property, value and limit; compliant or unknown inputs are not reported."""
    messages = pack.violations(case, case.resource(native, case.fails, **case.options))
    assert messages, "no violation is reported"
    assert messages[0].startswith(in_program(case.says, native))
    assert messages[0].endswith(".")
    for changes, beginning in case.also:
        messages = pack.violations(case, case.resource(native, changes, **case.options))
        assert [each for each in messages if each.startswith(in_program(beginning, native))], messages
    assert pack.violations(case, case.resource(native, case.passes, **case.passing_options)) == []
    for changes in (*case.also_passes, case.undecided):
        assert pack.violations(case, case.resource(native, changes)) == []


@each_case
def test_message_contains_no_secret(case: Case, pack: Pack) -> None:
    """A violation by a secret value is reported without the value."""
    if case.rule == "no-credentials-in-inputs":
        return  # it skips values that are marked as secret
    violating = case.resource(True, {name: hidden(value) for name, value in case.fails.items()}, **case.options)
    for message in pack.violations(case, violating):
        top = re.split(r"[ .\[]", message)[0]
        if has_secret(violating.props.get(top)):
            assert "has a secret value that violates the rule; " in message


def hidden(value: Any) -> Any:
    """Return the value as a secret; of a list, the last element."""
    if isinstance(value, list) and value and isinstance(value[-1], dict):
        return [*value[:-1], {name: hidden(each) for name, each in value[-1].items()}]
    return value if value is None or value is UNKNOWN else Secret(value)


@on_both
@each_remediation
def test_remediation_results_in_valid_inputs(case: Case, native: bool, pack: Pack) -> None:
    """It changes only what it must: secrets stay secret, `__provider` stays, and check accepts the result."""
    hidden: dict[str, Any] = {
        "__provider": SERIALIZED,
        **({"dataWarehouseId": Secret("wh")} if case.about == "Service" else {}),
    }
    violating = case.resource(native, {**hidden, **case.fails}, **case.options)
    fixed = pack.remediation(case, violating)
    assert fixed == {**over_the_wire(violating.props), **(case.fixed or {})}
    assert {name for name, value in fixed.items() if has_secret(value)} >= {
        name for name, value in violating.props.items() if has_secret(value)
    }
    plain = {name: value for name, value in strip(fixed).items() if not name.startswith("__")}
    assert failures_of(KINDS[case.about].inputs, plain, RuleContext()) == []
    again = Resource(violating.type, violating.name, fixed, violating.stack)
    assert pack.violations(case, again) == []
    assert pack.remediation(case, again) == fixed


def over_the_wire(props: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs after a round trip over the wire."""
    return from_struct(to_struct(dict(props), secrets=True))


@on_both
@each_remediation
def test_remediation_skips_what_it_cannot_fix(case: Case, native: bool, pack: Pack) -> None:
    """Compliant and unknown inputs, and those that only a person can decide on, are not changed."""
    for changes in (case.passes, case.undecided, *case.unfixed):
        options = case.passing_options if changes is case.passes else {}
        resource = case.resource(native, {**changes, "__provider": SERIALIZED}, **options)
        assert pack.remediation(case, resource) == over_the_wire(resource.props)


SECRET_ELEMENTS = [
    ("ipAccessList", Case("service-no-open-access", "Service", {}, ""), [{"source": "0.0.0.0/0"}], OFFICE),
    ("roles", Case("key-no-admin", "ApiKey", {}, ""), ["admin"], "developer"),
    ("tags", Case("dashboard-tagged", "Dashboard", {}, "", settings={"tags": ["team"]}), [], "shop"),
]


@pytest.mark.parametrize(
    ("name", "case", "others", "element"), SECRET_ELEMENTS, ids=[each[0] for each in SECRET_ELEMENTS]
)
def test_remediation_keeps_secret_elements_secret(
    name: str, case: Case, others: list[Any], element: Any, pack: Pack
) -> None:
    """A list with an element removed or added is secret if one of its elements was."""
    violating = case.resource(True, {name: [Secret(element), *others]})
    fixed = pack.remediation(case, violating)[name]
    assert isinstance(fixed, Secret)
    assert element in strip(fixed)
    assert not set(map(str, others)) & set(map(str, strip(fixed)))


@each_case
def test_resource_can_be_excepted(case: Case, pack: Pack) -> None:
    """The exception is a pattern of its name or its URN; other resources are checked."""
    violating = case.resource(True, case.fails, **case.options)
    for pattern in ("it", "i*", violating.urn, "urn:pulumi:*::shop::*::it"):
        excepted = excepting(case, "other", pattern)
        assert pack.violations(excepted, violating) == []
    assert pack.violations(excepting(case, "other", "*::dev"), violating) != []


@pytest.mark.parametrize("rule", [name for name in BY_NAME if name.startswith("production-")])
def test_rules_of_production_skip_other_stacks(rule: str, pack: Pack) -> None:
    """They check only stacks that the pack's Production matches."""
    for case in RESOURCE_CASES:
        if case.rule == rule:
            resource = case.resource(True, case.fails)
            elsewhere = Resource(resource.type, resource.name, resource.props, "dev")
            assert pack.violations(case, elsewhere) == []


# -- stacks ----------------------------------------------------------------------------------------------------------


@on_both
@each_stack
def test_rule_about_a_stack(case: StackCase, native: bool, pack: Pack, usage_file: Path) -> None:
    """A violation is reported on its resource, or on the stack; compliant or unknown stacks are not reported.

    Outputs of new resources are missing in a dynamic preview, and unknown in a native one.
    """
    usage_file.write_text(case.usage.model_dump_json())
    violations = pack.stack_violations(case, case.fails, native, case.config)
    assert len(violations) == 1, violations
    message, urn = violations[0]
    assert message.startswith(in_program(case.says, native))
    assert urn.rpartition("::")[2] == case.at
    assert pack.stack_violations(case, case.passes, native, case.good_config) == []
    usage_file.write_text(Usage().model_dump_json())
    pieces = tuple(_previewed(piece) if native else piece for piece in case.unknown)
    assert pack.stack_violations(case, pieces, native, {}) == []


def _previewed(piece: Piece) -> Piece:
    server_only = dict.fromkeys(KINDS[piece.about].output_only, UNKNOWN)
    return dataclasses.replace(piece, props={**server_only, **piece.props})


@each_stack
def test_resource_of_a_stack_can_be_excepted(case: StackCase, pack: Pack) -> None:
    """The rule does not read it."""
    if not case.at and not case.fails:
        return
    name = case.at or case.fails[0].name
    excepted = excepting(case, name)
    assert pack.stack_violations(excepted, case.fails, False, {}) == []


# -- completeness ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BY_NAME)
def test_every_rule_has_all_its_cases(name: str) -> None:
    """Each resource that it checks has a failing, a passing and an unknown case, and each remediation a case."""
    rule = BY_NAME[name]
    cases = [case for case in RESOURCE_CASES if case.rule == name]
    if not rule.types:
        assert name in {case.rule for case in STACK_CASES}
        return
    expected = {type_.name for type_ in rule.types}
    about = {case.about for case in cases}
    # The cases of a rule about every resource are those of some resources.
    assert about == expected or (about and expected == set(KINDS))
    assert (rule.remediation is not None) == any(case.fixed is not None for case in cases)


def test_every_case_is_of_a_rule() -> None:
    """No case remains of a removed rule."""
    assert {case.rule for case in RESOURCE_CASES} | {case.rule for case in STACK_CASES} == set(BY_NAME)


@pytest.mark.parametrize(  # the front ends differ in the name of a type, with which `test_rule` runs each rule
    "native",
    [pytest.param(native, id=name, marks=[pytest.mark.slow] * (not native)) for name, native in FRONT_ENDS.items()],
)
@each_case
def test_rules_run_with_any_unknown_input(case: Case, native: bool, pack: Pack) -> None:
    """With each single input unknown, and with all of them, the rule and its remediation run."""
    resource = case.resource(native, case.fails, **case.options)
    for names in [*([name] for name in resource.props), list(resource.props)]:
        props = {**resource.props, **dict.fromkeys(names, UNKNOWN)}
        resource_with_unknown = Resource(resource.type, resource.name, props, resource.stack)
        pack.violations(case, resource_with_unknown)
        result = pack.remediation(case, resource_with_unknown)
        assert {name for name in names if result[name] is UNKNOWN} == set(names)
