"""Read the types that fields are annotated with."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel

KindT = TypeVar("KindT")


class Shape(NamedTuple):
    """The outermost type of an annotation.

    Attributes:
        kind: A class; `list` or `dict` if it contains other types.
        inner: The annotations within: of the elements of a list, or of the names and values of an object.
        metadata: What `Annotated` adds to it.
        optional: Whether it allows None.
    """

    kind: Any
    inner: tuple[Any, ...] = ()
    metadata: tuple[object, ...] = ()
    optional: bool = False


def shape_of(annotation: Any) -> Shape:
    """Return the outermost type of an annotation such as `Annotated[list[Tile], Field(min_length=1)] | None`.

    Raises:
        TypeError: It allows several types: Pulumi's SDKs for Python and Go cannot serialize such a property.
    """
    kind, inner = get_origin(annotation) or annotation, get_args(annotation)
    if kind is Annotated:
        shape = shape_of(inner[0])
        return shape._replace(metadata=(*shape.metadata, *inner[1:]))
    if kind in (Union, UnionType):
        choices = [each for each in inner if each is not NoneType]
        if len(choices) > 1:
            raise TypeError(f"{annotation} allows several types: give each a property of its own")
        shape = shape_of(choices[0])
        return shape._replace(optional=shape.optional or len(choices) < len(inner))
    return Shape(kind, inner)


def parts_of(annotation: Any) -> Iterator[Any]:
    """Yield an annotation and everything within it, such as classes and metadata, in the order of the code."""
    yield annotation
    for each in get_args(annotation):
        yield from parts_of(each)


def class_in(annotation: Any, base: type[KindT]) -> type[KindT] | None:
    """Return the first class in an annotation that derives from `base`, such as `Tile` in `list[Tile] | None`."""
    classes = (each for each in parts_of(annotation) if isinstance(each, type) and get_origin(each) is None)
    return next((each for each in classes if issubclass(each, base)), None)


def model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the first model in an annotation."""
    return class_in(annotation, BaseModel)
