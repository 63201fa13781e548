"""A life on a sandbox in memory, in the dialect of the test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import SandboxControl, remote
from clouddb_tools.sandbox.settings import Clock, Settings
from lives.wire import WireLife
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.vocabulary import VocabularyName

from .memory import MemorySandbox
from .sessions import config_of


class PlayedLife(httpx.BaseTransport):
    """A life on its own sandbox; each session is a new process.

    Attributes:
        lives: The inputs before and after the update.
        warn: What sessions do with a warning.
    """

    warn: Callable[[str, str], None] = staticmethod(lambda *_: None)

    def __init__(self, life: WireLife, dialect: VocabularyName, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.sandbox, self.resource = MemorySandbox(Settings(vocabulary=dialect), Clock()), RESOURCES[life.life.name]
        self.dialect, self.folder = dialect, folder
        patch.setattr(remote, "_client", lambda url, **more: httpx.Client(base_url=url, transport=self, **more))
        control: Any = SandboxControl("http://127.0.0.1")
        self.config = config_of(**{name.partition(":")[2]: each for name, each in control.config.items()})
        names = life.life.setting(control)
        self.lives = [json.loads(Template(json.dumps(each)).substitute(names)) for each in (life.before, life.after)]

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Respond to a request."""
        response = self.sandbox.request(request.method, request.url.path, request.headers, request.read())
        return httpx.Response(response.status_code, headers=dict(response.headers), content=bytes(response.body))

    @property
    def session(self) -> Session:
        """The session of a new command."""
        options: Any = {"runtime": Runtime(lambda _: None), "transport": self, "folder": self.folder}
        return Session(self.config, scope="", warn=self.warn, **options).for_resource("urn:it")
