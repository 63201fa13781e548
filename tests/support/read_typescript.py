"""Reads a Pulumi program in TypeScript from its syntax tree, without Node.js and without the SDK."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from .declared import CallResult, Joined, Program, Reference, Resource, Setting, step

PACKAGE = "@clouddb/pulumi"
_PARSER = Parser(Language(tree_sitter_typescript.language_typescript()))
_WORDS = {"true": True, "false": False}

Scope = dict[str, Any]


def read_typescript(text: str, *modules: str) -> Program:
    """Return the declarations of a program; `modules` are the texts of the modules that it imports."""
    reader = _Reader()
    for module in (*modules, text):
        root = _PARSER.parse(module.encode()).root_node
        if root.has_error:
            reader.program.problems.append("this is not TypeScript")
        reader.block(root.named_children, {})
    return reader.program


def _text(node: Node | None) -> str:
    return (node.text or b"").decode() if node else ""


def _cooked(text: str) -> str:
    """Return the value of a part of a template literal without line breaks."""
    parts = re.compile(r'\\([`$])|(\\.)|(")')
    plain = parts.sub(lambda found: found[1] or found[2] or '\\"', text)
    result: str = json.loads(f'"{plain}"')
    return result


def _field(node: Node, name: str) -> Node:
    found = node.child_by_field_name(name)
    if found is None:
        raise ValueError(f"{node.type} without {name}: {_text(node)}")
    return found


class _Reader:
    def __init__(self) -> None:
        self.program = Program()
        self._functions: dict[str, Node] = {}

    def block(self, statements: Sequence[Node], scope: Scope, exported: bool = False) -> Any:
        """Read statements; return the value of the last `return` or expression."""
        result = None
        for node in statements:
            if node.type == "import_statement":
                self._imported(node)
            elif node.type == "function_declaration":
                self._functions[_text(_field(node, "name"))] = node
            elif node.type == "export_statement":
                self.block(node.named_children, scope, exported=True)
            elif node.type == "lexical_declaration":
                self._declared(node, scope, exported)
            elif node.type == "for_in_statement":
                self._loop(node, scope)
            elif node.type == "if_statement":
                result = self.block(_field(node, "consequence").named_children, scope)
            elif node.type in ("return_statement", "expression_statement") and node.named_children:
                result = self.value(node.named_children[0], scope)
        return result

    def value(self, node: Node, scope: Scope, variable: str = "") -> Any:
        """Return the value of an expression; of an unknown kind of expression, only the parts are read."""
        kind, parts = node.type, node.named_children
        if kind in ("string", "number", "template_string"):
            return self._literal(node, scope)
        if kind == "identifier":
            return scope.get(_text(node))
        if kind == "array":
            return [self.value(part, scope) for part in parts]
        if kind == "object":
            return dict(self._entry(part, scope) for part in parts if part.type != "comment")
        if kind == "member_expression":
            return self._part(self.value(_field(node, "object"), scope), _text(_field(node, "property")))
        if kind == "subscript_expression":
            key = self.value(_field(node, "index"), scope)
            return self._part(self.value(_field(node, "object"), scope), key)
        if kind == "ternary_expression":
            return self.value(_field(node, "consequence"), scope, variable)
        if kind == "new_expression":
            return self._new(node, scope, variable)
        if kind == "call_expression":
            return self._call(node, scope)
        if kind == "binary_expression" and "??" in _text(node):
            return self._setting(_field(node, "left"), self.value(_field(node, "right"), scope))
        for part in parts:
            self.value(part, scope)
        return _WORDS.get(kind)

    def _literal(self, node: Node, scope: Scope) -> Any:
        if node.type == "string":
            return json.loads(_text(node))
        if node.type == "template_string":
            return "".join(map(str, self._template(node, scope)))
        return float(_text(node)) if "." in _text(node) else int(_text(node))

    def _loop(self, node: Node, scope: Scope) -> None:
        """Read the resources that a loop makes for each key of an object, or for each of some keys."""
        over = _field(node, "right")
        has_values = over.type == "call_expression"
        values = self.value(_field(over, "arguments").named_children[0] if has_values else over, scope)
        (statement,) = _field(node, "body").named_children
        assignment = statement.named_children[0]
        group = _text(_field(_field(assignment, "left"), "object"))
        for key in values:
            inner = {**scope, "key": key, **({"value": values[key]} if has_values else {})}
            scope[group][key] = self.value(_field(assignment, "right"), inner, f"{group}_{key}")

    def _imported(self, node: Node) -> None:
        source = self.value(_field(node, "source"), {})
        if "* as clouddb" in _text(node) and source != PACKAGE:
            self.program.problems.append(f"{source}: there is no such package")

    def _declared(self, node: Node, scope: Scope, exported: bool) -> None:
        for declarator in node.named_children:
            name = _text(_field(declarator, "name"))
            scope[name] = self.value(_field(declarator, "value"), scope, name)
            if exported:
                self.program.outputs[name] = scope[name]

    def _entry(self, node: Node, scope: Scope) -> tuple[str, Any]:
        if node.type != "pair":
            return _text(node), scope.get(_text(node))
        key = _field(node, "key")
        name = json.loads(_text(key)) if key.type == "string" else _text(key)
        return name, self.value(_field(node, "value"), scope)

    def _part(self, whole: Any, key: Any) -> Any:
        if isinstance(whole, dict):
            return whole[key]
        part = None if key == "length" else step(whole, key)
        if isinstance(part, CallResult):
            self.program.uses.append(part)
        return part

    def _new(self, node: Node, scope: Scope, variable: str) -> Any:
        package, _, kind = _text(_field(node, "constructor")).partition(".")
        if package != "clouddb":
            return None
        name, properties, *options = (self.value(each, scope) for each in _field(node, "arguments").named_children)
        self.program.resources[variable] = Resource(variable, kind, name, properties, options == [{"protect": True}])
        return Reference(variable)

    def _call(self, node: Node, scope: Scope) -> Any:
        name, arguments = _text(_field(node, "function")), _field(node, "arguments").named_children
        if name == "pulumi.interpolate":
            return Joined(tuple(self._template(_field(node, "arguments"), scope)))
        package, _, function = name.partition(".")
        if package == "clouddb":
            result = CallResult(function.removesuffix("Output"), self.value(arguments[0], scope))
            self.program.uses.append(result)
            return result
        if name == "fs.readFileSync":  # the text of a file
            return self.value(arguments[0], scope)
        if name == "config.requireSecret":
            return Setting(self.value(arguments[0], scope), "")
        if name.endswith(".apply"):
            whole = self.value(_field(_field(node, "function"), "object"), scope)
            return self._apply(arguments[0], [whole], scope)
        values = [self.value(each, scope) for each in arguments]
        return self._apply(self._functions[name], values, {}) if name in self._functions else None

    def _template(self, node: Node, scope: Scope) -> Iterator[Any]:
        """Yield the parts of a template literal."""
        text = ""
        at = node.start_byte + 1
        whole, start = node.text or b"", node.start_byte
        for part in node.named_children:
            if part.type != "template_substitution":
                continue
            text = whole[at - start : part.start_byte - start].decode()
            yield from filter(None, [_cooked(text)])
            yield self.value(part.named_children[0], scope)
            at = part.end_byte
        yield from filter(None, [_cooked(whole[at - start : -1].decode())])

    def _apply(self, function: Node, values: list[Any], scope: Scope) -> Any:
        """Return the result of a function that the program defines."""
        names = [_text(each.child_by_field_name("pattern")) for each in _field(function, "parameters").named_children]
        body, inner = _field(function, "body"), {**scope, **dict(zip(names, values, strict=False))}
        return self.block(body.named_children, inner) if body.type == "statement_block" else self.value(body, inner)

    def _setting(self, call: Node, default: Any) -> Any:
        if call.type != "call_expression" or not _text(_field(call, "function")).startswith("config.get"):
            return default
        return Setting(self.value(_field(call, "arguments").named_children[0], {}), default)
