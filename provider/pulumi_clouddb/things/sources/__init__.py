"""Data sources of an observability server."""
