"""A web service with one handler: a team requests a database, and gets one that meets the platform team's policies.

docs/beyond-one-machine.md shows how to run it, and what it does not do. Each team has a token, and a stack of its own:
a second request changes what the first one created. The service's environment has the settings of the provider, such as
CLOUDDB_KEY_SECRET, those of the backend, and two of its own:

- SELF_SERVICE_TOKENS: a JSON object with the token of each team, of 32 characters or more.
- SELF_SERVICE_HOSTS: the host names in its address, separated by commas.
"""

import asyncio
import secrets
from pathlib import Path
from typing import Annotated, Any

import pulumi
from pulumi import automation
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.config import Config
from starlette.datastructures import CommaSeparatedStrings
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import pulumi_clouddb as clouddb

POLICIES = Path(__file__).parents[1] / "policy-pack"

Team = Annotated[str, Field(pattern="^[a-z][a-z0-9-]{1,40}$")]
Token = Annotated[str, Field(min_length=32)]

settings = Config()
without_input = ConfigDict(hide_input_in_errors=True)
TOKENS = TypeAdapter(dict[Team, Token], config=without_input).validate_json(settings("SELF_SERVICE_TOKENS"))
HOSTS = settings("SELF_SERVICE_HOSTS", cast=CommaSeparatedStrings, default="127.0.0.1,localhost")

RUNNING = "an update is running; repeat the request when it has ended"

busy: set[str] = set()
"""The teams whose stack is being updated."""


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


def deploy(team: str, wanted: Wanted) -> dict[str, Any]:
    """Update the team's stack, and return its outputs.

    Raises:
        HTTPException: A policy or a server refuses it, or another process is updating the stack.
    """
    problems: list[str] = []

    def note(event: automation.EngineEvent) -> None:
        policy, diagnostic = event.policy_event, event.diagnostic_event
        if policy and policy.enforcement_level == "mandatory":
            problems.append(f"{policy.policy_name}: {policy.message}")
        if diagnostic and diagnostic.severity == "error":
            problems.append(diagnostic.message)

    try:
        stack = automation.create_or_select_stack(team, "self-service", lambda: program_of(team, wanted))
        result = stack.up(policy_packs=[str(POLICIES)], color="never", on_event=note)
    except automation.ConcurrentUpdateError:
        raise HTTPException(409, RUNNING) from None
    except automation.CommandError:
        if not problems:  # the service's own, such as a backend that does not respond
            raise
        raise HTTPException(409, "\n".join(problems)) from None
    return {name: each.value for name, each in result.outputs.items()}


def team_of(request: Request) -> str:
    """Return the team whose token a request has.

    Raises:
        HTTPException: It has none, or comes from a web page or a form: only programs call this service.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    teams = [team for team, own in TOKENS.items() if secrets.compare_digest(token.encode(), own.encode())]
    if scheme.lower() != "bearer" or not teams:
        raise HTTPException(401, "the token of a team is missing: Authorization: Bearer TOKEN")
    if "origin" in request.headers:
        raise HTTPException(403, "requests from web pages are refused")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "the body must be application/json")
    return teams[0]


async def create(request: Request) -> Response:
    """Respond with the endpoints and the password of the team's database.

    Raises:
        HTTPException: The request is not valid, an update of the same team is running, or the update fails.
    """
    team = team_of(request)
    try:
        wanted = Wanted.model_validate_json(await request.body())
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, each['loc'])) or 'body'}: {each['msg']}" for each in error.errors()]
        raise HTTPException(400, "\n".join(problems)) from None
    if team in busy:
        raise HTTPException(409, RUNNING)
    busy.add(team)
    try:
        return JSONResponse(await asyncio.to_thread(deploy, team, wanted))
    finally:
        busy.discard(team)


app = Starlette(
    routes=[Route("/database", create, methods=["POST"])],
    middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False)],
)
