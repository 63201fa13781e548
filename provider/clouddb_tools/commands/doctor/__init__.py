"""The checks of `clouddb doctor`: functions in the table `checks.CHECKS`, which yield findings.

All checks are read-only, on servers as on disk.
"""
