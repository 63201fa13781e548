"""Faults: what goes wrong on purpose, on which request, so many times or for so long."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import Enum
from typing import Any, TypeVar

from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.names import did_you_mean

from .log import has_fields
from .settings import checked_seconds

ANY = "*"


class FaultKind(str, Enum):
    """What can go wrong."""

    DELAY = "delay"
    """The response comes `wait` seconds late; combines with any other fault."""
    LAG = "lag"
    """A list does not show objects that were created less than `wait` seconds ago; combines with any other fault."""
    REFUSE = "refuse"
    """The connection is reset before anything is done."""
    HANG = "hang"
    """Nothing is done and nothing is sent until the client closes the connection."""
    STATUS = "status"
    """An error is sent before anything is done. Details: `status`, `text`, `form` (`json`, `text` or `html`)."""
    RATE_LIMIT = "rate_limit"
    """429 before anything is done. Detail: `reset`, seconds until it may be tried again; null for no header."""
    HTML = "html"
    """A page instead of JSON, before anything is done. Detail: `status`: 404 is a missing route, others a gateway's."""
    NOT_FOUND = "not_found"
    """404 in the API's own form, before anything is done."""
    REDIRECT = "redirect"
    """A redirect, before anything is done. Details: `status` (307), `location`."""
    COMMIT_LATE = "commit_late"
    """The connection is reset at once, or `status` is sent, and `wait` seconds later the request is carried out."""
    LOSE = "lose"
    """Everything is done, then the connection is reset instead of a response."""
    COMMIT_THEN_STATUS = "commit_then_status"
    """Everything is done, then an error is sent. Details: `status`, `text`, `form`."""
    COMMIT_THEN_HANG = "commit_then_hang"
    """Everything is done, then nothing is sent until the client closes the connection."""
    EMPTY = "empty"
    """Everything is done, then 200 is sent with an empty body."""
    BROKEN_JSON = "broken_json"
    """Everything is done, then a complete body is sent whose JSON breaks off in the middle."""
    TRUNCATED = "truncated"
    """Everything is done, then the connection closes in the middle of the body."""
    HUGE = "huge"
    """Everything is done, then the response is sent in a body of `size` bytes (50 MB), filled up with blanks."""
    DRIP = "drip"
    """Everything is done, then the body is sent with `wait` seconds before each byte; with `headers` these, too."""
    MALFORMED = "malformed"
    """Everything is done, then JSON is sent without the object in it."""
    NULL_RESULT = "null_result"
    """Everything is done, then JSON is sent with null in place of the object."""
    WRONG_TYPES = "wrong_types"
    """Everything is done, then every value of the object is sent with another JSON type."""
    NO_ID = "no_id"
    """Everything is done, then the object is sent without its id."""
    NULL_ID = "null_id"
    """Everything is done, then the object is sent with null for its id."""
    FAILED = "failed"
    """What is created ends in the state that says so: a service in `failed`, a function in `error`."""

    def applies_to(self, operation: Operation) -> bool:
        """Return whether this can happen to the operation, so that it makes a difference."""
        if self is FaultKind.FAILED:
            return operation.name in FAILING
        if self is FaultKind.LAG:
            return operation.lists
        if self is FaultKind.COMMIT_LATE:
            return operation.writes
        if self in (FaultKind.NO_ID, FaultKind.NULL_ID):
            return operation.record not in ("None", "Password")
        return self not in (FaultKind.MALFORMED, FaultKind.WRONG_TYPES) or operation.record != "None"


FAILING = (
    *("create_service", "create_pipe", "create_reverse_private_endpoint", "create_postgres_service"),
    *("create_user_defined_function", "publish_user_defined_function", "attach_udf"),
)
"""The creates of which an object may come that fails later."""


class Form(str, Enum):
    """What the body of an error is."""

    JSON = "json"
    TEXT = "text"
    HTML = "html"


BEFORE = (
    FaultKind.REFUSE,
    FaultKind.HANG,
    FaultKind.STATUS,
    FaultKind.RATE_LIMIT,
    FaultKind.HTML,
    FaultKind.NOT_FOUND,
    FaultKind.REDIRECT,
    FaultKind.COMMIT_LATE,
)
"""Faults in place of doing anything (at once)."""
OF_RESULT = (
    FaultKind.MALFORMED,
    FaultKind.NULL_RESULT,
    FaultKind.WRONG_TYPES,
    FaultKind.NO_ID,
    FaultKind.NULL_ID,
)
"""Faults of the object in a response; a refusal has none."""
AFTER = (
    FaultKind.LOSE,
    FaultKind.COMMIT_THEN_STATUS,
    FaultKind.COMMIT_THEN_HANG,
    FaultKind.EMPTY,
    FaultKind.BROKEN_JSON,
    FaultKind.TRUNCATED,
    FaultKind.HUGE,
    FaultKind.DRIP,
    *OF_RESULT,
)
"""Faults of the response to what was done."""

_ERROR = ("status", "text", "form")
_DETAILS: Mapping[FaultKind, tuple[str, ...]] = {
    FaultKind.DELAY: ("wait",),
    FaultKind.LAG: ("wait",),
    FaultKind.STATUS: _ERROR,
    FaultKind.RATE_LIMIT: ("reset",),
    FaultKind.HTML: ("status",),
    FaultKind.REDIRECT: ("status", "location"),
    FaultKind.COMMIT_LATE: ("wait", *_ERROR),
    FaultKind.COMMIT_THEN_STATUS: _ERROR,
    FaultKind.HUGE: ("size",),
    FaultKind.DRIP: ("wait", "headers"),
}
"""The details that each kind knows; `wait` must be given where it is one."""
_OF_ALL = ("operation", "kind", "times", "until", "after", "match")
_STATUSES: Mapping[FaultKind, Collection[int]] = {FaultKind.REDIRECT: (301, 302, 303, 307, 308)}
_ANY_STATUS = range(200, 600)


@dataclass
class Fault:
    """One fault that waits to happen.

    Attributes:
        operation: Name of the operation, or `*` for all that the kind applies to.
        kind: What goes wrong.
        times: How often it still happens; None for as often as asked.
        until: Moment it ends, in seconds since 1970; None for never.
        after: How many requests that it concerns pass before it happens.
        match: Fields of the JSON body, or parameters of the path, that must be equal.
        wait: Seconds to wait, for the kinds that do.
        status: HTTP status, for the kinds that send one.
        text: Text of the error, for the kinds that send one.
        form: What the body of the error is, for the kinds that send one.
        reset: Seconds until it may be tried again, for `rate_limit`; None for no header.
        location: Where to, for `redirect`; by default port 9 of another loopback address.
        size: Bytes of the body, for `huge`.
        headers: Whether the status line and the headers come byte by byte too, for `drip`.
    """

    operation: str
    kind: FaultKind
    times: int | None = 1
    until: float | None = None
    after: int = 0
    match: dict[str, Any] | None = None
    wait: float = 0.0
    status: int | None = None
    text: str = "a fault of the sandbox"
    form: Form = Form.JSON
    reset: float | None = 1.0
    location: str | None = None
    size: int = 50_000_000
    headers: bool = False

    def __post_init__(self) -> None:
        self.kind, self.form = kind_of(self.kind), _member(Form, "form of an error", self.form)
        self._check_types()
        if self.operation != ANY:
            self._check_operation()
        known = (*_OF_ALL, *_DETAILS.get(self.kind, ()))
        for field in fields(self):
            if field.name not in known and getattr(self, field.name) != field.default:
                raise ValueError(f"{self.kind.value} knows no detail {field.name!r}")
        if "wait" in known and self.wait <= 0:
            raise ValueError(f"{self.kind.value} needs `wait`, the seconds to wait")
        if self.status is not None and self.status not in _STATUSES.get(self.kind, _ANY_STATUS):
            raise ValueError(f"{self.kind.value} cannot send the status {self.status}")
        if not isinstance(self.match, (dict, type(None))):
            raise ValueError("match must be an object with the fields that must be equal")

    def _check_types(self) -> None:
        """Refuse what would fail only when the fault happens."""
        times = 1 if self.times is None else self.times
        for name, number, least in (("times", times, 1), ("after", self.after, 0), ("size", self.size, 0)):
            if type(number) is not int or number < least:
                raise ValueError(f"{name} must be a whole number from {least}, not {number!r}")
        for name, value in (("wait", self.wait), ("reset", self.reset), ("until", self.until)):
            if value is not None or name == "wait":
                checked_seconds(name, value)
        for name, text in (("text", self.text), ("location", self.location or "")):
            if not isinstance(text, str):
                raise ValueError(f"{name} must be text, not {text!r}")
        if not (self.location or "").isprintable() or not (self.location or "").isascii():
            raise ValueError(f"location must be printable ASCII, not {self.location!r}")
        if not isinstance(self.headers, bool):
            raise ValueError(f"headers must be true or false, not {self.headers!r}")

    def _check_operation(self) -> None:
        if self.operation not in OPERATIONS:
            near = did_you_mean(str(self.operation), OPERATIONS, 3)
            known = near or f"; known are {', '.join(OPERATIONS)} and {ANY}"
            raise ValueError(f"no operation is called {self.operation!r}{known}")
        if self.kind is FaultKind.FAILED and self.operation not in FAILING:
            raise ValueError(f"only what is created can fail: give {' or '.join(FAILING)}")
        if not self.kind.applies_to(OPERATIONS[self.operation]):
            able = [name for name, operation in OPERATIONS.items() if self.kind.applies_to(operation)]
            raise ValueError(f"{self.kind.value} does not apply to {self.operation}; give {', '.join(able)} or *")

    def concerns(self, operation: str, fields: dict[str, Any]) -> bool:
        """Return whether this may happen to a request; `fields` are parameters of its path and fields of its body."""
        if self.operation != operation and not (self.operation == ANY and self.kind.applies_to(OPERATIONS[operation])):
            return False
        return not self.match or has_fields(fields, self.match)


def kind_of(given: str) -> FaultKind:
    """Return the kind of fault of a name.

    Raises:
        ValueError: There is none; the error names the nearest, and all.
    """
    return _member(FaultKind, "kind of fault", given)


EnumT = TypeVar("EnumT", bound=Enum)


def _member(enum: type[EnumT], what: str, given: Any) -> EnumT:
    for member in enum:
        if given in (member, member.value):
            return member
    names = [str(member.value) for member in enum]
    raise ValueError(f"{given!r} is no {what}{_nearest(given, names)}")


def _nearest(given: Any, known: Sequence[str]) -> str:
    """Return what ends an error: the names that are near, and all of them."""
    return f"{did_you_mean(str(given), known, 3) or '.'} Known are {', '.join(known)}"


def fault_from(fields_: Mapping[str, Any], now: float) -> Fault:
    """Return the fault that a JSON object describes; `seconds` says how long it lasts, in place of `until`.

    Raises:
        ValueError: It describes none; the error says why.
    """
    known = [field.name for field in fields(Fault)]
    for name in fields_:
        if name not in (*known, "seconds"):
            raise ValueError(f"{name!r} is no field of a fault{_nearest(name, [*known, 'seconds'])}")
    for name in ("operation", "kind"):
        if not isinstance(fields_.get(name), str):
            raise ValueError(f"a fault needs its {name}, as text: " + '{"operation": "create_service", "kind": "lose"}')
    given = dict(fields_)
    seconds = given.pop("seconds", None)
    if seconds is not None:
        # So long, and as often as asked unless that is limited, too.
        given = {"times": None, **given, "until": now + checked_seconds("seconds", seconds, above_zero=True)}
    return Fault(**given)


class Faults:
    """All faults that wait to happen, oldest first."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, fault: Fault) -> None:
        """Let something go wrong."""
        self._waiting.append(fault)

    def remove(self, described: dict[str, Any]) -> bool:
        """Take back the oldest fault that waits as described; tell whether there is one."""
        for index, fault in enumerate(self._waiting):
            if asdict(fault) == described:
                del self._waiting[index]
                return True
        return False

    def clear(self) -> None:
        """Let nothing go wrong any more."""
        self._waiting.clear()

    def waiting(self) -> list[dict[str, Any]]:
        """Return all waiting faults as JSON objects."""
        return [asdict(fault) for fault in self._waiting]

    def due(self, operation: str, kinds: Collection[FaultKind], now: float, fields: dict[str, Any]) -> Fault | None:
        """Return the oldest fault of these kinds that shall happen to a request, and count the request for the others.

        The fault goes on waiting until it is spent.
        """
        self._waiting = [fault for fault in self._waiting if fault.until is None or fault.until > now]
        found = None
        for fault in self._waiting:
            if fault.kind not in kinds or not fault.concerns(operation, fields):
                continue
            if fault.after > 0:
                fault.after -= 1
            else:
                found = found or fault
        return found

    def spend(self, fault: Fault) -> bool:
        """Count that the fault happens; tell whether it still may."""
        if not any(fault is waiting for waiting in self._waiting):
            return False
        if fault.times is not None:
            fault.times -= 1
            if fault.times <= 0:
                self._waiting = [waiting for waiting in self._waiting if waiting is not fault]
        return True

    def consume(self, operation: str, kinds: Collection[FaultKind], now: float, fields: dict[str, Any]) -> Fault | None:
        """Return the oldest fault of these kinds that shall happen to a request, and count that it does."""
        fault = self.due(operation, kinds, now, fields)
        return fault if fault and self.spend(fault) else None
