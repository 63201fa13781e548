"""What the dialect `neutral` lacks: the table of docs/neutral-dialect.md."""

from __future__ import annotations

from collections.abc import Iterator

from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.annotations import class_in
from pulumi_clouddb.schema.base import Model, extras_of, wire_name
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .docs import table
from .names import Json


def lacking(_: Json) -> str:
    """Return the table of the resources of both dialects, with the properties that only the vendor's servers have."""
    both = [handler.type for handler in RESOURCES.values() if handler.type.only is None]
    rows = [[f"`{each.name}`", ", ".join(f"`{name}`" for name in _lacking(each.inputs)) or "none"] for each in both]
    return table(["Resource", "Properties that only the vendor's servers have"], rows)


def _lacking(model: type[Model]) -> Iterator[str]:
    """Yield the paths of the properties, without those within them."""
    for attribute, info in model.model_fields.items():
        name, part = wire_name(model, attribute), class_in(info.annotation, Model)
        if extras_of(model, attribute).get("only") is CLICKHOUSE or (part and part.DIALECT is CLICKHOUSE):
            yield name
        elif part:
            yield from (f"{name}.{each}" for each in _lacking(part))
