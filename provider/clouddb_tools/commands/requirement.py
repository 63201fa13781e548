"""`clouddb requirement`: print the line of a requirements.txt that installs this package on other machines."""

from __future__ import annotations

from typing import Annotated

import typer

from .printing import echo, usage_error


def requirement(
    extra: Annotated[
        list[str] | None, typer.Option(help="Install this extra, too, such as policy; repeatable.", show_default=False)
    ] = None,
) -> None:
    """Print the requirement that installs this package on other machines, such as those of CI.

    It depends on where the package was installed from: an index, a repository, an archive such as a wheel, or a folder.
    """
    from .origin import extras, installed_from

    unknown = [each for each in extra or [] if each not in extras()]
    if unknown:
        raise usage_error(f"{', '.join(unknown)}: the extras are {', '.join(extras())}", "--extra")
    found = installed_from(extra or [])
    echo(found.text.removesuffix("\n"))
    if found.advice:
        echo(found.advice, err=True)
