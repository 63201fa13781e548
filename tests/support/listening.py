"""The plugin with marked secrets in both directions, as the engine uses it, and a record of all unmarked texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from google.protobuf import json_format, struct_pb2

from pulumi_clouddb.engine.wire.codec import SECRET_SIGNATURE, SIGNATURE_KEY, Properties

from .grpc_driver import HostError, secret_names
from .plugin import NativePlugin


class Listening(NativePlugin):
    """A plugin that records its responses and errors without marked secrets.

    Attributes:
        plain_texts: The errors, and the responses as JSON.
    """

    def __init__(self, config: Mapping[str, str], folder: Path) -> None:
        self.plain_texts: list[str] = []
        super().__init__(config, folder, secrets=True)

    def _call(self, method: Any, request: Any) -> Any:
        try:
            response = super()._call(method, request)
        except HostError as error:
            self.plain_texts.append(str(error))
            raise
        self.plain_texts.append(json.dumps(_in_clear(json_format.MessageToDict(response))))
        return response

    def _plain(self, struct: struct_pb2.Struct) -> tuple[Properties, frozenset[str]]:
        values = self._values(struct)
        return values, secret_names(values)


def _in_clear(content: Any) -> Any:
    if isinstance(content, Mapping):
        if content.get(SIGNATURE_KEY) == SECRET_SIGNATURE:
            return None
        return {key: _in_clear(item) for key, item in content.items()}
    return [_in_clear(item) for item in content] if isinstance(content, list) else content
