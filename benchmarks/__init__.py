"""Costs of the provider compared with the minimum for the same work: `make bench`, or `ONLY=requests` for a part."""
