"""The discovered schema of a stream: object arguments in each form of a program, and credentials."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config
from lives.life import a_service
from pulumi_clouddb.errors import ResourceError
from pulumi_clouddb.registry import FUNCTIONS
from support.rows import UUID
from support.sessions import ProviderProcess

PROGRAM = """
import pulumi, pulumi_clouddb as clouddb
stream = dict(format="Avro", brokers="b:9092", topics="t", type="kafka", consumer_group="c")
registry = {{"url": "https://registry.example.com", "authentication": "PLAIN", "ca_certificate": "x"}}
login = {{"username": "reader", "password": "canary-password"}}
login["schema_registry"] = {{**login}}
classes = clouddb.discover_pipe_schema(
    service_id={service_id!r},
    source=clouddb.StreamSourceArgs(kafka=clouddb.KafkaSourceArgs(
        **stream, schema_registry=clouddb.KafkaSchemaRegistryArgs(**registry))),
    credentials=clouddb.PipeCredentialsArgs(**login))
dicts = clouddb.discover_pipe_schema(
    service_id={service_id!r}, source={{"kafka": {{**stream, "schema_registry": registry}}}}, credentials=login)
later = clouddb.discover_pipe_schema_output(
    service_id=pulumi.Output.from_input({service_id!r}),
    source=clouddb.StreamSourceArgs(kafka=clouddb.KafkaSourceArgs(
        **{{**stream, "topics": pulumi.Output.from_input("t")}},
        schema_registry=clouddb.KafkaSchemaRegistryArgs(**registry))),
    credentials=pulumi.Output.secret(login))
pulumi.export("fields", [[each.name for each in result.fields] for result in (classes, dicts)])
pulumi.export("later", later.fields.apply(lambda fields: [each.type for each in fields]))
"""


def test_object_arguments_are_classes_or_dicts(sandbox: Sandbox, tmp_path: Path) -> None:
    """Classes, dicts and outputs in them result in the same request."""
    service_id = a_service(sandbox)["service_id"]
    sandbox.forget_requests()
    program = PROGRAM.format(service_id=service_id)
    result = FakeEngineStack(program, config=stack_config(sandbox), work_dir=tmp_path).up()
    assert result.outputs["fields"] == [["id", "at"]] * 2
    requests = sandbox.logged("discover_pipe_schema")
    assert len(requests) == 3
    kafka = {"format": "Avro", "brokers": "b:9092", "topics": "t", "type": "kafka", "consumerGroup": "c"}
    for each in requests:
        registry = {"url": "https://registry.example.com", "authentication": "PLAIN", "caCertificate": "x"}
        sent = each.body["source"]["kafka"]
        assert sent.items() >= kafka.items()
        assert sent["schemaRegistry"].items() >= registry.items()
    assert str([each.body for each in requests]).count("[secret]") == 12
    assert "canary" not in str((result.outputs, result.diagnostics, result.stdout))


def test_invalid_stream_is_rejected(process: ProviderProcess, sandbox: Sandbox) -> None:
    """No request is sent, and no failure quotes credentials."""
    kinesis = {"format": "Avro", "streamName": "s", "region": "r", "iteratorType": "LATEST"}
    discover = FUNCTIONS["discoverPipeSchema"]
    for source, credentials, message in (
        ({}, {}, "source must have exactly one of kafka, kinesis"),
        ({"kinesis": {**kinesis, "format": 1}}, {}, "source.kinesis.format must be"),
        ({"kinesis": kinesis}, {"password": ["canary"]}, "credentials"),
    ):
        arguments = {"serviceId": UUID, "source": source, "credentials": credentials}
        with pytest.raises(ResourceError, match=message) as error:
            discover.call(process, arguments)
        assert "canary" not in str(error.value)
    assert sandbox.count("discover_pipe_schema") == 0
    with pytest.raises(ResourceError, match=rf"no such object \(serviceId {UUID}\)"):
        discover.call(process, {"serviceId": UUID, "source": {"kinesis": kinesis}, "credentials": {}})
