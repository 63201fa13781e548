"""Files of dashboards: the forms in which they circulate, and their models.

The page of the server exports a template, in which sources, connections and dashboards have names. Its provisioner and
its own API have a document: the same with ids. Its public API returns another form, with `sourceId` (api_form.py).
Sources: `DashboardTemplateSchema`, `DashboardSchema` and `SavedChartConfigSchema` in packages/common-utils/src/types.ts
of HyperDX 2.36.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NoReturn, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.values import WireDict, fault_of, objects, show_path

LARGEST = 5 * 1024 * 1024
"""Largest file that the server's page imports, in bytes (DBDashboardImportPage.tsx)."""


class Form(str, Enum):
    """The form of a file."""

    TEMPLATE = "template"
    DOCUMENT = "document"
    API = "api"


class FileObject(BaseModel):
    """Base of the objects of a file: open for unknown keys, and null is the same as absent.

    It is no `Model`, whose names are those of properties of programs.
    """

    model_config = ConfigDict(extra="allow", strict=True, alias_generator=to_camel, hide_input_in_errors=True)

    def names(self) -> Iterator[tuple[str, str]]:
        """Yield the attribute of each key of the file, and the key; an unknown key is its own attribute."""
        for attribute in sorted(self.model_fields_set):
            field = type(self).model_fields.get(attribute)
            if getattr(self, attribute) is not None:
                yield attribute, (field.alias or attribute) if field else attribute


class FileNumberFormat(FileObject):
    """A format of numbers."""

    output: str
    numeric_unit: str | None = None
    mantissa: int | None = None
    thousand_separated: bool | None = None
    average: bool | None = None
    decimal_bytes: bool | None = None
    factor: int | float | None = None
    currency_symbol: str | None = None
    unit: str | None = None


class FileColorRule(FileObject):
    """A colour under a condition."""

    operator: str
    value: Any
    color: str
    label: str | None = None


class FileBackgroundChart(FileObject):
    """A line behind a number."""

    type: str
    color: str | None = None


class FileClickTarget(FileObject):
    """The target of a click: in a template, the id is the name of a source or dashboard."""

    mode: str
    id: str | None = None
    template: str | None = None


class FileClickFilter(FileObject):
    """A filter at the target of a click."""

    kind: str
    expression: str
    template: str


class FileOnClick(FileObject):
    """A click on a row."""

    type: str
    target: FileClickTarget | None = None
    where_template: str | None = None
    where_language: str | None = None
    filters: list[FileClickFilter] | None = None
    url_template: str | None = None


class FileFormula(FileObject):
    """A formula over the selected values."""

    expression: str
    alias: str | None = None
    number_format: FileNumberFormat | None = None


class FileValue(FileObject):
    """A selected value, also of `groupBy` and `orderBy` as lists."""

    agg_fn: str | None = None
    level: int | float | None = None
    agg_condition: str | None = None
    agg_condition_language: str | None = None
    value_expression: str | None = None
    value_expression_language: str | None = None
    alias: str | None = None
    metric_type: str | None = None
    metric_name: str | None = None
    metric_name_sql: str | None = None
    is_delta: bool | None = None
    number_format: FileNumberFormat | None = None
    count_expression: str | None = None
    heatmap_scale_type: str | None = None
    color: str | None = None
    color_rules: list[FileColorRule] | None = None
    ordering: str | None = None


class FileLimit(FileObject):
    """A limit of rows."""

    limit: int | float | None = None
    offset: int | float | None = None


Values: TypeAlias = str | list[FileValue]


class FileConfig(FileObject):
    """The contents of a tile."""

    display_type: str | None = None
    config_type: str | None = None
    name: str | None = None
    source: str | None = None
    select: Values | None = None
    where: str | None = None
    where_language: str | None = None
    group_by: Values | None = None
    having: str | None = None
    having_language: str | None = None
    order_by: Values | None = None
    limit: FileLimit | None = None
    series_limit: int | None = None
    series_return_type: str | None = None
    ratio_mode: str | None = None
    formulas: list[FileFormula] | None = None
    show_operand_series: bool | None = None
    number_format: FileNumberFormat | None = None
    granularity: str | None = None
    compare_to_previous_period: bool | None = None
    fill_nulls: bool | int | float | None = None
    align_date_range_to_granularity: bool | None = None
    fit_y_axis_to_data: bool | None = Field(default=None, alias="fitYAxisToData")
    group_by_columns_on_left: bool | None = None
    on_click: FileOnClick | None = None
    color: str | None = None
    color_rules: list[FileColorRule] | None = None
    background_chart: FileBackgroundChart | None = None
    alternate_row_background: bool | None = None
    markdown: str | None = None
    select_group_by: bool | None = None
    filters: list[Any] | None = None
    filters_logical_operator: Any = None
    event_table_select: Any = None
    implicit_column_expression: Any = None
    body_expression: Any = None
    use_text_index_for_implicit_column: Any = None
    sample_weight_expression: Any = None
    metric_tables: Any = None
    connection: str | None = None
    sql_template: str | None = None
    promql_expression: Any = None
    step: Any = None
    alert: Any = None


class FileTile(FileObject):
    """A tile."""

    id: str | None = None
    x: int | float | None = None
    y: int | float | None = None
    w: int | float | None = None
    h: int | float | None = None
    container_id: str | None = None
    tab_id: str | None = None
    config: FileConfig


class FileFilter(FileObject):
    """A filter at the top."""

    id: str | None = None
    type: str
    name: str
    expression: str | None = None
    source: str | None = None
    options: list[Any] | None = None
    label: str | None = None
    match: str | None = None
    source_metric_type: str | None = None
    where: str | None = None
    where_language: str | None = None
    applies_to_source_ids: list[str] | None = None
    is_broadcast_enabled: bool | None = None
    is_variable_enabled: bool | None = None
    variable_name: str | None = None


class FileTab(FileObject):
    """A tab of a container."""

    id: str
    title: str


class FileContainer(FileObject):
    """A group of tiles."""

    id: str
    title: str
    collapsed: bool | None = None
    collapsible: bool | None = None
    bordered: bool | None = None
    tabs: list[FileTab] | None = None


class FileFilterValue(FileObject):
    """A stored choice of the dashboard's filters."""

    type: str | None = None
    condition: str | None = None
    operator: str | None = None
    left: str | None = None
    right: str | None = None
    name: str | None = None
    values: list[str] | None = None


class FileDashboard(FileObject):
    """A dashboard; the last ten fields are the server's own, in documents."""

    name: str = Field(min_length=1)
    tiles: list[FileTile]
    version: Any = None
    description: Any = None
    tags: list[str] | None = None
    filters: list[FileFilter] | None = None
    containers: list[FileContainer] | None = None
    saved_query: str | None = None
    saved_query_language: str | None = None
    saved_filter_values: list[FileFilterValue] | None = None
    provisioned: bool | None = None
    id: Any = None
    own_id: Any = Field(default=None, alias="_id")
    own_version: Any = Field(default=None, alias="__v")
    team: Any = None
    created_by: Any = None
    updated_by: Any = None
    created_at: Any = None
    updated_at: Any = None


def loaded(text: str) -> WireDict:
    """Return the object in the text of a file, without null values.

    Raises:
        ResourceError: It is no JSON object, has a key twice, is too large, or is a dashboard of Grafana.
    """
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST:
        _refuse(
            f"it has more than {LARGEST // 2**20} MiB",
            "Split it, or remove all that is not a dashboard.",
        )
    try:
        content = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_pairs, parse_constant=_no_number)
    except _FileError as error:
        _refuse(str(error), "Correct the file, or export the dashboard again.")
    except (ValueError, RecursionError) as error:
        fault = error.args[0] if isinstance(error, ValueError) and error.args else "it is nested too deeply"
        _refuse(f"it is not JSON: {fault}", "Pass the text of a file that the server's *Export Dashboard* has written.")
    if isinstance(content, dict) and content.keys() == {"data"}:  # a response of the API
        content = content["data"]
    if not isinstance(content, dict):
        _refuse("it contains no JSON object", "Pass the text of one dashboard.")
    if "panels" in content or "schemaVersion" in content:
        _refuse(
            "it is a dashboard of Grafana, whose panels cannot be converted",
            "Create a dashboard in the server's page, and export that.",
        )
    if fault := fault_of(content):
        _refuse(f"{show_path(fault[0])}: {fault[1]}", "Correct the file, or export the dashboard again.")
    return content


def form_of_file(content: Mapping[str, Any]) -> Form:
    """Return the form of a file: only tiles of the API have a name of their own, series, or `sourceId`."""
    for tile in objects(content.get("tiles")):
        config = tile.get("config")
        if tile.keys() & {"series", "name"} or (isinstance(config, Mapping) and config.keys() & _API_KEYS):
            return Form.API
    return Form.TEMPLATE if "version" in content else Form.DOCUMENT


_API_KEYS = frozenset({"sourceId", "connectionId"})


def dashboard_of(content: Mapping[str, Any]) -> FileDashboard:
    """Return the dashboard of a template or document.

    Raises:
        ResourceError: A value is missing or of the wrong type; all are named.
    """
    try:
        return FileDashboard.model_validate(content)
    except ValidationError as error:
        faults = dict.fromkeys(f"{show_path(_path(each['loc']))}: {each['msg']}" for each in error.errors())
        more = [f"and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        shown = "; ".join([*[*faults][:_MOST_FAULTS], *more])
        _refuse(f"it is no dashboard: {shown}", "Correct the file, or export the dashboard again.")


_MOST_FAULTS = 20


def _path(location: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the path of a value, without the names that pydantic adds for the choices of a union."""
    return tuple(each for each in location if isinstance(each, int) or not ("[" in each or each in _CHOICES))


_CHOICES = frozenset({"str", "bool", "int", "float"})


class _FileError(ValueError):
    """A fault of a file that the JSON parser of Python accepts."""


def _pairs(pairs: list[tuple[str, Any]]) -> WireDict:
    """Return an object without null values; the parser of Python keeps the last of two equal keys."""
    found: WireDict = {}
    for name, value in pairs:
        if name in found:
            raise _FileError(f"the key {name!r} occurs twice in one object")
        found[name] = value
    return {name: value for name, value in found.items() if value is not None}


def _no_number(text: str) -> NoReturn:
    raise _FileError(f"{text} is no number of JSON")


def _refuse(fault: str, remedy: str) -> NoReturn:
    raise ResourceError(f"the file of a dashboard: {fault}", remedy)
