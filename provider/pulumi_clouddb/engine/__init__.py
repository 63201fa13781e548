"""What both front ends share of being a provider of Pulumi's engine: its configuration, its log, its messages."""
