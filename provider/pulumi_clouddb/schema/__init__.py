"""What the interface says: every field with its type, limit, default, documentation and secrecy, written once.

Nothing here knows HTTP, Pulumi or state. `values` holds the sentinel for unknown values, `check` turns limits and rules
into failures, `resource_type` is what schema, classes, docs and sandbox are derived from.
"""
