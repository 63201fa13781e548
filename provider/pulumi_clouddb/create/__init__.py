"""Creating exactly one object: once, pending, evidence, marks, locks. Nothing here knows Pulumi."""
