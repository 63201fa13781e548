"""Rules about the scaling of pipes: its cost, availability, and restoration on delete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, limits_of, rule, sets, setting, violation
from pulumi_clouddb.policy.views import if_known
from pulumi_clouddb.schema.view import path_of
from pulumi_clouddb.things.pipes.scaling import PIPE_SCALING, OnScalingDelete, PipeScaling


class Budget(Settings):
    """The settings of pipe-within-budget."""

    maximum_replicas: int = setting(
        "Maximum number of replicas of a pipe.", default=8, **limits_of(PIPE_SCALING.inputs, "replicas", "ge")
    )
    maximum_concurrency: int = setting(
        "Maximum concurrency of a pipe.", default=16, **limits_of(PIPE_SCALING.inputs, "concurrency")
    )
    maximum_millicores: int = setting(
        "Maximum CPU of all replicas of a pipe together, in millicores.",
        default=8000,
        **limits_of(PIPE_SCALING.inputs, "replica_cpu_millicores", "ge"),
    )
    maximum_memory_gb: float = setting(
        "Maximum memory of all replicas of a pipe together, in GB.",
        default=32,
        **limits_of(PIPE_SCALING.inputs, "replica_memory_gb", "ge"),
    )


def _above_maximum(scaling: PipeScaling, budget: Budget) -> Iterator[tuple[str, int]]:
    """Yield replicas and concurrency with their maximum, if they are known to be above it."""
    for name, maximum in (("replicas", budget.maximum_replicas), ("concurrency", budget.maximum_concurrency)):
        with if_known:
            if (getattr(scaling, name) or 0) > maximum:
                yield name, maximum


@rule(
    PIPE_SCALING,
    "pipe-within-budget",
    "A pipe is scaled within its budget.",
    severity=Severity.MEDIUM,
    comply="Lower the number of replicas, or the CPU or memory of each replica.",
    tags=("cost",),
    settings=Budget,
)
def pipe_within_budget(scaling: PipeScaling, context: Context[Budget]) -> Findings:
    """Check replicas, concurrency, CPU and memory, as far as they are known."""
    budget = context.settings
    for name, maximum in _above_maximum(scaling, budget):
        yield violation(scaling, name, f"set at most {maximum}")
    for name, total, unit in (
        ("replica_cpu_millicores", budget.maximum_millicores, "millicores"),
        ("replica_memory_gb", budget.maximum_memory_gb, "GB"),
    ):
        with if_known:
            each, replicas = getattr(scaling, name), scaling.replicas
            if each is not None and replicas is not None and each * replicas > total:
                found = f"is {each:.15g}, which makes {each * replicas:.15g} {unit} for {replicas} replicas"
                yield Finding(path_of(scaling, name), found, f"use at most {total:.15g} {unit} for all replicas")


@pipe_within_budget.fix
def _within_budget(scaling: PipeScaling, context: Context[Budget]) -> Mapping[str, Any]:
    """Lowers replicas and concurrency to their maximum; CPU and memory of a replica stay as they are."""
    return dict(_above_maximum(scaling, context.settings))


class PipeReplicas(Settings):
    """The settings of production-pipe-replicas."""

    minimum: int = setting(
        "Minimum number of replicas of a production pipe.", default=2, **limits_of(PIPE_SCALING.inputs, "replicas")
    )


@rule(
    PIPE_SCALING,
    "production-pipe-replicas",
    "A production stream pipe has redundant replicas.",
    severity=Severity.MEDIUM,
    comply="Set replicas to at least the minimum.",
    tags=("availability", "production"),
    settings=PipeReplicas,
)
def production_pipe_replicas(scaling: PipeScaling, context: Context[PipeReplicas]) -> Findings:
    """Check replicas, if given; object-storage pipes have none."""
    minimum = context.settings.minimum
    if context.production and scaling.replicas is not None and scaling.replicas < minimum:
        yield violation(scaling, "replicas", f"set at least {minimum} in production")


@production_pipe_replicas.fix
def _enough_replicas(_: PipeScaling, context: Context[PipeReplicas]) -> Mapping[str, Any]:
    """Sets replicas to the minimum."""
    return {"replicas": context.settings.minimum}


@rule(
    PIPE_SCALING,
    "pipe-scaling-restored",
    "Deleting a PipeScaling restores the original scaling of the pipe.",
    severity=Severity.LOW,
    comply="Omit onDelete, so that a deletion restores the original scaling.",
    tags=("operations",),
)
def pipe_scaling_restored(scaling: PipeScaling, _: Context[Settings]) -> Findings:
    """Check onDelete."""
    if scaling.on_delete == OnScalingDelete.RETAIN:
        yield violation(scaling, "on_delete", f"set it to {OnScalingDelete.RESTORE.value}, or omit it")


pipe_scaling_restored.fix(sets("onDelete", OnScalingDelete.RESTORE.value))
