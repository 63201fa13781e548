"""What pages say of `protect` and of a move to another stack, with the real CLI."""

from __future__ import annotations

import pytest

from docs.test_on_fire import ORDERS, REPORTS, Project, fire

__all__ = ["fire"]

pytestmark = pytest.mark.cli

BOARD = 'clouddb.Dashboard("board", name="Board", service_id=orders.id, tiles=[])'


def program(protected: str, region: str = "eu-central-1") -> tuple[str, str]:
    """Return a service that may be replaced and a dashboard of it, one of which is protected."""
    protect = ", opts=pulumi.ResourceOptions(protect=True))"
    service, board = f"orders = {ORDERS[:-1]}, allow_replacement=True)".replace("eu-central-1", region), BOARD
    return (
        service[:-1] + protect if protected == "service" else service,
        board[:-1] + protect if protected == "board" else board,
    )


def objects(fire: Project) -> tuple[list[str], int]:
    """Return the ids of the services, and the number of dashboards."""
    return list(fire.sandbox.services), len(fire.sandbox.dashboards)


def test_resource_moves_to_another_stack(fire: Project) -> None:
    """Its state moves without a request, and the other stack has nothing to change."""
    fire.write(REPORTS)
    fire.up()
    (urn,) = [word for word in fire.run("pulumi stack --show-urns").split() if word.endswith("::reports")]
    fire.create("other")
    fire.sandbox.forget_requests()
    fire.run(f"pulumi state move --source production --dest other '{urn}' --yes")
    fire.run("pulumi preview --stack other --expect-no-changes")
    assert fire.sandbox.requests == []


def test_protected_service_is_not_destroyed(fire: Project) -> None:
    """The preview fails before anything is deleted; without it everything else is deleted."""
    fire.write(*program("service"))
    fire.up()
    before = objects(fire)
    assert "because it is protected" in fire.run("pulumi destroy --yes", fails=True)
    assert objects(fire) == before
    fire.run("pulumi destroy --yes --skip-preview", fails=True)
    assert objects(fire) == (before[0], 0)


@pytest.mark.parametrize("protected", ["service", "board"])
def test_protected_resource_is_not_replaced(fire: Project, protected: str) -> None:
    """Neither it nor what would be replaced with it, also without a preview."""
    fire.write(*program(protected))
    fire.up()
    before = objects(fire)
    fire.write(*program(protected, "us-east-1"))
    assert "marked for protection" in fire.run("pulumi up --yes --skip-preview", fails=True)
    assert objects(fire) == before
