"""Every rule of the pack: what breaks it, what keeps it, what is not known yet, and what its remediation leaves.

Each case is run through the real policy host, with the types of both front ends.
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
from pulumi_clouddb.schema.check import failures_of
from pulumi_clouddb.schema.rules import RuleContext
from pulumi_clouddb.things.organizations.measured_usage import VARIABLE, Usage
from support.policy_host import PolicyHost, Resource, Violation

ROOT = Path(__file__).parents[3]
BY_NAME = {rule.name: rule for rule in RULES}
FRONT_ENDS = {"dynamic": False, "native": True}
SERIALIZED = "gASVqwAAAA=="
"""What `__provider` may hold; no rule reads it."""


def named(cases: list[Any]) -> list[Any]:
    """Turn cases into parameters whose ids are the rules, with the resource where there is one."""
    return [pytest.param(case, id=f"{case.rule} {getattr(case, 'about', '')}".strip()) for case in cases]


on_both = pytest.mark.parametrize("native", FRONT_ENDS.values(), ids=FRONT_ENDS)
each_case = pytest.mark.parametrize("case", named(RESOURCE_CASES))
each_stack = pytest.mark.parametrize("case", named(STACK_CASES))
each_remediation = pytest.mark.parametrize("case", named([case for case in RESOURCE_CASES if case.fixed is not None]))


CaseT = TypeVar("CaseT", Case, StackCase)


def excepting(case: CaseT, *names: str) -> CaseT:
    """Return the case, in which the rule leaves out resources."""
    return dataclasses.replace(case, settings={**case.settings, "exceptions": names})


# -- the host --------------------------------------------------------------------------------------------------------


class Pack:
    """The rules of examples/policy-pack, in the process that the engine starts for it."""

    def __init__(self, host: PolicyHost) -> None:
        self._host = host

    def judge(self, case: Case, resource: Resource) -> list[str]:
        """Return the messages of one rule about one resource."""
        self._configure(case, case.config)
        found = [each for each in self._host.analyze(resource) if each.policy == case.rule]
        assert {each.level for each in found} <= {"mandatory"}
        return [_own(each) for each in found]

    def remediation(self, case: Case, resource: Resource) -> dict[str, Any]:
        """Return a resource's inputs after the remediation of one rule."""
        self._configure(case, case.config, "remediate")
        return self._host.remediate(resource)[0]

    def judge_stack(
        self, case: StackCase, pieces: tuple[Piece, ...], native: bool, config: Config
    ) -> list[tuple[str, str]]:
        """Return the messages of one rule about a stack, each with the URN it is shown on."""
        self._configure(case, config)
        found = self._host.analyze_stack(case.resources(native, pieces))
        return [(_own(each), each.urn) for each in found if each.policy == case.rule]

    def _configure(self, case: Case | StackCase, config: Config, level: str = "mandatory") -> None:
        """Set one rule to a level, all others to none, and the configuration, decrypted, as the engine tells it."""
        self._host.configure(dict.fromkeys(BY_NAME, "disabled") | {case.rule: level}, {case.rule: case.settings})
        secret = [key for key, value in config.items() if isinstance(value, Secret)]
        self._host.configure_stack(case.stack, {key: str(strip(value)) for key, value in config.items()}, secret)


def _own(violation: Violation) -> str:
    """Return a message without the description of its rule, which comes first."""
    description, _, own = violation.message.partition("\n")
    assert description == BY_NAME[violation.policy].description
    assert "\n" not in own
    return own


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file in which the host finds what the server counts."""
    file = tmp_path_factory.mktemp("usage") / "usage.json"
    file.write_text(Usage().model_dump_json())
    return file


@pytest.fixture(scope="module")
def pack(counted: Path) -> Iterator[Pack]:
    """One host for all cases."""
    with PolicyHost(ROOT / "examples" / "policy-pack", {VARIABLE: str(counted)}) as host:
        yield Pack(host)


# -- single resources ------------------------------------------------------------------------------------------------


@on_both
@each_case
def test_a_rule(case: Case, native: bool, pack: Pack) -> None:
    """What breaks it is reported with property, value and limit; what keeps it, or is not known, is not reported."""
    told = pack.judge(case, case.resource(native, case.fails, **case.options))
    assert told, "nothing is told"
    assert told[0].startswith(case.says)
    assert told[0].endswith(".")
    for changes, says in case.also:
        messages = pack.judge(case, case.resource(native, changes, **case.options))
        assert [message for message in messages if message.startswith(says)], messages
    assert pack.judge(case, case.resource(native, case.passes, **case.passing_options)) == []
    for changes in (*case.also_passes, case.undecided):
        assert pack.judge(case, case.resource(native, changes)) == []


@each_case
def test_a_message_shows_no_secret(case: Case, pack: Pack) -> None:
    """What breaks a rule and is secret, or holds a secret, is named and not shown."""
    if case.rule == "no-credentials-in-inputs":
        return  # it leaves alone what is marked secret
    broken = case.resource(True, {name: hidden(value) for name, value in case.fails.items()}, **case.options)
    for message in pack.judge(case, broken):
        top = re.split(r"[ .\[]", message)[0]
        if has_secret(broken.props.get(top)):
            assert "has a secret value that violates the rule; " in message


def hidden(value: Any) -> Any:
    """Return the value as a secret; a list, with a secret in it."""
    if isinstance(value, list) and value and isinstance(value[-1], dict):
        return [*value[:-1], {name: hidden(each) for name, each in value[-1].items()}]
    return value if value is None or value is UNKNOWN else Secret(value)


@on_both
@each_remediation
def test_a_remediation_leaves_what_check_accepts(case: Case, native: bool, pack: Pack) -> None:
    """It changes what it must and nothing else: secrets stay secret, `__provider` stays, and check finds no fault."""
    hidden: dict[str, Any] = {
        "__provider": SERIALIZED,
        **({"dataWarehouseId": Secret("wh")} if case.about == "Service" else {}),
    }
    broken = case.resource(native, {**hidden, **case.fails}, **case.options)
    fixed = pack.remediation(case, broken)
    assert fixed == {**over_the_wire(broken.props), **(case.fixed or {})}
    assert {name for name, value in fixed.items() if has_secret(value)} >= {
        name for name, value in broken.props.items() if has_secret(value)
    }
    plain = {name: value for name, value in strip(fixed).items() if not name.startswith("__")}
    assert failures_of(KINDS[case.about].inputs, plain, RuleContext()) == []
    again = Resource(broken.type, broken.name, fixed, broken.stack)
    assert pack.judge(case, again) == []
    assert pack.remediation(case, again) == fixed


def over_the_wire(props: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs as they went over the wire and back."""
    return from_struct(to_struct(dict(props), secrets=True))


@on_both
@each_remediation
def test_a_remediation_leaves_alone_what_it_cannot_fix(case: Case, native: bool, pack: Pack) -> None:
    """What keeps the rule, what is not known, and what only a person can decide stay as they are."""
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
def test_a_remediation_keeps_secret_elements_secret(
    name: str, case: Case, others: list[Any], element: Any, pack: Pack
) -> None:
    """A list without an element, or with one more, is secret if one of its elements was."""
    broken = case.resource(True, {name: [Secret(element), *others]})
    fixed = pack.remediation(case, broken)[name]
    assert isinstance(fixed, Secret)
    assert element in strip(fixed)
    assert not set(map(str, others)) & set(map(str, strip(fixed)))


@each_case
def test_a_resource_can_be_excepted(case: Case, pack: Pack) -> None:
    """By its name or its URN, with patterns; others are judged as before."""
    broken = case.resource(True, case.fails, **case.options)
    for pattern in ("it", "i*", broken.urn, "urn:pulumi:*::shop::*::it"):
        excepted = excepting(case, "other", pattern)
        assert pack.judge(excepted, broken) == []
    assert pack.judge(excepting(case, "other", "*::dev"), broken) != []


@pytest.mark.parametrize("rule", [name for name in BY_NAME if name.startswith("production-")])
def test_rules_of_production_leave_other_stacks_alone(rule: str, pack: Pack) -> None:
    """They judge what the pack calls production."""
    for case in RESOURCE_CASES:
        if case.rule == rule:
            resource = case.resource(True, case.fails)
            elsewhere = Resource(resource.type, resource.name, resource.props, "dev")
            assert pack.judge(case, elsewhere) == []


# -- stacks ----------------------------------------------------------------------------------------------------------


@on_both
@each_stack
def test_a_rule_about_a_stack(case: StackCase, native: bool, pack: Pack, counted: Path) -> None:
    """A violation is shown on the resource that it is about, else on the stack; what keeps it, or is not known, is not.

    Outputs of new resources are missing in a dynamic preview, and unknown in a native one.
    """
    counted.write_text(case.usage.model_dump_json())
    told = pack.judge_stack(case, case.fails, native, case.config)
    assert len(told) == 1, told
    message, urn = told[0]
    assert message.startswith(case.says)
    assert urn.rpartition("::")[2] == case.at
    assert pack.judge_stack(case, case.passes, native, case.good_config) == []
    counted.write_text(Usage().model_dump_json())
    pieces = tuple(_previewed(piece) if native else piece for piece in case.unknown)
    assert pack.judge_stack(case, pieces, native, {}) == []


def _previewed(piece: Piece) -> Piece:
    server_only = dict.fromkeys(KINDS[piece.about].output_only, UNKNOWN)
    return Piece(piece.about, piece.name, {**server_only, **piece.props}, piece.needs)


@each_stack
def test_a_resource_of_a_stack_can_be_excepted(case: StackCase, pack: Pack) -> None:
    """It is left out of what the rule looks at."""
    if not case.at and not case.fails:
        return
    name = case.at or case.fails[0].name
    excepted = excepting(case, name)
    assert pack.judge_stack(excepted, case.fails, False, {}) == []


# -- completeness ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BY_NAME)
def test_every_rule_has_all_its_cases(name: str) -> None:
    """A failing, a passing and an unknown case for each resource it judges, and one of its remediation."""
    rule = BY_NAME[name]
    cases = [case for case in RESOURCE_CASES if case.rule == name]
    if not rule.types:
        assert name in {case.rule for case in STACK_CASES}
        return
    wanted = {type_.name for type_ in rule.types}
    about = {case.about for case in cases}
    # A rule about every resource is shown by those that it was written for.
    assert about == wanted or (about and wanted == set(KINDS))
    assert (rule.remediation is not None) == any(case.fixed is not None for case in cases)


def test_every_case_is_of_a_rule() -> None:
    """No case is left of a rule that is gone."""
    assert {case.rule for case in RESOURCE_CASES} | {case.rule for case in STACK_CASES} == set(BY_NAME)


@on_both
@each_case
def test_any_input_may_be_unknown(case: Case, native: bool, pack: Pack) -> None:
    """With one input after the other, and with all of them, unknown: the rule and its remediation still run."""
    resource = case.resource(native, case.fails, **case.options)
    for names in [*([name] for name in resource.props), list(resource.props)]:
        props = {**resource.props, **dict.fromkeys(names, UNKNOWN)}
        seen = Resource(resource.type, resource.name, props, resource.stack)
        pack.judge(case, seen)
        left = pack.remediation(case, seen)
        assert {name for name in names if left[name] is UNKNOWN} == set(names)
