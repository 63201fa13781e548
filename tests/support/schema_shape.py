"""The shape of schema.json as a JSON schema."""

from __future__ import annotations

from typing import Any

OPEN_LIST = {"prefixItems": [{"const": {"type": "string"}}, {"required": ["$ref"]}], "minItems": 2, "items": False}
"""A text with known values. Pulumi's SDKs for Python and Go cannot serialize any other choice of types."""

TYPE = {
    "oneOf": [
        {
            "properties": {"type": {"enum": ["boolean", "integer", "number", "string"]}},
            "required": ["type"],
            "not": {"anyOf": [{"required": [other]} for other in ("$ref", "items", "additionalProperties", "oneOf")]},
        },
        {"properties": {"type": {"const": "array"}, "items": {"$ref": "#/$defs/type"}}, "required": ["type", "items"]},
        {
            "properties": {"type": {"const": "object"}, "additionalProperties": {"$ref": "#/$defs/type"}},
            "required": ["type", "additionalProperties"],
        },
        {"properties": {"$ref": {"pattern": "^(#/types/clouddb:index:|pulumi.json#/Any)"}}, "required": ["$ref"]},
        {"properties": {"oneOf": OPEN_LIST}, "required": ["oneOf"]},
    ]
}
PROPERTY_KEYS = {
    "type": {},
    "items": {},
    "additionalProperties": {},
    "$ref": {},
    "oneOf": {},
    "description": {"type": "string", "pattern": "^[A-Z`].*[.]$"},
    "default": {"type": ["boolean", "number", "string"]},
    "defaultInfo": {"required": ["environment"]},
    "deprecationMessage": {"type": "string"},
    "secret": {"const": True},
    "willReplaceOnChanges": {"const": True},
}
PROPERTIES = {"type": "object", "additionalProperties": {"$ref": "#/$defs/property"}}
NAMES = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
OBJECT = {
    "type": "object",
    "properties": {"type": {"const": "object"}, "description": {}, "properties": PROPERTIES, "required": NAMES},
    "required": ["type", "properties"],
    "additionalProperties": False,
}
ENUM = {
    "type": "object",
    "properties": {"type": {"const": "string"}, "enum": {"items": {"required": ["name", "value"]}, "minItems": 1}},
    "required": ["type", "enum", "description"],
}
SHAPE: dict[str, Any] = {
    "$defs": {
        "type": TYPE,
        "property": {
            "allOf": [{"$ref": "#/$defs/type"}],
            "properties": PROPERTY_KEYS,
            "required": ["description"],
            "additionalProperties": False,
        },
    },
    "type": "object",
    "required": ["name", "version", "displayName", "description", "license", "language"],
    "properties": {
        "name": {"const": "clouddb"},
        "version": {"pattern": r"^\d+\.\d+\.\d+$"},
        "config": {"properties": {"variables": PROPERTIES}, "required": ["variables"]},
        "provider": {"properties": {"inputProperties": PROPERTIES}, "required": ["inputProperties"]},
        "types": {
            "additionalProperties": {"oneOf": [OBJECT, ENUM]},
            "propertyNames": {"pattern": r"^clouddb:index:[A-Z]\w*$"},
        },
        "resources": {
            "propertyNames": {"pattern": r"^clouddb:index:[A-Z]\w*$"},
            "additionalProperties": {
                "properties": {
                    "description": {"type": "string"},
                    "properties": PROPERTIES,
                    "required": NAMES,
                    "inputProperties": PROPERTIES,
                    "requiredInputs": NAMES,
                    "stateInputs": OBJECT,
                    "aliases": {"items": {"required": ["type"]}},
                },
                "required": ["description", "properties", "inputProperties", "requiredInputs", "aliases"],
                "additionalProperties": False,
            },
        },
        "functions": {
            "propertyNames": {"pattern": r"^clouddb:index:[a-z]\w*$"},
            "additionalProperties": {
                "properties": {"description": {"type": "string"}, "inputs": OBJECT, "outputs": OBJECT},
                "required": ["description", "inputs", "outputs"],
                "additionalProperties": False,
            },
        },
    },
}
"""The parts of Pulumi's metaschema that this package uses, and the rules of this project."""
