"""The pack and the engine: metadata, profiles, configuration, and a team's own rules."""

from __future__ import annotations

import ast
import copy
import importlib
import json
import re
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pulumi_policy
import pytest
from google.protobuf import json_format
from packaging.specifiers import SpecifierSet
from pulumi.runtime.proto import analyzer_pb2
from pulumi_policy import EnforcementLevel, ResourceValidationArgs, Severity
from pulumi_policy.proxy import unknown_checking_proxy

import pulumi_clouddb
from clouddb_tools.commands.gitops.redaction import masked
from clouddb_tools.commands.gitops.report import PropertyChange, Report, ResourceChange
from clouddb_tools.testing import UNKNOWN, Secret
from policy.case import USUAL
from policy.cases import RESOURCE_CASES, STACK_CASES
from pulumi_clouddb import policy
from pulumi_clouddb.engine.wire.codec import UNKNOWN_TEXTS
from pulumi_clouddb.engine.wire.side_channels import SECRETS_VARIABLE, receive_secrets
from pulumi_clouddb.policy.profiles import LEVELS, PROFILES
from pulumi_clouddb.policy.resources import TYPES
from pulumi_clouddb.policy.rules import RULES
from pulumi_clouddb.policy.rules.inputs import no_credentials_in_inputs
from pulumi_clouddb.policy.server import Analyzer
from pulumi_clouddb.policy.upstream import TESTED_VERSIONS, VERSION, UnknownValueError
from pulumi_clouddb.registry import RESOURCES
from support.grpc_driver import HostError
from support.policy_host import PolicyHost, Resource, analyzer_request, configure

ROOT = Path(__file__).parents[3]
PACK = ROOT / "examples" / "policy-pack"
OWN_RULES = ROOT / "examples" / "own-rules"
SENTINEL = min(UNKNOWN_TEXTS)
SERVICE = "clouddb:index:Service"


@pytest.fixture(scope="module")
def host() -> Iterator[PolicyHost]:
    """Start the example's pack, with the profile `strict` from the environment."""
    with PolicyHost(PACK, {"CLOUDDB_POLICY_PROFILE": "strict"}) as running:
        yield running


# -- metadata ----------------------------------------------------------------------------------------------------------


def test_pack_describes_each_rule(host: PolicyHost) -> None:
    """Each has a description, a severity, tags, remediation steps and a configuration schema; some name a control."""
    infos = {each.name: json_format.MessageToDict(each) for each in host.info().policies}
    assert len(RULES) >= 30
    assert set(infos) == {rule.name for rule in RULES}
    for rule in RULES:
        info = infos[rule.name]
        assert info["description"].endswith(".")
        assert info["remediationSteps"].endswith(".")
        assert info["severity"].startswith("POLICY_SEVERITY_")
        assert info["tags"]
        assert "exceptions" in info["configSchema"]["properties"]
        assert info["policyType"] == f"POLICY_TYPE_{'RESOURCE' if rule.types else 'STACK'}"
        assert ("framework" in info) == ("url" in info) == bool(rule.control)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.name))
def test_settings_are_described(rule: policy.Rule[Any]) -> None:
    """Each setting has a type, a description and a default; each remediation has a description."""
    for name, spec in rule.schema({}).items():
        assert spec["description"].endswith("."), name
        assert spec["type"] in ("string", "integer", "number", "array"), name
        assert "default" in spec, name
        assert "title" not in spec
    assert rule.remediation is None or (rule.remediation.__doc__ or "").endswith(".")


# -- profiles --------------------------------------------------------------------------------------------------------


def test_profiles_contain_exactly_all_rules() -> None:
    """The table of levels is complete, and thresholds are settings of their rules."""
    assert list(LEVELS) == [rule.name for rule in RULES]
    by_name = {rule.name: rule for rule in RULES}
    for profile in PROFILES.values():
        for name, thresholds in profile.settings.items():
            assert set(thresholds) <= set(by_name[name].schema({}))
            by_name[name].settings.model_validate(thresholds)


def test_profiles_grow_stricter() -> None:
    """A rule's level never decreases from `baseline` to `production` to `strict`."""
    order = ["disabled", "advisory", "mandatory"]
    for name, levels in LEVELS.items():
        ranks = [order.index(levels[profile].value) for profile in PROFILES]
        assert ranks == sorted(ranks), name


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_critical_rules_are_mandatory(profile: policy.Profile) -> None:
    """This holds in every profile."""
    critical = [rule for rule in RULES if rule.severity is Severity.CRITICAL]
    assert len(critical) > 3
    assert {profile.level(rule) for rule in critical} == {EnforcementLevel.MANDATORY}


def test_environment_overrides_the_profile(host: PolicyHost) -> None:
    """CLOUDDB_POLICY_PROFILE replaces the profile of `__main__.py`, with its levels and thresholds."""
    infos = {each.name: each for each in host.info().policies}
    assert infos["service-compliance-type"].enforcementLevel == 1  # mandatory
    schema = json_format.MessageToDict(infos["key-expires"].configSchema)
    assert schema["properties"]["maximumDays"]["default"] == 90


def test_unknown_profile_is_an_error() -> None:
    """The error lists the profiles."""
    with pytest.raises(ValueError, match="there is no profile 'lax'; choose one of baseline, production, strict"):
        policy.policies("lax")


def test_production_is_defined_by_stack_name_or_tag() -> None:
    """One match of the stack's name, the resource's name or a tag of the stack is enough."""
    scope = policy.Production(stacks=("live-*",), names=("*production*",), tags={"stage": "live"})
    urn = "urn:pulumi:{}::shop::clouddb:index:Service::it"
    service = policy.service(args_of({"name": "Shop Production"}))
    unnamed = policy.service(args_of({"name": SENTINEL}))
    assert scope.holds(urn.format("live-eu"), {}, unnamed)
    assert scope.holds(urn.format("dev"), {"stage": "live"}, unnamed)
    assert scope.holds(urn.format("dev"), {}, service)
    other = policy.service(args_of({"name": "Shop"}))
    assert not scope.holds(urn.format("dev"), {"stage": "test"}, other)
    assert not scope.holds(urn.format("alive"), {}, other)
    with pytest.raises(UnknownValueError):
        scope.holds(urn.format("dev"), {}, unnamed)
    assert not policy.Production(stacks=("prod",)).holds(urn.format("dev"), {}, unnamed)


def test_resource_that_may_be_production_is_not_checked() -> None:
    """While its name is unknown, neither rules for production nor rules for other stacks report it."""
    analyzer = Analyzer("baseline", policy.policies("baseline"))
    props = {"idleScaling": False, "numReplicas": 1}
    violated = {}
    for name in ("Production", "Shop", UNKNOWN):
        request = analyzer_request(Resource(SERVICE, "it", {**props, "name": name}))
        violated[name] = {each.policyName for each in analyzer.Analyze(request, None).diagnostics}
    assert "production-replicas" in violated["Production"] - violated["Shop"]
    assert "idle-scaling-elsewhere" in violated["Shop"] - violated["Production"]
    assert not violated[UNKNOWN] & {"production-replicas", "idle-scaling-elsewhere"}


def test_pack_has_every_resource() -> None:
    """Its types are those of the registry."""
    assert {type_.name: type_ for type_ in TYPES} == {name: handler.type for name, handler in RESOURCES.items()}


def test_usual_resources_comply_with_the_baseline() -> None:
    """Outside production, they violate no mandatory rule of `baseline`."""
    mandatory = {name for name, levels in LEVELS.items() if levels["baseline"] is EnforcementLevel.MANDATORY}
    analyzer = Analyzer("baseline", policy.policies("baseline"))
    for name, usual in USUAL.items():
        request = analyzer_request(Resource(RESOURCES[name].type.token, "it", usual))
        assert {each.policyName for each in analyzer.Analyze(request, None).diagnostics} & mandatory == set()


# -- configuration ---------------------------------------------------------------------------------------------------


def test_unknown_setting_is_rejected(host: PolicyHost) -> None:
    """The error lists the rule's settings."""
    with pytest.raises(HostError, match="service-regions has no setting regoins; use exceptions, regions"):
        host.configure({"service-regions": "advisory"}, {"service-regions": {"regoins": ["eu-west-1"]}})
    host.configure({"service-regions": "advisory"}, {"service-regions": {}})


def test_invalid_setting_is_rejected(host: PolicyHost) -> None:
    """The error has the limit."""
    wrong: dict[str, dict[str, Any]] = {
        "naming": {"pattern": "("},
        "production-replicas": {"minimum": 51},
        "key-expires": {"maximumDays": 10**9},
    }
    with pytest.raises(HostError) as failed:
        host.configure(dict.fromkeys(wrong, "advisory"), wrong)
    assert "naming.pattern: '(' is not a regular expression" in str(failed.value)
    assert "production-replicas.minimum: input should be less than or equal to 50" in str(failed.value)
    assert "key-expires.maximumDays: input should be less than or equal to 1000000" in str(failed.value)
    host.configure(dict.fromkeys(wrong, "advisory"), {})


# -- comparison with pulumi-policy's server ----------------------------------------------------------------------------

TEAM = """
from pulumi_policy import *

async def slow(args, report):
    report(f"seen {args.name} {args.get_config().get('limit')}")

def skips(args, report):
    args.not_applicable("not here")

def touches(args, report):
    report("before")
    (args.props.get("name") or "").upper()

def remediation(args):
    if args.props.get("secret"):
        args.props["name"] = args.props["name"] + "!"
        return args.props

async def slow_remediation(args):
    args.props["added"] = [1, {"two": True}]
    return args.props

def of_stack(args, report):
    for each in args.resources:
        parent = each.parent.name if each.parent else None
        needs = {name: [it.name for it in found] for name, found in each.property_dependencies.items()}
        report(f"{each.name} {parent} {[it.name for it in each.dependencies]} {needs}", each.urn)

POLICIES = [
    ResourceValidationPolicy("slow", "Slow.", slow, severity=Severity.HIGH, tags=["a"], url="https://x.example",
        framework=PolicyComplianceFramework("F", "1", "R", "S"), remediation_steps="Do.", display_name="Slow one",
        config_schema=PolicyConfigSchema({"limit": {"type": "integer", "default": 3}}, required=["limit"])),
    ResourceValidationPolicy("several", "Several.", [touches, slow]),
    ResourceValidationPolicy("skips", "Skips.", skips, enforcement_level=EnforcementLevel.MANDATORY),
    ResourceValidationPolicy("off", "Off.", slow, enforcement_level=EnforcementLevel.DISABLED),
    ResourceValidationPolicy("remediation", "Remediation.", remediate=remediation,
        enforcement_level=EnforcementLevel.REMEDIATE),
    ResourceValidationPolicy("anew", "Anew.", remediate=lambda args: {**args.props, "anew": True},
        enforcement_level=EnforcementLevel.REMEDIATE),
    ResourceValidationPolicy("slow-remediation", "Slow remediation.", slow, remediate=slow_remediation,
        enforcement_level=EnforcementLevel.REMEDIATE),
    ResourceValidationPolicy("cannot", "Cannot.", slow, enforcement_level=EnforcementLevel.REMEDIATE),
    StackValidationPolicy("whole", "Whole.", of_stack, enforcement_level=EnforcementLevel.REMEDIATE),
    StackValidationPolicy("whole-skips", "Skips.", lambda args, report: args.not_applicable()),
]
"""
SERVERS = {
    "upstream": "from own import POLICIES\nfrom pulumi_policy import PolicyPack\nPolicyPack('team', POLICIES)\n",
    "own": "from own import POLICIES\nfrom pulumi_clouddb.policy.server import serve\nserve('team', POLICIES)\n",
}
PACKAGE = "from pulumi_clouddb.policy import policies\nPOLICIES = policies('strict')\n"


@pytest.fixture(scope="module", params=[TEAM, PACKAGE], ids=["policies of a team", "rules of this package"])
def servers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[PolicyHost]]:
    """Serve the same policies by pulumi-policy and by this package."""
    folders = [tmp_path_factory.mktemp(name) for name in SERVERS]
    for folder, program in zip(folders, SERVERS.values(), strict=True):
        (folder / "own.py").write_text(request.param, encoding="utf-8")
        (folder / "__main__.py").write_text(program, encoding="utf-8")
    with PolicyHost(folders[0]) as upstream, PolicyHost(folders[1]) as own:
        yield [upstream, own]


def resources() -> list[Resource]:
    """Return resources of every kind, with unknown and secret values."""
    named = Resource(
        SERVICE, "named", {"name": "Shop", "secret": Secret("word"), "list": [1, UNKNOWN, {"a": Secret(1)}]}
    )
    unnamed = Resource(SERVICE, "unnamed", {"name": UNKNOWN}, protect=True, ignore_changes=("ipAccessList",))
    return [named, unnamed, *(case.resource(True, case.fails) for case in RESOURCE_CASES)]


@pytest.mark.slow
def test_both_servers_return_the_same(servers: list[PolicyHost]) -> None:
    """This covers the pack's metadata, analysis of resources and of the stack, and remediation.

    Nested secrets stay secret, and unknown values stay unknown.
    """
    upstream, own = servers
    assert json_format.MessageToDict(upstream.info()) == json_format.MessageToDict(own.info())
    names = {info.name for info in own.info().policies}
    of_a_team = "slow" in names
    for each in servers:
        each.configure({} if of_a_team else dict.fromkeys(names, "remediate"))
    for resource in resources():
        assert upstream.remediate(resource) == own.remediate(resource)
    for each in servers:
        if of_a_team:
            each.configure({"slow": "mandatory"}, {"slow": {"limit": 5}})
        else:
            each.configure(dict.fromkeys(names, "mandatory"))
    for resource in resources():
        assert upstream.analyze(resource) == own.analyze(resource)
    case = STACK_CASES[0]
    for pieces in (case.fails, case.passes, case.unknown):
        stack = case.resources(True, pieces)
        assert upstream.analyze_stack(stack) == own.analyze_stack(stack)


def test_required_versions_of_pulumi_policy_are_tested() -> None:
    """setup.py requires them, and the tests run with one of them."""
    assert f'POLICY = ["pulumi-policy{TESTED_VERSIONS}"]' in (ROOT / "setup.py").read_text(encoding="utf-8")
    assert VERSION in SpecifierSet(TESTED_VERSIONS)


def test_missing_name_of_pulumi_policy_is_an_error_with_the_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The import fails, rather than a preview later."""
    monkeypatch.delattr("pulumi_policy.proxy.UnknownValueError")
    with pytest.raises(ImportError) as failed:
        runpy.run_path(str(Path(pulumi_clouddb.__file__).parent / "policy" / "upstream.py"))
    assert f"cannot use pulumi-policy {VERSION}: cannot import name 'UnknownValueError'" in str(failed.value)
    assert f"pip install 'pulumi-policy{TESTED_VERSIONS}'" in str(failed.value)


def test_one_module_imports_private_names_of_pulumi_policy() -> None:
    """All other modules import public names, from pulumi-policy's top level."""
    users = {}
    texts = {file.name: file.read_text(encoding="utf-8") for file in Path(policy.__file__).parents[1].rglob("*.py")}
    for name, text in texts.items():
        private = [
            f"{node.module}.{each.name}"
            for node in ast.walk(ast.parse(text if "pulumi_policy" in text else ""))
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "pulumi_policy"
            for each in node.names
            if "." in str(node.module) or each.name not in pulumi_policy.__all__
        ]
        if private:
            users[name] = len(private)
    assert users == {"upstream.py": 5}


def test_policies_of_a_team_run_in_the_pack() -> None:
    """The example's own policies, written in both styles, check both front ends and skip unknown values."""
    dashboard, service = (next(each for each in TYPES if each.name == name) for name in ("Dashboard", "Service"))
    with PolicyHost(OWN_RULES) as host:
        names = {each.name for each in host.info().policies}
        assert names - {rule.name for rule in RULES} == {"team-dashboard-owner", "team-service-product"}

        def violated(token: str, props: Mapping[str, Any]) -> set[str]:
            return {each.policy for each in host.analyze(Resource(token, "it", props))}

        for token in (dashboard.token, dashboard.dynamic_token):
            assert "team-dashboard-owner" in violated(token, USUAL["Dashboard"])
            for tags in (["team:checkout"], UNKNOWN, ["a", UNKNOWN]):
                assert "team-dashboard-owner" not in violated(token, {**USUAL["Dashboard"], "tags": tags})
        assert "team-service-product" in violated(service.token, {"name": "Orders"})


# -- helpers ---------------------------------------------------------------------------------------------------------


def args_of(props: dict[str, Any], token: str = SERVICE) -> ResourceValidationArgs:
    """Return the arguments that pulumi-policy passes to a policy."""
    options: Any = None
    return ResourceValidationArgs(token, unknown_checking_proxy(props), "urn", "it", options, None)


def test_failing_policy_is_named_beside_the_findings_of_others() -> None:
    """What it would have found is unknown, so the deployment stops; the message has the line to correct."""

    def validate(args: ResourceValidationArgs, _: object) -> None:
        args.props["owner"]

    own = pulumi_policy.ResourceValidationPolicy("has-owner", "Has an owner.", validate)
    remediating = pulumi_policy.ResourceValidationPolicy(
        "sets-owner", "Sets an owner.", remediate=lambda args: args.props["owner"]
    )
    analyzer = Analyzer("own", [own, remediating, *policy.policies("strict")])
    configure(analyzer, "sets-owner")
    request = analyzer_request(Resource(SERVICE, "it", {"name": " "}))
    found = {each.policyName: each for each in analyzer.Analyze(request, None).diagnostics}
    assert re.fullmatch(
        rf"policy 'has-owner' failed: KeyError: 'owner'\nCorrect it at line \d+ of {re.escape(__file__)}\.",
        found["has-owner"].message,
    )
    assert found["has-owner"].enforcementLevel == analyzer_pb2.MANDATORY
    assert "naming" in found
    (failed,) = (each for each in analyzer.Remediate(request, None).remediations if each.diagnostic)
    assert failed.diagnostic.startswith("policy 'sets-owner' failed: KeyError: 'owner'")


def test_violations_of_one_resource_are_returned_to_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the page about policies tells: for both ways to write a rule, with settings and unknown values."""
    monkeypatch.syspath_prepend(OWN_RULES)
    rules = importlib.import_module("team_rules").RULES
    (found,) = policy.violations(rules, policy.SERVICE, {"name": "Orders"})
    assert found.startswith("team-service-product: name is 'Orders'; begin it with one of Shop")
    assert policy.violations(rules, policy.SERVICE, {"name": UNKNOWN}) == []
    settings = {"team-service-product": {"products": ["Orders"]}}
    assert policy.violations(rules, policy.SERVICE, {"name": "Orders"}, settings=settings) == []
    (found,) = policy.violations(rules, policy.DASHBOARD, {"tags": ["a"]})
    assert found == "team-dashboard-owner: tags names no team; set one such as team:checkout."


def test_credential_that_a_rule_has_found_is_sent_to_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its report masks the credential, also in the table of changes; this holds for patterns of a team, too."""
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END"
    inputs = {"where": "Body:AKIAABCDEFGHIJKLMNOP", "name": f"internal-4711 https://u:hunter22@a.example {key}"}
    patterns = [*no_credentials_in_inputs.schema({})["patterns"]["default"], r"internal-\d+"]
    with receive_secrets() as (environment, received):
        monkeypatch.setenv(SECRETS_VARIABLE, environment[SECRETS_VARIABLE])
        settings = {"no-credentials-in-inputs": {"patterns": patterns}}
        found = policy.violations([no_credentials_in_inputs], policy.SAVED_SEARCH, inputs, settings=settings)
    assert len(found) == 2
    changed = [PropertyChange(path=name, kind="add", new=text) for name, text in inputs.items()]
    resource = ResourceChange(operation="create", urn="urn", type="t", name="it", properties=changed)
    report = masked(Report(command="preview", stack="dev", resources=[resource]), frozenset(received))
    shown = {each.path: each.new for each in report.resources[0].properties}
    assert shown == {"where": "Body:[secret]", "name": "[secret] http[secret]a.example [secret]-----END"}


def test_helpers_recognize_the_types_of_both_front_ends() -> None:
    """They have the tokens of the SDK's classes and of the schema's aliases."""
    helpers = {type_.name: getattr(policy, f"is_{type_.snake_name}") for type_ in TYPES}
    schema = json.loads((ROOT / "schema.json").read_text(encoding="utf-8"))
    for type_ in TYPES:
        registered = f"pulumi-python:{getattr(pulumi_clouddb, type_.name)._resource_type_name}"
        aliases = [each["type"] for each in schema["resources"][type_.token]["aliases"]]
        assert [registered] == aliases
        for token in (type_.token, registered):
            assert [name for name, helper in helpers.items() if helper(args_of({}, token))] == [type_.name]


def test_properties_have_python_names() -> None:
    """Whole numbers are ints, nested objects have attributes, and each value has a path."""
    service = policy.service(
        args_of({"numReplicas": 3.0, "idleTimeoutMinutes": 7.5, "ipAccessList": [{"source": "::/0"}], "name": "A"})
    )
    assert isinstance(service.num_replicas, int)
    assert service.idle_timeout_minutes == 7.5
    (entry,) = service.ip_access_list or []
    assert entry.source == "::/0"
    assert policy.path_of(entry, "source") == "ipAccessList[0].source"
    assert policy.path_of(service, "num_replicas") == "numReplicas"
    with pytest.raises(AttributeError, match="has no property 'replicas'"):
        _ = service.replicas  # type: ignore[attr-defined]


def test_objects_of_one_dialect_have_python_names_as_well() -> None:
    """They stay dicts with the names of the API."""
    select = [{"aggFn": "count", "where": "level:error"}]
    tiles = [{"name": "t", "config": {"displayType": "line", "sourceId": SENTINEL, "select": select}}, {"name": "u"}]
    first, second = list(policy.dashboard(args_of({"tiles": tiles}, "clouddb:index:Dashboard")).tiles or [])
    config: Any = first.config
    assert config.display_type == config["displayType"] == "line"
    assert [each.agg_fn for each in config.select] == ["count"]
    assert policy.path_of(config.select[0], "agg_fn") == "tiles[0].config.select[0].aggFn"
    assert policy.is_unknown(config, "source_id")
    assert config.group_by is None
    assert copy.deepcopy(config)["select"] == select
    with pytest.raises(UnknownValueError):
        _ = config.source_id
    with pytest.raises(AttributeError, match="has no property 'displaytype'"):
        _ = config.displaytype
    assert second.config is None
    alert = policy.alert(args_of({"chartConfig": {"displayType": "line"}}, "clouddb:index:Alert"))
    chart: Any = alert.chart_config
    assert chart.display_type == "line"


def test_chart_of_an_alert_is_an_object() -> None:
    """Policies read its properties by their names in programs, also in a preview that does not know its source."""
    chart = {"displayType": "line", "select": [{"aggFn": "count", "where": "level:error"}]}
    alert = policy.alert(args_of({"chartConfig": {**chart, "sourceId": SENTINEL}}, "clouddb:index:Alert"))
    assert alert.chart_config == {**chart, "sourceId": UNKNOWN}


def test_unknown_values_differ_from_missing_ones() -> None:
    """A missing value is None, reading an unknown one raises, and a list skips unknown elements and is incomplete."""
    service = policy.service(args_of({"name": SENTINEL, "ipAccessList": [SENTINEL, {"source": "::/0"}]}))
    assert service.region is None
    assert policy.is_unknown(service, "name")
    assert not policy.is_unknown(service, "region")
    assert policy.is_given(service, "name")
    assert not policy.is_given(service, "region")
    with pytest.raises(UnknownValueError):
        _ = service.name
    reached = False
    with policy.if_known:
        reached = bool(service.name)
    assert not reached
    assert [entry.source for entry in service.ip_access_list or ()] == ["::/0"]
    assert not policy.is_complete(service.ip_access_list)
    assert policy.plain(args_of({"a": [SENTINEL, 2.0]}).props) == {"a": [UNKNOWN, 2]}
