"""Postgres services of an organization."""
