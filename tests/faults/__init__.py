"""The fault matrix: every fault at every request of every operation of every resource, then a run without faults."""
