"""Everything about talking to Pulumi's engine that more than one room needs: configuration, log, messages, waits."""
