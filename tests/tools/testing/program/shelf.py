"""A dynamic provider whose cloud is a folder: an object is a JSON file, and every call is recorded in calls.jsonl.

The environment variable SHELF has the path of the folder. An item's `mode` selects calls that fail or take long.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import pulumi
from pulumi import dynamic
from pulumi.output import Unknown
from pulumi.runtime.rpc import wrap_rpc_secret

OUTPUTS = ("state", "token", "nick")
IMMUTABLE = ("source",)
SLOW_SECONDS = 0.6


def _folder() -> Path:
    return Path(os.environ["SHELF"])


def _known(value: Any) -> Any:
    if isinstance(value, Unknown):
        return "<unknown>"
    if isinstance(value, dict):
        return {key: _known(inner) for key, inner in value.items() if key != "__provider"}
    return [_known(inner) for inner in value] if isinstance(value, list) else value


def _record(call: str, props: dict[str, Any], **more: Any) -> None:
    entry = {"call": call, "name": props.get("name"), "pid": os.getpid(), "at": time.monotonic(), **_known(more)}
    descriptor = os.open(_folder() / "calls.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, f"{json.dumps(entry)}\n".encode())
    os.close(descriptor)


def _file(id_: str) -> Path:
    return _folder() / f"{id_}.json"


def _store(id_: str, props: dict[str, Any]) -> dict[str, Any]:
    stored = {key: value for key, value in props.items() if key not in ("__provider", *OUTPUTS)}
    _file(id_).write_text(json.dumps(stored))
    return {**stored, "nick": props.get("nick"), "state": f"state of {id_}", "token": wrap_rpc_secret(f"token-{id_}")}


def _fail_or_wait(call: str, props: dict[str, Any]) -> None:
    if props.get("mode") == f"slow {call}":
        time.sleep(SLOW_SECONDS)
        _record(f"slow {call}", props)
    if props.get("mode") == f"hang {call}":
        time.sleep(60)
    if props.get("mode") == f"fail {call}" or (_folder() / f"fail-{call}-{props.get('name')}").exists():
        raise RuntimeError(f"{call} of {props['name']} went wrong")


class LazyProvider(dynamic.ResourceProvider):
    """A provider without Check and Diff: the engine compares inputs."""

    serialize_as_secret_always = False

    def __init__(self, version: int = 1) -> None:
        super().__init__()
        self.version = version

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Create an object with the first free id."""
        _record("create", props, news=props)
        _fail_or_wait("create", props)
        number = 1
        while True:
            id_ = f"{props['name']}{number}"
            try:
                _file(id_).touch(exist_ok=False)
                return dynamic.CreateResult(id_, _store(id_, props))
            except FileExistsError:
                number += 1

    def read(self, id_: str, props: dict[str, Any]) -> dynamic.ReadResult:
        """Read an object; `nick` and `token` come from state."""
        _record("read", props, id=id_)
        _fail_or_wait("read", props)
        if not _file(id_).exists():
            return dynamic.ReadResult(None, {})
        live = json.loads(_file(id_).read_text())
        outs = {**live, "nick": props.get("nick"), "state": f"state of {id_}", "token": props.get("token")}
        return dynamic.ReadResult(id_, outs, {**live, "nick": props.get("nick")})

    def update(self, id_: str, olds: dict[str, Any], news: dict[str, Any]) -> dynamic.UpdateResult:
        """Overwrite an object."""
        _record("update", news, id=id_, olds=olds, news=news)
        _fail_or_wait("update", news)
        return dynamic.UpdateResult(_store(id_, news))

    def delete(self, id_: str, props: dict[str, Any]) -> None:
        """Remove an object."""
        _record("delete", props, id=id_)
        _fail_or_wait("delete", props)
        _file(id_).unlink(missing_ok=True)


class ItemProvider(LazyProvider):
    """A provider with Check and Diff."""

    def configure(self, req: dynamic.ConfigureRequest) -> None:
        """Record the configuration."""
        shown = {key: req.config.get(key) for key in ("size", "other:thing", "password")}
        _record("configure", {}, config=shown)

    def check(self, olds: dict[str, Any], news: dict[str, Any]) -> dynamic.CheckResult:
        """Set `nick`, from the old inputs if there are any."""
        _record("check", news, olds=olds, news=news)
        failures = []
        if news.get("mode") == "bad":
            failures.append(dynamic.CheckFailure("mode", "bad is not a mode"))
        nick = olds.get("nick") or f"nick of {news.get('source')}"
        return dynamic.CheckResult({**news, "nick": nick}, failures)

    def diff(self, id_: str, olds: dict[str, Any], news: dict[str, Any]) -> dynamic.DiffResult:
        """Compare all properties except a few."""
        _record("diff", news, id=id_, olds=olds, news=news)
        compared = [key for key in {**olds, **news} if key not in ("__provider", "note", "mode", *OUTPUTS)]
        changed = [key for key in compared if _known(olds.get(key)) != _known(news.get(key))]
        return dynamic.DiffResult(
            changes=bool(changed),
            replaces=[key for key in changed if key in IMMUTABLE],
            delete_before_replace=bool(news.get("first")),
        )


class Item(dynamic.Resource, module="shelf", name="Item"):
    """An object on the shelf."""

    label: pulumi.Output[Any]
    source: pulumi.Output[Any]
    state: pulumi.Output[str]
    token: pulumi.Output[str]

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None, **props: Any) -> None:
        outputs = dict.fromkeys(OUTPUTS)
        super().__init__(self.provider(), name, {"name": name, **outputs, "label": None, "source": None, **props}, opts)

    def provider(self) -> dynamic.ResourceProvider:
        """Return the provider of this class."""
        return ItemProvider()


class Renamed(Item, module="shelf", name="Renamed"):
    """The same object under another type."""


class Lazy(Item, module="shelf", name="Lazy"):
    """An object whose inputs the engine compares."""

    version = 1

    def provider(self) -> dynamic.ResourceProvider:
        """Return the provider of this class."""
        return LazyProvider(type(self).version)


class Box(pulumi.ComponentResource):
    """A component."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("shelf:index:Box", name, None, opts)
