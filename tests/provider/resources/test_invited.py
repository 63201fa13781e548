"""`removeMember` removes only a member who certainly joined by this invitation.

Each case plays events between the create of an invitation and its deletion, with and without a refresh before that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.create.verdicts import decide
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.membership import MEMBER_CASES, MemberFacts
from pulumi_clouddb.schema.values import WireDict
from support.inviting import ADDRESS, PLACES, Organization, Place, Team
from support.sessions import ProviderProcess


@dataclass
class Scenario:
    """An invitation of a program, and the people it concerns."""

    place: Place
    process: ProviderProcess
    id: str = ""
    state: WireDict = field(default_factory=dict)

    def invite(self, address: str = ADDRESS, *, removes: bool = True) -> None:
        """Create the invitation; `removes` sets `removeMember`."""
        inputs = self.place.inputs(address, removes=removes)
        self.id, self.state = self.process.create(self.place.resource, inputs, urn=f"urn:{self.place.resource}")

    def refresh(self) -> None:
        """Read the invitation, like `pulumi up --refresh`."""
        resource = RESOURCES[self.place.resource]
        for name in (self.place.resource, "Member"):
            self.process.api.of(RESOURCES[name].collection).invalidate()
        _, live = lifecycle.read(self.process, resource, self.id, self.state, {})
        self.state = self.state if live is None else live.state

    def destroy(self) -> None:
        """Delete the invitation."""
        self.process.delete(self.place.resource, self.id, self.state)


@pytest.fixture(params=PLACES, ids=lambda place: place.__name__)
def scenario(request: pytest.FixtureRequest, sandbox: Sandbox, process: ProviderProcess) -> Scenario:
    """Return an invitation to the organization, or to the team."""
    return Scenario(request.param(sandbox), process)


def joined_before_in_another_case(scenario: Scenario) -> None:
    """`Grace` is a member already, and the program invites `grace`, or the other way round."""
    scenario.place.join("grace@example.com")
    scenario.place.wait()
    scenario.invite("Grace@Example.com")


def joined_before_and_the_invitation_disappeared(scenario: Scenario) -> None:
    """It expired, or somebody withdrew it: nobody joined by it."""
    joined_before_in_another_case(scenario)
    scenario.place.wait()
    scenario.place.withdraw(scenario.id)


def joined_by_another_invitation_while_ours_is_pending(scenario: Scenario) -> None:
    """Two stacks invite one address, and the person accepts the other stack's invitation."""
    scenario.invite()
    scenario.place.wait()
    scenario.place.join()


def left_and_joined_again(scenario: Scenario) -> None:
    """A colleague removes the member who accepted it, and invites the person again."""
    scenario.invite()
    scenario.place.wait()
    user = scenario.place.accept(scenario.id)
    scenario.refresh()
    scenario.place.leave(user)
    scenario.place.wait()
    scenario.place.join()


def left_and_joined_again_under_the_same_id(scenario: Scenario) -> None:
    """The person kept the account, so only the time shows that it is another membership."""
    scenario.invite()
    scenario.place.wait()
    user = scenario.place.accept(scenario.id)
    scenario.refresh()
    scenario.place.leave(user)
    scenario.place.wait()
    scenario.place.sandbox.add("members", id=user, name="Grace", email=ADDRESS)


def two_members_have_the_address(scenario: Scenario) -> None:
    """One of them accepted it, and it is unknown which one."""
    scenario.invite()
    scenario.place.wait()
    scenario.place.join("GRACE@example.com")
    scenario.place.accept(scenario.id)


def joined_after_it_expired(scenario: Scenario) -> None:
    """An expired invitation cannot be accepted, so the person joined by another one."""
    scenario.invite()
    scenario.refresh()
    scenario.place.wait(30 * 24 * 3600.0)
    scenario.place.withdraw(scenario.id)
    scenario.place.join()


def another_was_accepted_before_ours_expired(scenario: Scenario) -> None:
    """Two stacks invite one address to the same roles. Neither an expired nor an accepted invitation is listed."""
    joined_by_another_invitation_while_ours_is_pending(scenario)
    scenario.place.wait(30 * 24 * 3600.0)


def withdrawn_after_another_was_accepted(scenario: Scenario) -> None:
    """A refresh between the two found the member while our invitation was pending."""
    joined_by_another_invitation_while_ours_is_pending(scenario)
    scenario.refresh()
    scenario.place.withdraw(scenario.id)


def joined_with_other_roles(scenario: Scenario) -> None:
    """A colleague withdrew it, and invited the person to other roles."""
    scenario.invite()
    scenario.place.wait()
    scenario.place.withdraw(scenario.id)
    scenario.place.sandbox.add("members", name="Grace", email=ADDRESS, role="admin")


def time_of_joining_is_unknown(scenario: Scenario) -> None:
    """The server does not return it, or no longer does."""
    scenario.invite()
    scenario.place.wait()
    user = scenario.place.accept(scenario.id)
    if isinstance(scenario.place, Team):
        scenario.place.sandbox.change(scenario.place.kind, scenario.id, memberId="somebody")
    else:
        scenario.place.sandbox.change("members", user, joinedAt=None)


ANYWHERE: list[Callable[[Scenario], None]] = [
    joined_by_another_invitation_while_ours_is_pending,
    left_and_joined_again,
    withdrawn_after_another_was_accepted,
    time_of_joining_is_unknown,
]
ORGANIZATION_ONLY: list[Callable[[Scenario], None]] = [
    # The team's server refuses to invite a member, and assigns a new id to a person who joins again. Its addresses are
    # unique, and its invitations neither expire nor have roles.
    joined_before_in_another_case,
    joined_before_and_the_invitation_disappeared,
    left_and_joined_again_under_the_same_id,
    two_members_have_the_address,
    joined_after_it_expired,
    another_was_accepted_before_ours_expired,
    joined_with_other_roles,
]
OTHER_MEMBERS = [(Organization, each) for each in (*ANYWHERE, *ORGANIZATION_ONLY)] + [(Team, each) for each in ANYWHERE]


@pytest.mark.parametrize("refreshed", [False, True], ids=["at once", "refreshed"])
@pytest.mark.parametrize(("scenario", "play"), OTHER_MEMBERS, indirect=["scenario"], ids=lambda each: each.__name__)
def test_other_members_are_not_removed(play: Callable[[Scenario], None], refreshed: bool, scenario: Scenario) -> None:
    """A warning has the ids of these members, the reason, and where to remove a member by hand."""
    play(scenario)
    if refreshed:
        scenario.refresh()
    before = scenario.place.members
    scenario.destroy()
    assert scenario.place.members == before
    (warning,) = scenario.process.warnings
    assert all(user in warning for user in before)
    assert "stays a member: " in warning
    assert warning.splitlines()[1].startswith("Remove ")


@pytest.mark.parametrize("refreshed", [False, True], ids=["at once", "refreshed"])
def test_member_who_accepted_is_removed(refreshed: bool, scenario: Scenario) -> None:
    """Neither a refresh before that nor a later change of the member's roles makes a difference."""
    scenario.invite("Grace@Example.com")
    scenario.place.wait()
    user = scenario.place.accept(scenario.id)
    if refreshed:
        scenario.refresh()
        assert (scenario.state["userId"], scenario.state["accepted"]) == (user, True)
        if isinstance(scenario.place, Organization):
            scenario.place.sandbox.change("members", user, assignedRoleIds=[])
        scenario.refresh()
    scenario.destroy()
    assert user not in scenario.place.members
    assert scenario.process.warnings == []


def test_members_are_listed_only_to_prove_who_accepted(scenario: Scenario) -> None:
    """A refresh of a pending invitation that removes nobody needs no list of them."""
    counts = []
    for removes in (False, True):
        scenario.invite(f"{removes}@example.com", removes=removes)
        before = len(scenario.place.sandbox.requests)
        scenario.refresh()
        counts.append(len(scenario.place.sandbox.requests) - before)
    assert counts == [1, 2]


def test_lost_response_does_not_prove_an_acceptance(scenario: Scenario) -> None:
    """The server has deleted the pending invitation, and responds 404 to the second request."""
    scenario.invite()
    scenario.place.wait()
    user = scenario.place.join()
    operation = RESOURCES[scenario.place.resource].collection.DELETE.self_hosted.name
    scenario.place.sandbox.fault(operation, "lose")
    scenario.destroy()
    assert user in scenario.place.members
    assert "was still pending" in scenario.process.warnings[0]


def test_member_who_joined_otherwise_is_never_proven_later(scenario: Scenario) -> None:
    """Later refreshes keep the result of the first one, and do not compare with the new membership."""
    left_and_joined_again(scenario)
    for _ in range(3):
        scenario.refresh()
    assert scenario.state["accepted"] is False


# -- uncertain acceptance ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", [Organization], indirect=True)
def test_member_without_an_address_may_have_accepted(scenario: Scenario) -> None:
    """The invitation stays in state with a warning; otherwise the next run would invite a member again."""
    scenario.invite()
    scenario.place.wait()
    user = scenario.place.accept(scenario.id)
    scenario.place.sandbox.change("members", user, email="")
    resource = RESOURCES[scenario.place.resource]
    assert lifecycle.read(scenario.process, resource, scenario.id, scenario.state, {})[1] is not None
    (warning,) = scenario.process.warnings
    assert user in warning
    scenario.destroy()
    assert user in scenario.place.members


@pytest.mark.parametrize("scenario", [Organization], indirect=True)
def test_earlier_member_has_not_accepted(scenario: Scenario) -> None:
    """This includes one without an address: the next run invites again."""
    scenario.place.sandbox.add("members", name="Robot", email="")
    scenario.place.wait()
    scenario.invite()
    scenario.place.withdraw(scenario.id)
    assert (
        lifecycle.read(scenario.process, RESOURCES[scenario.place.resource], scenario.id, scenario.state, {})[1] is None
    )


@pytest.mark.parametrize("status", [404, 501], ids=["a 404 for the list", "no list"])
def test_invitation_stays_in_state_without_a_list_of_members(status: int, scenario: Scenario) -> None:
    """It may have been accepted: a second invitation would go to a member."""
    scenario.invite()
    scenario.place.wait()
    user = scenario.place.accept(scenario.id)
    operation = {"Invitation": "list_members", "StackInvitation": "list_stack_members"}[scenario.place.resource]
    scenario.place.sandbox.fault(operation, "status", times=9, status=status)
    resource = RESOURCES[scenario.place.resource]
    scenario.process.api.of(resource.collection).invalidate()
    assert lifecycle.read(scenario.process, resource, scenario.id, scenario.state, {})[1] is not None
    assert user in scenario.place.members
    assert "no way to read the members" in scenario.process.warnings[0]


# -- the table of verdicts ---------------------------------------------------------------------------------------------

ROWS = {
    "was still pending": (MemberFacts(was_pending=True, was_found=True, was_proven=True), "not ours"),
    "several members": (MemberFacts(members=2, was_found=True, was_proven=True), "cannot tell"),
    "joined without it": (MemberFacts(was_found=True, was_refuted=True), "not ours"),
    "has left": (MemberFacts(was_found=True, is_the_same=False, was_proven=True), "not ours"),
    "found that this person joined by it": (MemberFacts(was_found=True, was_proven=True, has_roles=False), "ours"),
    "does not report": (MemberFacts(joined=None), "cannot tell"),
    "before it was made": (MemberFacts(invited=2.0, joined=1.0), "not ours"),
    "after it had expired": (MemberFacts(expires=0.5, joined=1.0), "not ours"),
    "it has expired": (MemberFacts(expires=1.0, joined=1.0, has_expired=True), "cannot tell"),
    "does not have its roles": (MemberFacts(has_roles=False), "cannot tell"),
    "while it could be accepted": (MemberFacts(expires=1.0, joined=1.0), "ours"),
}


@pytest.mark.parametrize(("case", "row"), [*zip(MEMBER_CASES, ROWS, strict=True)], ids=ROWS)
def test_each_row_decides_its_case(case: object, row: str) -> None:
    """The first row that applies decides; the facts of each row make it apply."""
    facts, verdict = ROWS[row]
    decided = decide(MEMBER_CASES, facts)
    assert decided is case
    assert row in decided.name
    assert decided.verdict.value == verdict
