"""The console script `clouddb`; `python -m clouddb_tools.commands` runs it where the script is not on PATH."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def main() -> None:
    """Run the command line, or name the extra that it needs: the provider alone is installed without it."""
    if any(find_spec(each) is None for each in ("typer", "rich", "markdown_it", "packaging")):
        print("error: clouddb needs more packages: pip install 'pulumi-clouddb[tools]'", file=sys.stderr)
        sys.exit(2)
    from .main import main as run

    run()


if __name__ == "__main__":
    main()
