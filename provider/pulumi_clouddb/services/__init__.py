"""Managed database services."""
