"""Trees of properties: those of the description, and those of the models.

A tree is a dict of properties by name; a list is represented by its element. An object is a tree, an enum the set of
its values, `OPEN` an object that is stored as it is, and None everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from functools import reduce
from typing import Annotated, Any, get_args, get_origin

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from pulumi_clouddb.schema.base import wire_name
from pulumi_clouddb.schema.check.within import Within, typed_in
from pulumi_clouddb.schema.thing import Thing, record_of

OPEN = "open"

Tree = Any


def tree_of_model(annotation: Any) -> Tree:
    """Return the tree of a model, or of the type of one of its fields."""
    if typed_in(annotation):
        return tree_of_model(typed_in(annotation))
    origin = get_origin(annotation)
    if origin is Annotated:
        return tree_of_model(get_args(annotation)[0])
    if origin is dict or annotation in (Any, dict):
        return OPEN
    if origin is not None:
        return merged(tree_of_model(each) for each in get_args(annotation) if each is not type(None))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return frozenset(each.value for each in annotation)
    if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return None
    annotation = record_of(annotation) if issubclass(annotation, Thing) else annotation
    tree: dict[str, Tree] = {}
    for attribute, info in annotation.model_fields.items():
        choices = info.validation_alias.choices if isinstance(info.validation_alias, AliasChoices) else ()
        names = {wire_name(annotation, attribute), *(each for each in choices if isinstance(each, str))}
        tree |= dict.fromkeys(names, _of_field(info))
    return tree


def _of_field(info: FieldInfo) -> Tree:
    """Return the tree of a field; the vendor's dialect may have a list of the values of a text."""
    lists = [each.values for each in info.metadata if isinstance(each, Within) and each.values]
    return tree_of_model(lists[0] if lists else info.annotation)


def merged(trees: Iterable[Tree]) -> Tree:
    """Return the tree of a value that has one of several types."""
    return reduce(_either, trees)


def _either(one: Tree, other: Tree) -> Tree:
    if isinstance(one, dict) and isinstance(other, dict):
        return {
            name: _either(one.get(name, other.get(name)), other.get(name, one.get(name))) for name in {**one, **other}
        }
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return one | other
    # An object is more specific than a text in its place; a free text allows more than an enum.
    if isinstance(one, frozenset):
        return other
    return one if other is None or isinstance(other, frozenset) else other


def lacking(described: Tree, ours: Tree, path: str = "") -> Iterator[str]:
    """Yield the paths of properties, and the values of enums, that the description has and the models lack."""
    if ours == OPEN:
        return
    if isinstance(described, dict):
        known = ours if isinstance(ours, dict) else {}
        for name, each in described.items():
            place = f"{path}.{name}" if path else name
            if name not in known:
                yield place
            else:
                yield from lacking(each, known[name], place)
    elif isinstance(described, frozenset) and isinstance(ours, frozenset):
        yield from (f"{path}={value}" for value in sorted(described - ours))
