"""Keep secrets out of messages: `redaction` is what the other packages call."""
