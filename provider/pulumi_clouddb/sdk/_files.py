# Written by hand; the other files of this package are generated.
"""Arguments from files."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

import pulumi

from .dashboard import DashboardArgs
from .functions import read_dashboard_export_output


def dashboard_from_file(
    path: str | PathLike[str],
    *,
    service_id: pulumi.Input[str] | None = None,
    sources: Mapping[str, pulumi.Input[str]] | None = None,
    connections: Mapping[str, pulumi.Input[str]] | None = None,
    dashboards: Mapping[str, pulumi.Input[str]] | None = None,
    skip_unsupported: pulumi.Input[bool] | None = None,
    name: pulumi.Input[str] | None = None,
    opts: pulumi.InvokeOutputOptions | None = None,
) -> DashboardArgs:
    """Return the arguments of a `Dashboard` from an exported file; see `read_dashboard_export`.

    `clouddb.Dashboard("shop", clouddb.dashboard_from_file("shop.json"))`

    Args:
        path: The file, relative to the folder of the program.
        service_id: Id of the service whose observability server has the dashboard.
        sources: Ids of data sources by their name in the file, such as those of sources of this program.
        connections: Ids of connections by their name in the file.
        dashboards: Ids of dashboards by their name in the file.
        skip_unsupported: Whether to leave out tiles and filters that would show other data.
        name: Name of the dashboard, by default that in the file.
        opts: Options; of these, `depends_on` is heeded, and `provider` is refused.

    Raises:
        ArgumentError: The file cannot be read.
    """
    file = read_dashboard_export_output(
        text=_text_of(path),
        service_id=service_id,
        sources=sources,
        connections=connections,
        dashboards=dashboards,
        skip_unsupported=skip_unsupported,
        opts=opts,
    )
    return DashboardArgs(
        name=file.name if name is None else name,
        tiles=file.tiles,
        tags=file.tags,
        filters=file.filters,
        containers=file.containers,
        saved_query=file.saved_query,
        saved_query_language=file.saved_query_language,
        saved_filter_values=file.saved_filter_values,
        service_id=service_id,
    )


def _text_of(path: str | PathLike[str]) -> str:
    from pulumi_clouddb.client.errors import ArgumentError

    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ArgumentError(f"dashboard_from_file: {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ArgumentError(f"dashboard_from_file: {path} is not a text in UTF-8") from None
