"""What `clouddb …` does: a folder or a file for each command."""
