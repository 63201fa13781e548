"""`clouddb sandbox`: the server to try things out on."""
