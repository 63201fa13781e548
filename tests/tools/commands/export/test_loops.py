"""Resources from one `for_each` of Terraform are a loop in Python and TypeScript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from clouddb_tools.commands.export import python, typescript, yaml
from clouddb_tools.commands.export.graph import statements
from clouddb_tools.commands.export.names import Wish
from clouddb_tools.commands.export.reading import Found
from clouddb_tools.commands.export.statements import Step
from pulumi_clouddb.resource.lifecycle import ReadResult
from support.schema import SCHEMA

KEYS = ("eu", "us", "ap")
IDS = {key: f"6a1b0c2d-0000-4000-8000-00000000000{number}" for number, key in enumerate(KEYS)}
REGIONS = {"eu": "eu-west-1", "us": "us-east-1", "ap": "ap-southeast-1"}


def found(kind: str, key: str, object_id: str, inputs: dict[str, Any], group: str = "", name: str = "") -> Found:
    """Return an object of a `for_each`."""
    wish = Wish(name or f"shop-{key}", group or "shops", key)
    return Found(kind, wish.name, object_id, ReadResult(inputs, inputs), wish=wish)


def services(**more: Any) -> list[Found]:
    """Return a service for each key."""
    return [
        found("Service", key, IDS[key], {"name": f"Shop {key}", "provider": "aws", "region": REGIONS[key], **more})
        for key in KEYS
    ]


def programs(objects: Sequence[Found]) -> tuple[str, str]:
    """Return a program in Python and in TypeScript."""
    steps = statements(objects, protected=("Service",))[0]
    return python.python_program(steps, SCHEMA, between="\n\n"), typescript.typescript_program(steps, SCHEMA, "\n\n")


def test_resources_of_one_shape_are_a_loop() -> None:
    """The values that differ are in a dict; those with the key in them are in the body."""
    in_python, in_typescript = programs(services())
    assert in_python == (
        "import pulumi\n"
        "import pulumi_clouddb as clouddb\n\n"
        'SHOPS = {"eu": "eu-west-1", "us": "us-east-1", "ap": "ap-southeast-1"}\n\n'
        "shops = {\n"
        "    key: clouddb.Service(\n"
        '        f"shop-{key}",\n'
        '        name=f"Shop {key}",\n'
        '        provider="aws",\n'
        "        region=value,\n"
        "        opts=pulumi.ResourceOptions(protect=True),\n"
        "    )\n"
        "    for key, value in SHOPS.items()\n"
        "}"
    )
    assert in_typescript == (
        'import * as clouddb from "@clouddb/pulumi";\n\n'
        "const shops: Record<string, clouddb.Service> = {};\n"
        "for (const [key, value] of Object.entries({\n"
        '    eu: "eu-west-1",\n'
        '    us: "us-east-1",\n'
        '    ap: "ap-southeast-1",\n'
        "})) {\n"
        "    shops[key] = new clouddb.Service(`shop-${key}`, {\n"
        "        name: `Shop ${key}`,\n"
        '        provider: "aws",\n'
        "        region: value,\n"
        "    }, { protect: true });\n"
        "}"
    )


def test_loop_refers_to_another_loop_with_its_key() -> None:
    """Other resources refer to one of a loop by its key."""
    boards = [
        found(
            "Dashboard", key, f"{number}" * 24, {"serviceId": IDS[key], "name": f"Board {key}", "tiles": []}, "boards"
        )
        for number, key in enumerate(KEYS)
    ]
    policy = {"allowDeny": "ALLOW", "permissions": ["x"], "resources": [f"instance/{IDS['us']}"]}
    role = {"name": "r", "policies": [policy]}
    reader = Found("Role", "reader", "9" * 24, ReadResult(role, role))
    in_python, in_typescript = programs([reader, *boards, *services()])
    assert "service_id=shops[key].id," in in_python
    assert "for key in BOARDS" in in_python
    assert 'BOARDS = ("eu", "us", "ap")' in in_python
    assert 'pulumi.Output.concat("instance/", shops["us"].id)' in in_python
    assert "serviceId: shops[key].id" in in_typescript
    assert 'for (const key of ["eu", "us", "ap"]) {' in in_typescript
    assert 'pulumi.interpolate`instance/${shops["us"].id}`' in in_typescript


def test_reference_to_another_key_is_a_value_that_differs() -> None:
    """Each dashboard is on the service of the next key."""
    inputs = [{"serviceId": IDS[key], "name": "Board", "tiles": []} for key in (*KEYS[1:], KEYS[0])]
    boards = [found("Dashboard", key, key * 12, each, "boards") for key, each in zip(KEYS, inputs, strict=True)]
    in_python, in_typescript = programs([*boards, *services()])
    assert '"eu": shops["us"].id,' in in_python
    assert "service_id=value," in in_python
    assert 'eu: shops["us"].id,' in in_typescript


def test_values_of_several_types_have_names() -> None:
    """A dict of each resource has them."""
    objects = [
        found("Service", key, IDS[key], {"name": "x", "region": REGIONS[key], "numReplicas": number})
        for number, key in enumerate(KEYS)
    ]
    in_python, in_typescript = programs(objects)
    assert "from typing import Any\n" in in_python
    assert 'SHOPS: dict[str, dict[str, Any]] = {\n    "eu": {"region": "eu-west-1", "num_replicas": 0},' in in_python
    assert 'num_replicas=value["num_replicas"],' in in_python
    assert '    eu: { region: "eu-west-1", numReplicas: 0 },' in in_typescript
    assert "numReplicas: value.numReplicas," in in_typescript


def with_other_name() -> list[Found]:
    """Return services of which one does not have its key in its resource name."""
    return [*services()[:2], found("Service", "ap", IDS["ap"], {"name": "x"}, name="other")]


NO_LOOPS: dict[str, list[Found]] = {
    "two": services()[:2],
    "with another property": [*services()[:2], *services(tags=[])[2:]],
    "with another name": with_other_name(),
    "of no for_each": [Found("Service", f"s-{key}", IDS[key], ReadResult({}, {"name": key})) for key in KEYS],
    "that refer to each other": [
        found("Source", key, f"{number}" * 24, {"name": key, "logSourceId": f"{number - 1}" * 24 if number else ""})
        for number, key in enumerate(KEYS)
    ],
}


@pytest.mark.parametrize("objects", NO_LOOPS.values(), ids=NO_LOOPS)
def test_other_resources_are_no_loop(objects: list[Found]) -> None:
    """Each is declared for itself."""
    in_python, in_typescript = programs(objects)
    kind = objects[0].kind
    assert in_python.count(f"clouddb.{kind}(") == in_typescript.count(f"new clouddb.{kind}(") == len(objects)
    assert " for key" not in in_python + in_typescript


def test_yaml_has_no_loops() -> None:
    """Its references are to the variable of each resource."""
    steps: list[Step] = statements(services())[0]
    assert yaml.yaml_resources(steps).count("type: clouddb:Service") == len(KEYS)
