"""The organization of the key."""
