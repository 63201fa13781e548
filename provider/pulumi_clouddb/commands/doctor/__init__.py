"""What `clouddb doctor` finds: a check is a function in the table `checks.CHECKS`, a finding is a record.

Nothing here changes anything: requests only read, and files are only looked at.
"""
