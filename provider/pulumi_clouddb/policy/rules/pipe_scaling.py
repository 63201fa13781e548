"""Rules about the scaling of pipes: its cost, and what happens to it on delete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.pipes.scaling import PIPE_SCALING, OnScalingDelete, PipeScaling
from pulumi_clouddb.policy.limits import LEAST, limits_of
from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, rule, sets, setting, violation
from pulumi_clouddb.policy.views import if_known
from pulumi_clouddb.schema.view import path_of


class Budget(Settings):
    """How much one pipe may take."""

    maximum_replicas: int = setting(
        "Replicas of a pipe that are allowed.", default=8, **limits_of(PIPE_SCALING.inputs, "replicas", LEAST)
    )
    maximum_concurrency: int = setting(
        "Concurrency of a pipe that is allowed.", default=16, **limits_of(PIPE_SCALING.inputs, "concurrency")
    )
    maximum_millicores: int = setting(
        "CPU of all replicas of a pipe together, millicores.",
        default=8000,
        **limits_of(PIPE_SCALING.inputs, "replica_cpu_millicores", LEAST),
    )
    maximum_memory_gb: float = setting(
        "Memory of all replicas of a pipe together, GB.",
        default=32,
        **limits_of(PIPE_SCALING.inputs, "replica_memory_gb", LEAST),
    )


@rule(
    PIPE_SCALING,
    "pipe-within-budget",
    "A pipe is scaled within its budget.",
    severity=Severity.MEDIUM,
    comply="Lower the replicas, or what each of them takes.",
    tags=("cost",),
    settings=Budget,
)
def pipe_within_budget(scaling: PipeScaling, context: Context[Budget]) -> Findings:
    """Judge each measure that is known."""
    budget = context.settings
    for name, most in (("replicas", budget.maximum_replicas), ("concurrency", budget.maximum_concurrency)):
        with if_known:
            if (getattr(scaling, name) or 0) > most:
                yield violation(scaling, name, f"give at most {most}")
    for name, total, unit in (
        ("replica_cpu_millicores", budget.maximum_millicores, "millicores"),
        ("replica_memory_gb", budget.maximum_memory_gb, "GB"),
    ):
        with if_known:
            each, replicas = getattr(scaling, name), scaling.replicas
            if each is not None and replicas is not None and each * replicas > total:
                found = f"is {each:g}, for {replicas} replicas {each * replicas:g} {unit}"
                yield Finding(path_of(scaling, name), found, f"keep the pipe within {total:g} {unit}")


@pipe_within_budget.fix
def _within_budget(scaling: PipeScaling, context: Context[Budget]) -> Mapping[str, Any]:
    """Lowers replicas and concurrency to their maximum; what one replica takes is for its owner to say."""
    budget, lowered = context.settings, {}
    for name, most in (("replicas", budget.maximum_replicas), ("concurrency", budget.maximum_concurrency)):
        with if_known:
            if (getattr(scaling, name) or 0) > most:
                lowered[name] = most
    return lowered


class PipeReplicas(Settings):
    """How many replicas of a stream pipe are enough."""

    minimum: int = setting(
        "Replicas that a pipe in production has at least.", default=2, **limits_of(PIPE_SCALING.inputs, "replicas")
    )


@rule(
    PIPE_SCALING,
    "production-pipe-replicas",
    "A stream pipe in production has replicas to spare.",
    severity=Severity.MEDIUM,
    comply="Give more replicas.",
    tags=("availability", "production"),
    settings=PipeReplicas,
)
def production_pipe_replicas(scaling: PipeScaling, context: Context[PipeReplicas]) -> Findings:
    """Judge the replicas where they are given; object-storage pipes have none."""
    minimum = context.settings.minimum
    if context.production and scaling.replicas is not None and scaling.replicas < minimum:
        yield violation(scaling, "replicas", f"give at least {minimum} in production")


@production_pipe_replicas.fix
def _enough_replicas(_: PipeScaling, context: Context[PipeReplicas]) -> Mapping[str, Any]:
    """Sets replicas to the minimum."""
    return {"replicas": context.settings.minimum}


@rule(
    PIPE_SCALING,
    "pipe-scaling-restored",
    "The scaling of a pipe goes with its stack.",
    severity=Severity.LOW,
    comply="Leave onDelete out: destroying then puts back the scaling that was found.",
    tags=("operations",),
)
def pipe_scaling_restored(scaling: PipeScaling, _: Context[Settings]) -> Findings:
    """Judge what destroying does."""
    if scaling.on_delete == OnScalingDelete.RETAIN:
        yield violation(scaling, "on_delete", f"use {OnScalingDelete.RESTORE.value}, or leave it out")


pipe_scaling_restored.fix(sets("onDelete", OnScalingDelete.RESTORE.value))
