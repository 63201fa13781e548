"""A resource is loaded with the first use of its name; what is said of all of them is complete all the same."""

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
    """Run a script in a process that has used no resource so far."""
    done = subprocess.run([sys.executable, "-c", PRELUDE + script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_stack_loads_what_it_has() -> None:
    """Names alone load nothing, and a resource no other one."""
    run("""
assert "Service" in RESOURCES and "Table" not in RESOURCES and len(list(RESOURCES)) == len(RESOURCES)
things = loaded()
assert RESOURCES["SavedSearch"].type.name == "SavedSearch"
assert loaded() - things == {"saved_searches"}, loaded() - things
assert "getService" in registry.FUNCTIONS and "create_service" in registry.OPERATIONS
assert loaded() >= {"services", "webhooks"}
""")


def test_threads_that_use_a_name_first_see_a_whole_resource() -> None:
    """A half-built one would leave out what a program says of a database."""
    run("""
with ThreadPoolExecutor(8) as threads:
    handlers = list(threads.map(RESOURCES.__getitem__, ["Service", "Alert"] * 8))
shown = {each.type.name: set() for each in handlers}
for each in handlers:
    shown[each.type.name].add((id(each.type), wire_names(each.type.inputs)))
assert all(len(each) == 1 for each in shown.values()), shown
assert "ipAccessList" in wire_names(RESOURCES["Service"].type.inputs)
""")


def test_what_messages_hide_does_not_depend_on_what_was_used() -> None:
    """The names of secrets, and public names, are those of all resources."""
    run("""
assert list(secrets_of_body({"name": "n", "encryptionKey": "hidden"})) == ["hidden"]
assert masked("encryption_key and secret-7", frozenset({"encryption_key", "secret-7"})) == "encryption_key and [secret]"
""")
