"""How Pulumi calls us: `dynamic` and `plugin`, the two front ends, and `wire`, which both share."""
