"""State after failures: each case runs on the fake engine and, if the CLI is on PATH, on the real one."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from clouddb_tools.testing import FakeEngineStack, StackError
from testing.shelves import Shelf

DEADLINE_SECONDS = 20
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("real_processes")]


def alive(pid: int) -> bool:
    """Return whether a process exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_failure_finishes_running_steps_and_starts_no_others(shelf: Shelf) -> None:
    """Results of running steps are saved, and the next up runs the remaining steps."""
    program = """
Item("sibling", mode="slow create")
broken = Item("broken", mode="slow create")  # so that the sibling is running when this fails
Item("dependent", label=broken.state)
export("new", 1)
"""
    shelf.up('Item("old")\nexport("kept", 1)')
    shelf.break_("create", "broken")
    result = shelf.up(program, expect_failure=True)
    assert not result.ok
    assert any("create of broken went wrong" in error for error in result.errors)
    assert "old" in shelf.names()  # deletes were not reached
    assert "sibling" in shelf.names()
    assert not {"broken", "dependent"} & shelf.names()
    assert shelf.stack.outputs["kept"] == 1
    shelf.break_("create", "broken", broken=False)
    assert shelf.up(program).changes == {"same": 2, "create": 2, "delete": 1}
    assert shelf.stack.outputs == {"new": 1}


def test_failed_update_keeps_the_old_state(shelf: Shelf) -> None:
    """The next up repeats the update."""
    shelf.up('Item("a", label="1")')
    with pytest.raises(StackError, match="update of a went wrong") as failure:
        shelf.up('Item("a", label="2", mode="fail update")')
    assert failure.value.result.ops("a") == []
    assert shelf.state("a").inputs["label"] == "1"
    assert shelf.up('Item("a", label="2")').changes == {"same": 1, "update": 1}


def test_failed_delete_is_repeated(shelf: Shelf) -> None:
    """The resource remains in state until its delete succeeds."""
    shelf.up('Item("a")\nItem("b")')
    shelf.break_("delete", "a")
    assert not shelf.stack.destroy(expect_failure=True).ok
    assert "a" in shelf.names()
    shelf.break_("delete", "a", broken=False)
    shelf.stack.destroy()
    assert shelf.objects() == []


def test_replaced_object_whose_deletion_failed_remains_in_state(shelf: Shelf) -> None:
    """State has two resources of the name until the old one is deleted."""
    shelf.up('Item("a", source="x")')
    shelf.break_("delete", "a")
    assert not shelf.up('Item("a", source="y")', expect_failure=True).ok
    assert {(each.id, each.delete) for each in shelf.stack.resources if each.name == "a"} == {
        ("a2", False),
        ("a1", True),
    }
    shelf.break_("delete", "a", broken=False)
    assert shelf.up('Item("a", source="y")').ops("a") == ["same", "delete-replaced"]
    assert shelf.objects() == ["a2"]


def test_object_deleted_for_its_replacement_is_not_deleted_twice(shelf: Shelf) -> None:
    """Its entry in state is pending until the replacement is created."""
    shelf.up('Item("a", source="x", first=True)')
    shelf.break_("create", "a")
    assert not shelf.up('Item("a", source="y", first=True)', expect_failure=True).ok
    assert shelf.objects() == []
    shelf.stack.refresh()
    shelf.break_("create", "a", broken=False)
    assert shelf.up('Item("a", source="y", first=True)').ops("a") == ["replace", "create-replacement"]
    assert shelf.done() == ["create a"]
    assert [each.id for each in shelf.stack.resources if each.name == "a"] == shelf.objects()
    # It is created, too, if the program is put back, so that nothing in it changes.
    shelf.break_("create", "a")
    shelf.up('Item("a", source="x", first=True)', expect_failure=True)
    shelf.break_("create", "a", broken=False)
    assert shelf.up('Item("a", source="y", first=True)').ops("a") == ["replace", "create-replacement"]
    # If the resource is removed from the program, only the entry is removed.
    shelf.break_("create", "a")
    shelf.up('Item("a", source="z", first=True)', expect_failure=True)
    shelf.up("")
    assert (shelf.names(), shelf.done()) == (set(), [])


def test_check_failures_name_property_value_and_reason(shelf: Shelf) -> None:
    """The text is that of the CLI."""
    shelf.program('Item("a", mode="bad")')
    result = shelf.stack.preview(expect_failure=True)
    expected = (
        "pulumi-python:dynamic/shelf:Item resource 'a': property mode value {bad} has a problem: bad is not a mode"
    )
    assert expected in [error.strip() for error in result.errors]
    assert not shelf.stack.up(expect_failure=True).ok
    assert shelf.objects() == []


def test_program_that_raises_deletes_nothing(shelf: Shelf) -> None:
    """Only a complete run of the program determines which resources were removed."""
    shelf.up('Item("a")')
    result = shelf.up('Item("b")\nraise ValueError("out of luck")', expect_failure=True)
    assert not result.ok
    assert any("ValueError: out of luck" in error for error in result.errors)
    assert "a" in shelf.names()
    assert shelf.done() in ([], ["create b"])


def test_names_must_be_unique(shelf: Shelf) -> None:
    """The second registration of a name fails."""
    with pytest.raises(StackError, match="Duplicate resource URN"):
        shelf.up('Item("a")\nItem("a")')


def test_failed_read_does_not_stop_other_reads(shelf: Shelf) -> None:
    """A refresh reads all objects before it fails."""
    shelf.up('Item("a")\nItem("b", label="1")')
    shelf.break_("read", "a")
    shelf.change("b1", label="2")
    result = shelf.stack.refresh(expect_failure=True)
    assert not result.ok
    assert any("read of a went wrong" in error for error in result.errors)
    assert shelf.names() == {"a", "b"}
    assert shelf.state("b").inputs["label"] == "2"


def test_killed_host_fails_only_its_running_steps(shelf: Shelf) -> None:
    """Earlier results are saved, and the next up continues."""

    def kill() -> None:
        deadline = time.monotonic() + DEADLINE_SECONDS
        while time.monotonic() < deadline:
            hanging = [c for c in shelf.calls("create") if c["name"] == "b"]
            if hanging:
                os.kill(hanging[0]["pid"], signal.SIGKILL)
                return
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    result = shelf.up('a = Item("a")\nItem("b", mode="hang create", opts=Opts(depends_on=[a]))', expect_failure=True)
    thread.join()
    assert not result.ok
    assert result.errors
    assert shelf.names() == {"a"}
    assert shelf.up('Item("a")\nItem("b")').changes == {"same": 2, "create": 1}


def test_processes_end_with_the_operation(tmp_path: Path) -> None:
    """Program and host end, also after failures."""
    shelf = Shelf(FakeEngineStack, tmp_path)
    programs = ['Item("a")', 'Item("a", label="1", mode="fail update")', 'Item("b")\nraise ValueError']
    for text in programs:
        program = f'import os\nprint("pid", os.getpid())\n{text}'
        result = shelf.up(program, expect_failure=True)
        pids = [int(line.split()[1]) for line in result.stdout if line.startswith("pid ")]
        pids += [c["pid"] for c in shelf.calls()]
        assert pids
        assert not any(alive(pid) for pid in pids)
