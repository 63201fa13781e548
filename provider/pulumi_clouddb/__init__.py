"""pulumi-clouddb."""
