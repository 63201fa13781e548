"""A small fake of Pulumi's engine, for tests and for trying out programs without the CLI. It is not an engine.

The program and the dynamic provider host are real processes that use the installed SDK, and communicate over gRPC.
Only the engine between them is simulated: the resource monitor, the choice and order of steps, and state. Each part
cites the behaviour of the engine that it imitates; names in brackets are files of github.com/pulumi/pulumi, under
pkg/resource unless a longer path is given.

Not supported: other providers than pulumi-python, explicit provider resources, import, component providers,
transforms, resource hooks, policies, targets, plans, stack references.
"""

from .stack import FakeEngineStack

__all__ = ["FakeEngineStack"]
