"""Invitations to the organization."""
