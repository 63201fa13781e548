"""Roles of the organization."""
