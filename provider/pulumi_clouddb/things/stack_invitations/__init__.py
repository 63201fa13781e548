"""Invitations to the team of a self-hosted observability server, and its members."""
