"""Tests of schema/annotations.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Union

import pytest
from pydantic import BaseModel, Field

from pulumi_clouddb.schema.annotations import Shape, model_in, shape_of


class _Tile(BaseModel):
    pass


LIMIT = Field(min_length=1)

SHAPES: dict[str, tuple[Any, Shape]] = {
    "a class": (int, Shape(int)),
    "an optional class": (int | None, Shape(int, optional=True)),
    "None first": (Union[None, int], Shape(int, optional=True)),  # noqa: UP007
    "a list": (list[int], Shape(list, (int,))),
    "an object": (dict[str, Any], Shape(dict, (str, Any))),
    "metadata within an option": (Annotated[list[int], LIMIT] | None, Shape(list, (int,), (LIMIT,), True)),
    "metadata of an option": (Annotated[list[int] | None, LIMIT], Shape(list, (int,), (LIMIT,), True)),
}


@pytest.mark.parametrize(("annotation", "shape"), SHAPES.values(), ids=SHAPES)
def test_annotation_has_one_shape(annotation: Any, shape: Shape) -> None:
    """None and metadata are separate from the type, at any position."""
    assert shape_of(annotation) == shape


def test_field_of_several_types_is_refused() -> None:
    """Pulumi's SDKs for Python and Go cannot serialize such a property, so that no schema may have one."""
    with pytest.raises(TypeError, match="several types"):
        shape_of(list[int | str] | str | None)


MODELS: dict[str, tuple[Any, type[BaseModel] | None]] = {
    "itself": (_Tile, _Tile),
    "in an optional list": (Annotated[list[_Tile], LIMIT] | None, _Tile),
    "in a union": (str | list[_Tile], _Tile),
    "none": (list[int] | None, None),
    "a function": (Callable[[int], str], None),
}


@pytest.mark.parametrize(("annotation", "model"), MODELS.values(), ids=MODELS)
def test_model_is_found_at_any_depth(annotation: Any, model: type[BaseModel] | None) -> None:
    """The first one is returned."""
    assert model_in(annotation) is model
