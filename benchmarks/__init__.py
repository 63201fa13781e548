"""What the provider costs beside the least that the same work can cost: `make bench`, or `ONLY=requests` for a part."""
