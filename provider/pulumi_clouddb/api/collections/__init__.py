"""What the servers hold, one module per collection: its operations, and what its records mean."""
