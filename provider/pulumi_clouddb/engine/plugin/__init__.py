"""Front end 2: a native provider over gRPC, for every Pulumi language."""
