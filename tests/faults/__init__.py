"""The fault matrix: every request of every operation of every resource, with every fault, and one calm run after it."""
