"""Providers that do nothing: the floor of every front end."""
