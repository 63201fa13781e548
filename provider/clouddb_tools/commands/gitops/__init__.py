"""`clouddb ci`: preview with a saved plan, apply exactly that plan, and detect drift.

Everything runs on Pulumi's Automation API, in any checkout with a Pulumi project, locally or in CI.
This module imports nothing: `clouddb --help` must not wait for Pulumi.
"""
