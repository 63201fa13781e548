"""The id of an object to import or to get: an invalid form is rejected before anything is sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ApiError, ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.resource_type import with_article
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.scripted import Scripted, error
from support.sessions import ProviderProcess, config_for, config_of

FORMS = [(kind, form) for kind, each in RESOURCES.items() for form in each.type.import_ids]


def wrong(kind: str, form: str) -> list[str]:
    """Return ids of another form: empty, with an additional or an empty part, or with surrounding space."""
    longer = [] if RESOURCES[kind].type.id_has_slashes else [f"{form}/more/more"]
    return ["", "/", " ", f"{form}/", f"/{form}", f" {form}", f"{form}\n", *longer]


@pytest.mark.parametrize(("kind", "form"), FORMS)
def test_invalid_id_is_rejected(kind: str, form: str, tmp_path: Path) -> None:
    """The message has the id and the valid forms; an id of a valid form is sent."""
    resource = RESOURCES[kind]
    with Scripted(error(404)) as server:
        only = resource.type.only or VocabularyName.NEUTRAL
        config = config_of(baseUrl=server.url, stackUrl=server.url, vocabulary=only.value)
        process = ProviderProcess(config, tmp_path)
        for object_id in wrong(kind, form):
            with pytest.raises(ResourceError) as refused:
                lifecycle.read(process, resource, object_id, {}, {})
            first, second = str(refused.value).splitlines()
            assert first == f"{object_id!r} is not the id of {resource.type.with_article}"
            assert second == f"Write {' or '.join(resource.type.import_ids)}."
        assert server.received == []
        with pytest.raises((ResourceError, ApiError)) as missing:
            lifecycle.read(process, resource, form, {}, {})
        assert "Write SERVICE_ID" not in str(missing.value)
        process.client.close()


def test_article_fits_its_noun() -> None:
    """It depends on the pronunciation."""
    nouns = {RESOURCES[kind].type.with_article for kind in ("Alert", "ApiKey", "Service", "UserDefinedFunction")}
    nouns |= {*map(with_article, ("UDF attachment", "SSH key", "IP access list", "ApiKey", "UserDefinedFunction"))}
    assert nouns == {
        *("an alert", "an API key", "a service", "a user-defined function"),
        *("a UDF attachment", "an SSH key", "an IP access list", "an ApiKey", "a UserDefinedFunction"),
    }


@pytest.mark.parametrize("vocabulary", ["neutral", "clickhouse"])
def test_id_in_capitals_is_imported_as_the_server_returns_it(vocabulary: str, tmp_path: Path) -> None:
    """State and program would otherwise have two ids of one object."""
    with Sandbox(vocabulary=vocabulary) as sandbox:
        service = sandbox.add("services", name="Orders")["id"]
        process = ProviderProcess(config_for(sandbox), tmp_path)
        object_id, found = lifecycle.read(process, RESOURCES["Service"], service.upper(), {}, {})
        assert (object_id, found is None) == (service, False)


OF_EXISTING: dict[str, tuple[str, dict[str, Any]]] = {
    "PipeCdcScaling": ("serviceId", {"replicaCpuMillicores": 2000, "replicaMemoryGb": 8}),
    "PipeScaling": ("pipeId", {"replicas": 2}),
    "ApiKey": ("keyId", {"name": "renamed"}),
    "SourceLinks": ("sourceId", {"metricSourceId": "6" * 24}),
}
"""The resources whose id is one that the program has from elsewhere: the property with it, and others."""


@pytest.mark.parametrize("name", OF_EXISTING)
def test_id_in_capitals_of_a_program_is_that_of_the_server(name: str, tmp_path: Path) -> None:
    """The object is found in each list, and by resources that name it as the server does."""
    attribute, more = OF_EXISTING[name]
    with Sandbox(vocabulary="clickhouse") as sandbox:
        service = sandbox.add("services", name="Orders")["id"]
        sandbox.add("pipes", serviceId=service, kind="postgres")
        pipe = next(iter(sandbox.pipes))
        key = sandbox.add("keys", name="k", roles=["developer"])["key"]["id"]
        source = next(iter(sandbox.objects("sources")))
        ids = {"serviceId": sandbox.pipes[pipe]["serviceId"], "pipeId": pipe, "keyId": key, "sourceId": source}
        of_service = {"serviceId": ids["serviceId"].upper()} if name != "ApiKey" else {}
        inputs = {**of_service, attribute: ids[attribute].upper(), **more}
        object_id, state = ProviderProcess(config_for(sandbox), tmp_path).create(name, inputs)
        assert object_id == object_id.lower()
        later = ProviderProcess(config_for(sandbox), tmp_path)
        assert later.changes(name, later.read(name, object_id, state).state, inputs) == ()
        later.delete(name, object_id, state)


def test_warehouse_in_capitals_is_sent_as_the_server_returns_it(tmp_path: Path) -> None:
    """The server finds it, and the program has no difference."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        first = sandbox.add("services", name="Orders", provider="aws", region="us-east-1")["id"]
        warehouse = str(sandbox.services[first]["dataWarehouseId"]).upper()
        inputs = {"name": "reports", "provider": "aws", "region": "us-east-1", "dataWarehouseId": warehouse}
        process = ProviderProcess(config_for(sandbox), tmp_path)
        service_id, state = process.create("Service", inputs)
        assert process.changes("Service", process.read("Service", service_id, state).state, inputs) == ()
