"""Rules about the stack as a whole: its memory, alerts and configuration.

They check outputs. In the preview of a new dynamic resource, outputs of the server are missing and count as unknown.
"""

from __future__ import annotations

from itertools import chain
from urllib.parse import SplitResult, urlsplit

from pulumi_policy import PolicyResource, Severity

from pulumi_clouddb.policy.resources import alert, service
from pulumi_clouddb.policy.rule import (
    Finding,
    Findings,
    Placed,
    Settings,
    StackContext,
    limits_of,
    setting,
    shown,
    stack_rule,
)
from pulumi_clouddb.policy.scope import matches
from pulumi_clouddb.policy.views import if_known
from pulumi_clouddb.schema.base import wire_name
from pulumi_clouddb.schema.config import CREDENTIALS, Address, ProviderConfig, is_loopback
from pulumi_clouddb.things.alerts.alert import ALERT
from pulumi_clouddb.things.services.parts import WORKERS
from pulumi_clouddb.things.services.service import SERVICE, Service


class StackMemory(Settings):
    """The settings of stack-memory-budget."""

    maximum_gb: int = setting("Maximum memory of all replicas of all services together, in GB.", default=1024, ge=1)


@stack_rule(
    "stack-memory-budget",
    "The services of a stack stay within its memory budget.",
    severity=Severity.MEDIUM,
    comply="Lower maxReplicaMemoryGb or numReplicas, or move services to another stack.",
    tags=("cost",),
    settings=StackMemory,
)
def stack_memory_budget(context: StackContext[StackMemory]) -> Findings:
    """Check the sum; an unknown number of replicas counts as the minimum, unknown memory as 0."""
    services = [(_memory_gb(placed), placed.resource.name) for placed in context.all_of(SERVICE)]
    total, maximum = sum(memory for memory, _ in services), context.settings.maximum_gb
    if total > maximum:
        _, largest = max(services, key=lambda each: each[0])
        several = f"{len(services)} services, of which {shown(largest)} is the largest"
        found = f"is {total:.15g} GB for {several if len(services) > 1 else shown(largest)}"
        yield Finding("maxReplicaMemoryGb * numReplicas", found, f"keep the stack within {maximum} GB")


def _memory_gb(placed: Placed) -> float:
    view = service(placed.resource)
    replicas, memory = limits_of(Service, "num_replicas")["ge"], 0.0
    with if_known:
        replicas = view.num_replicas or replicas
    with if_known:
        memory = (view.max_total_memory_gb or 0) / WORKERS
    with if_known:
        memory = view.max_replica_memory_gb or memory
    return float(replicas * memory)


@stack_rule(
    "production-services-watched",
    "Each production service has an alert.",
    severity=Severity.HIGH,
    comply="Create an Alert whose serviceId is the id of the service.",
    tags=("observability", "production"),
    control="SI-4 System Monitoring",
)
def production_services_watched(context: StackContext[Settings]) -> Findings:
    """Check each service, unless an alert could be for any of them because its service is unknown."""
    watched: set[str | None] = set()
    for placed in context.all_of(ALERT):
        dependencies = _dependencies(placed.resource)
        watched |= dependencies
        with if_known:
            watched.add(alert(placed.resource).service_id)
            continue
        if not dependencies:
            return
    for placed in context.all_of(SERVICE):
        identities: set[str | None] = {placed.resource.urn}
        with if_known:
            identities.add(service(placed.resource).id)
        if placed.production and not identities & watched:
            found = f"of no Alert matches {shown(placed.resource.name)}"
            yield Finding("serviceId", found, "create an alert on a dashboard of the service", placed.resource.urn)


def _dependencies(resource: PolicyResource) -> set[str]:
    """Return the URNs of the direct and indirect dependencies of a resource."""
    urns: set[str] = set()
    remaining = [resource]
    while remaining:
        each = remaining.pop()
        for dependency in chain(each.dependencies, *each.property_dependencies.values()):
            if dependency.urn not in urns:
                urns.add(dependency.urn)
                remaining.append(dependency)
    return urns


class SecretKeys(Settings):
    """The settings of no-plain-credentials."""

    names: list[str] = setting(
        "Patterns of configuration keys whose values must be encrypted, in lower case; `*` stands for any text.",
        default=["*password*", "*secret*", "*token*", "*credential*", "*private*key*", "*api*key*"],
    )


@stack_rule(
    "no-plain-credentials",
    "The configuration of the stack contains no credential in plain text.",
    severity=Severity.CRITICAL,
    comply="Set it with `pulumi config set --secret`, and rotate it: version control may contain the old value.",
    tags=("credentials", "security"),
    control="IA-5 Authenticator Management",
    settings=SecretKeys,
)
def no_plain_credentials(context: StackContext[SecretKeys]) -> Findings:
    """Check the credentials of the provider, and keys that match a pattern; the message contains no value."""
    facts = context.facts
    if facts.secret_keys is None:
        return
    for key in sorted(facts.config.keys() - facts.secret_keys):
        secret = key in CREDENTIALS or matches(context.settings.names, key.partition(":")[2].lower())
        if secret and facts.config[key]:
            yield Finding(key, "is in plain text", f"run `pulumi config set --secret {key}`")


ADDRESSES = tuple(
    wire_name(ProviderConfig, attribute)
    for attribute, info in ProviderConfig.model_fields.items()
    if Address in getattr(info.annotation, "__args__", ())
)
"""The configuration keys of server addresses."""


@stack_rule(
    "production-servers",
    "Production uses https, and no server on the local machine.",
    severity=Severity.HIGH,
    comply="Set clouddb:baseUrl and clouddb:stackUrl to the https addresses of the real servers.",
    tags=("network", "production"),
    control="SC-8 Transmission Confidentiality and Integrity",
)
def production_servers(context: StackContext[Settings]) -> Findings:
    """Check the addresses in the configuration of the stack."""
    urn = next((each.urn for each in context.args.resources), "")
    if not context.production.holds(urn, context.args.stack_tags, None):
        return
    for name in ADDRESSES:
        text = context.facts.config.get(f"clouddb:{name}", "")
        url = _parts_of(text)
        if text and (url.scheme != "https" or not url.hostname or is_loopback(url.hostname)):
            without_login = f"{url.scheme}://{url.netloc.rpartition('@')[2]}"
            found = f"is {shown(without_login)}" if url.hostname else "is not an address"
            yield Finding(f"clouddb:{name}", found, "set it to the https address of a real server")


def _parts_of(address: str) -> SplitResult:
    """Return the parts of an address; all are empty if it is none: nobody has checked the configuration yet."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
