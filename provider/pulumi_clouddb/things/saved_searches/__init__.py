"""Saved searches."""
