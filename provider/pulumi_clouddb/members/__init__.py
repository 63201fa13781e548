"""Members of the organization."""
