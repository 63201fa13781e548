"""The pages for the Pulumi Registry have the form of those of other providers there, and the schema what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from released_schema import released
from support.schema import SCHEMA

DOCS = Path(__file__).parents[2] / "docs"
TITLES = {
    "_index.md": SCHEMA["displayName"],
    "installation-configuration.md": f"{SCHEMA['displayName']} Installation & Configuration",
}


@pytest.mark.parametrize(("page", "title"), TITLES.items(), ids=TITLES)
def test_page_has_the_form_of_the_registry(page: str, title: str) -> None:
    """Front matter with title, description and layout, no first heading, and each language of a chooser once."""
    text = (DOCS / page).read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    matter = yaml.safe_load(front)
    assert (matter["title"], matter["layout"]) == (title, "package")
    assert 50 <= len(matter["meta_desc"]) <= 160
    assert not re.search("^# ", re.sub("```.*?```", "", body, flags=re.DOTALL), re.MULTILINE)
    (languages,) = re.findall(r'\{\{< chooser language "([^"]+)" >\}\}', body)
    assert languages == "typescript,python,go,java,yaml"
    assert re.findall(r"\{\{% choosable language (\w+) %\}\}", body) == languages.split(",")
    assert body.count("{{% /choosable %}}") == len(languages.split(","))
    assert body.count("{{< /chooser >}}") == 1


def test_schema_has_what_the_registry_shows() -> None:
    """Its category and kind are keywords; a release adds its address, and from where the plugin comes."""
    schema = released(SCHEMA, "https://github.com/acme/databases")
    wanted = "name displayName description keywords license publisher homepage repository pluginDownloadURL language"
    assert [name for name in wanted.split() if not schema.get(name)] == []
    assert {"pulumi", SCHEMA["name"], "category/database", "kind/native"} <= {*schema["keywords"]}
    assert schema["language"].keys() == {"python", "nodejs", "go", "csharp", "java"}
