"""A database that the engine replaces while its URN changes: a table of the calls that each way makes.

Read in pkg/resource/deploy/step_generator.go, 3.260. `getOldResource` finds state by an alias and tells no provider of
it: checks, diffs and creates come under the new URN (`urn` of the goal), and the delete under the old one (`old.URN` of
the delete step). `pulumi state rename`, `stack rename` and `state move` change the URN in state, so that all calls come
under the new one. A changed parent or type and an alias of another name are the same to it.

| asked for by | calls before the create and the delete |
|---|---|
| a change that cannot be made in place | check with old inputs, diff, check without |
| `replaceOnChanges` | the same; the diff is an update |
| `replacementTrigger`, `replaceWith`, `deletedWith`, another provider | check with old inputs, check without |
| a taint, `--replace`, `--target-replace` (`isTargetedReplace`) | check without old inputs |
| nobody: one resource is removed, and another one added | the same |

`deleteBeforeReplace` deletes before the create, otherwise all deletions come at the end of the run. `--refresh` reads
and compares first, under the URN in state.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, stack_config
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver, HostError
from support.sessions import ProviderProcess, config_for

KINDS: dict[str, dict[str, Any]] = {
    "Service": {"provider": "aws", "region": "us-east-1"},
    "PostgresService": {"provider": "aws", "region": "us-east-1", "size": "c6gd.large", "tags": []},
}
OLD = "urn:pulumi:dev::shop::clouddb:index:Service::orders"
NEW = "urn:pulumi:dev::shop::shop:index:Databases$clouddb:index:Service::orders"
LATER = "urn:pulumi:dev::shop::clouddb:index:Service::archive"
LEAVE = {"allowReplacement": True}


@dataclass
class Stack:
    """A stack with the database E1, whose program is run again by another process each time.

    Attributes:
        state: The resources in state: URN, id and outputs of each; the last one is the newest.
        folder: The folder of the files of this machine.
    """

    kind: str
    sandbox: Sandbox
    folder: Path
    state: list[tuple[str, str, WireDict]] = field(default_factory=list)

    def inputs(self, name: str, **more: Any) -> WireDict:
        """Return the inputs of a database."""
        return {**KINDS[self.kind], "name": name, **more}

    def process(self, folder: str = "here") -> ProviderProcess:
        """Return the provider process of another run, on the machine with this folder."""
        quick = {"retryTimeoutSeconds": 1, "pollIntervalSeconds": 0.05}
        return ProviderProcess(config_for(self.sandbox, **quick), self.folder / folder)

    def names(self) -> list[str]:
        """Return the names of the databases on the server."""
        plural = RESOURCES[self.kind].collection.plural()
        return sorted(str(each["name"]) for each in self.sandbox.objects(plural).values())

    def up(self, process: ProviderProcess, calls: list[Callable[[ProviderProcess], None]]) -> str:
        """Make the engine's calls up to the first that fails, and return its message; empty if all succeed."""
        try:
            for call in calls:
                call(process)
        except ResourceError as error:
            return str(error)
        return ""

    # -- the calls -------------------------------------------------------------------------------------------------

    def check(self, urn: str, inputs: WireDict, old: WireDict | None = None) -> Callable[[ProviderProcess], None]:
        """Return the check of a resource."""

        def call(process: ProviderProcess) -> None:
            for failure in lifecycle.check(process.for_resource(urn), RESOURCES[self.kind], inputs, old=old).failures:
                raise ResourceError(str(failure), "")

        return call

    def diff(self, urn: str, inputs: WireDict, which: int = -1) -> Callable[[ProviderProcess], None]:
        """Return the comparison of a resource in state with its program."""

        def call(process: ProviderProcess) -> None:
            _, object_id, state = self.state[which]
            lifecycle.diff(process.for_resource(urn), RESOURCES[self.kind], object_id, state, inputs)

        return call

    def create(self, urn: str, inputs: WireDict) -> Callable[[ProviderProcess], None]:
        """Return the create of a resource."""

        def call(process: ProviderProcess) -> None:
            object_id, state = lifecycle.create(process.for_resource(urn), RESOURCES[self.kind], inputs)
            self.state.append((urn, object_id, state))

        return call

    def update(self, urn: str, inputs: WireDict) -> Callable[[ProviderProcess], None]:
        """Return the update of the newest resource."""

        def call(process: ProviderProcess) -> None:
            _, object_id, state = self.state[-1]
            updated = lifecycle.update(process.for_resource(urn), RESOURCES[self.kind], object_id, state, inputs)
            self.state[-1] = (urn, object_id, updated)

        return call

    def refresh(self, which: int = 0) -> Callable[[ProviderProcess], None]:
        """Return the read of `--refresh`, and its comparison with the inputs in state."""

        def call(process: ProviderProcess) -> None:
            urn, object_id, state = self.state[which]
            session, resource = process.for_resource(urn), RESOURCES[self.kind]
            _, live = lifecycle.read(session, resource, object_id, state, {})
            assert live is not None
            lifecycle.diff(session, resource, object_id, live.state, live.inputs)
            self.state[which] = (urn, object_id, live.state)

        return call

    def get(self, urn: str, object_id: str) -> Callable[[ProviderProcess], None]:
        """Return the read of a `get`, which has no state."""

        def call(process: ProviderProcess) -> None:
            lifecycle.read(process.for_resource(urn), RESOURCES[self.kind], object_id, {}, {})

        return call

    def delete(self, urn: str = "", which: int = 0) -> Callable[[ProviderProcess], None]:
        """Return the delete of E1 or another one, under its URN in state or another one."""

        def call(process: ProviderProcess) -> None:
            stored_urn, object_id, state = self.state[which]
            lifecycle.delete(process.for_resource(urn or stored_urn), RESOURCES[self.kind], object_id, state)

        return call


ASKED: dict[str, Callable[[Stack, WireDict, WireDict], list[Callable[[ProviderProcess], None]]]] = {
    "a change that cannot be made in place": lambda it, old, new: [
        it.check(NEW, {**new, "region": "eu-west-1"}, old),
        it.diff(NEW, {**new, "region": "eu-west-1"}),
        it.check(NEW, {**new, "region": "eu-west-1"}),
    ],
    "replaceOnChanges": lambda it, old, new: [it.check(NEW, new, old), it.diff(NEW, new), it.check(NEW, new)],
    "replacementTrigger": lambda it, old, new: [it.check(NEW, new, old), it.check(NEW, new)],
    "a taint": lambda it, old, new: [it.check(NEW, new)],
    "a taint, with --refresh": lambda it, old, new: [it.refresh(), it.check(NEW, new)],
}
"""The calls up to the create and the delete, each with the source in the table above."""

BY_HAND = {"a taint", "a taint, with --refresh"}


def stack_of(kind: str, sandbox: Sandbox, folder: Path, **more: Any) -> Stack:
    """Return the stack after a run that has created E1."""
    stack = Stack(kind, sandbox, folder)
    process = stack.process()
    assert stack.up(process, [stack.create(OLD, stack.inputs(**{"name": "E1", **more}))]) == ""
    process.pending.run_ended()
    return stack


ROWS = [
    pytest.param(kind, dialect, asked, first, name, id=f"{kind}-{dialect}-{asked}-{first} first-{name}")
    for kind, dialect in (("Service", "neutral"), ("Service", "clickhouse"), ("PostgresService", "clickhouse"))
    for asked in ASKED
    for first in ("create", "delete")
    for name in ("E2", "E1")
]


@pytest.mark.parametrize(("kind", "dialect", "asked", "first", "name"), ROWS)
def test_aliased_database_is_not_deleted_without_leave(
    kind: str, dialect: str, asked: str, first: str, name: str, tmp_path: Path
) -> None:
    """Of the ways by hand, create-first makes a second one, and neither this run nor the next one deletes the first.

    As soon as the second one is in state, the engine gives the first one its URN (NormalizeURNReferences in
    pkg/resource/deploy/snapshot.go). The next run has the files of this machine or not.
    """
    with Sandbox(vocabulary=dialect) as sandbox:
        stack = stack_of(kind, sandbox, tmp_path)
        old = stack.inputs("E1")
        new = stack.inputs(name, **({"allowDuplicateName": True} if name == "E1" else {}))
        last = [stack.create(NEW, new), stack.delete()]
        refused = stack.up(stack.process(), ASKED[asked](stack, old, new) + last[:: 1 if first == "create" else -1])
        assert refused
        made = asked in BY_HAND and first == "create"
        assert stack.names() == sorted(["E1", *([name] if made else [])])
        if made:
            assert "perhaps in its place" in refused
            for folder in ("here", "new"):
                again = [stack.check(NEW, new, new), stack.diff(NEW, new), stack.delete(NEW)]
                assert "has made a newer one" in stack.up(stack.process(folder), again)
                assert len(stack.names()) == 2
        elif asked in BY_HAND:
            assert f"pulumi state untaint {OLD!r}" in refused


@pytest.mark.parametrize(
    ("leave", "order"),
    [
        ("on the new one", "create first"),
        ("on the new one", "delete first"),
        ("on the new one", "in the next run"),
        ("on the old one, before", "create first"),
        ("on the old one, before", "delete first"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_leave_is_given_as_the_message_says(kind: str, leave: str, order: str, tmp_path: Path) -> None:
    """The program of the new one gives it, or gave it on the old one in an earlier run."""
    before, after = ({}, LEAVE) if leave == "on the new one" else (LEAVE, {})
    with Sandbox(vocabulary="clickhouse") as sandbox:
        stack = stack_of(kind, sandbox, tmp_path, **before)
        new = stack.inputs("E2", **after)
        calls = [stack.check(NEW, new), stack.create(NEW, new), stack.delete()]
        if order == "delete first":
            calls = [calls[0], calls[2], calls[1]]
        elif order == "in the next run":
            without = stack.inputs("E2")
            stack.up(stack.process(), [stack.check(NEW, without), stack.create(NEW, without)])
            calls = [stack.check(NEW, new, without), stack.diff(NEW, new), stack.update(NEW, new), stack.delete(NEW)]
        assert stack.up(stack.process(), calls) == ""
        assert stack.names() == ["E2"]


@pytest.mark.parametrize("kind", KINDS)
def test_protected_database_needs_more_than_leave(kind: str, tmp_path: Path) -> None:
    """Leave on the new one says nothing of an old one that may only have been removed."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        stack = stack_of(kind, sandbox, tmp_path, deletionProtection=True)
        new = stack.inputs("E2", **LEAVE)
        calls = [stack.check(NEW, new), stack.create(NEW, new), stack.delete()]
        assert "perhaps in its place" in stack.up(stack.process(), calls)
        again = [stack.check(NEW, new, new), stack.diff(NEW, new), stack.delete()]
        assert "deletionProtection is set" in stack.up(stack.process(), again)
        assert stack.names() == ["E1", "E2"]


@pytest.mark.parametrize("protected", [False, True])
@pytest.mark.parametrize("way", ["another provider", "an import of another one", "a get of another one"])
def test_only_protection_helps_where_no_call_shows_a_replacement(way: str, protected: bool, tmp_path: Path) -> None:
    """The old provider's process deletes what that of the new one replaces; an import and a get create nothing."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        stack = stack_of("Service", sandbox, tmp_path, deletionProtection=protected)
        new = stack.inputs("E2")
        if way == "another provider":
            assert stack.up(stack.process(), [stack.check(NEW, new), stack.create(NEW, new)]) == ""
            calls = [stack.delete()]
        else:
            imported = Stack("Service", sandbox, tmp_path)
            assert imported.up(imported.process("colleague"), [imported.create("urn:other", new)]) == ""
            calls = [imported.check(NEW, new, new), imported.diff(NEW, new), stack.delete()]
            if way == "a get of another one":
                calls = [stack.get(OLD, imported.state[0][1]), stack.delete()]
        assert ("deletionProtection is set" in stack.up(stack.process(), calls)) is protected
        assert stack.names() == (["E1", "E2"] if protected else ["E2"])


@pytest.mark.parametrize(
    "beside",
    [
        "nothing, as in a destroy",
        "one that was created beside it before",
        "a new one of another kind",
        "one of the last run",
    ],
)
def test_database_that_is_removed_alone_is_deleted(beside: str, tmp_path: Path) -> None:
    """Without another one of its kind that may have replaced it, no leave is needed."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        stack = stack_of("Service", sandbox, tmp_path)
        one, two = stack.inputs("E1"), stack.inputs("E2")
        if beside == "one that was created beside it before":
            both = [
                stack.check(OLD, one, one),
                stack.diff(OLD, one, 0),
                stack.check(LATER, two),
                stack.create(LATER, two),
            ]
            assert stack.up(stack.process(), both) == ""
            calls = [stack.check(LATER, two, two), stack.diff(LATER, two)]
        elif beside == "a new one of another kind":
            other = Stack("PostgresService", sandbox, tmp_path)
            wanted = other.inputs("E3")
            calls = [other.check(LATER, wanted), other.create(LATER, wanted)]
        elif beside == "one of the last run":
            last = [stack.check(LATER, two), stack.create(LATER, two), stack.delete()]
            assert "Run `pulumi up` again" in stack.up(stack.process(), last)
            calls = [stack.check(LATER, two, two), stack.diff(LATER, two)]
        else:
            calls = []
        assert stack.up(stack.process(), [*calls, stack.delete()]) == ""
        assert "E1" not in stack.names()


@pytest.mark.parametrize("change", ["state rename", "stack rename", "state move"])
def test_renamed_state_makes_a_second_database_and_deletes_none(change: str, tmp_path: Path) -> None:
    """Until a run without the taint has compared it, nothing shows that state has it under the new URN.

    The second database is the limit that the page of Service names. Neither it nor an alias, which is given later,
    deletes the first one.
    """
    with Sandbox(vocabulary="clickhouse") as sandbox:
        stack = stack_of("Service", sandbox, tmp_path)
        urn = {
            "state rename": LATER,
            "stack rename": OLD.replace("dev", "prod"),
            "state move": OLD.replace("shop", "web"),
        }
        new, moved = stack.inputs("E2"), urn[change]
        stack.state[0] = (moved, *stack.state[0][1:])
        calls = [stack.check(moved, new), stack.create(moved, new), stack.delete()]
        assert stack.up(stack.process(), calls) != ""
        assert stack.names() == ["E1", "E2"]
        aliased = f"{moved}-2"
        calls = [stack.check(aliased, new, new), stack.diff(aliased, new), stack.delete()]
        assert "perhaps has replaced it" in stack.up(stack.process("new"), calls)
        assert stack.names() == ["E1", "E2"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("leave", "protected", "refused"),
    [
        (False, False, "perhaps has replaced it"),
        (False, True, "perhaps has replaced it"),
        (True, False, ""),
        (True, True, "perhaps has replaced it"),
    ],
)
def test_removed_database_with_the_former_urn_of_another_one(
    leave: bool, protected: bool, refused: str, kind: str, tmp_path: Path
) -> None:
    """State keeps the URN before an alias until an update or a refresh, and E2 has got that URN since.

    The leave of E1 says nothing of E2, which has not been replaced by it.
    """
    with Sandbox(vocabulary="clickhouse") as sandbox:
        stack = stack_of(kind, sandbox, tmp_path, **(LEAVE if leave else {}))
        one = stack.inputs("E1", **(LEAVE if leave else {}))
        two = stack.inputs("E2", deletionProtection=protected)
        stays = [stack.check(LATER, one, one), stack.diff(LATER, one, 0)]
        process = stack.process()
        assert stack.up(process, [*stays, stack.check(OLD, two), stack.create(OLD, two)]) == ""
        process.pending.run_ended()
        stack.state[0] = (LATER, *stack.state[0][1:])
        first = stack.up(stack.process(), [*stays, stack.delete(which=1)])
        assert refused in first
        if not refused:
            assert (first, stack.names()) == ("", ["E1"])
            return
        assert stack.names() == ["E1", "E2"]
        again = stack.up(stack.process("new"), [stack.refresh(), *stays, stack.delete(which=1)])
        assert ("deletionProtection is set" in again) is protected
        assert stack.names() == (["E1", "E2"] if protected else ["E1"])


def test_leave_of_another_one_with_a_former_urn(tmp_path: Path) -> None:
    """A taint and an alias replace E2, which has got the former URN of E1, and only E1 has leave."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        stack = stack_of("Service", sandbox, tmp_path, **LEAVE)
        one, two, three = stack.inputs("E1", **LEAVE), stack.inputs("E2"), stack.inputs("E3")
        stays = [stack.check(LATER, one, one), stack.diff(LATER, one, 0)]
        process = stack.process()
        assert stack.up(process, [*stays, stack.check(OLD, two), stack.create(OLD, two)]) == ""
        process.pending.run_ended()
        calls = [*stays, stack.check(NEW, three), stack.create(NEW, three), stack.delete(which=1)]
        assert stack.up(stack.process(), calls) != ""
        assert stack.names() == ["E1", "E2", "E3"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("protected", ["E1", "E2"])
def test_protection_after_a_refresh_of_a_leftover(protected: str, order: tuple[int, int], tmp_path: Path) -> None:
    """`--refresh` compares E1, which a replacement has left, and E2 in any order; the program has neither of them."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        stack = stack_of("Service", sandbox, tmp_path, deletionProtection=protected == "E1")
        two = stack.inputs("E2", deletionProtection=protected == "E2", **LEAVE)
        process = stack.process()
        assert stack.up(process, [stack.check(OLD, two), stack.create(OLD, two)]) == ""
        process.pending.run_ended()
        run = stack.process()
        assert stack.up(run, [stack.refresh(which) for which in order]) == ""
        messages = [stack.up(run, [stack.delete(which=which)]) for which in (1, 0)]
        assert sum("deletionProtection is set" in each for each in messages) == 1
        assert stack.names() == [protected]


@pytest.mark.parametrize("asked", ["replacementTrigger", "a taint"])
def test_own_leave_is_enough_beside_a_new_database(asked: str, tmp_path: Path) -> None:
    """What the program has under the URN of E1 replaces it, and not the new one beside it."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        stack = stack_of("Service", sandbox, tmp_path)
        name = "E1" if asked == "replacementTrigger" else "E3"  # by hand, nothing shows who has the name
        new, other = stack.inputs(name, **LEAVE), stack.inputs("E2")
        before = [stack.check(OLD, new, stack.inputs("E1"))] if asked == "replacementTrigger" else []
        calls = [stack.check(LATER, other), stack.create(LATER, other), *before, stack.check(OLD, new)]
        assert stack.up(stack.process(), [*calls, stack.delete(), stack.create(OLD, new)]) == ""
        assert stack.names() == sorted(["E2", name])


def test_renamed_state_is_known_after_a_run(tmp_path: Path) -> None:
    """A run that compares it, or a refresh in the same run, is enough to refuse the second one before it is made."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        stack = stack_of("Service", sandbox, tmp_path)
        stack.state[0] = (LATER, *stack.state[0][1:])
        new = stack.inputs("E2")
        for before in (
            [stack.check(LATER, stack.inputs("E1"), stack.inputs("E1")), stack.diff(LATER, stack.inputs("E1"))],
        ):
            assert stack.up(stack.process(), before) == ""
        assert "it would replace service 'E1'" in stack.up(stack.process(), [stack.check(LATER, new)])
        refreshed = [stack.refresh(), stack.check(LATER, new)]
        assert "it would replace service 'E1'" in stack.up(stack.process("new"), refreshed)
        assert stack.names() == ["E1"]


@pytest.mark.parametrize("kind", KINDS)
def test_second_database_says_what_must_be_set_first(kind: str, tmp_path: Path) -> None:
    """A protected one is not replaced with leave alone, so the message does not tell to give that."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        for protected, words in ((True, "set deletionProtection to false"), (False, "set allowReplacement to true")):
            inputs = {"name": f"E1 {protected}", "deletionProtection": protected}
            stack = stack_of(kind, sandbox, tmp_path / words, **inputs)
            refused = stack.up(stack.process(), [stack.check(OLD, {**stack.inputs("E2"), **inputs, "name": "E2"})])
            assert f"To replace it, {words}" in refused


def test_both_front_ends_hear_the_urn_of_a_deletion(sandbox: Sandbox, processes: FrontEnds) -> None:
    """State of what a taint has left has the URN before an alias; the engine deletes it under the one after it."""

    def refused(driver: GrpcDriver) -> str:
        older, newer = ({**KINDS["Service"], "name": f"{type(driver).__name__} {each}"} for each in ("E1", "E2"))
        driver.configure(sandbox.config)
        old = driver.create("Service", older, urn=OLD)
        driver.configure({**sandbox.config, "clouddb:requestTimeoutSeconds": "31"})  # as in a new process
        new = driver.create("Service", driver.check("Service", newer, urn=NEW).inputs, urn=NEW)
        driver.configure(sandbox.config)
        inputs = driver.check("Service", newer, newer, urn=NEW).inputs
        driver.diff("Service", new.id, new.outputs, inputs, urn=NEW)
        with pytest.raises(HostError) as error:
            driver.delete("Service", old.id, old.outputs, urn=NEW)
        return str(error.value)

    for message in processes.both(refused):
        assert "has made a newer one" in message


def test_both_front_ends_hear_the_urn_of_a_refresh(sandbox: Sandbox, processes: FrontEnds) -> None:
    """After `pulumi state rename` and a taint, `--refresh` shows what the taint would replace."""

    def failures(driver: GrpcDriver) -> list[str]:
        older, newer = ({**KINDS["Service"], "name": f"{type(driver).__name__} {each}"} for each in ("E1", "E2"))
        driver.configure(sandbox.config)
        old = driver.create("Service", older, urn=OLD)
        driver.configure({**sandbox.config, "clouddb:requestTimeoutSeconds": "31"})  # as in a new process
        driver.read("Service", old.id, old.outputs, older, urn=LATER)
        return driver.check("Service", newer, urn=LATER).failures

    for found in processes.both(failures):
        assert any("it would replace service" in each for each in found)


PARENT = "class Group(pulumi.ComponentResource):\n    pass\n\n\ngroup = Group('group:index:Group', 'group')\n"
URN_CHANGES = {
    "an alias": ("orders2", "aliases=[pulumi.Alias(name='orders')]", ""),
    "a parent": ("orders", "parent=group, aliases=[pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)]", PARENT),
}


def program_of(mode: str, resource: str, options: str = "", before: str = "", **inputs: Any) -> str:
    """Return a program with a service, of the class of this package or for the plugin."""
    values = {**KINDS["Service"], **inputs}
    if mode == "dynamic":
        arguments = ", ".join(
            f"{re.sub('[A-Z]', lambda it: '_' + it[0].lower(), name)}={values[name]!r}" for name in values
        )
        made = f"import pulumi_clouddb\npulumi_clouddb.Service({resource!r}, {arguments}, opts="
    else:
        made = f"pulumi.CustomResource('clouddb:index:Service', {resource!r}, {values!r}, "
    return f"import pulumi\n{before}{made}pulumi.ResourceOptions({options}))\n"


@pytest.mark.cli
@pytest.mark.parametrize(
    ("change", "mode", "then"),
    [
        ("an alias", "dynamic", "deleted"),
        ("an alias", "native", "kept"),
        ("a parent", "dynamic", "kept"),
        ("a parent", "native", "deleted"),
    ],
)
def test_tainted_service_with_another_urn(mode: str, change: str, then: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """The old one stays through this run and the next, and both ways out of the message work."""
    name, options, before = URN_CHANGES[change]
    stack = CliStack(
        program_of(mode, "orders", name="E1"),
        config={**stack_config(sandbox), "clouddb:pollIntervalSeconds": "0.1"},
        work_dir=tmp_path,
    )
    stack.up()
    (older,) = sandbox.services
    assert stack.command("state", "taint", stack.resource("orders").urn, "--yes").returncode == 0
    stack.set_program(program_of(mode, name, options, before, name="E2"))
    for words in ("perhaps in its place", "has made a newer one"):
        assert words in "\n".join(stack.up(expect_failure=True).errors)
        assert sorted(each["name"] for each in sandbox.services.values()) == ["E1", "E2"]
    if then == "deleted":
        stack.set_program(program_of(mode, name, options, before, name="E2", allowReplacement=True))
        assert stack.up().ok
        assert [each["name"] for each in sandbox.services.values()] == ["E2"]
        return
    file = tmp_path / "state.json"
    assert stack.command("stack", "export", "--file", str(file)).returncode == 0
    state = json.loads(file.read_text())
    resources = state["deployment"]["resources"]
    (kept,) = [each for each in resources if each.get("id") == older]
    del kept["delete"], kept["taint"]
    (newer,) = [each for each in sandbox.services if each != older]
    state["deployment"]["resources"] = [each for each in resources if each.get("id") != newer]
    file.write_text(json.dumps(state))
    assert stack.command("stack", "import", "--file", str(file)).returncode == 0
    stack.set_program(program_of(mode, name, options, before, name="E1"))
    stack.up()
    assert [each["name"] for each in sandbox.services.values()] == ["E1", "E2"]
    assert stack.preview().no_changes
