"""The CLI's event log, read into a Result."""

from __future__ import annotations

import json
from typing import Any

from pulumi_clouddb.engine.wire import codec, urns

from .result import Diagnostic, Result, Step
from .stack import Progress


class EventReader:
    """Adds events to a result as they come."""

    def __init__(self, operation: str, progress: Progress | None) -> None:
        self.result = Result(operation)
        self._progress = progress

    def line(self, text: str) -> None:
        """Take one line of the log."""
        event = json.loads(text)
        if "diagnosticEvent" in event:
            self._diagnostic(event["diagnosticEvent"])
        elif "resourcePreEvent" in event:
            metadata = event["resourcePreEvent"]["metadata"]
            # Components come without an event of their end, but with one at their outputs.
            if not self._custom(metadata) and metadata["op"] != "refresh":
                self._step(metadata)
        elif "resOutputsEvent" in event:
            metadata = event["resOutputsEvent"]["metadata"]
            if metadata["type"] == urns.ROOT_TYPE:
                self.result.outputs = codec.read((metadata.get("new") or {}).get("outputs") or {})
            if self._custom(metadata) or self.result.operation == "refresh":
                self._step(metadata)
        elif "summaryEvent" in event:
            self.result.changes = dict(event["summaryEvent"]["resourceChanges"])

    @staticmethod
    def _custom(metadata: dict[str, Any]) -> bool:
        return bool((metadata.get("new") or metadata.get("old") or {}).get("custom"))

    def _diagnostic(self, event: dict[str, Any]) -> None:
        severity, message = event["severity"], event["message"].rstrip("\n")
        if severity == "debug" or event.get("ephemeral") or not message:
            return
        found = Diagnostic(severity.partition("#")[0], message, event.get("urn", ""))
        if found.severity == "info" and not event.get("prefix"):
            self.result.stdout.extend(message.splitlines())
        else:
            self.result.diagnostics.append(found)
        self._tell(found)

    def _step(self, metadata: dict[str, Any]) -> None:
        if metadata["type"].startswith(urns.PROVIDERS):
            return
        urn = metadata["urn"]
        step = Step(
            metadata["op"],
            urn,
            metadata["type"],
            urns.name(urn),
            _changed(metadata),
            tuple(metadata.get("keys") or ()),
        )
        self.result.steps.append(step)
        self._tell(step)

    def _tell(self, event: Step | Diagnostic) -> None:
        if self._progress is not None:
            self._progress(event)


def _changed(metadata: dict[str, Any]) -> tuple[str, ...]:
    old, new = metadata.get("old"), metadata.get("new")
    if not old or not new:
        return ()
    parts = ("inputs", "outputs") if metadata["op"] == "refresh" else ("inputs",)
    names: set[str] = set()
    for part in parts:
        before, after = old.get(part) or {}, new.get(part) or {}
        names |= {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    return tuple(sorted(name for name in names if not name.startswith("__")))
