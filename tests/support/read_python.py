"""Reads a Pulumi program in Python from its syntax tree, without the SDK that it imports."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from pydantic.alias_generators import to_snake

from clouddb_tools.commands.export.python import IMPORT, NATIVE_IMPORT

from .declared import CallResult, Joined, Program, Reference, Resource, Setting, Typed, step

Scope = dict[str, Any]


def camel_case(name: str) -> str:
    """Return the wire form of a name in Python: `min_replica_memory_gb` → `minReplicaMemoryGb`."""
    first, *others = name.split("_")
    return first + "".join("CHC" if other == "chc" else other.capitalize() for other in others)  # credits


def read_python(text: str, *modules: str) -> Program:
    """Return the declarations of a program; `modules` are the texts of the modules that it imports."""
    reader = _Reader()
    for module in modules:
        reader.block(ast.parse(module).body, {})
    reader.block(ast.parse(text).body, {})
    return reader.program


PROTECTED = "pulumi.ResourceOptions(protect=True)"


class _Reader:
    def __init__(self) -> None:
        self.program = Program()
        self._functions: dict[str, ast.FunctionDef] = {}

    def block(self, body: Sequence[ast.stmt], scope: Scope) -> Any:
        """Read statements; return the value of the last `return` or expression."""
        result = None
        for statement in body:
            if isinstance(statement, ast.FunctionDef):
                self._functions[statement.name] = statement
            elif isinstance(statement, ast.Import):
                self._imported(statement)
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                scope[statement.targets[0].id] = self.value(statement.value, scope, statement.targets[0].id)
            elif isinstance(statement, ast.AnnAssign) and statement.value and isinstance(statement.target, ast.Name):
                scope[statement.target.id] = self.value(statement.value, scope)
            elif isinstance(statement, ast.If):
                result = self.block(statement.body, scope)
            elif isinstance(statement, (ast.Expr, ast.Return)) and statement.value is not None:
                result = self.value(statement.value, scope)
        return result

    def value(self, node: ast.expr, scope: Scope, variable: str = "") -> Any:
        """Return the value of an expression; of an unknown kind of expression, only the parts are read."""
        match node:
            case ast.Constant():
                return node.value
            case ast.UnaryOp(op=ast.USub()):
                return -self.value(node.operand, scope)
            case ast.Name():
                return scope.get(node.id)
            case ast.List() | ast.Tuple():
                return [self.value(item, scope) for item in node.elts]
            case ast.Dict():
                return {
                    ast.literal_eval(key): self.value(item, scope)
                    for key, item in zip(node.keys, node.values, strict=True)
                    if key
                }
            case ast.Attribute():
                return self._part(self.value(node.value, scope), camel_case(node.attr))
            case ast.Subscript():
                return self._part(self.value(node.value, scope), self.value(node.slice, scope))
            case ast.JoinedStr() | ast.FormattedValue() | ast.DictComp():
                return self._with_key(node, scope, variable)
            case ast.ListComp(generators=[ast.comprehension(target=ast.Name(id=name), iter=items)]):
                return [self.value(node.elt, {**scope, name: self._part(self.value(items, scope), 0)})]
            case ast.Call():
                return self._call(node, scope, variable)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, scope)
        return None

    def _with_key(
        self, node: ast.JoinedStr | ast.FormattedValue | ast.DictComp, scope: Scope, variable: str
    ) -> str | Scope:
        """Return a text with values in it, or what a loop makes for each key of a dict or for each of some keys."""
        if isinstance(node, ast.FormattedValue):
            return str(self.value(node.value, scope))
        if isinstance(node, ast.JoinedStr):
            return "".join(str(self.value(each, scope)) for each in node.values)
        over = node.generators[0].iter
        has_values = isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute)
        values = self.value(over.func.value if has_values else over, scope)  # type: ignore[attr-defined]
        found = {}
        for key in values:
            inner = {**scope, "key": key, **({"value": values[key]} if has_values else {})}
            found[key] = self.value(node.value, inner, f"{variable}_{key}")
        return found

    def _imported(self, statement: ast.Import) -> None:
        text = ast.unparse(statement)
        if text.endswith("as clouddb") and text not in (IMPORT, NATIVE_IMPORT):
            self.program.problems.append(f"{text}: there is no such package")

    def _part(self, whole: Any, key: str | int) -> Any:
        is_in = isinstance(whole, dict) or (isinstance(whole, list) and isinstance(key, int))
        part = whole[key] if is_in else step(whole, key)
        if isinstance(part, CallResult):
            self.program.uses.append(part)
        return part

    def _call(self, node: ast.Call, scope: Scope, variable: str) -> Any:
        match node.func:
            case ast.Attribute(value=ast.Name(id="clouddb"), attr=name):
                return self._clouddb(name, node, scope, variable)
            case ast.Attribute(value=ast.Name(id="pulumi"), attr="export"):
                self.program.outputs[ast.literal_eval(node.args[0])] = self.value(node.args[1], scope)
                return None
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="pulumi"), attr="Output"), attr="concat"):
                return Joined(tuple(self.value(each, scope) for each in node.args))
            case ast.Attribute(value=ast.Name(id="config"), attr="get" | "get_int" | "get_bool"):
                return Setting(*map(ast.literal_eval, node.args))
            case ast.Attribute(value=ast.Name(id="config"), attr="require_secret"):
                return Setting(ast.literal_eval(node.args[0]), "")
            case ast.Attribute(value=whole, attr="apply"):
                return self._apply(self.value(whole, scope), node.args[0], scope)
        values = [self.value(each, scope) for each in node.args]
        match node.func:
            case ast.Name(id=name) if name.endswith("Args"):
                return self._clouddb(name, node, scope, variable)
            case ast.Name(id="cast"):
                return values[1]
            case ast.Name(id=name) if name in self._functions:
                function = self._functions[name]
                names = [argument.arg for argument in function.args.args]
                return self.block(function.body, dict(zip(names, values, strict=False)))
            case ast.Name(id="str"):
                return values[0]
        return None

    def _apply(self, whole: Any, function: ast.expr, scope: Scope) -> Any:
        if not isinstance(function, ast.Lambda):
            return whole
        return self.value(function.body, {**scope, function.args.args[0].arg: whole})

    def _clouddb(self, name: str, node: ast.Call, scope: Scope, variable: str) -> Any:
        arguments = {str(each.arg): self.value(each.value, scope) for each in node.keywords if each.arg != "opts"}
        options = [ast.unparse(each.value) for each in node.keywords if each.arg == "opts"]
        self.program.problems += [
            f"{name}: {each} is not written in snake_case" for each in arguments if each != to_snake(each)
        ]
        # The settings of a pipe are in snake_case on the wire, too.
        in_snake_case = name == "PipeSettingsArgs"
        properties = {each if in_snake_case else camel_case(each): item for each, item in arguments.items()}
        if name.endswith("Args"):
            return Typed(name.removesuffix("Args"), properties)
        if name.endswith("_output"):
            result = CallResult(camel_case(name.removesuffix("_output")), properties)
            self.program.uses.append(result)
            return result
        resource = Resource(
            camel_case(variable), name, self.value(node.args[0], scope), properties, options == [PROTECTED]
        )
        self.program.resources[resource.variable] = resource
        return Reference(resource.variable)
