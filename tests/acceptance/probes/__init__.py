"""The probes of assumptions: a function for each, with its name.

A probe gets the bench, sends raw requests only, and uses nothing of this package that relies on what it is to prove.
"""
