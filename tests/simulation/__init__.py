"""Whole lives of stacks under a virtual clock and a seed: `make simulate`, and a sample of it in `make tests`."""
