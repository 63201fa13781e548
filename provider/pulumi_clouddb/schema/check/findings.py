"""Check inputs: return all broken limits and rules, each with its property path, the limit and the value."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pulumi_clouddb.schema.base import Model, names_with, wire_name
from pulumi_clouddb.schema.javascript import in_units
from pulumi_clouddb.schema.public_names import public_names
from pulumi_clouddb.schema.secrets.spellings import MASK
from pulumi_clouddb.schema.values import (
    PLAIN_TEXT,
    UNKNOWN,
    Path,
    UnsendableError,
    WireDict,
    WireValues,
    leaves,
    show_path,
    whole_numbers,
)
from pulumi_clouddb.schema.view import view_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .advice import HOLDS, quoted, similar_name, value_meant, value_to_write
from .open_lists import is_of_open_list, known_values
from .rules import USUAL_CONTEXT, Rule, RuleContext
from .texts import UNKNOWN_NAME, doubts_of
from .within import object_in
from .wording import DOUBTED, LIMITS, PATTERNS, REFUSED, UNQUOTED, constraint_of, kind_of, limits_in

OTHER_DIALECT = "other_dialect"
"""The type of the error about a property of the other dialect."""


@dataclass(frozen=True)
class Failure:
    """One reason why inputs are rejected.

    Attributes:
        path: The property, such as `ipAccessList[2].source`; empty for the object as a whole.
        reason: The rule, its limit and the value, in words.
        then: What servers do with a value of which check only warns, as a sentence; empty if that is not known, or the
            reason says it.
    """

    path: str
    reason: str
    then: str = ""

    @property
    def name(self) -> str:
        """The property of the object itself, such as `ipAccessList`."""
        return re.split(r"[.\[]", self.path, maxsplit=1)[0]

    def __str__(self) -> str:
        """Return the message."""
        return f"{self.path} {self.reason}".strip()


@dataclass(frozen=True)
class Findings:
    """What check finds in inputs.

    Attributes:
        failures: The reasons why they are rejected.
        warnings: Doubted values, such as those that the vendor may have added to an open list; the server decides.
    """

    failures: list[Failure]
    warnings: list[Failure]


def failures_of(
    model: type[Model],
    inputs: WireValues,
    context: RuleContext | None = None,
    secret: Collection[str] = (),
    ruled: type[Model] | None = None,
) -> list[Failure]:
    """Return all failures of `inputs`; see `findings_of`."""
    return findings_of(model, inputs, context, secret, ruled).failures


def findings_of(
    model: type[Model],
    inputs: WireValues,
    context: RuleContext | None = None,
    secret: Collection[str] = (),
    ruled: type[Model] | None = None,
) -> Findings:
    """Return all failures of `inputs`, in the order of the fields, then of the rules, and the values of open lists.

    Unknown values and rules that read them do not fail. To the rules, a field that fails is unknown, and so is a value
    within an object that is missing or has the wrong type. Failures do not quote inputs that are secret in the
    model or named in `secret`. The rules are those of `ruled`, if not of the model.
    """
    hidden = {*secret, *names_with(model, "secret")}
    known = dict(inputs)
    errors, doubted = _errors_and_warnings(model, known, context)
    for each in filter(_hides_its_place, errors):
        known = _with(UNKNOWN, tuple(each["loc"]), known)
    faulty = {tuple(each["loc"]) for each in errors}
    rules = context or USUAL_CONTEXT
    broken = [*_broken_rules(ruled or model, known, rules, hidden, faulty)]
    lists = [rule.warns and rules.vocabulary in (CLICKHOUSE, rule.only) for rule, _ in broken]
    named = faulty.union(tuple(each["loc"]) for each in doubted)
    certain = [_said(each, "must") for (_, each), warns in zip(broken, lists, strict=True) if not warns]
    warned = [
        *(_warning(model, each, hidden, rules, inputs) for each in doubted),
        *(replace(each, then=rule.then) for rule, each in compress(broken, lists)),
    ]
    warned += _doubts(model, inputs, hidden, named, rules)
    found = [*_field_failures(model, errors, hidden, rules, inputs), *certain]
    return Findings(found, [_said(each, "should") for each in warned])


def _hides_its_place(error: ErrorDetails) -> bool:
    """Return whether rules must not read the place of an error: a field, or what is missing or has the wrong type."""
    return len(error["loc"]) == 1 or error["type"] == "missing" or error["type"].endswith("_type")


_VERB = re.compile(r"\A((?:(?:and|or) \w+ )?)(?:must|should)\b")


def _said(failure: Failure, verb: str) -> Failure:
    """Return a failure with the verb of what refuses, or of what only warns."""
    return replace(failure, reason=_VERB.sub(rf"\1{verb}", failure.reason))


def _errors_and_warnings(
    model: type[Model], values: WireDict, context: RuleContext | None
) -> tuple[list[ErrorDetails], list[ErrorDetails]]:
    """Return the errors that reject values, and those of which check only warns."""
    found = [*_errors_of(model, values, context), *_too_long_in_units(model, values, context)]
    errors = [_of_its_text(model, each, values, context) for each in found]
    only_warn = [is_of_open_list(model, each, context) for each in errors]
    return [*compress(errors, map(operator.not_, only_warn))], [*compress(errors, only_warn)]


def _of_its_text(
    model: type[Model], error: ErrorDetails, values: WireDict, context: RuleContext | None
) -> ErrorDetails:
    """Return what is wrong with a number also as a text, such as an interval without unit, if something is."""
    path, given = tuple(error["loc"]), error["input"]
    if error["type"] != "string_type" or isinstance(given, bool) or not isinstance(given, (int, float)):
        return error
    for each in _errors_of(model, _with(quoted(given, secret=False), path, values), context):
        if tuple(each["loc"]) == path and each["type"] in ("value_error", "string_pattern_mismatch"):
            return {**each, "input": given}
    return error


def _doubts(
    model: type[Model], inputs: WireValues, hidden: Collection[str], named: Collection[Path], rules: RuleContext
) -> Iterator[Failure]:
    """Yield the doubtful texts and names of which nothing else is said; a secret is not quoted.

    The interface leaves open which names some objects have: there, only a misspelt one is doubtful.
    """
    for path, reason in doubts_of(model, inputs, hidden):
        if any(path[:length] in named for length in range(1, len(path) + 1)):
            continue
        near = similar_name(model, path) if reason == UNKNOWN_NAME else ""
        if near or reason != UNKNOWN_NAME or rules.vocabulary is CLICKHOUSE:
            else_ignored = ": a server that does not know it ignores it" if reason == UNKNOWN_NAME else ""
            yield Failure(_shown(path, hidden), reason + (near or else_ignored))


def _warning(
    model: type[Model], error: ErrorDetails, secret: Collection[str], rules: RuleContext, inputs: WireValues
) -> Failure:
    """Return what is unusual about a value of an open list."""
    path, hidden = _shown(error["loc"], secret), error["loc"][0] in secret
    if error["type"] == DOUBTED:
        meant = "" if hidden else error["ctx"]["suggestion"] or value_meant(model, error, rules.vocabulary)
        return Failure(path, _reason(error, hidden) + meant, error["ctx"]["then"])
    if error["type"] != "enum":
        return Failure(path, f"{_reason(error, hidden)}, as far as this version knows", REFUSED)
    near = "" if hidden else known_values(model, error, inputs)
    return Failure(path, f"is {quoted(error['input'], hidden)}, which this version does not know{near}", REFUSED)


def _broken_rules(
    ruled: type[Model], known: WireValues, context: RuleContext, hidden: Collection[str], faulty: Collection[Path]
) -> Iterator[tuple[Rule[Any], Failure]]:
    """Yield broken rules, with failures. A reason may quote any value that a rule reads; the text of a rule none."""
    seen = view_of(ruled, known, context=context)
    declared = names_with(ruled, "secret")
    shown = {name: _named(value) if name in declared else UNKNOWN for name, value in known.items() if name in hidden}
    public = view_of(ruled, {**known, **shown}, context=context)
    for rule in ruled.RULES:
        if reason := rule.failure(seen):
            yield rule, Failure(rule.path, reason if reason == rule.failure(public) else rule.text)
    for path, inner, reason in broken_within(ruled, known, context, faulty):
        if not inner.text and not reason:
            continue  # only servers have it
        yield inner, Failure(_shown((*path, inner.path), hidden), inner.text if path[0] in hidden else reason)


def _named(secret: object) -> object:
    """Return a secret object of which only the names of properties are left: these are public."""
    if not isinstance(secret, Mapping):
        return UNKNOWN
    public = {name: value for name, value in secret.items() if name in public_names()}
    return {name: MASK if isinstance(value, str) else _named(value) for name, value in public.items()}


def _errors_of(model: type[Model], values: WireValues, context: RuleContext | None) -> list[ErrorDetails]:
    """Return the errors, and the doubts of values without one: pydantic stops at the first fault of a value."""
    if context is None:
        return _validated(model, values, None)
    found = _validated(model, values, {"vocabulary": context.vocabulary, DOUBTED: True})
    doubts = [each for each in found if each["type"] == DOUBTED]
    if not doubts:
        return found
    certain = _validated(model, values, {"vocabulary": context.vocabulary})
    named = {tuple(each["loc"]) for each in certain}
    return [*certain, *(each for each in doubts if tuple(each["loc"]) not in named)]


def _validated(model: type[Model], values: WireValues, context: WireDict | None) -> list[ErrorDetails]:
    try:
        model.model_validate(values, context=context)
    except ValidationError as error:
        return error.errors(include_url=False)
    return []


def _too_long_in_units(model: type[Model], values: WireDict, context: RuleContext | None) -> Iterator[ErrorDetails]:
    """Yield the errors of texts that are too long only in units of UTF-16, in which the vendor's servers count."""
    if context is None or context.vocabulary is not CLICKHOUSE:
        return
    texts = (each for each in leaves(values) if isinstance(each, str))
    if all(map(str.isascii, texts)) or (counted := in_units(values)) == values:
        return
    known = {tuple(each["loc"]) for each in _errors_of(model, values, context)}
    for each in _errors_of(model, counted, context):
        if kind_of(each) == "string_too_long" and tuple(each["loc"]) not in known:
            text: Any = functools.reduce(operator.getitem, each["loc"], values)  # type: ignore[arg-type]
            yield {**each, "input": text, "ctx": {**each.get("ctx", {}), "units": len(each["input"])}}


def _shown(path: Path, hidden: Collection[str]) -> str:
    """Return a path as text; within a secret, mask the names that no property has."""
    first, *inner = path
    if first in hidden:
        public = public_names()
        inner = [part if isinstance(part, int) or part in public else MASK for part in inner]
    return show_path((first, *inner))


def _with(new: object, path: Path, value: Any) -> Any:
    """Return a value with another one at a path."""
    if not path:
        return new
    first, *rest = path
    if isinstance(value, Mapping):
        return {**value, first: _with(new, tuple(rest), value.get(first))}
    if isinstance(value, (list, tuple)):
        return [_with(new, tuple(rest), item) if index == first else item for index, item in enumerate(value)]
    return value


def broken_within(
    model: type[BaseModel], values: WireValues, context: RuleContext, faulty: Collection[Path] = (), path: Path = ()
) -> Iterator[tuple[Path, Rule[object], str]]:
    """Yield the broken rules of objects within an object: the path of the object, the rule, and the reason.

    Properties at the faulty paths are unknown to the rules.
    """
    for name, inner in models_with_rules(model):
        if inner.DIALECT not in (None, context.vocabulary):
            continue
        for place, item in _objects(values.get(name), (*path, name)):
            wrong = {key: UNKNOWN for key in item if (*place, key) in faulty} if faulty else {}
            known = {**item, **wrong} if wrong else item
            seen = view_of(inner, known, context=context)
            for rule in inner.RULES:
                reason = rule.failure(seen)
                if reason is not None:
                    yield place, rule, reason
            yield from broken_within(inner, known, context, faulty, place)


def _objects(value: object, path: Path) -> Iterator[tuple[Path, WireValues]]:
    if isinstance(value, Mapping):
        yield path, value
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _objects(item, (*path, index))


@functools.lru_cache(maxsize=256)
def models_with_rules(model: type[BaseModel]) -> tuple[tuple[str, type[Model]], ...]:
    """Return the properties with objects that have rules, at any depth, and the models of these objects."""
    models = []
    for info in model.model_fields.values():
        inner = object_in(info.annotation)
        if inner and issubclass(inner, Model) and (inner.RULES or models_with_rules(inner)):
            models.append((str(info.alias), inner))
    return tuple(models)


def _field_failures(
    model: type[Model], errors: Iterable[ErrorDetails], secret: Collection[str], rules: RuleContext, inputs: WireValues
) -> Iterator[Failure]:
    for error in errors:
        if error["input"] is UNKNOWN:
            continue
        hidden = error["loc"][0] in secret
        path = _shown(error["loc"], secret)
        suggestion = value_to_write(model, error, hidden, rules.vocabulary, inputs)
        yield Failure(path, _reason(error, hidden) + suggestion)
        for other in _other_limits_broken(model, error):
            yield Failure(path, _reason(other, hidden))


def _other_limits_broken(model: type[Model], error: ErrorDetails) -> Iterator[ErrorDetails]:
    """Yield the errors of further limits of a top-level value: pydantic reports only the first."""
    if error["type"] not in (*HOLDS, "value_error") or len(error["loc"]) != 1:
        return
    info = next(info for name, info in model.model_fields.items() if wire_name(model, name) == error["loc"][0])
    limits = limits_in(info.metadata)
    for kind, holds in HOLDS.items():
        name = constraint_of(kind)
        if kind != error["type"] and name in limits and not holds(error["input"], limits[name]):
            yield {**error, "type": kind, "ctx": {name: limits[name]}}


WORDS: dict[str, str] = {
    **LIMITS,
    "missing": "is required",
    "extra_forbidden": "is not supported here",
    OTHER_DIALECT: "is supported only with {setting}",
    "string_type": "must be text",
    "string_unicode": PLAIN_TEXT,
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "enum": "must be one of {expected}",
    "literal_error": "must be {expected}",
    "value_error": "{error}",
    UNQUOTED: "{reason}",
    DOUBTED: "{words}",
}
"""The words of each failure of a single value, by the type of pydantic's error."""


def _reason(error: ErrorDetails, secret: bool) -> str:
    kind = kind_of(error)
    template = WORDS.get(kind, "is not valid" if secret else None)
    words = template.format_map(_plain(error.get("ctx", {}), secret)) if template else error["msg"]
    if kind in ("missing", "extra_forbidden", OTHER_DIALECT, UNQUOTED):
        return words
    if kind == "string_pattern_mismatch":
        words = PATTERNS.get(str(error.get("ctx", {}).get("pattern")), words)
    if kind == "string_too_long":
        return f"{words} but has {error.get('ctx', {}).get('units', len(error['input']))}"
    return f"{words}, not {quoted(error['input'], secret)}"


def _plain(context: WireValues, secret: bool) -> WireDict:
    expected = str(context.get("expected", "")).replace("'", "")
    head, _, last = expected.rpartition(" or ")
    words = {**whole_numbers(dict(context)), "expected": f"{head}, {last}" if head else last}
    if secret and isinstance(words.get("error"), UnsendableError):
        words["error"] = words["error"].rule
    return words
