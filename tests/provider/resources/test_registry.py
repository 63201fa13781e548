"""A resource is loaded when its name is first used; functions that need all resources load all."""

from __future__ import annotations

import subprocess
import sys

PRELUDE = """\
import sys
from concurrent.futures import ThreadPoolExecutor
from pulumi_clouddb import registry
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.secrets.masking import masked
from pulumi_clouddb.schema.secrets.masking import secrets_of_body

def loaded():
    names = [name.split(".") for name in sys.modules if name.startswith("pulumi_clouddb.things.")]
    return {name[2] for name in names if len(name) == 4}
"""


def run(script: str) -> None:
    """Run a script in a process that has not loaded a resource yet."""
    done = subprocess.run([sys.executable, "-c", PRELUDE + script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_resources_are_loaded_on_first_use() -> None:
    """Reading names loads nothing, and using a resource loads no other one."""
    run("""
assert "Service" in RESOURCES and "Table" not in RESOURCES and len(list(RESOURCES)) == len(RESOURCES)
things = loaded()
assert RESOURCES["SavedSearch"].type.name == "SavedSearch"
assert loaded() - things == {"saved_searches"}, loaded() - things
assert "getService" in registry.FUNCTIONS and "create_service" in registry.OPERATIONS
assert loaded() >= {"services", "webhooks"}
""")


def test_concurrently_loaded_resource_is_complete() -> None:
    """An incomplete one would leave out inputs of a program."""
    run("""
with ThreadPoolExecutor(8) as threads:
    handlers = list(threads.map(RESOURCES.__getitem__, ["Service", "Alert"] * 8))
shown = {each.type.name: set() for each in handlers}
for each in handlers:
    shown[each.type.name].add((id(each.type), wire_names(each.type.inputs)))
assert all(len(each) == 1 for each in shown.values()), shown
assert "ipAccessList" in wire_names(RESOURCES["Service"].type.inputs)
""")


def test_messages_are_written_without_loading_resources() -> None:
    """They contain the names of all resources, and no secret of any."""
    run("""
from pulumi_clouddb.schema.public_names import in_python
things = loaded()
assert list(secrets_of_body({"name": "n", "encryptionKey": "hidden"})) == ["hidden"]
assert masked("encryption_key and secret-7", frozenset({"encryption_key", "secret-7"})) == "encryption_key and [secret]"
assert in_python("ipAccessList of listWebhooks") == "ip_access_list of list_webhooks"
assert loaded() == things, loaded() - things
""")
