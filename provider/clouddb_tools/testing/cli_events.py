"""Reader of the CLI's event log."""

from __future__ import annotations

import json
from typing import Any

from pulumi_clouddb.engine.wire import codec, urns

from .result import Diagnostic, Result, Step
from .stack import Progress


class EventReader:
    """Adds the events of the log to a result."""

    def __init__(self, operation: str, progress: Progress | None) -> None:
        self.result = Result(operation)
        self._progress = progress or (lambda _: None)

    def line(self, text: str) -> None:
        """Process one line of the log."""
        event = json.loads(text)
        if "diagnosticEvent" in event:
            self._diagnostic(event["diagnosticEvent"])
        elif "resourcePreEvent" in event:
            metadata = event["resourcePreEvent"]["metadata"]
            # Components have no event at their end, and their outputs have one of their own.
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
        diagnostic = Diagnostic(severity.partition("#")[0], message, event.get("urn", ""))
        if diagnostic.severity == "info" and not event.get("prefix"):
            self.result.stdout.extend(message.splitlines())
        else:
            self.result.diagnostics.append(diagnostic)
        self._progress(diagnostic)

    def _step(self, metadata: dict[str, Any]) -> None:
        if metadata["type"].startswith(urns.PROVIDERS):
            return
        urn, replaced_by = metadata["urn"], tuple(metadata.get("keys") or ())
        step = Step(metadata["op"], urn, metadata["type"], urns.name(urn), _changed(metadata), replaced_by)
        self.result.steps.append(step)
        self._progress(step)


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
