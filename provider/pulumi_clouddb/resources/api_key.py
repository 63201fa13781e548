"""ApiKey (being written)."""
from ..models.api_key import API_KEY
from .base import ResourceHandler


class ApiKeyHandler(ResourceHandler):
    """ApiKey."""

    type = API_KEY
