"""Resources on an observability server, of a service or self-hosted: PUT replaces them."""

from __future__ import annotations

from pulumi_clouddb.schema.observability import with_languages
from pulumi_clouddb.schema.thing import ThingT
from pulumi_clouddb.schema.values import WireDict

from .replaced import ReplacedResource


class ObservabilityResource(ReplacedResource[ThingT]):
    """A resource on an observability server."""

    def sent_body(self, body: WireDict) -> WireDict:
        """Return a body with the language of each text."""
        return with_languages(self.type.inputs, body)
