"""Make the state of this version: python -m released, or `make state-of-release`.

On a sandbox, a program in Python creates the object of each life; the plugin creates, updates and refreshes another. A
third process dies after the first write of a create, and leaves its record on the machine.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from string import Template

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import Inputs
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema._version import VERSION
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver

from .entry import Entry, urn_of, write
from .restored import Restored


def main() -> None:
    """Make the state of both dialects."""
    for dialect in VocabularyName:
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "store.db"
            with (
                Sandbox(vocabulary=dialect.value, data=store) as sandbox,
                FrontEnds(sandbox.config, Path(folder)) as front_ends,
            ):
                drivers = {"dynamic": front_ends.dynamic, "native": front_ends.native}
                lives = [life for life in WIRE_LIVES if life.life.only in (None, dialect)]
                made = [_of_life(life, *each, sandbox, store) for life in lives for each in drivers.items()]
        write(VERSION, dialect.value, made)
        interrupted = [each for life in lives if (each := _interrupted(life, dialect))]
        write(VERSION, f"{dialect.value}-interrupted", interrupted)
        print(f"{dialect.value}: {len(made)} entries, and {len(interrupted)} of interrupted creates")


def _interrupted(life: WireLife, dialect: VocabularyName) -> Entry | None:
    """Return what a create has left whose process died after its first write; None if that needs no record."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        machine = Restored(dialect, Path(folder), patch)
        usual = machine.objects()
        names = life.life.setting(machine.control())
        program = _program(life, life.before, names)
        resource, process = RESOURCES[life.life.name], machine.process().for_resource(urn_of(life.life.name))
        inputs = lifecycle.check(process, resource, program).inputs
        machine.dies = True
        with suppress(KeyboardInterrupt):
            lifecycle.create(process, resource, inputs)
        files = machine.files()
        own = [each for each in machine.objects() if each not in usual or each[0] == "organizations"]
        about = (VERSION, str(life), life.life.name, dialect.value, machine.organization, "", "interrupted")
        return Entry(*about, program, program, "", inputs, {}, own, files) if files else None


def _of_life(life: WireLife, front_end: str, driver: GrpcDriver, sandbox: Sandbox, store: Path) -> Entry:
    sandbox.reset()
    usual = _objects(store)
    driver.configure(driver.config)
    resource, names = life.life.name, life.life.setting(sandbox)
    before, after = (_program(life, each, names) for each in (life.before, life.after))

    def entry(step: str, program: dict[str, object], id_: str, inputs: object, outputs: object) -> Entry:
        own = [each for each in _objects(store) if each not in usual or each[0] == "organizations"]
        server = (sandbox.settings.vocabulary.value, sandbox.organization_id)
        about = (VERSION, str(life), resource, *server, front_end, step)
        return Entry(*about, program, after, id_, inputs, outputs, own)  # type: ignore[arg-type]

    checked = driver.check(resource, before)
    assert checked.failures == [], (str(life), checked.failures)
    made = driver.create(resource, checked.inputs, urn=urn_of(resource))
    if front_end == "dynamic":
        return entry("created", before, made.id, checked.inputs, made.outputs)
    changed = driver.check(resource, after, checked.inputs).inputs
    updated = driver.update(resource, made.id, made.outputs, changed)
    read = driver.read(resource, made.id, updated.outputs, changed)
    return entry("refreshed", after, read.id, changed if read.inputs is None else read.inputs, read.outputs)


def _program(life: WireLife, inputs: Inputs, names: dict[str, str]) -> Inputs:
    """Return inputs of a life without those that have a default: in state, it is that of the release."""
    program: Inputs = json.loads(Template(json.dumps(inputs)).substitute(names))
    return {name: each for name, each in program.items() if name not in RESOURCES[life.life.name].type.defaults()}


def _objects(store: Path) -> list[tuple[str, str, str, dict[str, object]]]:
    """Return the objects of a sandbox from a copy of its file: no other process may open the file itself."""
    with tempfile.TemporaryDirectory() as folder:
        for each in store.parent.glob(f"{store.name}*"):
            shutil.copy(each, folder)
        with closing(sqlite3.connect(Path(folder) / store.name)) as file:
            rows = file.execute("SELECT kind, id, parent, document FROM objects ORDER BY number").fetchall()
    return [(kind, id_, parent, json.loads(document)) for kind, id_, parent, document in rows]


if __name__ == "__main__":
    main()
