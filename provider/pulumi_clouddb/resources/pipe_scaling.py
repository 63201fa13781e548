"""The scaling of an existing pipe: an override that remembers what it found and puts it back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_clouddb.api.errors import Gone, MaybeDone, ResourceError
from pulumi_clouddb.api.operations import OPERATIONS
from pulumi_clouddb.models.base import wire_names
from pulumi_clouddb.models.pipe import PipeResponse
from pulumi_clouddb.models.pipe_scaling import PIPE_SCALING, OnScalingDelete, ScalingBody

from .base import MANAGED, Live, ResourceHandler, State, parse
from .overrides import changed_or_forgotten, remember
from .session import Session

FIELDS = wire_names(ScalingBody)


class PipeScalingHandler(ResourceHandler):
    """A scaling; its id is `serviceId/pipeId`."""

    type = PIPE_SCALING

    def create(self, session: Session, inputs: State) -> tuple[str, State]:
        """Read the pipe, remember its scaling, then send the new one."""
        where = (inputs["serviceId"], inputs["pipeId"])
        try:
            answer = session.client.call(OPERATIONS["get_pipe"], service_id=where[0], pipe_id=where[1])
        except Gone as error:
            raise ResourceError(
                f"pipe {where[1]} of service {where[0]} does not exist: {error.words}",
                "Check pipeId and serviceId; getPipe and the console show them.",
            ) from None
        pipe = parse(PipeResponse, answer)
        if answer.get("scaling") and not pipe.get("scaling"):
            raise ResourceError(
                f"the scaling of pipe {where[1]} cannot be read, so that it could not be put back one day",
                "Nothing was changed. Run again; if it stays so, look at what the server answers.",
            )
        wanted = {name: inputs[name] for name in FIELDS if name in inputs}
        object_id = "/".join(where)
        original = remember(session, object_id, _scaling(pipe), wanted, lambda _, value: value)
        pipe = changed_or_forgotten(session, lambda: self._send(session, where, wanted))
        return object_id, self._state(inputs, pipe, original)

    def imported(self, session: Session, object_id: str, hints: Mapping[str, Any]) -> tuple[str, Live]:  # noqa: ARG002
        """Take over a pipe's scaling as it is; that is also what destroying puts back."""
        where = _where(object_id)
        try:
            pipe = _read(session, *where)
        except Gone:
            raise self.missing(object_id) from None
        scaling = _scaling(pipe)
        inputs = self.importable(session, {"serviceId": where[0], "pipeId": where[1]}, scaling)
        return object_id, Live(self._state(inputs, pipe, scaling), inputs)

    def affected(self, old: Mapping[str, Any], changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Name what the server reports of the pipe; what was found at first stays."""
        return ("pipeState", "effectiveScaling", *(name for name in FIELDS if name in old))

    def read(self, session: Session, object_id: str, state: State) -> Live | None:
        """Read the pipe: a documented operation, so it works everywhere."""
        where = _where(object_id)
        try:
            pipe = _read(session, *where)
        except Gone:
            try:  # no list says so, too, and what was found at first would be forgotten with the override
                pipe = _read(session, *where)
            except Gone:
                return None
        managed = state.get(MANAGED, FIELDS)
        return self.live(
            {"serviceId": where[0], "pipeId": where[1], **state},
            {name: value for name, value in _scaling(pipe).items() if name in managed},
            **_around(pipe),
            originalScaling=state.get("originalScaling"),
        )

    def update(self, session: Session, object_id: str, old: State, new: State) -> State:
        """Send what changed; a field that was taken out gets back what was found."""
        original = old.get("originalScaling") or {}
        changed = self.changed(old, new)
        body = {name: new.get(name, original.get(name)) for name in changed if name in FIELDS}
        body = {name: value for name, value in body.items() if value is not None}
        where = _where(object_id)
        pipe = self._send(session, where, body) if body else _read(session, *where)
        return self._state(new, pipe, original)

    def delete(self, session: Session, object_id: str, state: State) -> None:
        """Put back what was found, for the fields this override set; a pipe that is gone needs nothing."""
        if state.get("onDelete") == OnScalingDelete.RETAIN:
            return
        original = state.get("originalScaling") or {}
        body = {name: original[name] for name in FIELDS if state.get(name) is not None and name in original}
        body = {name: value for name, value in body.items() if value != state.get(name)}
        if not body:
            return
        where = _where(object_id)
        try:
            self._send(session, where, body)
        except Gone as error:
            try:
                _read(session, *where)
            except Gone:
                return
            raise error from None  # one 404 is not enough to leave the pipe as it is

    def _send(self, session: Session, where: tuple[str, str], body: Mapping[str, Any]) -> State:
        """Send a scaling; if the answer is lost, the pipe itself says whether it took."""
        if not body:
            return _read(session, *where)
        try:
            answer = session.client.call(OPERATIONS["scale_pipe"], body, service_id=where[0], pipe_id=where[1])
        except MaybeDone:
            session.response_was_lost()
            pipe = _read(session, *where)
            scaling = _scaling(pipe)
            if any(not self.same(name, scaling.get(name), value) for name, value in body.items()):
                raise
            return pipe
        return parse(PipeResponse, answer)

    def _state(self, inputs: State, pipe: State, original: Mapping[str, Any]) -> State:
        return self.state(inputs, {}, **_around(pipe), originalScaling=dict(original))


def _read(session: Session, service_id: str, pipe_id: str) -> State:
    return parse(PipeResponse, session.client.call(OPERATIONS["get_pipe"], service_id=service_id, pipe_id=pipe_id))


def _around(pipe: Mapping[str, Any]) -> State:
    return {"pipeName": pipe.get("name"), "pipeState": pipe.get("state"), "effectiveScaling": _scaling(pipe)}


def _scaling(pipe: Mapping[str, Any]) -> State:
    """Return the scaling that the server reports.

    A replica of no CPU or memory is a server that has not measured yet, as happens right after a change: not reported.
    """
    scaling = pipe.get("scaling") or {}
    return {
        name: value for name, value in scaling.items() if value is not None and (value > 0 or name == "concurrency")
    }


def _where(object_id: str) -> tuple[str, str]:
    service_id, slash, pipe_id = object_id.partition("/")
    if not slash or not service_id or not pipe_id or "/" in pipe_id:
        raise ResourceError(f"{object_id!r} is not the id of a PipeScaling", "It is written serviceId/pipeId.")
    return service_id, pipe_id
