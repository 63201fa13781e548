"""Whom `removeMember` removes: only a member who has certainly joined by this invitation.

Each case plays what people do between the create of an invitation and its end, with and without a refresh before that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.create.verdicts import decide
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.acceptance import MEMBER_CASES, MemberFacts
from pulumi_clouddb.schema.values import WireDict
from support.inviting import ADDRESS, PLACES, Organization, Place, Team
from support.sessions import ProviderProcess


@dataclass
class Story:
    """An invitation of a program, and the people around it."""

    place: Place
    process: ProviderProcess
    id: str = ""
    state: WireDict = field(default_factory=dict)

    def invite(self, address: str = ADDRESS) -> None:
        """Create the invitation of the program."""
        inputs = self.place.inputs(address)
        self.id, self.state = self.process.create(self.place.resource, inputs, urn=f"urn:{self.place.resource}")

    def refresh(self) -> None:
        """Read it, as every `pulumi up --refresh` does."""
        resource = RESOURCES[self.place.resource]
        for name in (self.place.resource, "Member"):
            self.process.api.of(RESOURCES[name].collection).invalidate()
        _, live = lifecycle.read(self.process, resource, self.id, self.state, {})
        self.state = self.state if live is None else live.state

    def destroy(self) -> None:
        """Destroy it."""
        self.process.delete(self.place.resource, self.id, self.state)


@pytest.fixture(params=PLACES, ids=lambda place: place.__name__)
def story(request: pytest.FixtureRequest, sandbox: Sandbox, process: ProviderProcess) -> Story:
    """An invitation to the organization, or to the team."""
    return Story(request.param(sandbox), process)


def joined_before_with_other_letters(story: Story) -> None:
    """`Grace` has been a member for long, and the program invites `grace`, or the other way round."""
    story.place.join("grace@example.com")
    story.place.wait()
    story.invite("Grace@Example.com")


def joined_before_and_the_invitation_vanished(story: Story) -> None:
    """It has expired, or somebody has withdrawn it: nobody has joined by it."""
    joined_before_with_other_letters(story)
    story.place.wait()
    story.place.withdraw(story.id)


def joined_by_another_invitation_while_ours_is_pending(story: Story) -> None:
    """Two stacks invite one address, and the person accepts that of the other one."""
    story.invite()
    story.place.wait()
    story.place.join()


def left_and_joined_again(story: Story) -> None:
    """A colleague removes the member who has accepted it, and invites the person again."""
    story.invite()
    story.place.wait()
    user = story.place.accept(story.id)
    story.refresh()
    story.place.leave(user)
    story.place.wait()
    story.place.join()


def left_and_joined_again_under_the_same_id(story: Story) -> None:
    """The person has kept the account, so the time alone tells that it is another membership."""
    story.invite()
    story.place.wait()
    user = story.place.accept(story.id)
    story.refresh()
    story.place.leave(user)
    story.place.wait()
    story.place.sandbox.add("members", id=user, name="Grace", email=ADDRESS)


def two_members_have_the_address(story: Story) -> None:
    """One has accepted it, and nobody knows which one."""
    story.invite()
    story.place.wait()
    story.place.join("GRACE@example.com")
    story.place.accept(story.id)


def joined_after_it_had_expired(story: Story) -> None:
    """By another invitation, as nobody can accept an expired one."""
    story.invite()
    story.refresh()
    story.place.wait(30 * 24 * 3600.0)
    story.place.withdraw(story.id)
    story.place.join()


def another_was_accepted_before_ours_expired(story: Story) -> None:
    """Two stacks invite one address to the same roles. An expired invitation is in no list, as an accepted one."""
    joined_by_another_invitation_while_ours_is_pending(story)
    story.place.wait(30 * 24 * 3600.0)


def withdrawn_after_another_was_accepted(story: Story) -> None:
    """A refresh between both has found the member while ours was pending."""
    joined_by_another_invitation_while_ours_is_pending(story)
    story.refresh()
    story.place.withdraw(story.id)


def joined_with_other_roles(story: Story) -> None:
    """A colleague has withdrawn it, and has invited the person to something else."""
    story.invite()
    story.place.wait()
    story.place.withdraw(story.id)
    story.place.sandbox.add("members", name="Grace", email=ADDRESS, role="admin")


def nobody_knows_when_it_joined(story: Story) -> None:
    """The server does not tell, or no longer."""
    story.invite()
    story.place.wait()
    user = story.place.accept(story.id)
    if isinstance(story.place, Team):
        story.place.sandbox.change(story.place.kind, story.id, memberId="somebody")
    else:
        story.place.sandbox.change("members", user, joinedAt=None)


ANYWHERE: list[Callable[[Story], None]] = [
    joined_by_another_invitation_while_ours_is_pending,
    left_and_joined_again,
    withdrawn_after_another_was_accepted,
    nobody_knows_when_it_joined,
]
ORGANIZATION_ONLY: list[Callable[[Story], None]] = [
    # The team's server refuses to invite a member, and gives a person who joins again a new id. Its addresses are
    # unique, and its invitations neither expire nor have roles.
    joined_before_with_other_letters,
    joined_before_and_the_invitation_vanished,
    left_and_joined_again_under_the_same_id,
    two_members_have_the_address,
    joined_after_it_had_expired,
    another_was_accepted_before_ours_expired,
    joined_with_other_roles,
]
STRANGERS = [(Organization, each) for each in (*ANYWHERE, *ORGANIZATION_ONLY)] + [(Team, each) for each in ANYWHERE]


@pytest.mark.parametrize("refreshed", [False, True], ids=["at once", "refreshed"])
@pytest.mark.parametrize(("story", "play"), STRANGERS, indirect=["story"], ids=lambda each: each.__name__)
def test_nobody_else_is_removed(play: Callable[[Story], None], refreshed: bool, story: Story) -> None:
    """One warning names who stays, why, and where to remove a member by hand."""
    play(story)
    if refreshed:
        story.refresh()
    before = story.place.members
    story.destroy()
    assert story.place.members == before
    (warning,) = story.process.warnings
    assert all(user in warning for user in before)
    assert "stays a member: " in warning
    assert warning.splitlines()[1].startswith("Remove ")


@pytest.mark.parametrize("refreshed", [False, True], ids=["at once", "refreshed"])
def test_who_has_accepted_it_is_removed(refreshed: bool, story: Story) -> None:
    """A refresh before that makes no difference; nor do roles that somebody gives the member after it."""
    story.invite("Grace@Example.com")
    story.place.wait()
    user = story.place.accept(story.id)
    if refreshed:
        story.refresh()
        assert (story.state["userId"], story.state["accepted"]) == (user, True)
        if isinstance(story.place, Organization):
            story.place.sandbox.change("members", user, assignedRoleIds=[])
        story.refresh()
    story.destroy()
    assert user not in story.place.members
    assert story.process.warnings == []


def test_a_lost_response_is_no_sign_that_it_was_accepted(story: Story) -> None:
    """The server has deleted the pending invitation, and answers 404 to the second request."""
    story.invite()
    story.place.wait()
    user = story.place.join()
    operation = RESOURCES[story.place.resource].collection.DELETE.self_hosted.name
    story.place.sandbox.fault(operation, "lose")
    story.destroy()
    assert user in story.place.members
    assert "was still pending" in story.process.warnings[0]


def test_who_has_joined_otherwise_is_never_proven_later(story: Story) -> None:
    """Once a refresh has found that, later ones do not compare with the new membership."""
    left_and_joined_again(story)
    for _ in range(3):
        story.refresh()
    assert story.state["accepted"] is False


# -- when it is not certain whether it was accepted ----------------------------------------------------------------


@pytest.mark.parametrize("story", [Organization], indirect=True)
def test_a_member_without_an_address_may_have_accepted_it(story: Story) -> None:
    """The invitation stays in state, with a warning, instead of being sent to a member again."""
    story.invite()
    story.place.wait()
    user = story.place.accept(story.id)
    story.place.sandbox.change("members", user, email="")
    resource = RESOURCES[story.place.resource]
    assert lifecycle.read(story.process, resource, story.id, story.state, {})[1] is not None
    (warning,) = story.process.warnings
    assert user in warning
    story.destroy()
    assert user in story.place.members


@pytest.mark.parametrize("story", [Organization], indirect=True)
def test_a_member_who_was_there_before_it_has_not_accepted_it(story: Story) -> None:
    """Nor has one without an address: the next run invites again."""
    story.place.sandbox.add("members", name="Robot", email="")
    story.place.wait()
    story.invite()
    story.place.withdraw(story.id)
    assert lifecycle.read(story.process, RESOURCES[story.place.resource], story.id, story.state, {})[1] is None


@pytest.mark.parametrize("status", [404, 501], ids=["a list that answers 404", "no list"])
def test_without_a_list_of_members_it_stays_in_state(status: int, story: Story) -> None:
    """It may have been accepted: a second invitation would ask a member to join."""
    story.invite()
    story.place.wait()
    user = story.place.accept(story.id)
    operation = {"Invitation": "list_members", "StackInvitation": "list_stack_members"}[story.place.resource]
    story.place.sandbox.fault(operation, "status", times=9, status=status)
    resource = RESOURCES[story.place.resource]
    story.process.api.of(resource.collection).invalidate()
    assert lifecycle.read(story.process, resource, story.id, story.state, {})[1] is not None
    assert user in story.place.members
    assert "no way to read the members" in story.process.warnings[0]


# -- the table -----------------------------------------------------------------------------------------------------

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
def test_each_row_decides_about_its_case(case: object, row: str) -> None:
    """The first row that applies decides; each has the facts that it is about."""
    facts, verdict = ROWS[row]
    decided = decide(MEMBER_CASES, facts)
    assert decided is case
    assert row in decided.name
    assert decided.verdict.value == verdict
