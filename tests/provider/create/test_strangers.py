"""A create without a response when another client creates an object of the same kind.

Our request never arrives, and at that moment a colleague creates an equal object, one that differs only in properties
that no response contains, or one that differs visibly. The process continues, or dies. The expected results are derived
from the declarations by `codegen.evidence`, which also writes them to docs/reliability-tests.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from codegen.evidence import Proof, proofs
from lives.life import Inputs, fill, own_id
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.verdicts import Verdict
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from support.clock import FakeClock
from support.sessions import ProviderProcess, config_for, config_of

PROOFS = {(proof.resource, proof.dialect.value): proof for proof in proofs()}

UNSEEN: Mapping[str, Inputs] = {
    "Service": {"privatePreviewTermsChecked": True},
    "Pipe": {"credentials": {"username": "mine", "password": "mine"}},
    "PrivateEndpoint": {"serviceId": "$other_id"},
    "UserDefinedFunction": {"files": {"main.py": "import os"}},
    "ByocInfrastructure": {"externalId": "ch-of-somebody"},
    "Connection": {"password": "mine"},
    "Webhook": {"headers": {"x-team": "mine"}},
}
"""Other values of properties that no response contains, in a colleague's otherwise equal object."""

OURS: Mapping[str, Inputs] = {"Service": {"privatePreviewTermsChecked": False}, "UdfAttachment": {"version": 2}}
"""Values of our object from which a colleague's object can differ."""

URN = "urn:pulumi:dev::shop::Kind::it"
CONFIG = {"requestTimeoutSeconds": 20, "retryTimeoutSeconds": 1, "pollIntervalSeconds": 2}
"""Waits take no time: it suffices for a busy machine that the server may carry out a request for 28 seconds."""


class Died(BaseException):
    """Raised in place of the death of a process."""


@dataclass(frozen=True)
class Meeting:
    """A create that meets an object of a colleague.

    Attributes:
        wire: The life whose object is created.
        dialect: The dialect of the server.
        stranger: How the other object differs: `equal`, `unseen` or `visible`.
        dies: Whether the process dies before the next run finds the object.
    """

    wire: WireLife
    dialect: str
    stranger: str
    dies: bool

    def __str__(self) -> str:
        """Return the id of the test case."""
        return f"{self.wire.name}-{self.dialect}-{self.stranger}{'-dies' if self.dies else ''}"

    @property
    def takes_long(self) -> bool:
        """Whether a run polls until the server cannot carry out the request any more."""
        return self.dies or self.stranger == "visible"

    @property
    def proof(self) -> Proof:
        """The evidence that an object of this kind belongs to the resource."""
        return PROOFS[self.wire.life.name, self.dialect]


def _meetings() -> Iterator[Meeting]:
    for wire in WIRE_LIVES:
        for dialect in ("neutral", "clickhouse"):
            proof = PROOFS.get((wire.life.name, dialect))
            if proof is None or wire.life.stays or wire.life.only not in (None, dialect):
                continue
            for stranger in ("equal", *(("unseen",) if proof.hidden and not proof.mark else ()), "visible"):
                yield from (Meeting(wire, dialect, stranger, dies) for dies in (False, True))


MEETINGS = list(_meetings())


def _inputs_of_stranger(meeting: Meeting, ours: Inputs, names: Mapping[str, str]) -> Inputs:
    life = meeting.wire.life
    if meeting.stranger == "equal":
        return ours
    if meeting.stranger == "visible":
        return {**ours, **{name: _merged(ours.get(name), value) for name, value in life.of_others.items()}}
    if life.name == "Dashboard":
        return json.loads(json.dumps(ours).replace('"aggFn": "count"', '"aggFn": "sum"'))  # type: ignore[no-any-return]
    return {**ours, **fill(UNSEEN[life.name], names)}


def _merged(ours: Any, other: Any) -> Any:
    return {**ours, **other} if isinstance(ours, dict) and isinstance(other, dict) else other


class Scene:
    """The server and the processes of one meeting."""

    def __init__(self, meeting: Meeting, sandbox: Sandbox, folder: Path, clock: FakeClock) -> None:
        self.meeting, self.sandbox, self.folder, self.clock = meeting, sandbox, folder, clock
        life = meeting.wire.life
        names = dict(life.setting(sandbox))
        if "other_id" in str(UNSEEN.get(life.name)):
            names["other_id"] = str(sandbox.add("services", name="other", provider="aws", region="us-east-1")["id"])
        self.ours = fill(meeting.wire.before, names)
        if meeting.stranger != "equal":
            self.ours = {**self.ours, **OURS.get(life.name, {})}
        self.other = _inputs_of_stranger(meeting, self.ours, names)
        self.before = set(self.objects)
        self.id = ""
        self.record: Any = None

    @property
    def objects(self) -> Mapping[str, Any]:
        """The objects of the kind on the server."""
        objects: Mapping[str, Any] = self.sandbox.objects(self.meeting.wire.life.kind)
        return objects

    def sleep(self, seconds: float) -> None:
        """Advance the clocks of this machine and of the server."""
        self.clock.sleep(seconds)
        self.sandbox.advance(seconds)

    def process(self, sleep: Callable[[float], None] | None = None) -> ProviderProcess:
        """Start one of our processes."""
        return ProviderProcess(config_for(self.sandbox, **CONFIG), self.folder, sleep=sleep or self.sleep)

    def stranger(self) -> None:
        """Create the other object, on another machine and for another stack."""
        self.sandbox.clear_faults()
        config = config_for(self.sandbox, **CONFIG)
        folder = self.folder / "colleague"
        colleague = ProviderProcess(config, folder, sleep=self.sleep, scope="other", stack="other")
        kind = self.meeting.wire.life.kind
        object_id, _ = colleague.create(self.meeting.wire.life.name, self.other, urn="urn:pulumi:other::p::Kind::it")
        self.id = own_id(kind, object_id)
        self.record = json.dumps(self.objects[self.id], sort_keys=True, default=str)

    def is_untouched(self) -> bool:
        """Return whether the other object is unchanged."""
        return bool(json.dumps(self.objects.get(self.id), sort_keys=True, default=str) == self.record)

    def create(self, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
        """Create the object, whose request never arrives; return the outcome, and the error if it was rejected."""
        name, create = self.meeting.wire.life.name, self.meeting.wire.operations[0]
        self.sandbox.fault(create, "status", status=502, times=None)

        def sleep(seconds: float) -> None:
            self.sleep(seconds)
            if not self.id and self.sandbox.count(create):
                self.stranger()

        def die(*_: object) -> None:
            if self.sandbox.count(create):
                raise Died  # as soon as the connection breaks

        process = self.process(sleep)
        try:
            if self.meeting.dies:
                monkeypatch.setattr(process.api.lists, "invalidate", die)
                with pytest.raises(Died):
                    process.create(name, self.ours, urn=URN)
                self.stranger()
                process = self.process()
            object_id = self._created(process)
        except ResourceError as error:
            return ("refused" if "nothing proves" in str(error) else "taken"), str(error)
        taken = own_id(self.meeting.wire.life.kind, object_id) == self.id or self.id not in self.objects
        return ("adopted" if taken else "created"), ""  # a key without a secret is deleted and created again

    def _created(self, process: ProviderProcess) -> str:
        name = self.meeting.wire.life.name
        try:
            return process.create(name, self.ours, urn=URN)[0]
        except ResourceError as error:
            if "Run again: the next run checks once more" not in str(error):
                raise
        return self.process().create(name, self.ours, urn=URN)[0]

    def expected(self) -> str:
        """Return the expected outcome."""
        meeting, proof = self.meeting, self.meeting.proof
        verdict = Verdict.NOT_OURS
        if meeting.stranger != "visible":
            verdict = proof.verdict(carries_hidden=bool(proof.carried(self.ours)), died=meeting.dies)
        outcomes = {Verdict.OURS: "adopted", Verdict.CANNOT_TELL: "refused"}
        return outcomes.get(verdict, "taken" if proof.is_unique else "created")


def follow_advice(scene: Scene, error: str) -> None:
    """Follow the advice of an error, in one of two ways, and assert that the next run succeeds."""
    life, (record,) = scene.meeting.wire.life, [*(scene.folder / "pending").glob("*.json")]
    if scene.meeting.dies and life.name != "ApiKey":  # "Import the one that is yours"
        where = fill(scene.meeting.wire.where, {"service_id": str(scene.ours.get("serviceId")), "id": scene.id})
        session = scene.process().for_resource(URN)
        object_id, live = lifecycle.read(session, RESOURCES[life.name], where, {}, {})
        assert live is not None
        lifecycle.diff(session, RESOURCES[life.name], object_id, live.state, scene.ours)
        assert not record.exists()
        return
    assert f"If none is yours, delete {record}. Then run again." in error
    record.unlink()
    process = scene.process()
    if scene.meeting.proof.is_unique:
        with pytest.raises(ResourceError, match=f"exists already, with the id {scene.id}"):
            process.create(life.name, scene.ours, urn=URN)
    else:
        assert process.create(life.name, scene.ours, urn=URN)[0] != scene.id
    assert scene.is_untouched()


@pytest.fixture
def scene(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Scene]:
    """Return the scene of a meeting."""
    meeting: Meeting = request.param
    with Sandbox(vocabulary=meeting.dialect) as sandbox:
        yield Scene(meeting, sandbox, tmp_path, clock)


@pytest.mark.parametrize(
    "scene",
    [pytest.param(each, id=str(each), marks=pytest.mark.slow if each.takes_long else ()) for each in MEETINGS],
    indirect=True,
)
def test_only_our_object_is_adopted(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only an equal object is adopted, and only if responses contain all that was sent; others are not changed."""
    outcome, error = scene.create(monkeypatch)
    detail = f"{scene.meeting}: {outcome} {error}"
    assert (outcome, scene.meeting.stranger == "unseen" and outcome == "adopted") == (scene.expected(), False), detail
    if outcome != "adopted":
        assert scene.is_untouched(), detail
    if outcome in ("refused", "taken"):
        assert scene.id in error
    if outcome == "refused":
        follow_advice(scene, error)


@pytest.mark.parametrize("wire", WIRE_LIVES, ids=lambda wire: wire.name)
@pytest.mark.parametrize("dialect", ["neutral", "clickhouse"])
def test_properties_that_no_response_contains(wire: WireLife, dialect: str, tmp_path: Path, clock: FakeClock) -> None:
    """The table lists exactly the sent properties that the response for our own object lacks."""
    proof = PROOFS.get((wire.life.name, dialect))
    if proof is None or wire.life.stays or proof.mark or wire.life.only not in (None, dialect):
        pytest.skip("nothing is compared")
    with Sandbox(vocabulary=dialect) as sandbox:
        inputs = fill(wire.before, wire.life.setting(sandbox))
        process = ProviderProcess(config_for(sandbox, **CONFIG), tmp_path, sleep=clock.sleep)
        sandbox.fault(wire.operations[0], "lose")
        try:
            process.create(wire.life.name, inputs, urn=URN)
            error = ""
        except ResourceError as refused:
            error = str(refused)
    match = re.search(r"no response shows its (.+) as sent", error)
    assert set(match[1].split(", ") if match else ()) == proof.carried(inputs), error


@pytest.mark.parametrize("dialect", ["neutral", "clickhouse"])
def test_mark_matches_the_table(dialect: str, tmp_path: Path) -> None:
    """A collection marks its creates exactly if the table says so."""
    session = ProviderProcess(config_of(vocabulary=dialect), tmp_path)
    for name, proof in ((name, proof) for (name, own), proof in PROOFS.items() if own == dialect):
        collection = session.api.of(RESOURCES[name].collection)
        assert bool(collection.mark("0" * 32)) is bool(proof.mark), name
