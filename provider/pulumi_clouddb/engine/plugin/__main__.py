"""The plugin: `pulumi-resource-clouddb`, or `python -m pulumi_clouddb.engine.plugin`.

The engine passes its address as the last argument, after the options `--logtostderr`, `-v=N` and `--tracing ADDRESS`
(pulumi: sdk/go/common/resource/plugin/plugin.go), and reads the port from the first line of standard output.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pulumi_clouddb.schema._version import VERSION

USAGE = """\
Usage: pulumi-resource-clouddb [--version | --help] [ENGINE]

The native plugin of pulumi-clouddb. Pulumi's engine starts it and gives its own
address; nobody has to start it by hand. It has to be on PATH: see
docs/native-plugin.md, and `clouddb doctor`, which looks for it there.

  --version   Print the version and end.
  --help, -h  Print this and end.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the plugin."""
    given = sys.argv[1:] if arguments is None else arguments
    if "--version" in given:
        print(VERSION)
        return
    if {"--help", "-h"} & set(given):
        print(USAGE, end="")
        return
    # The rest of the package takes a second to load.
    from .provider import serve_engine

    serve_engine()


if __name__ == "__main__":
    main()
