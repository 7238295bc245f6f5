"""What one schema becomes: a line of `input`, and the comments above it."""

import json

import pytest


def field_of(imported, schema, version="3.1.0", *, required=True, **schemas):
    """The lines of the argument `a` whose schema is given, without their indentation."""
    body = {"type": "object", "properties": {"a": schema}, "required": ["a"] if required else []}
    operation = {"requestBody": {"required": True, "content": {"application/json": {"schema": body}}}, "responses": {}}
    document = {"openapi": version, "paths": {"/x": {"post": operation}}, "components": {"schemas": schemas}}
    made = imported(json.dumps(document))
    assert made.findings == ()
    lines = made.text[made.text.index("    input:") :].splitlines()[1:]
    return [line[6:] for line in lines]


SCALARS = [
    ({"type": "string"}, "{type: string}"),
    ({"type": "integer", "format": "int64"}, "{type: integer}"),
    ({"type": "string", "format": "int64"}, "{type: string}"),
    ({"type": "string", "format": "date-time"}, "{type: datetime}"),
    ({"type": "string", "format": "uuid"}, "{type: string, format: uuid}"),
    ({"type": "string", "format": "decimal"}, "{type: string}", "# format decimal"),
    ({"type": "string", "format": "password"}, "{type: string, sensitive: true}"),
    ({"type": "string", "minLength": 2, "maxLength": 5}, "{type: string, max_length: 5, schema: {minLength: 2}}"),
    ({"type": "string", "pattern": "^a+$"}, "{type: string, pattern: a+}"),
    ({"type": "string", "pattern": "b{2}"}, "{type: string, pattern: '(?s:.*)b{2}(?s:.*)'}"),
    ({"type": "string", "pattern": "^a|b$"}, "{type: string, pattern: '(?s:.*)(?:^a|b$)(?s:.*)'}"),
    ({"type": "string", "pattern": "^(a|b)[|)]$"}, "{type: string, pattern: '(a|b)[|)]'}"),
    ({"type": "string", "pattern": "^\\u4e00+\\$"}, "{type: string, pattern: '\\x{4e00}+\\$(?s:.*)'}"),
    ({"type": "string", "pattern": "(?=a)"}, "{type: string}", "# a pattern that was not taken over: (?=a)"),
    ({"type": "string", "pattern": "^a*$"}, "{type: string}", "# a pattern that was not taken over: ^a*$"),
    ({"type": "integer", "minimum": 0.5, "maximum": 9.5}, "{type: integer, min: 1, max: 9}"),
    ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9}, "{type: integer, min: 1, max: 8}"),
    ({"type": "integer", "minimum": 5, "maximum": 4}, "{type: integer}", "# no number is at least 5 and at most 4"),
    ({"type": "integer", "maximum": 2**64}, "{type: integer, max: 18446744073709551616}"),
    ({"type": "number", "exclusiveMaximum": 1}, "{type: number, max: 1, schema: {exclusiveMaximum: 1}}"),
    ({"type": "number", "maximum": 1e300}, "{type: number}"),
    ({"type": ["number", "integer"]}, "{type: number}"),
    ({"type": "string", "enum": ["a", "on", "007", "1e5"]}, "{type: string, enum: [a, 'on', '007', '1e5']}"),
    ({"type": "string", "enum": [1, True, "x"]}, "{type: string, enum: ['1', 'true', x]}"),
    ({"type": "integer", "enum": [1, "x"]}, "{type: integer}", "# its allowed values were not taken over"),
    ({"enum": ["a", "b", None]}, "{type: string, enum: [a, b]}"),
    ({"const": 5}, "{type: integer, enum: [5]}"),
    ({"type": "boolean", "default": False}, "{type: boolean}", "# the service's default is false"),
    ({"type": "null"}, "{type: string}", "# proposed: text; the document allows other types"),
    ({"type": "file"}, "{type: string}", "# its type is file", "# proposed: text; the document allows other types"),
    ({"maxLength": 3}, "{type: string, max_length: 3}"),
    ({"type": "string", "description": "A: b # c"}, "{type: string, description: 'A: b # c'}"),
]


@pytest.mark.parametrize("case", SCALARS, ids=lambda case: json.dumps(case[0]))
def test_a_scalar(imported, case):
    schema, field, *notes = case
    assert field_of(imported, schema) == [*notes, f"a: {field}"]


STRUCTURES = [
    ({"type": "array"}, ["a: {type: list}"]),
    (
        {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        ["a: {type: list, max_length: 3, items: {type: string}}"],
    ),
    ({"type": "array", "items": [{"type": "string"}]}, ["a: {type: list}"]),
    ({"type": "array", "items": {}}, ["# its items are of no one type: left open", "a: {type: list}"]),
    ({"type": "object"}, ["a: {type: object}"]),
    ({"additionalProperties": {"type": "string"}}, ["# a map whose keys are not declared", "a: {type: object}"]),
    ({"properties": {"b": {"type": "string"}}}, ["a: {type: object, fields: {b: {type: string, optional: true}}}"]),
    (
        {"properties": {"b-c": {"type": "string"}, "d": {"type": "string"}}},
        ["# b-c is left out: it cannot be the name of a field", "a: {type: object}"],
    ),
    (
        {"properties": {"b": {"type": "string", "readOnly": True}, "c": {"type": "string", "writeOnly": True}}},
        ["a: {type: object, fields: {c: {type: string, optional: true}}}"],
    ),
    (
        {
            "allOf": [
                {"properties": {"b": {"type": "string"}}},
                {"required": ["b"]},
                {"properties": {"b": {"maxLength": 2}}},
            ]
        },
        ["a: {type: object, fields: {b: {type: string, max_length: 2}}}"],
    ),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ["a: {type: string}"]),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, ["# one of several forms", "a: {type: number}"]),
    ({"oneOf": [{"const": "x"}, {"const": "z"}]}, ["# one of several forms", "a: {type: string, enum: [x, z]}"]),
    (
        {"type": "object", "properties": {"b": {"type": "string"}}, "anyOf": [{"required": ["b"]}, {"required": []}]},
        ["# one of several forms", "a: {type: object, fields: {b: {type: string, optional: true}}}"],
    ),
    (
        {
            "oneOf": [
                {"properties": {"k": {"const": "x"}, "v": {"type": "integer"}}, "required": ["k"]},
                {"properties": {"k": {"const": "z"}, "w": {"type": "string"}}, "required": ["k"]},
            ]
        },
        [
            "# one of several forms",
            "a:",
            "  type: object",
            "  fields: {k: {type: string, enum: [x, z]}, v: {type: integer, optional: true}, w: {type: string, optional: true}}",
        ],
    ),
    (
        {"$ref": "#/components/schemas/S", "description": "Here"},
        ["a: {type: string, description: Here, format: email}"],
    ),
    ({"$ref": "#/components/schemas/C"}, ["a: {type: object, fields: {x: {type: string, optional: true}}}"]),
    (
        {"$ref": "#/components/schemas/L"},
        ["# items: it refers to itself (L): left open", "a: {type: list, items: {type: object}}"],
    ),
]
SCHEMAS = {
    "S": {"type": "string", "format": "email", "description": "There"},
    "C": {"allOf": [{"$ref": "#/components/schemas/C"}, {"properties": {"x": {"type": "string"}}}]},
    "L": {"type": "array", "items": {"$ref": "#/components/schemas/L"}},
}


@pytest.mark.parametrize("case", STRUCTURES, ids=lambda case: json.dumps(case[0])[:60])
def test_a_structure(imported, case):
    schema, lines = case
    assert field_of(imported, schema, **SCHEMAS) == lines


def test_before_3_1_what_stands_beside_a_reference_does_not_count(imported):
    reference = {"$ref": "#/components/schemas/S", "description": "Here"}
    assert field_of(imported, reference, "3.0.3", **SCHEMAS) == ["a: {type: string, description: There, format: email}"]


def test_null_is_allowed_in_the_words_of_3_0(imported):
    line = "a: {type: integer, min: 1}"
    schema = {"type": "integer", "nullable": True, "minimum": 0, "exclusiveMinimum": True}
    assert field_of(imported, schema, "3.0.3") == [line]


def test_what_may_be_left_out_is_optional(imported):
    assert field_of(imported, {"type": "string"}, required=False) == ["a: {type: string, optional: true}"]


def test_a_deep_schema_ends_open(imported):
    schema = {"type": "string"}
    for _ in range(20):
        schema = {"type": "object", "properties": {"b": schema}}
    lines = field_of(imported, schema)
    assert [line.strip() for line in lines].count("fields:") == 8
    inner = next(number for number, line in enumerate(lines) if "# nested deeper than 8 levels: left open" in line)
    assert lines[inner + 1].strip() == "b: {type: object, optional: true}"
