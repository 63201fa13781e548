"""Write all generated files, or list stale ones with `--check`."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .assumptions import assumptions_page
from .docs import pages
from .pictures import drawings
from .python import modules
from .schema import build_schema
from .tables import filled_pages

ROOT = Path(__file__).parents[2]


def generated_files() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every file that is generated or contains a generated table."""
    schema: dict[str, Any] = build_schema()
    yield "schema.json", json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    for name, text in modules(schema).items():
        yield f"provider/pulumi_clouddb/{name}", text
    for name, text in pages(schema).items():
        yield f"docs/reference/{name}", text
    # Imported here, because the policies import a module that is generated above.
    from .policies import policy_page

    yield "docs/policies.md", policy_page()
    yield "docs/assumptions.md", assumptions_page()
    yield from drawings()
    yield from filled_pages(ROOT, schema).items()


def stale_files() -> list[str]:
    """Return the paths of the generated files that are missing or outdated."""
    return [name for name, text in generated_files() if _read(ROOT / name) != text]


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or check them; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; list stale files and exit with 1")
    if parser.parse_args(arguments).check:
        stale = stale_files()
        for name in stale:
            print(f"stale: {name}; run make generate", file=sys.stderr)
        return 1 if stale else 0
    for name, text in generated_files():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    gc.disable()  # there is little garbage, and looking for it takes a fifth of the time
    sys.exit(main())
