"""The vendor's observability server beside the sandbox: the same requests to both, and what the real one answered."""
