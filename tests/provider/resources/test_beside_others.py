"""Random lives of two stacks beside other users: an operation changes its own object, and nothing else.

A seed determines a life. Two stacks invite people, set roles of members, adopt keys and create roles, and delete all of
this in any order, with and without refreshes. People accept invitations, leave, and join by other invitations; a
colleague withdraws invitations, invites, and creates objects of the same names. All requests go to one sandbox.

All objects are compared before and after each operation. An operation may change its own object, the object that an
override names, and, when an invitation with `removeMember` is deleted, the member who accepted that invitation.

One sequence is a documented limit (docs/reliability.md, "What cannot be promised"): our invitation is withdrawn, and
the person joins by another one, both between two refreshes. So every stack is refreshed between the two.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ApiError, ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.schema.values import WireDict
from support.inviting import PLACES, Organization, Place, Team
from support.sessions import ProviderProcess, config_for
from things.members.life import CUSTOM, DEVELOPER

KINDS = {
    "Invitation": "invitations",
    "StackInvitation": "stack_invitations",
    "Member": "members",
    "Role": "roles",
    "StackRole": "stack_roles",
    "ApiKey": "keys",
}
PEOPLE = ("grace", "tim", "ada")
POLICY = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": ["instance/*"]}
READ = [{"action": "read", "subject": "dashboard"}]
VOLATILE = ("usedAt", "updatedAt")
STEPS = 24
LIVES, AT_A_TIME = 200, 50
QUICK = (7, 9, 12)
"""In these three, every kind is created, and members are removed and stay."""


@dataclass
class StateEntry:
    """A resource in the state of a stack."""

    resource: str
    id: str
    state: WireDict
    inputs: WireDict


@dataclass
class Stack:
    """A stack with its own machine."""

    process: ProviderProcess
    entries: dict[str, StateEntry] = field(default_factory=dict)


class Life:
    """The life of a seed.

    Attributes:
        accepted: The invitation that each member accepted, by the id of the member; None for a member without one.
        happened: How often each kind of event occurred, so that tests can assert that it did.
    """

    def __init__(self, seed: int, sandbox: Sandbox, folder: Path, happened: Counter[str]) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.sandbox, self.happened = sandbox, happened
        self.places = {each.resource: each(sandbox) for each in PLACES}
        self.accepted: dict[str, str | None] = {}
        self.owned: set[str] = set()
        config = config_for(sandbox)
        self.stacks = [
            Stack(ProviderProcess(config, folder / f"{seed}-{name}", scope=name, stack=name)) for name in ("a", "b")
        ]
        self.service = str(sandbox.add("services", name="logs", state="running")["id"])
        member = sandbox.add("members", name="Linus", email="linus@example.com", assignedRoleIds=[DEVELOPER])
        self.member, self.key = str(member["id"]), str(sandbox.add("keys", name="other", roles=["admin"])["key"]["id"])
        sandbox.add("roles", name="Reader", policies=[POLICY])
        sandbox.add("stack_roles", serviceId=self.service, name="Other", permissions=READ)
        for place in self.places.values():
            self.accepted[place.join(self._address("grace"))] = None

    def play(self) -> None:
        """Run random steps, then destroy both stacks."""
        steps: list[Callable[[], None]] = [
            *(self.create, self.create, self.refresh, self.destroy, self.accept, self.accept),
            *(self.withdraw, self.leave, self.invite_by_hand, self.pass_time, self.pass_time),
        ]
        for _ in range(STEPS):
            self.random.choice(steps)()
        for stack in self.stacks:
            for name in [*stack.entries]:
                self._destroy(stack, name)
        assert self.sandbox.objects("members")[self.member]["assignedRoleIds"] == [DEVELOPER]
        assert self.sandbox.objects("keys")[self.key]["roles"] == ["admin"]

    # -- steps of the stacks -----------------------------------------------------------------------------------------

    def create(self) -> None:
        """Create a resource that the stack does not have yet."""
        stack = self.random.choice(self.stacks)
        name, resource, inputs = self._drawn()
        if name in stack.entries or self._is_overridden(resource):
            return
        with self.only_touching(()):
            try:
                id_, state = stack.process.create(resource, inputs, urn=f"urn:{name}")
            except (ApiError, ResourceError):  # the name is taken, or the member is invited
                return
            self.owned.add(id_)
        stack.entries[name] = StateEntry(resource, id_, state, inputs)
        self.happened[f"create {resource}"] += 1

    def refresh(self) -> None:
        """Refresh a stack."""
        self._refresh(self.random.choice(self.stacks))

    def destroy(self) -> None:
        """Destroy a resource of a stack."""
        stack = self.random.choice(self.stacks)
        if stack.entries:
            self._destroy(stack, self.random.choice(sorted(stack.entries)))

    def _refresh(self, stack: Stack) -> None:
        for name, entry in [*stack.entries.items()]:
            resource = RESOURCES[entry.resource]
            for each in (resource, RESOURCES["Member"]):
                stack.process.api.of(each.collection, entry.inputs.get("serviceId")).invalidate()
            with self.only_touching(()):
                _, live = lifecycle.read(stack.process, resource, entry.id, entry.state, {})
            if live is None:
                del stack.entries[name]
            else:
                entry.state = live.state

    def _destroy(self, stack: Stack, name: str) -> None:
        entry = stack.entries.pop(name)
        allowed = {entry.id}
        if entry.inputs.get("removeMember"):
            allowed |= {user for user, invitation in self.accepted.items() if invitation == entry.id}
        members = {user for place in self.places.values() for user in place.members}
        with self.only_touching(allowed):
            stack.process.delete(entry.resource, entry.id, entry.state)
        left = {user for place in self.places.values() for user in place.members}
        self.happened["members who were removed"] += len(members - left)
        self.happened["members who stayed"] += sum("stays a member: " in each for each in stack.process.warnings)
        stack.process.warnings.clear()
        self.owned.discard(entry.id)

    def _drawn(self) -> tuple[str, str, WireDict]:
        """Return a random name in the program, a resource and its inputs."""
        person = self.random.choice(PEOPLE)
        removes = self.random.random() < 0.8
        team, organization = self.places["StackInvitation"], self.places["Invitation"]
        roles = [self.random.choice((CUSTOM, DEVELOPER))]
        inputs = {
            "Invitation": {**organization.inputs(self._address(person), removes=removes), "assignedRoleIds": roles},
            "StackInvitation": team.inputs(self._address(person), removes=removes),
            "Member": {"userId": self.member, "assignedRoleIds": [CUSTOM]},
            "Role": {"name": "Reader", "policies": [POLICY]},
            "StackRole": {"serviceId": self.service, "name": "Reader", "permissions": READ},
            "ApiKey": self.random.choice(
                ({"keyId": self.key, "roles": ["developer"]}, {"name": "other", "roles": ["developer"]})
            ),
        }
        resource = self.random.choice(("Invitation", "Invitation", "StackInvitation", "StackInvitation", *inputs))
        return f"{resource}-{person}" if resource in self.places else resource, resource, inputs[resource]

    def _is_overridden(self, resource: str) -> bool:
        """Return whether the object has an override; two would restore each other's values (not tested here)."""
        entries = [each for stack in self.stacks for each in stack.entries.values()]
        return resource in ("Member", "ApiKey") and any(each.resource == resource for each in entries)

    # -- steps of people ---------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Let a person accept any pending invitation."""
        place = self._place()
        pending = self._pending(place)
        if not pending:
            return
        id_ = self.random.choice(sorted(pending))
        self._run_between()
        if id_ in self._pending(place):
            address = str(pending[id_]["email"])
            self.accepted[place.accept(id_, self._address(address.split("@")[0]))] = id_
            self.happened["accept"] += 1

    def withdraw(self) -> None:
        """Withdraw any pending invitation."""
        place = self._place()
        if pending := self._pending(place):
            self._run_between()
            place.withdraw(self.random.choice(sorted(pending)))
            self.happened["withdraw"] += 1

    def leave(self) -> None:
        """Remove a member."""
        place = self._place()
        if users := sorted(place.members & self.accepted.keys()):
            user = self.random.choice(users)
            place.leave(user)
            del self.accepted[user]
            self.happened["leave"] += 1

    def invite_by_hand(self) -> None:
        """Invite a person directly, who may be invited already, or be a member of the organization."""
        place, address = self._place(), self._address(self.random.choice(PEOPLE)).lower()
        if isinstance(place, Organization):
            self.sandbox.add(place.kind, email=address, assignedRoleIds=[self.random.choice((CUSTOM, DEVELOPER))])
        elif not any(each["email"] == address for each in self.sandbox.objects(place.kind).values()):
            self.sandbox.add(place.kind, email=address)  # an address has one invitation, and a member none
        self.happened["invite by hand"] += 1

    def pass_time(self) -> None:
        """Let minutes or days pass; invitations to the organization expire."""
        self.sandbox.advance(self.random.choice((90.0, 3600.0, 86400.0 * 5)))

    def _run_between(self) -> None:
        """Refresh both stacks, as the documented limit requires, and let a second pass."""
        for stack in self.stacks:
            self._refresh(stack)
        self.sandbox.advance(2.0)

    def _place(self) -> Place:
        return self.random.choice([*self.places.values()])

    def _pending(self, place: Place) -> dict[str, dict[str, Any]]:
        records = self.sandbox.objects(place.kind)
        if isinstance(place, Team):
            return {id_: each for id_, each in records.items() if not each.get("accepted")}
        now = self.sandbox.state()["now"]
        return {id_: each for id_, each in records.items() if parse_timestamp(each["expireAt"]).timestamp() > now}

    def _address(self, person: str) -> str:
        text = f"{person}@example.com"
        return self.random.choice((text, text.title(), text.upper()))

    # -- the invariant -----------------------------------------------------------------------------------------------

    @contextmanager
    def only_touching(self, allowed: Iterable[str]) -> Iterator[None]:
        """Assert that an operation changes only these objects, those that an override names, and new ones."""
        before = self._objects()
        yield
        after = self._objects()
        touched = {id_ for id_, record in before.items() if after.get(id_) != record}
        overridden = {self.member, self.key} & self.owned
        assert touched <= {*allowed} | overridden

    def _objects(self) -> dict[str, WireDict]:
        """Return all objects by id, without the properties that every request changes."""
        objects = [each for kind in KINDS.values() for each in self.sandbox.objects(kind).values()]
        return {
            str(each.get("memberId", each["id"])): {name: each[name] for name in each if name not in VOLATILE}
            for each in objects
        }


def play(seeds: Iterable[int], sandbox: Sandbox, folder: Path) -> Counter[str]:
    """Run lives on an empty server each, and return the events in them."""
    happened: Counter[str] = Counter()
    for seed in seeds:
        sandbox.reset()
        try:
            Life(seed, sandbox, folder, happened).play()
        except AssertionError as error:
            raise AssertionError(f"life {seed}: {error}") from error
    return happened


def test_sample_of_lives_changes_no_other_objects(sandbox: Sandbox, tmp_path: Path) -> None:
    """In these lives some members are removed, and others are kept with a warning."""
    happened = play(QUICK, sandbox, tmp_path)
    assert happened["members who were removed"]
    assert happened["members who stayed"]
    assert {f"create {resource}" for resource in KINDS} <= happened.keys()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("first", range(0, LIVES, AT_A_TIME))
def test_200_lives_change_no_other_objects(first: int, sandbox: Sandbox, tmp_path: Path) -> None:
    """A failure names the life's seed."""
    happened = play(range(first, first + AT_A_TIME), sandbox, tmp_path)
    assert happened["members who were removed"] > AT_A_TIME / 10
