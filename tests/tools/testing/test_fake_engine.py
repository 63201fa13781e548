"""Operations on resources: each case runs on the fake engine and, if the CLI is on PATH, on the real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.testing import UNKNOWN, CliStack, FakeEngineStack, StackError
from support.engines import ENGINES
from testing.shelves import Shelf

CHAIN = 'a = Item("a", label="1")\nb = Item("b", label=a.state)\nc = Item("c", label=b.state)\n'


def test_life_of_a_resource(shelf: Shelf) -> None:
    """Preview, create, no change, update and destroy, with the outputs of each."""
    program = 'a = Item("a", label="{}")\nexport("state", a.state)\nexport("id", a.id)\nexport("label", a.label)'
    shelf.program(program.format("one"))
    first = shelf.stack.preview()
    assert first.changes == {"create": 2}
    assert first.outputs == {"state": UNKNOWN, "id": UNKNOWN, "label": "one"}
    assert shelf.objects() == []
    assert shelf.stack.resources == []
    assert shelf.stack.up().outputs == {"state": "state of a1", "id": "a1", "label": "one"}
    assert shelf.state("a").id == "a1"
    assert shelf.state("a").urn == "urn:pulumi:dev::clouddb-test::pulumi-python:dynamic/shelf:Item::a"
    shelf.forget()
    again = shelf.stack.preview()
    assert again.no_changes
    assert again.changes == {"same": 2}
    shelf.program(program.format("two"))
    # Before the update, only the id is known: the host does not support previews of updates.
    change = shelf.stack.preview()
    assert change.outputs == {"state": UNKNOWN, "id": "a1", "label": "two"}
    assert change.changes == {"same": 1, "update": 1}
    assert [(s.op, s.changed) for s in change.steps if s.name == "a"] == [("update", ("label",))]
    assert shelf.done() == []
    assert shelf.stack.up().changes == {"same": 1, "update": 1}
    assert shelf.stack.destroy().changes == {"delete": 2}
    assert shelf.done() == ["update a1", "delete a1"]
    assert shelf.stack.resources == []
    assert shelf.stack.outputs == {}


def test_previews_pass_unknowns_to_check_and_diff(shelf: Shelf) -> None:
    """Outputs of a pending update are unknown to the provider in a preview."""
    shelf.program(CHAIN)
    shelf.stack.preview()
    assert [c["news"]["label"] for c in shelf.calls("check")] == ["1", "<unknown>", "<unknown>"]
    shelf.stack.up()
    shelf.forget()
    shelf.program(CHAIN.replace('"1"', '"2"'))
    assert shelf.stack.preview().changes == {"same": 1, "update": 3}
    assert [c["news"]["label"] for c in shelf.calls("diff")] == ["2", "<unknown>", "<unknown>"]
    assert shelf.stack.up().changes == {"same": 3, "update": 1}  # the output of `a` did not change


def test_same_stores_new_inputs_and_old_outputs(shelf: Shelf) -> None:
    """After `same`, state has both, and Diff receives the old outputs."""
    shelf.up('Item("a", note="old")')
    assert shelf.up('Item("a", note="new")').no_changes
    assert shelf.state("a").inputs["note"] == "new"
    assert shelf.state("a").outputs["note"] == "old"
    shelf.up('Item("a", note="newest", label="1")')
    (diff,) = shelf.calls("diff")
    assert diff["olds"]["note"] == "old"


def test_engine_compares_inputs_without_a_diff_of_the_provider(shelf: Shelf) -> None:
    """It compares all inputs, including the serialised provider."""
    shelf.up('Lazy("a", size=3)')
    assert shelf.up('Lazy("a", size=3)').no_changes
    assert shelf.up('Lazy("a", size=4)').changes == {"same": 1, "update": 1}
    # The serialised provider is an input, but is never shown.
    moved = shelf.up('Lazy.version = 2\nLazy("a", size=4)')
    assert [(s.op, s.changed) for s in moved.steps if s.name == "a"] == [("update", ())]
    assert shelf.up('Lazy.version = 2\nLazy("a", size=5, opts=Opts(replace_on_changes=["size"]))').ops("a")[0:2] == [
        "create-replacement",
        "replace",
    ]


def test_replace_on_changes_supports_paths(shelf: Shelf) -> None:
    """A change at a path or below it replaces, a change above it does not; `*` is every element."""
    base = '[{"of": 0, "at": 0}, {"of": 0, "at": 0}]'
    for count, (path, replaces) in enumerate(
        {
            "size": True,
            "size[*].of": True,
            "size[1].of": True,
            "size[0]": False,
            "*": True,
            "size[*].at": False,
            "size[*].of.more": False,
            "siz": False,
        }.items(),
        1,
    ):
        shelf.up(f'Lazy("a", size={base})')
        changed = base.replace('{"of": 0, "at": 0}]', f'{{"of": {count}, "at": 0}}]')
        result = shelf.up(f'Lazy("a", size={changed}, opts=Opts(replace_on_changes=["{path}"]))')
        assert ("replace" in result.ops("a")) is replaces, path


def test_replacement_creates_first_and_deletes_last(shelf: Shelf) -> None:
    """The default replacement updates dependents before it deletes the old object."""
    program = 'a = Item("a", source="{}")\nItem("b", label=a.id)\nexport("id", a.id)'
    shelf.up(program.format("x"))
    shelf.program(program.format("y"))
    preview = shelf.stack.preview()
    assert preview.outputs == {"id": UNKNOWN}
    assert preview.changes == {"same": 1, "replace": 1, "update": 1}
    shelf.forget()
    result = shelf.stack.up()
    assert shelf.done() == ["create a", "update b1", "delete a1"]
    assert result.ops("a") == ["create-replacement", "replace", "delete-replaced"]
    assert [s.replaced_by for s in result.steps if s.op == "replace"] == [("source",)]
    # Defaults are computed again: Check is called without old inputs.
    assert [c["olds"] for c in shelf.calls("check") if c["name"] == "a"][1] == {}
    assert shelf.state("a").inputs["nick"] == "nick of y"
    assert result.outputs == {"id": "a2"}


def test_delete_before_replace_deletes_dependents(shelf: Shelf) -> None:
    """Only dependents that would be replaced themselves are deleted with the object."""
    program = """
a = Item("a", source="{}", first=True)
Item("replaced", source=a.id)
Item("updated", label=a.id)
Item("after", opts=Opts(depends_on=[a]))
"""
    shelf.up(program.format("x"))
    shelf.program(program.format("y"))
    assert shelf.stack.preview().changes == {"same": 2, "replace": 2, "update": 1}
    shelf.forget()
    result = shelf.stack.up()
    assert result.changes == {"same": 3, "replace": 2}  # a's id is free, and is used again
    assert shelf.done() == ["delete replaced1", "delete a1", "create a", "create replaced"]
    assert result.ops("a") == ["delete-replaced", "replace", "create-replacement"]
    # Diff of dependents receives unknowns, also in an up.
    diffs = [(c["name"], c["news"]["source"]) for c in shelf.calls("diff") if c["news"].get("source") == "<unknown>"]
    assert diffs == [("replaced", "<unknown>")]


def test_delete_before_replace_overrides_the_provider(shelf: Shelf) -> None:
    """The option of the resource overrides the provider."""
    shelf.up('Item("a", source="x", opts=Opts(delete_before_replace=True))')
    shelf.up('Item("a", source="y", opts=Opts(delete_before_replace=True))')
    assert shelf.done() == ["delete a1", "create a"]


@pytest.mark.parametrize("first", [False, True])
def test_replacement_can_be_requested(first: bool, shelf: Shelf) -> None:
    """Diff is not called, and Check is called once, without old inputs; only the option determines the order."""
    program = f'Item("a", source="x", first=True, opts=Opts(delete_before_replace={first or None}))\nItem("b")'
    shelf.up(program)
    assert shelf.stack.preview(replace=["a"]).changes == {"same": 2, "replace": 1}
    shelf.forget()
    assert shelf.stack.up(replace=["a"]).changes == {"same": 2, "replace": 1}
    assert shelf.done() == (["delete a1", "create a"] if first else ["create a", "delete a1"])
    assert [c["olds"] for c in shelf.calls("check") if c["name"] == "a"] == [{}]
    assert [c["name"] for c in shelf.calls("diff")] == ["b"]


def test_deletes_come_last_and_dependents_first(shelf: Shelf) -> None:
    """Resources that are no longer in the program are deleted after all creates and updates."""
    shelf.up(CHAIN + 'Item("d")')
    result = shelf.up('Item("e")\nItem("d", label="1")')
    assert set(shelf.done()[:2]) == {"create e", "update d1"}
    assert shelf.done()[2:] == ["delete c1", "delete b1", "delete a1"]
    assert result.changes == {"create": 1, "delete": 3, "same": 1, "update": 1}
    shelf.up(CHAIN)
    shelf.forget()
    assert shelf.stack.destroy().changes == {"delete": 4}
    assert shelf.done() == ["delete c1", "delete b1", "delete a1"]


def test_ignored_changes_are_reverted_before_check(shelf: Shelf) -> None:
    """Check receives the old values of ignored properties, including nested ones."""
    program = 'Item("a", label="{0}", tags={{"x": "{0}", "y": "{0}"}}, opts=Opts(ignore_changes=["label", "tags.x"]))'
    shelf.up(program.format("old"))
    assert shelf.up(program.format("new")).changes == {"same": 1, "update": 1}
    (check,) = shelf.calls("check")
    assert check["news"]["label"] == "old"
    assert check["news"]["tags"] == {"x": "old", "y": "new"}


def test_aliases_find_the_old_state(shelf: Shelf) -> None:
    """A new name, a new type and a renamed parent change no object."""
    shelf.up('Item("a")\nItem("b")\nbox = Box("box")\nItem("box-child", opts=Opts(parent=box))')
    parent = shelf.state("box")
    assert shelf.state("box-child").parent == parent.urn
    assert "shelf:index:Box$pulumi-python:dynamic/shelf:Item::box-child" in shelf.state("box-child").urn
    result = shelf.up("""
Item("c", opts=Opts(aliases=[Alias(name="a")]))
Renamed("b", opts=Opts(aliases=[Alias(type_="pulumi-python:dynamic/shelf:Item")]))
crate = Box("crate", opts=Opts(aliases=[Alias(name="box")]))
Item("crate-child", opts=Opts(parent=crate))
""")
    assert shelf.names() == {"c", "b", "crate", "crate-child"}
    assert not {"create", "delete", "replace"} & set(result.changes)
    assert shelf.state("c").id == "a1"
    assert shelf.state("crate-child").id == "box-child1"
    assert shelf.state("crate-child").parent == shelf.state("crate").urn


def test_components_have_outputs(shelf: Shelf) -> None:
    """Outputs of a component come after its registration and replace the old ones."""
    program = 'box = Box("box")\na = Item("a", opts=Opts(parent=box))\nbox.register_outputs({"inner": a.state})'
    shelf.up(program)
    assert shelf.state("box").outputs == {"inner": "state of a1"}
    assert shelf.up(program).changes == {"same": 3}
    shelf.up(program.replace("inner", "other"))
    assert shelf.state("box").outputs == {"other": "state of a1"}


def test_options_that_keep_objects(shelf: Shelf) -> None:
    """protect, retain_on_delete and deleted_with; custom_timeouts are accepted without effect."""
    program = """
a = Item("a", opts=Opts(protect=True))
Item("b", opts=Opts(retain_on_delete=True))
c = Item("c", opts=Opts(custom_timeouts=pulumi.CustomTimeouts(create="10m")))
Item("d", opts=Opts(deleted_with=c))
"""
    shelf.up(program)
    failed = shelf.up("", expect_failure=True)
    assert not failed.ok
    assert "protect" in failed.errors[0]
    assert shelf.names() == {"a"}
    assert shelf.objects() == ["a1", "b1", "d1"]
    failed = shelf.up('Item("a", source="x", opts=Opts(protect=True))', expect_failure=True)
    assert "protect" in failed.errors[0]
    assert shelf.done() == []
    shelf.up('Item("a")')
    assert shelf.up("").changes == {"same": 1, "delete": 1}


def test_resources_with_an_id_are_only_read(shelf: Shelf) -> None:
    """When one is removed from the program, it is removed from state without a delete."""
    shelf.up('Item("a", label="1")')
    program = 'Item("a", label="1")\nother = Item("other", opts=Opts(id="a1"))\nexport("label", other.label)'
    shelf.program(program)
    assert shelf.stack.preview().outputs == {"label": "1"}
    shelf.stack.up()
    assert shelf.state("other").external
    assert shelf.state("other").id == "a1"
    shelf.up('Item("a", label="1")')
    assert shelf.names() == {"a"}
    assert shelf.done() == []


def test_creates_run_concurrently_in_one_host(shelf: Shelf) -> None:
    """Parallel steps are limited by the host's threads."""
    shelf.up('for n in range(6):\n    Item(f"i{n}", mode="slow create")')
    times = {c["name"]: c["at"] for c in shelf.calls("create")}
    ends = [c["at"] for c in shelf.calls("slow create")]
    assert sum(at < min(ends) for at in times.values()) == 4  # the number of the host's threads
    assert len({c["pid"] for c in shelf.calls()}) == 1


@pytest.mark.parametrize("kind", ENGINES)
def test_project_folder_with_main(kind: type[FakeEngineStack | CliStack], tmp_path: Path) -> None:
    """Program and modules are loaded from the folder in `main`; nothing is written there."""
    project = tmp_path / "project"
    (project / "inner").mkdir(parents=True)
    (project / "Pulumi.yaml").write_text("name: given\nruntime: python\nmain: inner\n")
    (project / "inner" / "words.py").write_text("WORD = 'here'\n")
    (project / "inner" / "__main__.py").write_text("import pulumi\nfrom words import WORD\npulumi.export('w', WORD)\n")
    stack = kind(project, work_dir=tmp_path / "work")
    assert stack.up().outputs == {"w": "here"}
    assert stack.resources[0].urn == "urn:pulumi:dev::given::pulumi:pulumi:Stack::given-dev"
    assert sorted(path.name for path in project.iterdir()) == ["Pulumi.yaml", "inner"]


def test_fake_engine_rejects_unsupported_features(tmp_path: Path) -> None:
    """The message names the feature."""
    shelf = Shelf(FakeEngineStack, tmp_path)
    for text, words in {
        'pulumi.ProviderResource("pulumi-python", "p", {})': "explicit provider resources",
        'pulumi.CustomResource("aws:s3:Bucket", "b", {})': "dynamic resources only",
        'Item("a", opts=Opts(import_="x"))': "the option `import_`",
    }.items():
        with pytest.raises(StackError, match=words):
            shelf.up(text)
