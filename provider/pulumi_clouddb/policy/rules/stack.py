"""Rules about the stack as a whole: budgets, duplicates, what is watched, and its configuration.

They see outputs. What only a server knows is missing in the preview of a new dynamic resource, and counts as unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from pulumi_policy import PolicyResource, Severity

from pulumi_clouddb.alerts.alert import ALERT
from pulumi_clouddb.pipes.scaling import PIPE_SCALING
from pulumi_clouddb.policy.limits import limits_of
from pulumi_clouddb.policy.resources import alert, pipe_scaling, service
from pulumi_clouddb.policy.rule import Finding, Findings, Placed, Settings, StackContext, setting, shown, stack_rule
from pulumi_clouddb.policy.views import if_known
from pulumi_clouddb.schema.base import wire_name
from pulumi_clouddb.schema.config import CREDENTIALS, LOOPBACK, Address, ProviderConfig
from pulumi_clouddb.services.parts import WORKERS
from pulumi_clouddb.services.service import SERVICE, Service


class StackMemory(Settings):
    """What the services of a stack may take together."""

    maximum_gb: int = setting("Memory of all replicas of all services together, in GB.", default=1024, ge=1)


@stack_rule(
    "stack-memory-budget",
    "The services of a stack stay within its budget of memory.",
    severity=Severity.MEDIUM,
    comply="Lower maxReplicaMemoryGb or numReplicas, or move services into a stack with a budget of their own.",
    tags=("cost",),
    settings=StackMemory,
)
def stack_memory_budget(context: StackContext[StackMemory]) -> Findings:
    """Judge the sum: replicas that are not known count as the least there can be, unknown memory as none."""
    taken = [(_memory_gb(placed), placed.resource.name) for placed in context.all_of(SERVICE)]
    total, most = sum(memory for memory, _ in taken), context.settings.maximum_gb
    if total > most:
        _, largest = max(taken, key=lambda each: each[0])
        found = f"adds up to {total:g} GB over {len(taken)} services, {shown(largest)} being the largest"
        yield Finding("maxReplicaMemoryGb * numReplicas", found, f"keep the stack within {most} GB")


def _memory_gb(placed: Placed) -> float:
    replicas, memory = limits_of(Service, "num_replicas")["ge"], 0.0
    seen = service(placed.resource)
    with if_known:
        replicas = seen.num_replicas or replicas
    with if_known:
        memory = (seen.max_total_memory_gb or 0) / WORKERS
    with if_known:
        memory = seen.max_replica_memory_gb or memory
    return float(replicas * memory)


@stack_rule(
    "one-scaling-per-pipe",
    "No two PipeScalings of a stack scale the same pipe.",
    severity=Severity.HIGH,
    comply="Keep one of them; two undo each other's work at every up.",
    tags=("operations",),
)
def one_scaling_per_pipe(context: StackContext[Settings]) -> Findings:
    """Judge the pipes whose ids are known."""
    of_pipe: dict[str, list[Placed]] = defaultdict(list)
    for placed in context.all_of(PIPE_SCALING):
        with if_known:
            of_pipe[str(pipe_scaling(placed.resource).pipe_id).lower()].append(placed)
    for first, *others in of_pipe.values():
        for other in others:
            found = f"is that of a pipe which {shown(first.resource.name)} scales already"
            yield Finding("pipeId", found, "keep one of the two", other.resource.urn)


@stack_rule(
    "production-services-watched",
    "Each production service is watched by an alert.",
    severity=Severity.HIGH,
    comply="Make an Alert whose serviceId is the service's id.",
    tags=("observability", "production"),
    control="SI-4 System Monitoring",
)
def production_services_watched(context: StackContext[Settings]) -> Findings:
    """Judge each service; while it is not known what an alert is about, it may be about any of them."""
    watched: set[str | None] = set()
    for placed in context.all_of(ALERT):
        needed = {each.urn for each in _needs(placed.resource)}
        watched |= needed
        with if_known:
            watched.add(alert(placed.resource).service_id)
            continue
        if not needed:
            return
    for placed in context.all_of(SERVICE):
        names: set[str | None] = {placed.resource.urn}
        with if_known:
            names.add(service(placed.resource).id)
        if placed.production and not names & watched:
            found = f"of an Alert is never that of {shown(placed.resource.name)}"
            yield Finding("serviceId", found, "make an alert on one of the service's dashboards", placed.resource.urn)


def _needs(resource: PolicyResource) -> Iterator[PolicyResource]:
    """Yield what a resource depends on, and what that depends on."""
    seen: set[str] = set()
    open_ = [resource]
    while open_:
        each = open_.pop()
        for needed in [*each.dependencies, *(it for found in each.property_dependencies.values() for it in found)]:
            if needed.urn not in seen:
                seen.add(needed.urn)
                open_.append(needed)
                yield needed


class SecretKeys(Settings):
    """Which configuration is secret by its name."""

    names: list[str] = setting(
        "Patterns of configuration keys, in lower case, whose values belong encrypted; `*` stands for any text.",
        default=["*password*", "*secret*", "*token*", "*credential*", "*private*key*", "*api*key*"],
    )


@stack_rule(
    "no-plain-credentials",
    "No credential is in the stack's configuration in plain text.",
    severity=Severity.CRITICAL,
    comply="Set it with `pulumi config set --secret`, and renew it: the old one may be in a repository's history.",
    tags=("credentials", "security"),
    control="IA-5 Authenticator Management",
    settings=SecretKeys,
)
def no_plain_credentials(context: StackContext[SecretKeys]) -> Findings:
    """Judge the keys that the models call secret, and those that sound so; values stay out of the message."""
    facts = context.facts
    if facts.secret_keys is None:
        return
    for key in sorted(facts.config.keys() - facts.secret_keys):
        sounds = any(fnmatchcase(key.partition(":")[2].lower(), pattern) for pattern in context.settings.names)
        if facts.config[key] and (key in CREDENTIALS or sounds):
            yield Finding(key, "is in plain text", f"run `pulumi config set --secret {key}`")


ADDRESSES = tuple(
    wire_name(ProviderConfig, attribute)
    for attribute, info in ProviderConfig.model_fields.items()
    if Address in getattr(info.annotation, "__args__", ())
)
"""The configuration keys that hold addresses of servers."""


@stack_rule(
    "production-servers",
    "Production talks to servers over https, and not to one on the machine that deploys.",
    severity=Severity.HIGH,
    comply="Set clouddb:baseUrl and clouddb:stackUrl to the https addresses of the real servers.",
    tags=("network", "production"),
    control="SC-8 Transmission Confidentiality and Integrity",
)
def production_servers(context: StackContext[Settings]) -> Findings:
    """Judge the addresses in the stack's configuration."""
    urn = next((each.urn for each in context.args.resources), "")
    if not context.production.holds(urn, context.args.stack_tags, None):
        return
    for name in ADDRESSES:
        text = context.facts.config.get(f"clouddb:{name}", "")
        url = urlsplit(text)
        if text and (url.scheme != "https" or url.hostname in LOOPBACK):
            found = f"is at {shown(f'{url.scheme}://{url.hostname}')}"
            yield Finding(f"clouddb:{name}", found, "give the https address of a real server")
