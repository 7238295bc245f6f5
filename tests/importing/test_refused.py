"""Documents that are refused: each mistake at its place; and what is built to hang or swell ends quickly."""

import json
import os
import time
from pathlib import Path

import pytest

from interlock.compiler.codes_of_imports import IMPORTS
from interlock.source.foreign import MOST_BYTES

ERR = Path(__file__).parent / "err"
CASES = sorted(path for path in ERR.iterdir() if path.suffix in (".json", ".yaml"))
SECONDS = 20.0


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_every_mistake_is_told_as_the_golden_file_has_it(imported, case):
    made = imported(case)
    text = "".join(f"{finding}\n" for finding in made.findings)
    golden = ERR / f"{case.stem}.out"
    if os.environ.get("INTERLOCK_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    assert text
    assert made.text == ""


def test_every_code_is_shown():
    shown = "".join(path.read_text(encoding="utf-8") for path in ERR.glob("*.out"))
    assert [code for code in IMPORTS if f"[{code}]" not in shown] == []


def paths(schema):
    answer = {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}
    return {"/a": {"get": {"responses": answer}}}


def document(schema, **schemas):
    return {"openapi": "3.1.0", "info": {"title": "t"}, "paths": paths(schema), "components": {"schemas": schemas}}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def bomb():
    """Ten schemas, each of which holds the next one ten times."""
    schemas = {
        f"S{n}": {"type": "object", "properties": {f"p{m}": ref(f"S{n + 1}") for m in range(10)}} for n in range(10)
    }
    return document(ref("S0"), **schemas, S10={"type": "string"})


def all_of_bomb():
    schemas = {f"S{n}": {"allOf": [{"allOf": [ref(f"S{n + 1}")]} for _ in range(10)]} for n in range(30)}
    return document(ref("S0"), **schemas, S30={"type": "object", "properties": {"a": {"type": "string"}}})


def one_of_bomb():
    schemas = {f"S{n}": {"oneOf": [ref(f"S{n + 1}"), {"oneOf": [ref(f"S{n + 1}"), {}]}]} for n in range(60)}
    return document(ref("S0"), **schemas, S60={"type": "object", "properties": {"a": {"type": "string"}}})


def chain():
    """A thousand schemas, each inside the one before."""
    schemas = {f"S{n}": {"type": "object", "properties": {"p": ref(f"S{n + 1}")}} for n in range(1000)}
    return document(ref("S0"), **schemas, S1000={"type": "string"})


def many():
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(200)}}
    return {"openapi": "3.0.0", "paths": {f"/a{n}": paths(schema)["/a"] for n in range(200)}}


SWELLING = {
    "aliases": "openapi: 3.0.0\na: &a [x, x]\nb: &b [*a, *a]\npaths: {c: [*b, *b]}\n",
    "deep list": "openapi: 3.0.0\npaths: " + "[" * 100_000,
    "deep map": "a: {" * 50_000,
    "deep JSON": '{"a": ' + "[" * 1_000_000,
    "deep and closed JSON": '{"openapi": "3.0.0", "paths": ' + '{"/a":' * 20_000 + "1" + "}" * 20_001,
    "many scalars": "openapi: 3.0.0\npaths: [" + "1, " * 1_200_000 + "1]",
    "many digits": '{"openapi": "3.0.0", "x": ' + "9" * 2_000_000 + "}",
    "a long exponent": '{"openapi": "3.0.0", "x": 1e' + "9" * 1_000_000 + "}",
    "open brackets in a key": "? " + "[" * 5_000,
    "a large file": "#" * (50 * 1024 * 1024),
    "schemas in schemas": json.dumps(bomb()),
    "too much text": json.dumps(many()),
}


@pytest.mark.parametrize("name", SWELLING)
def test_what_would_swell_is_refused_soon(imported, name):
    begun = time.process_time()
    made = imported(SWELLING[name])
    assert made.findings
    assert made.text == ""
    assert time.process_time() - begun < SECONDS


HARMLESS = {"allOf in allOf": all_of_bomb(), "a long chain": chain(), "oneOf in oneOf": one_of_bomb()}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_only_looks_large_is_imported_or_refused_soon(imported, name):
    begun = time.process_time()
    made = imported(json.dumps(HARMLESS[name]))
    assert bool(made.text) != bool(made.findings)
    assert time.process_time() - begun < SECONDS


def test_a_pattern_of_one_sign_does_not_hang(imported):
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "[" * 1_000_000}}}
    made = imported(json.dumps(document(schema)))
    assert "a pattern that was not taken over: [[[" in made.text


def test_the_cap_is_on_bytes(imported):
    (finding,) = imported(b"a" * (MOST_BYTES + 1)).findings
    assert (finding.code, finding.message) == ("too-large", "the document is larger than 16 MiB")


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe{}", b"\x00\x01", b"[]", b"{", b'{"a": "\xff"}', b"- a", b"a", b"\x80"]
)
def test_bytes_that_are_no_document(imported, content):
    assert imported(content).findings


def test_the_place_is_found_in_json_too(imported):
    text = json.dumps(document({"type": "object", "properties": {"a": {"$ref": "other.json#/A"}}}), indent=1)
    (finding,) = imported(text).findings
    line = text.splitlines()[finding.location.line - 1]
    assert line[finding.location.column - 1 :] == '"$ref": "other.json#/A"'
