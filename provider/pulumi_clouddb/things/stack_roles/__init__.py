"""Roles of the team of a service's observability server."""
