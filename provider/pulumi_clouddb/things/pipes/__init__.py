"""Ingestion pipes, and their scaling."""
