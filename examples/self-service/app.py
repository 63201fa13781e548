"""A web service with one handler: a team requests a database, and gets one that meets the platform team's policies.

docs/beyond-one-machine.md shows how to run it. Each team has a stack of its own; a second request changes what the
first one created. The service's own environment has the settings of the provider, such as CLOUDDB_KEY_SECRET, and
those of the backend.
"""

import asyncio
import re
from pathlib import Path
from typing import Any

import pulumi
from pulumi import automation
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import pulumi_clouddb as clouddb

POLICIES = Path(__file__).parents[1] / "policy-pack"
TEAM = "[a-z][a-z0-9-]{1,40}"


class Wanted(BaseModel):
    """The options of a team."""

    model_config = ConfigDict(extra="forbid")

    replicas: int = Field(default=2, ge=1, le=5)
    networks: list[str] = Field(default=["203.0.113.0/24"], min_length=1)


def program_of(team: str, wanted: Wanted) -> None:
    """Declare the database of a team."""
    service = clouddb.Service(
        "database",
        name=f"Database of {team}",
        provider="aws",
        region="eu-central-1",
        num_replicas=wanted.replicas,
        ip_access_list=[{"source": each, "description": f"Network of {team}"} for each in wanted.networks],
    )
    pulumi.export("endpoints", service.endpoints)
    pulumi.export("password", service.password)


def deploy(team: str, wanted: Wanted) -> tuple[int, dict[str, Any]]:
    """Update the team's stack; return the status and the response."""
    problems: list[str] = []

    def note(event: automation.EngineEvent) -> None:
        policy, diagnostic = event.policy_event, event.diagnostic_event
        if policy and policy.enforcement_level == "mandatory":
            problems.append(f"{policy.policy_name}: {policy.message}")
        if diagnostic and diagnostic.severity == "error":
            problems.append(diagnostic.message)

    stack = automation.create_or_select_stack(team, "self-service", lambda: program_of(team, wanted))
    try:
        result = stack.up(policy_packs=[str(POLICIES)], color="never", on_event=note)
    except automation.CommandError:
        return 409, {"problems": problems}
    return 200, {name: each.value for name, each in result.outputs.items()}


async def create(request: Request) -> Response:
    """Respond with the database's endpoints; with 400 to an invalid request, with 409 if the deployment fails."""
    team = request.path_params["team"]
    if not re.fullmatch(TEAM, team):
        return JSONResponse({"problems": [f"a team is named like {TEAM}"]}, status_code=400)
    try:
        wanted = Wanted.model_validate_json(await request.body())
    except ValidationError as error:
        return JSONResponse({"problems": error.errors(include_url=False, include_context=False)}, status_code=400)
    status, answer = await asyncio.to_thread(deploy, team, wanted)
    return JSONResponse(answer, status_code=status)


app = Starlette(routes=[Route("/databases/{team}", create, methods=["POST"])])
