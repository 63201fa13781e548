"""Cases of check: one rule each, an example that passes and one that fails, as the user reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Values = dict[str, Any]

UUID = "11111111-2222-4333-8444-555555555555"
NEWER = "which this version does not know"
CIDR = "must be an IP address or a range in CIDR notation such as 203.0.113.0/24"


@dataclass(frozen=True)
class Case:
    """One rule, whose first failure says what it is.

    Attributes:
        passes: Inputs, beside the usual ones, that keep it.
        fails: Inputs, beside the usual ones, that break it.
        says: The texts of the failures, each of which begins with its property path.
        config: Configuration of the provider.
        warns: The texts of the warnings about values of open lists.
    """

    passes: Values
    fails: Values
    says: tuple[str, ...]
    config: dict[str, str] = field(default_factory=dict)
    warns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The first text."""
        return (*self.says, *self.warns)[0]


def rule(passes: Values, fails: Values, *says: str, **config: str) -> Case:
    """Return a case."""
    return Case(passes, fails, says, config)


def of_vendor(passes: Values, fails: Values, *says: str) -> Case:
    """Return a case in the vendor's dialect."""
    return rule(passes, fails, *says, vocabulary="clickhouse")


def newer(passes: Values, unlisted: Values, *warns: str, says: tuple[str, ...] = ()) -> Case:
    """Return a case of open lists in the vendor's dialect: other values only draw warnings."""
    return Case(passes, unlisted, says, {"vocabulary": "clickhouse"}, warns)


def lengths(case: Callable[..., Case], **most: int) -> list[Case]:
    """Cases of texts that may have so many characters, and no more."""
    return [
        case(
            {name: "n" * limit},
            {name: "n" * (limit + 1)},
            f"{name} must have at most {limit} characters but has {limit + 1}",
        )
        for name, limit in most.items()
    ]


def limits(name: str, least: float, most: float, below: float, above: float) -> list[Case]:
    """Cases of a range: both ends pass, what is just outside fails with the limit and the value."""
    return [
        rule({name: least}, {name: below}, f"{name} must be at least {least}, not {below}"),
        rule({name: most}, {name: above}, f"{name} must be at most {most}, not {above}"),
    ]


def wrong_types(kinds: dict[str, tuple[Any, Any, str]]) -> list[Case]:
    """Cases of types, from property to a good value, a bad one, and what the property must be."""
    return [rule({name: good}, {name: bad}, f"{name} {must}, not {bad!r}") for name, (good, bad, must) in kinds.items()]


def one_of(name: str, allowed: str) -> list[Case]:
    """Cases of an enum, whose values stand in one text: each passes, any other fails with the list of them."""
    words = allowed.split()
    says = f"{name} must be one of {', '.join(words)}, not 'other'"
    return [rule({name: word}, {name: "other"}, says) for word in words]


def uuids(*names: str) -> list[Case]:
    """Cases of ids."""
    return [rule({name: UUID}, {name: "s-1"}, f"{name} must be a UUID, not 's-1'") for name in names]


def required(usual: Values, *names: str) -> list[Case]:
    """Cases of what must be there."""
    return [rule({name: usual[name]}, {name: None}, f"{name} is required") for name in names]


def filled(**values: Any) -> list[Case]:
    """Cases of text that must not be blank."""
    return [rule({name: value}, {name: " "}, f"{name} must not be empty, not ' '") for name, value in values.items()]
