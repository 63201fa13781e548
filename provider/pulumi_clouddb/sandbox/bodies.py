"""Request bodies: their models are cut out of the models of the interface, so that no limit is written twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any

from pydantic import create_model

from pulumi_clouddb.models.base import Model, wire_name
from pulumi_clouddb.models.check import Failure, failures_of
from pulumi_clouddb.models.rules import RuleContext
from pulumi_clouddb.models.values import UNKNOWN, show_path, whole_numbers
from pulumi_clouddb.models.view import view_of

from .errors import InvalidBodyError, bad_request

Path = tuple[str | int, ...]


def part_of(model: type[Model], names: Iterable[str], **more: tuple[Any, Any]) -> type[Model]:
    """Return a model with some of the fields of `model`, by wire name, all of them optional.

    Args:
        model: Where the fields come from, with their types and limits.
        names: Wire names of the fields.
        more: Fields of its own, by attribute, as type and `prop`.
    """
    wanted = set(names)
    fields: dict[str, tuple[Any, Any]] = {}
    for attribute, info in model.model_fields.items():
        if wire_name(model, attribute) in wanted:
            optional = copy(info)
            optional.default = None
            fields[attribute] = (info.annotation, optional)
    return create_model(f"PartOf{model.__name__}", __base__=Model, **{**fields, **more})  # type: ignore[call-overload,no-any-return]


def checked(
    model: type[Model],
    body: Any,
    *,
    nullable: Iterable[str] = (),
    ruled: type[Model] | None = None,
    context: RuleContext | None = None,
) -> dict[str, Any]:
    """Return the body, whole numbers as int, or refuse it with everything that is wrong with it.

    Args:
        model: What the body may hold.
        body: The parsed JSON; None is an absent body, which is as good as an empty one.
        nullable: Top-level fields that may be null; the interface names them, all others are absent instead.
        ruled: The model whose rules over several fields hold, if any do.
        context: What rules depend on.
    """
    if body is None:
        body = {}
    if not isinstance(body, dict):
        raise bad_request("request body must be an object")
    failures = failures_of(model, body, context, ruled=ruled)
    failures += [Failure(show_path(path), "must not be null") for path in _nulls(body, set(nullable))]
    if failures:
        raise InvalidBodyError(failures)
    cleaned: dict[str, Any] = whole_numbers(body)
    return cleaned


def broken_rules(model: type[Model], fields: Mapping[str, Any], changed: Iterable[str], context: RuleContext) -> None:
    """Refuse a change after which a rule that reads a changed field would be broken."""
    seen, unchanged = view_of(model, fields), view_of(model, {**fields, **dict.fromkeys(changed, UNKNOWN)})
    failures = [
        Failure(rule.path, reason)
        for rule in model.RULES
        if (reason := rule.failure(seen, context)) and not rule.failure(unchanged, context)
    ]
    if failures:
        raise InvalidBodyError(failures)


def _nulls(value: Any, nullable: set[str], path: Path = ()) -> Iterator[Path]:
    items: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        # `config` is passed through as it is; what may be null there is not ours to say.
        items = [(key, item) for key, item in value.items() if key != "config"]
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        if item is None and not (not path and key in nullable):
            yield (*path, key)
        yield from _nulls(item, nullable, (*path, key))
