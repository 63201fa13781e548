"""Private endpoints that an organization has registered."""
