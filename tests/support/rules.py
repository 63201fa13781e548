"""Cases of check: a rule each, with inputs that pass, inputs that fail, and the messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Values = dict[str, Any]

UUID = "11111111-2222-4333-8444-555555555555"
IDS = "; take the output id of its resource, or what `clouddb find NAME` prints"
NEWER = "which this version does not know"
CIDR = "must be an IP address or a range in CIDR notation such as 203.0.113.0/24"


@dataclass(frozen=True)
class Case:
    """One rule, named by its first failure.

    Attributes:
        passes: Inputs that satisfy it, in addition to the usual ones.
        fails: Inputs that break it, in addition to the usual ones.
        failures: The texts of the failures, each of which begins with its property path.
        config: Configuration of the provider.
        warnings: The texts of the warnings about values of open lists.
    """

    passes: Values
    fails: Values
    failures: tuple[str, ...]
    config: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The first failure or warning."""
        return (*self.failures, *self.warnings)[0]


def rule(passes: Values, fails: Values, *failures: str, **config: str) -> Case:
    """Return a case."""
    return Case(passes, fails, failures, config)


def of_vendor(passes: Values, fails: Values, *failures: str) -> Case:
    """Return a case in the vendor's dialect."""
    return rule(passes, fails, *failures, vocabulary="clickhouse")


def newer(passes: Values, unlisted: Values, *warnings: str, failures: tuple[str, ...] = ()) -> Case:
    """Return a case of an open list in the vendor's dialect: unknown values only cause warnings."""
    return Case(passes, unlisted, failures, {"vocabulary": "clickhouse"}, warnings)


def lengths(case: Callable[..., Case], **most: int) -> list[Case]:
    """Cases of maximum lengths of texts."""
    return [
        case(
            {name: "n" * limit},
            {name: "n" * (limit + 1)},
            f"{name} must have at most {limit} characters but has {limit + 1}",
        )
        for name, limit in most.items()
    ]


def limits(name: str, least: float, most: float, below: float, above: float) -> list[Case]:
    """Cases of a range: both ends pass, values just outside fail with the limit and the value."""
    return [
        rule({name: least}, {name: below}, f"{name} must be at least {least}, not {below}"),
        rule({name: most}, {name: above}, f"{name} must be at most {most}, not {above}"),
    ]


def wrong_types(kinds: dict[str, tuple[Any, Any, str]]) -> list[Case]:
    """Cases of types: for each property a good value, a bad one, and the expected type in words."""
    return [rule({name: good}, {name: bad}, f"{name} {must}, not {bad!r}") for name, (good, bad, must) in kinds.items()]


def one_of(name: str, allowed: str) -> list[Case]:
    """Cases of an enum with its values in one text: each passes, any other fails with the list of values."""
    words = allowed.split()
    failure = f"{name} must be one of {', '.join(words)}, not 'other'"
    return [rule({name: word}, {name: "other"}, failure) for word in words]


def uuids(*names: str) -> list[Case]:
    """Cases of ids."""
    return [rule({name: UUID}, {name: "s-1"}, f"{name} must be a UUID, not 's-1'{IDS}") for name in names]


def required(usual: Values, *names: str) -> list[Case]:
    """Cases of required properties."""
    return [rule({name: usual[name]}, {name: None}, f"{name} is required") for name in names]


def filled(**values: Any) -> list[Case]:
    """Cases of texts that must not be blank."""
    return [rule({name: value}, {name: " "}, f"{name} must not be empty, not ' '") for name, value in values.items()]
