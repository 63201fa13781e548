"""Dashboards and their tiles."""
