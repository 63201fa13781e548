"""The same requests to the vendor's observability server and to the sandbox, and the recorded responses."""
