"""What each resource means: check, diff, create, read, update, delete on plain values. Nothing here knows Pulumi."""
