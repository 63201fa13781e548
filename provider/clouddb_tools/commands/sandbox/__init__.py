"""`clouddb sandbox`: a local server for trying out programs."""
