"""Secrets, configuration and refresh, on the fake engine and, if the CLI is on PATH, on the real one."""

from __future__ import annotations

import threading
from pathlib import Path

from clouddb_tools.testing import Diagnostic, FakeEngineStack, Step
from testing.shelves import Secret, Shelf

SECRETS = """
word = Output.secret("swordfish")
a = Item("a", label=word, tags={"x": "1", "y": word}, rules=["2", word], opts=Opts(additional_secret_outputs=["state"]))
export("word", word)
export("label", a.label)
"""


def test_secrets_are_marked_in_outputs_and_state(shelf: Shelf) -> None:
    """The host receives plain values; state, outputs and texts contain none."""
    result = shelf.up(SECRETS)
    (create,) = shelf.calls("create")
    assert create["news"]["tags"] == {"x": "1", "y": "swordfish"}  # the host accepts no secrets
    state = shelf.state("a")
    for properties in (state.inputs, state.outputs):
        assert properties["label"] == Secret("swordfish")
        assert properties["tags"] == {"x": "1", "y": Secret("swordfish")}
        assert properties["rules"] == Secret(["2", "swordfish"])  # a list as a whole
    assert state.outputs["token"] == Secret("token-a1")  # marked by the provider itself
    assert state.outputs["state"] == Secret("state of a1")  # by an option of the resource
    assert result.outputs == {"word": Secret("swordfish"), "label": Secret("swordfish")}
    assert "swordfish" not in shelf.stack.state_text
    assert "token-a1" not in shelf.stack.state_text
    assert "swordfish" not in repr(state)
    assert "swordfish" not in str(result)
    assert shelf.up(SECRETS).no_changes


def test_refresh_keeps_secrets(shelf: Shelf) -> None:
    """Read values are secret if the old values were."""
    shelf.up(SECRETS)
    shelf.change("a1", label="barracuda")
    assert shelf.stack.refresh().changes == {"same": 1, "update": 1}
    assert shelf.state("a").inputs["label"] == Secret("barracuda")
    assert shelf.state("a").outputs["label"] == Secret("barracuda")
    assert shelf.state("a").outputs["state"] == Secret("state of a1")
    assert "barracuda" not in shelf.stack.state_text


def test_refresh_uses_the_diff_of_the_provider(shelf: Shelf) -> None:
    """The provider determines drift; state is always updated from the read object."""
    program = 'Item("a", label="1")\nItem("b", label="2")\nItem("c", note="3")'
    shelf.up(program)
    shelf.change("a1", label="9")
    shelf.change("c1", note="8")
    shelf.remove("b1")
    shelf.forget()
    before = shelf.stack.state_text
    shelf.program(program)
    assert shelf.stack.preview().no_changes
    # `c` differs in a property that Diff ignores; its state is still updated.
    preview = shelf.stack.preview(refresh=True)
    assert preview.changes == {"same": 2, "update": 1, "create": 1}
    assert preview.ops("a") == ["refresh", "update"]
    assert shelf.stack.state_text == before
    shelf.forget()
    result = shelf.stack.refresh()
    assert result.changes == {"same": 2, "update": 1, "delete": 1}
    assert {(s.name, s.op) for s in result.steps if s.name in "abc"} == {
        ("a", "update"),
        ("b", "delete"),
        ("c", "same"),
    }
    diffs = {c["name"]: (c["olds"].get("label"), c["news"].get("label")) for c in shelf.calls("diff")}
    assert diffs["a"] == ("9", "1")  # the read object and the old inputs
    assert shelf.names() == {"a", "c"}
    assert shelf.state("a").inputs["label"] == "9"
    assert shelf.state("c").outputs["note"] == "8"
    assert shelf.up(program).changes == {"same": 2, "update": 1, "create": 1}


def test_up_with_refresh(shelf: Shelf) -> None:
    """Objects are read before the program runs."""
    program = 'Item("a", label="1")'
    shelf.up(program)
    shelf.change("a1", label="9")
    assert shelf.up(program, refresh=True).changes == {"same": 1, "update": 1}
    assert [c["call"] for c in shelf.calls("read", "update")] == ["read", "update"]
    assert shelf.state("a").outputs["label"] == "1"


def test_configuration_reaches_program_and_host(shelf: Shelf) -> None:
    """Both receive all values; secrets are plain for the host, and marked for the program."""
    shelf.stack.set_config("size", "3")
    shelf.stack.set_config("other:thing", "x")
    shelf.stack.set_config("password", "swordfish", secret=True)
    program = """
Item("a")
config = Config()
export("size", config.require_int("size") + 1)
export("password", config.require_secret("password"))
export("thing", Config("other").require("thing"))
"""
    result = shelf.up(program)
    assert result.outputs == {"size": 4, "password": Secret("swordfish"), "thing": "x"}
    (configure,) = shelf.calls("configure")
    assert configure["config"] == {"size": "3", "other:thing": "x", "password": "swordfish"}
    assert "swordfish" not in shelf.stack.state_text
    shelf.stack.set_config("size", "7")
    assert shelf.up(program).outputs["size"] == 8


def test_numbers_and_empty_values_round_trip(shelf: Shelf) -> None:
    """Outputs and state have the values of the inputs."""
    values = '{"whole": 3, "half": 0.5, "yes": True, "none": [], "nothing": {}, "text": "3"}'
    program = f'a = Item("a", label={values})\nexport("label", a.label)'
    expected = {"whole": 3, "half": 0.5, "yes": True, "none": [], "nothing": {}, "text": "3"}
    assert shelf.up(program).outputs == {"label": expected}
    assert shelf.state("a").inputs["label"] == expected
    assert shelf.up(program).no_changes


def test_logged_messages_are_diagnostics(shelf: Shelf) -> None:
    """Printed lines are not diagnostics; the callback receives steps and diagnostics."""
    events: list[Step | Diagnostic] = []
    shelf.stack.progress = events.append
    result = shelf.up('pulumi.log.warn("mind the gap")\nprint("hello")\nItem("a")')
    assert Diagnostic("warning", "mind the gap") in [
        Diagnostic(d.severity, d.message.strip()) for d in result.diagnostics
    ]
    assert "hello" in result.stdout
    assert [e.name for e in events if isinstance(e, Step)] == [s.name for s in result.steps]
    assert "mind the gap" in [e.message.strip() for e in events if isinstance(e, Diagnostic)]


def test_host_has_a_process_id_while_it_runs(tmp_path: Path) -> None:
    """Afterwards it is None."""
    shelf = Shelf(FakeEngineStack, tmp_path)
    pids: list[int | None] = []
    shelf.stack.progress = lambda _event: pids.append(shelf.stack.host.pid)  # type: ignore[union-attr]
    shelf.up('Item("a")')
    assert pids[-1] == shelf.calls("create")[0]["pid"]
    assert shelf.stack.host.pid is None  # type: ignore[union-attr]


def test_state_outlives_the_stack_object(tmp_path: Path) -> None:
    """State and secrets are read from their files."""
    shelf = Shelf(FakeEngineStack, tmp_path)
    shelf.up(SECRETS)
    again = FakeEngineStack(shelf.stack.program.root, work_dir=shelf.stack.work_dir, env=shelf.env)
    assert again.preview().no_changes
    assert again.outputs["word"] == Secret("swordfish")
    assert (shelf.stack.work_dir / "dev.state.secrets.json").stat().st_mode & 0o777 == 0o600
    elsewhere = FakeEngineStack(shelf.stack.program.root, state=tmp_path / "other.json", env=shelf.env)
    assert elsewhere.preview().changes == {"create": 2}


def test_two_stacks_run_concurrently(tmp_path: Path) -> None:
    """Operations of different stacks are independent."""
    shelves = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shelves.append(Shelf(FakeEngineStack, tmp_path / name))
    threads = [threading.Thread(target=shelf.up, args=('Item("a")',)) for shelf in shelves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [shelf.objects() for shelf in shelves] == [["a1"], ["a1"]]
