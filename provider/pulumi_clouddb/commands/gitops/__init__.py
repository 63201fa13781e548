"""What `clouddb ci` does: previews with a saved plan, applying exactly that plan, and looking for drift.

Everything runs on Pulumi's Automation API, in any checkout that holds a Pulumi project, on a desk as in CI.
Nothing is imported here: `clouddb --help` must not wait for Pulumi.
"""
