"""Writes schema.json as a release has it: `python tools/released_schema.py URL FILE`, URL that of the repository.

Go module and npm package get names of the repository's owner; those of schema.json belong to nobody, so they must not
be published or fetched. SDKs know where the plugin is: the engine downloads it from the releases of a repository on
GitHub (https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/#plugindownloadurl).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

SCHEMA = Path(__file__).parents[1] / "schema.json"


def released(schema: dict[str, Any], url: str) -> dict[str, Any]:
    """Return a schema with the URL of the repository, and of the plugin if it follows from that."""
    if not url:
        return schema
    address = urlsplit(url)
    owner, *_, name = address.path.strip("/").split("/")
    text = json.dumps(schema)
    text = text.replace("example.com/pulumi-clouddb/", f"{address.hostname}{address.path.rstrip('/')}/")
    schema = json.loads(text.replace("@clouddb/pulumi", f"@{owner}/{name}".lower()))
    plugin = f"github://api.{address.hostname}{address.path}" if address.hostname == "github.com" else ""
    addresses = {"homepage": url, "repository": url, **({"pluginDownloadURL": plugin} if plugin else {})}
    return {**schema, **addresses}


if __name__ == "__main__":
    found = released(json.loads(SCHEMA.read_text(encoding="utf-8")), sys.argv[1])
    Path(sys.argv[2]).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
