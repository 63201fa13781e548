"""Alerts, on tiles and on saved searches."""
