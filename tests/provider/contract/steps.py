"""The requests of cases. Values may contain names such as `$pipe_id`, and `$id` for the object's id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clouddb_tools.sandbox import Sandbox
from support.grpc_driver import Diffed, Later, NotReadyError, Outputs

from .case import Run, Step, Values


def check(inputs: Values, **expected: Any) -> Step:
    """Check inputs together with the object's old inputs."""
    return _step("check", lambda run: run.driver.check(run.resource, run.fill(inputs), run.inputs), expected)


def diff(inputs: Values, *, old_inputs: bool = True, **expected: Any) -> Step:
    """Diff the object's state and inputs, with or without its old inputs."""

    def act(run: Run) -> Diffed:
        return run.driver.diff(
            run.resource, run.id or "id", run.state, run.fill(inputs), run.inputs if old_inputs else {}
        )

    return _step("diff", act, expected)


def diff_of_itself(**expected: Any) -> Step:
    """Diff the object's state and its own inputs."""
    return _step("diff", lambda run: run.driver.diff(run.resource, run.id, run.state, run.inputs, run.inputs), expected)


def create(inputs: Values, *, timeout: float = 0, **expected: Any) -> Step:
    """Create the object, and store its state even if it is not ready."""

    def act(run: Run) -> Outputs:
        run.inputs = run.fill(inputs)
        return _store(run, lambda: run.driver.create(run.resource, run.inputs, timeout=timeout))

    return _step("create", act, expected)


def preview_create(inputs: Values, **expected: Any) -> Step:
    """Preview the create."""

    def act(run: Run) -> Outputs:
        news = run.fill(inputs)
        if not run.driver.configured.supportsPreview:
            return _preview_of_the_engine("", news)
        return run.driver.create(run.resource, news, preview=True)

    return _step("preview of create", act, expected)


def update(inputs: Values, *, timeout: float = 0, **expected: Any) -> Step:
    """Update the object."""

    def act(run: Run) -> Outputs:
        news = run.fill(inputs)
        outputs = _store(run, lambda: run.driver.update(run.resource, run.id, run.state, news, timeout=timeout))
        run.inputs = news
        return outputs

    return _step("update", act, expected)


def preview_update(inputs: Values, **expected: Any) -> Step:
    """Preview the update."""

    def act(run: Run) -> Outputs:
        news = run.fill(inputs)
        if not run.driver.configured.supportsPreview:
            return _preview_of_the_engine(run.id, news)
        return run.driver.update(run.resource, run.id, run.state, news, preview=True)

    return _step("preview of update", act, expected)


def refresh(**expected: Any) -> Step:
    """Read the object by its state, and store the result."""

    def act(run: Run) -> Outputs:
        outputs = run.driver.read(run.resource, run.id, run.state, run.inputs)
        if outputs.id:
            run.state, run.inputs = outputs.outputs, outputs.inputs or {}
        return outputs

    return _step("refresh", act, expected)


def get(id_: str, inputs: Values | None = None, **expected: Any) -> Step:
    """Read an object that the program refers to by id."""
    return _read("get", lambda run: run.driver.read(run.resource, run.fill(id_), {}, run.fill(inputs or {})), expected)


def import_(id_: str, **expected: Any) -> Step:
    """Import an object."""
    return _read("import", lambda run: run.driver.import_(run.resource, run.fill(id_)), expected)


def delete(**expected: Any) -> Step:
    """Delete the object."""
    return _step("delete", lambda run: run.driver.delete(run.resource, run.id, run.state), expected)


def invoke(function: str, arguments: Values, **expected: Any) -> Step:
    """Call a function."""
    return _step(function, lambda run: run.driver.invoke(function, run.fill(arguments)), expected)


def check_config(news: Values, **expected: Any) -> Step:
    """Check a configuration."""
    return _step("check of the configuration", lambda run: run.driver.check_config(news), expected)


def create_and_cancel(inputs: Values, until: Callable[[Sandbox], bool], then: Callable[[Sandbox], object]) -> Step:
    """Create, cancel once `until` returns true, and call `then` once the create has ended or polls again."""

    def act(run: Run) -> Outputs:
        run.inputs = run.fill(inputs)
        creating = Later(run.driver.create, run.resource, run.inputs)
        while not until(run.sandbox):
            creating.join(0.01)
        run.driver.cancel()
        _until_it_polls(run, creating)
        then(run.sandbox)
        return _store(run, creating.result)

    return Step("create and cancel", act)


def create_in_time(inputs: Values, timeout: float, then: Callable[[Sandbox], object]) -> Step:
    """Create with customTimeouts, and call `then` once the create has ended or polls after twice that time."""

    def act(run: Run) -> Outputs:
        run.inputs = run.fill(inputs)
        creating = Later(run.driver.create, run.resource, run.inputs, timeout=timeout)
        creating.join(2 * timeout)
        _until_it_polls(run, creating)
        then(run.sandbox)
        return _store(run, creating.result)

    return Step("create with customTimeouts", act)


def _until_it_polls(run: Run, creating: Later) -> None:
    """Wait until a create has ended, or has polled twice: the first poll may have been pending."""
    polls = run.sandbox.count("list_services")
    while creating.is_alive() and run.sandbox.count("list_services") < polls + 2:
        creating.join(0.01)


def cancel() -> Step:
    """Send Cancel without a pending operation."""
    return Step("cancel", lambda run: run.driver.cancel())


def has(inputs: Values, id_: str = "id", /, **outputs: Any) -> Step:
    """Set state to an object with these inputs and outputs."""

    def act(run: Run) -> None:
        run.id, run.inputs = run.fill(id_), run.fill(inputs)
        run.state = {**run.fill(outputs), **run.inputs, "__managed": sorted(run.inputs)}

    return Step("state", act)


def change(make: Callable[[Run], object]) -> Step:
    """Change something directly on the server, or check it."""

    def act(run: Run) -> None:
        make(run)

    return Step("the server's objects change", act)


def from_here_on() -> Step:
    """Start counting the requests that the case checks."""

    def act(run: Run) -> None:
        run.before = run.sandbox.count()

    return Step("from here on", act)


def nothing_sent() -> Step:
    """Assert that nothing was sent since `from_here_on`."""

    def act(run: Run) -> None:
        assert run.sandbox.count() == run.before

    return Step("nothing is sent", act)


def nothing_written() -> Step:
    """Assert that only reads were sent since `from_here_on`."""

    def act(run: Run) -> None:
        assert {each.method for each in run.sandbox.requests[run.before :]} <= {"GET"}

    return Step("nothing is written", act)


def later_command() -> Step:
    """Continue as a later command: caches are empty."""

    def act(run: Run) -> None:
        run.warnings += run.driver.warnings
        name = "clouddb:requestTimeoutSeconds"
        run.driver.configure({**run.driver.config, name: str(int(run.driver.config.get(name, "60")) - 1)})

    return Step("a later command", act)


def fault(operation: str, kind: str, **details: Any) -> Step:
    """Add a fault to the server."""
    return change(lambda run: run.sandbox.fault(operation, kind, **details))


def _step(what: str, act: Callable[[Run], Any], expected: Values) -> Step:
    return Step(what, act, expected.pop("fails", None), expected)


def _read(what: str, read: Callable[[Run], Outputs], expected: Values) -> Step:
    def act(run: Run) -> Outputs:
        outputs = read(run)
        run.id, run.state, run.inputs = outputs.id, outputs.outputs, outputs.inputs or {}
        return outputs

    return _step(what, act, expected)


def _store(run: Run, call: Callable[[], Outputs]) -> Outputs:
    try:
        outputs = call()
    except NotReadyError as error:
        run.id, run.state = error.outputs.id, error.outputs.outputs
        raise
    run.id, run.state = outputs.id, outputs.outputs
    return outputs


def _preview_of_the_engine(id_: str, inputs: Values) -> Outputs:
    """Return the engine's own preview for a provider without previews: the inputs."""
    return Outputs(id_, inputs, frozenset())
