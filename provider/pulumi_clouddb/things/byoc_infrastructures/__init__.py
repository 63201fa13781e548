"""Regions of the organization's own cloud account, prepared for services."""
