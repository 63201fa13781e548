"""Random lives of stacks with a virtual clock and a seed: `make simulate`, and a sample of them in `make tests`."""
