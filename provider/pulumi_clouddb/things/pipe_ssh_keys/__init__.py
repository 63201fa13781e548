"""SSH keys with which pipes of a service reach their sources through an SSH server."""
