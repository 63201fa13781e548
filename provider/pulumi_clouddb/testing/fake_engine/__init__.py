"""A small fake of Pulumi's engine, for tests and for trying out without the CLI; it is not an engine.

Real are the program (its own process, the installed SDK), the dynamic provider host (its own process, as the engine
starts it) and everything that goes over gRPC between them. Only what lies between is simulated: the resource monitor,
the choice and order of steps, and state. Each part cites the behaviour of the engine that it stands for; names in
brackets are files of github.com/pulumi/pulumi, under pkg/resource unless a longer path is given.

Not there: other providers than pulumi-python, provider resources of the program's own, import, component providers,
transforms, resource hooks, policies, targets, plans, stack references.
"""

from .stack import FakeEngineStack

__all__ = ["FakeEngineStack"]
