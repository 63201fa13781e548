"""ApiKey (being written)."""
from pulumi_clouddb.models.api_key import API_KEY
from .base import ResourceHandler


class ApiKeyHandler(ResourceHandler):
    """ApiKey."""

    type = API_KEY
