"""The lives of the acceptance run against a sandbox, where all of them pass."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from acceptance import cloud, observability
from acceptance.account import Kind
from acceptance.guard import Ledger, Run
from acceptance.lives import Player
from acceptance.needs import NOTHING, Needs, read
from acceptance.run import FRONT_ENDS, Connected, check_owner, clean_up, connected, new_ledger, play
from acceptance.subject import Step, Subject
from acceptance.world import World
from clouddb_tools.sandbox import Latency, Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.secrets.masking import secrets_of_body
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.front_ends import FrontEnds
from support.sessions import config_for

from .given import NEEDS, with_member

pytestmark = pytest.mark.beyond_the_description
"""The observability server accepts and returns more than the vendor describes."""

QUICK = {"key", "adopted key", "role", "managed dashboard"}
"""The lives in the cloud that `make test` plays; the others differ in the resource only."""

VARIANTS = [each for each in observability.SUBJECTS if each not in observability.WITH_ALL]


def param(subject: Subject, front_end: str) -> ParameterSet:
    """Return a case of a subject with a front end; tests/provider/contract shows that both do the same."""
    quick = (subject.kind is Kind.OBSERVABILITY or subject.name in QUICK) and front_end == "plugin"
    return pytest.param(subject, front_end, marks=[] if quick else [pytest.mark.slow], id=f"{subject.name}-{front_end}")


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[Sandbox, Needs]]:
    """A sandbox, and what the account gives."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        yield sandbox, with_member(sandbox)


@pytest.fixture(scope="module")
def worlds(running: tuple[Sandbox, Needs]) -> Iterator[dict[Kind, tuple[Connected, World]]]:
    """A run on each server of the sandbox, and its world."""
    sandbox, needs = running
    config = config_for(sandbox)
    ledgers = [Ledger(Run.new(), allowances=needs.allowances) for _ in Kind]
    with connected(Kind.CLOUD, config, ledgers[0]) as one, connected(Kind.OBSERVABILITY, config, ledgers[1]) as other:
        yield {each.account.kind: (each, World(each.account, needs)) for each in (one, other)}


def player_of(
    worlds: dict[Kind, tuple[Connected, World]], processes: FrontEnds, kind: Kind, front_end: str, edits: bool = False
) -> Player:
    """Return a player of lives with one of the front ends."""
    connection, world = worlds[kind]
    processes.config = {}
    driver = processes.dynamic if front_end == "dynamic" else processes.native
    driver.configure(connection.account.stack_config)
    return Player(connection.account, connection.proxy, driver, front_end, world, edits)


@pytest.mark.parametrize(
    ("subject", "front_end"),
    [param(each, front_end) for each in (*cloud.SUBJECTS, *observability.WITH_ALL) for front_end in FRONT_ENDS],
)
def test_whole_life_passes(
    worlds: dict[Kind, tuple[Connected, World]], processes: FrontEnds, subject: Subject, front_end: str
) -> None:
    """Each step passes, the guard refuses nothing, and the object is gone afterwards."""
    player = player_of(worlds, processes, subject.kind, front_end)
    played = player.play(subject)
    assert {step.value: each for step, each in played.problems.items() if each} == {}
    assert played.skipped == ""
    assert player.proxy.refused == []
    assert Step.DELETE in played.problems
    assert (Step.LOST in played.problems) is not subject.remains


SLOWLY = {
    *("scaling of pipes from databases", "BYOC infrastructure", "reverse private endpoint", "pipe from a broker"),
    "attachment of a function",
}
"""The lives whose objects the server works on after a write; the provider waits for services."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SLOWLY))
def test_life_passes_where_things_take_time(tmp_path: Path, name: str) -> None:
    """A change by hand shows later, a deletion is refused meanwhile, and a deleted object is listed for a while."""
    with Sandbox(vocabulary="clickhouse", latency=Latency(3, 3, 3, 3)) as sandbox:
        config, subjects = config_for(sandbox), [each for each in cloud.SUBJECTS if each.name == name]
        needs = with_member(sandbox)
        ledger = new_ledger(Kind.CLOUD, config, sandbox.organization_id, needs, tmp_path)
        with connected(Kind.CLOUD, config, ledger) as connection:
            lives = play(connection, subjects, needs, show=lambda _: None)
            assert clean_up(connection) == []
    assert [(each.subject.name, each.problems) for each in lives if not each.passed or each.skipped] == []
    assert len(lives) == len(FRONT_ENDS)


@pytest.mark.slow
@pytest.mark.parametrize("subject", VARIANTS, ids=lambda each: each.name)
def test_variants_pass(worlds: dict[Kind, tuple[Connected, World]], processes: FrontEnds, subject: Subject) -> None:
    """Objects of each kind of tile and alert pass, too."""
    played = player_of(worlds, processes, subject.kind, "plugin").play(subject)
    assert {step.value: each for step, each in played.problems.items() if each} == {}


@pytest.mark.slow
@pytest.mark.parametrize("front_end", FRONT_ENDS)
@pytest.mark.parametrize("subject", [each for each in observability.WITH_ALL if each.edits], ids=lambda each: each.name)
def test_ten_edits_change_nothing_else(
    worlds: dict[Kind, tuple[Connected, World]], processes: FrontEnds, subject: Subject, front_end: str
) -> None:
    """Ten edits change only their properties of an object that a user created with all properties."""
    played = player_of(worlds, processes, subject.kind, front_end, edits=True).play(subject)
    assert {step.value: each for step, each in played.problems.items() if each} == {}
    assert Step.EDITS in played.problems


def test_problem_is_reported(worlds: dict[Kind, tuple[Connected, World]], processes: FrontEnds) -> None:
    """A step that fails is reported with its reason, and the object is deleted all the same."""
    player = player_of(worlds, processes, Kind.OBSERVABILITY, "plugin")
    subject = next(each for each in observability.SUBJECTS if each.resource == "SavedSearch")
    wrong = replace(subject, updates={"": {**subject.before, "sourceId": "000000000000000000000000"}})
    played = player.play(wrong)
    assert [step for step, each in played.problems.items() if each] == [Step.UPDATE]
    assert not played.passed
    assert [each for each in player.proxy.ledger.made if "Later" in each] == []


NOT_CHANGED = {
    ("Service", "minTotalMemoryGb"): "deprecated, and excluded by minReplicaMemoryGb",
    ("Service", "maxTotalMemoryGb"): "deprecated, and excluded by maxReplicaMemoryGb",
    ("Service", "privatePreviewTermsChecked"): "only a create sends it",
    ("Service", "transparentDataEncryptionKeyId"): "it needs a key in a key management service, and a service with it",
    **{
        ("Pipe", each): "only an account knows another value that works"
        for each in ("source", "credentials", "destination")
    },
    ("Pipe", "startPaused"): "only a create sends it",
    ("ByocInfrastructure", "gcpPscSubnetId"): "it is for an own VPC in GCP only, whose subnets only its owner knows",
    ("Member", "role"): "excluded by assignedRoleIds",
    ("QueryApiEndpoint", "apiKeyIds"): "a run has one key that may call it",
}
"""Properties that no life changes, with the reason."""


def test_each_property_is_changed_by_a_life() -> None:
    """Some life changes each property that can be updated in place."""
    missing = set()
    for name, resource in RESOURCES.items():
        type_ = resource.type
        changing = {*wire_names(type_.inputs_in(VocabularyName.CLICKHOUSE))} - {*type_.immutable, *type_.provider_only}
        changed = set().union(*(changes(each) for each in ALL if each.resource == name))
        missing |= {(name, each) for each in changing - changed}
    assert missing == {*NOT_CHANGED}


ALL = (*cloud.SUBJECTS, *observability.SUBJECTS)


def changes(subject: Subject) -> set[str]:
    """Return the inputs that differ between two steps of a life."""
    inputs = subject.all_inputs
    pairs = itertools.pairwise(inputs)
    return {name for one, other in pairs for name in {*one, *other} if one.get(name) != other.get(name)}


def test_each_resource_has_a_life() -> None:
    """No resource is left out."""
    assert {each.resource for each in ALL} == {*RESOURCES}


def test_each_need_has_a_life() -> None:
    """Each entry of the file of needs is the reason of a life, or a place."""
    assert {each.need for each in ALL if each.need} == {*Needs.model_fields} - {"place"}
    assert {*NEEDS.model_fields_set} >= {each.need for each in ALL if each.need} - {"member"}


def test_secrets_of_needs_are_those_of_the_resources() -> None:
    """Credentials and the secret of a bucket are secret, addresses are not."""
    found = secrets_of_body(NEEDS.secrets)
    assert {"of-the-broker", "of-the-database", "of-the-bucket"} <= {*found}
    assert not [each for each in found if "example.com" in each]


def test_needs_are_read_from_a_file(tmp_path: Path) -> None:
    """An unknown entry, or one of another type, is an error with its name."""
    file = tmp_path / "needs.yaml"
    file.write_text("invite: ops@example.com\nplace: {region: eu-west-1}\n")
    assert (read(file).invite, read(file).place.region, read(None)) == ("ops@example.com", "eu-west-1", NOTHING)
    for wrong, named in (("brokers: x\n", "brokers"), ("invite: ops+tag@example.com\n", "invite"), ("- a\n", "Needs")):
        file.write_text(wrong)
        with pytest.raises(ValueError, match=named):
            read(file)


@pytest.mark.slow
def test_server_of_the_interface_passes(tmp_path: Path) -> None:
    """On a server of the neutral dialect, lives pass or are skipped, and the credentials need no list of teams."""
    with Sandbox(vocabulary="neutral") as sandbox:
        config = config_for(sandbox)
        ledger = new_ledger(Kind.CLOUD, config, sandbox.organization_id, NEEDS, tmp_path)
        with connected(Kind.CLOUD, config, ledger) as connection:
            check_owner(connection.account, sandbox.organization_id)
            lives = play(connection, cloud.SUBJECTS, NEEDS, show=lambda _: None)
            assert clean_up(connection) == []
        with connected(Kind.OBSERVABILITY, config, Ledger(Run.new())) as connection:
            check_owner(connection.account, sandbox.stack_url)
    assert [(each.subject.name, each.problems) for each in lives if not each.passed] == []
    played = {each.subject.resource for each in lives if not each.skipped}
    assert played == {"ApiKey", "Dashboard", "SavedSearch", "Service"}
