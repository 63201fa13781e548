"""What the tests of acceptance runs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.estate import Estate


@pytest.fixture
def strangers() -> Iterator[Sandbox]:
    """A sandbox with at least 300 objects of others, of all kinds."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        Estate(sandbox, VocabularyName.CLICKHOUSE)
        assert sum(sandbox.state()["counts"].values()) >= 250
        yield sandbox
