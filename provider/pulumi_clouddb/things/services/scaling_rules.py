"""Rules about scaling: that of a service, and that of each entry of its schedule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pulumi_clouddb.schema.check.rules import API, ArgsT, Rule, name_of, rule
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName

from .enums import AutoscalingMode


class Scaled(Protocol):
    """What has a scaling."""

    autoscaling_mode: AutoscalingMode | None
    num_replicas: int | None
    min_replicas: int | None
    max_replicas: int | None
    min_replica_memory_gb: int | None
    max_replica_memory_gb: int | None


Count = Callable[[ArgsT], "int | None"]


def ordered(schema: str, low: Count[ArgsT], high: Count[ArgsT], only: VocabularyName | None = None) -> Rule[ArgsT]:
    """Return the rule that a minimum is no greater than its maximum; `schema` is that of the description."""

    def test(args: ArgsT) -> str | None:
        least, most = low(args), high(args)
        return None if least is None or most is None or least <= most else f" ({most:g}), not {least:g}"

    source = API(f"{schema}.{name_of(low)}")
    return rule(low, f"must be at most {name_of(high)}", test, only=only, source=source)


def together(schema: str, low: Count[ArgsT], high: Count[ArgsT]) -> tuple[Rule[ArgsT], ...]:
    """Return the rules that a minimum and its maximum are given together."""

    def one(field: Count[ArgsT], other: Count[ArgsT]) -> Rule[ArgsT]:
        def test(args: ArgsT) -> str | None:
            return f", not {field(args):g} alone" if other(args) is None else None

        text = f"must be given together with {name_of(other)}"
        return rule(field, text, test, given=field, only=CLICKHOUSE, source=API(f"{schema}.{name_of(field)}"))

    return one(low, high), one(high, low)


def _fixed_or_band(args: Scaled) -> str | None:
    return ": remove it, or both of these" if args.min_replicas is not None or args.max_replicas is not None else None


def _misfit(args: Scaled, default: AutoscalingMode | None) -> str | None:
    mode, given = args.autoscaling_mode or default, args.autoscaling_mode
    if mode == AutoscalingMode.HORIZONTAL:
        if args.num_replicas is not None:
            return "; horizontal excludes numReplicas: set minReplicas and maxReplicas instead"
        least, most = args.min_replica_memory_gb, args.max_replica_memory_gb
        if least is not None and most is not None and least != most:
            return (
                f"; horizontal needs one memory of replicas, not {least:g} to {most:g}: set minReplicaMemoryGb and "
                "maxReplicaMemoryGb to the same"
            )
    elif mode == AutoscalingMode.VERTICAL:
        low, high = args.min_replicas, args.max_replicas
        if low is not None and high is not None and low != high:
            return (
                f"; vertical{'' if given else ', the default,'} needs one number of replicas, not {low:g} to {high:g}: "
                "set numReplicas instead of minReplicas and maxReplicas, or set horizontal"
            )
    return None


def fits_mode(schema: str, default: AutoscalingMode | None = None) -> tuple[Rule[Scaled], ...]:
    """Return the rules that the replicas and their memory are those of what scales; `default` is not given."""
    return (
        rule(
            lambda args: args.num_replicas,
            "excludes minReplicas and maxReplicas",
            _fixed_or_band,
            given=lambda args: args.num_replicas,
            only=CLICKHOUSE,
            source=API(f"{schema}.numReplicas"),
        ),
        rule(
            lambda args: args.autoscaling_mode,
            "must fit the other properties of scaling",
            lambda args: _misfit(args, default),
            only=CLICKHOUSE,
            source=API(f"{schema}.autoscalingMode"),
        ),
    )
