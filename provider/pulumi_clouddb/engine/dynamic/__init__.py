"""Front end 1: `pulumi.dynamic` providers, for Python programs without a plugin."""
