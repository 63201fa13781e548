"""Webhooks, which receive the notifications of alerts."""
