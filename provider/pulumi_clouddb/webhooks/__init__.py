"""Webhooks: whom alerts tell."""
