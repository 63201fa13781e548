"""Examples of data sources."""

from __future__ import annotations

from pulumi_clouddb.cli.program import Ref, Step

from .example import Example, Examples

EXAMPLES: Examples = {
    "listSources": (Example("List data sources", [Step("found", "listSources")], {"sources": Ref("found.sources")}),),
}
