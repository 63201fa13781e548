"""What both front ends share: values, configuration, log, messages, waits."""
