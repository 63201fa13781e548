"""Saved queries of a service."""
