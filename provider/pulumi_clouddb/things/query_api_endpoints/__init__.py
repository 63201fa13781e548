"""Query API endpoints of a service."""
