"""The commands of `clouddb`, a folder or a file for each."""
