"""A server with the objects of an entry, and the processes of a machine that use it."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import SandboxControl, remote
from clouddb_tools.sandbox.settings import Clock, Settings
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.memory import MemorySandbox
from support.sessions import ProviderProcess, config_of

from .entry import Entry

WRITES = ("POST", "PUT", "PATCH")


class Restored(httpx.BaseTransport):
    """A sandbox in memory, and the machine of `folder`.

    Args:
        dialect: The dialect of the server.
        folder: The folder of the machine.
        patch: Connects the control of the sandbox.
        ahead: Seconds by which the clock of the server is ahead of that of the machine.

    Attributes:
        requests: What the processes have sent.
        dies: Whether a process dies after the next write.
    """

    def __init__(self, dialect: VocabularyName, folder: Path, patch: pytest.MonkeyPatch, ahead: float = 0.0) -> None:
        clock = Clock(lambda: time.time() + ahead)
        # Creates derive secrets from the credentials, which must be the same later.
        self._sandbox = MemorySandbox(Settings(vocabulary=dialect), clock, random.Random(0))  # noqa: S311
        self._folder = folder
        self._sandbox.reset()  # ids are other ones each time, as a new object must not replace an old one
        self.requests: list[str] = []
        self.dies = False
        patch.setattr(remote, "_client", lambda url, **more: httpx.Client(base_url=url, transport=self, **more))

    def restore(self, entry: Entry) -> None:
        """Put the objects and the files of an entry where they were."""
        state = self._sandbox.state
        state.identity = replace(state.identity, organizationId=entry.organization)
        for kind, id_, parent, document in entry.objects:
            state.store.put(kind, id_, document, parent)
        for name, text in entry.files.items():
            file = self._folder / "pending" / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Respond to a request, unless the process dies before the response."""
        self.requests.append(f"{request.method} {request.url.path}")
        response = self._sandbox.request(request.method, request.url.path, request.headers, request.read())
        if self.dies and request.method in WRITES and response.status_code < 300:
            raise KeyboardInterrupt
        return httpx.Response(response.status_code, headers=dict(response.headers), content=bytes(response.body))

    @property
    def organization(self) -> str:
        """The id of the organization."""
        return self._sandbox.state.identity.organizationId

    def control(self) -> Any:
        """Return its control, as `Sandbox` has."""
        return SandboxControl("http://127.0.0.1")

    def process(self) -> ProviderProcess:
        """Return the process of a new command."""
        values = {name.partition(":")[2]: each for name, each in self.control().config.items()}
        return ProviderProcess(config_of(**values), self._folder, sleep=lambda _: None, transport=self)

    def objects(self) -> list[tuple[str, str, str, dict[str, Any]]]:
        """Return the objects of the server: kind, id, parent, document."""
        kinds = self._sandbox.state.store.copy()
        return [(kind, id_, each.parent, each.document) for kind, all_ in kinds.items() for id_, each in all_.items()]

    def files(self) -> dict[str, str]:
        """Return the files of the machine, by name."""
        return {each.name: each.read_text(encoding="utf-8") for each in (self._folder / "pending").glob("*.json")}

    def document(self, kind: str, id_: str) -> dict[str, Any] | None:
        """Return an object of the server."""
        return self._sandbox.state.store.get(kind, id_)
