"""Connections of a self-hosted observability server to its databases."""
