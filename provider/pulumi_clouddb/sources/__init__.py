"""Sources: what an observability server reads."""
