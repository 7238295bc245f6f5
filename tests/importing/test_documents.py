"""Whole documents: what is written, to the letter, and what holds for whatever is written.

`INTERLOCK_UPDATE_GOLDEN=1 pytest tests/importing` writes the texts anew.
"""

import json
import os
import random
import re
from pathlib import Path

import pytest

from interlock.source import read_document
from interlock.source.foreign import read_foreign

DOCUMENTS = Path(__file__).parent / "documents"
CASES = sorted(path for path in DOCUMENTS.iterdir() if path.suffix in (".json", ".yaml"))
METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace", "query")


def by_name(path):
    return path.stem


@pytest.fixture(params=CASES, ids=by_name)
def document(request):
    return request.param


def library(text):
    found, findings = read_document(text.encode(), "library.yaml")
    assert findings == []
    return found.data


def test_the_library_is_as_the_golden_file_has_it(imported, document):
    made = imported(document)
    golden = document.with_suffix(".out")
    if os.environ.get("INTERLOCK_UPDATE_GOLDEN"):
        golden.write_text(made.text, encoding="utf-8")
    assert made.findings == ()
    assert made.text == golden.read_text(encoding="utf-8")


def test_it_is_written_the_same_every_time(imported, document):
    assert imported(document).text == imported(document).text


def test_every_operation_is_a_tool_or_is_named_with_the_reason(imported, document):
    data = read_foreign(document.read_bytes(), document.name)[0].data
    calls = [(method.upper(), path) for path, item in data["paths"].items() for method in METHODS if method in item]
    text = imported(document).text
    tools = [tool["http"].partition(" ") for tool in library(text)["tools"].values()]
    shown = [(method, re.sub(r"\{[^}]*\}", "{}", path)) for method, _, path in tools]
    left = re.findall(r"^#   ([A-Z]+) (\S+): .+", text, re.MULTILINE)
    assert left
    shown += [(method, re.sub(r"\{[^}]*\}", "{}", path)) for method, path in left]
    assert sorted(shown) == sorted((method, re.sub(r"\{[^}]*\}", "{}", path)) for method, path in calls)


def test_the_checker_asks_for_the_source_of_each_argument_at_its_line(imported, checked, document):
    made = imported(document)
    asked = [finding for finding in checked(made.text) if finding.code == "exactly-one"]
    lines = made.text.splitlines()
    names = [name for tool in library(made.text)["tools"].values() for name in tool.get("input", {})]
    assert [lines[one.location.line - 1].strip().partition(":")[0].strip("'") for one in asked] == names
    assert len(asked) == made.arguments
    assert {one.message for one in asked} == {"an argument has one source: one of 'from' or 'value' is missing"}
    assert all("`from: slots.x`" in one.hint and "caller" in one.hint for one in asked)


def test_with_its_sources_it_has_no_errors(imported, checked, completed, document):
    assert checked(completed(imported(document).text)) == []


def test_identifiers_keep_their_type(imported, document):
    """What the document calls text is text: no identifier becomes a number."""
    text = imported(document).text
    for tool in library(text)["tools"].values():
        for name, field in {**tool.get("input", {}), **tool.get("output", {})}.items():
            if name.lower() in ("id", "person_id", "itemno", "no"):
                assert field["type"] == "string"


def test_nothing_is_fetched(imported, document, monkeypatch):
    def refused(*_):
        raise AssertionError("a connection")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr("socket.getaddrinfo", refused)
    assert imported(document).tools


# -- documents with something wrong anywhere --------------------------------------------------------------------------

WRONG = [
    *(
        None,
        5,
        -1,
        1.5,
        "",
        "x",
        "{{ y }}",
        "a: b # c",
        [],
        {},
        True,
        False,
        [1],
        [None],
        {"a": 1},
        "2.0",
        "1e999",
        10**40,
    ),
    *(
        {"$ref": "http://127.0.0.1:9/x"},
        {"$ref": "#/"},
        {"$ref": "#/paths"},
        {"$ref": 5},
        {"$ref": "#/definitions/Item"},
    ),
    *({"$ref": "#/components/schemas/Person"}, {"type": ["string", "integer"]}, {"allOf": [{}]}, {"enum": [None]}),
    *({"oneOf": [{}, {"type": "object"}]}, {"enum": ["a", 1, None, "{{ z }}"]}, "\u2028\x07“”", "^a|b$", "[", "\\u12"),
    *("array", "object", "header", "path", "body", "{", "/x", "中文，、", {"type": "array"}, [{"type": "string"}]),
]
KEYS = [
    "$ref",
    "enum",
    "type",
    "format",
    "pattern",
    "no",
    "a b",
    "x",
    "中",
    "in",
    "}{",
    "default",
    "minimum",
    "maxLength",
]
KEYS += [
    "required",
    "properties",
    "nullable",
    "description",
    "security",
    "{{x}}",
    "~",
    "on",
    "1",
    "allOf",
    "anyOf",
    "const",
]
ASKED = {"exactly-one", "write-without-check", "write-without-key"}


def places(value, path=()):
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def spoilt(data, chance):
    """A copy with one to three things wrong."""
    copy = json.loads(json.dumps(data))
    for _ in range(chance.choice([1, 1, 3])):
        *way, last = chance.choice(list(places(copy)))
        inner = copy
        for step in way:
            inner = inner[step]
        if chance.random() < 0.7 or isinstance(inner, list):
            inner[last] = json.loads(json.dumps(chance.choice(WRONG)))
        else:
            inner[chance.choice(KEYS)] = inner.pop(last) if chance.random() < 0.5 else chance.choice(WRONG)
    return copy


@pytest.mark.parametrize("seed", range(4))
def test_wrong_types_anywhere_are_findings_or_a_library_that_checks(imported, checked, completed, seed):
    chance = random.Random(seed)
    documents = [read_foreign(path.read_bytes(), path.name)[0].data for path in CASES]
    refused = written = 0
    for _ in range(60):
        content = json.dumps(spoilt(chance.choice(documents), chance), ensure_ascii=False)
        made = imported(content, "spoilt.json")
        if made.findings:
            refused += 1
            assert not made.text
            assert all(one.location.line == 1 and one.location.column >= 1 for one in made.findings)
        else:
            written += 1
            assert {one.code for one in checked(made.text)} <= ASKED
            assert checked(completed(made.text)) == [], content
    assert refused > 5
    assert written > 5


SIGNS = "aZ09_-: #'\"{}[],&*!|>%@`?~.。：，“”中é\n\t\x07\u2028/\\$^(+ "
NAMES = [
    "in",
    "if",
    "none",
    "no",
    "null",
    "~",
    "007",
    "1e5",
    "{{ x }}",
    "{% y %}",
    "from",
    "X-A",
    "x y",
    "a.b",
    "𝒳",
    "id",
    "args",
]
FREE = ("properties", "variables")
TEXTS = {
    "name",
    "description",
    "summary",
    "title",
    "operationId",
    "url",
    "pattern",
    "format",
    "version",
    "host",
    "style",
}


def renamed(value, key, chance, rate):
    """A copy with strange names, paths and texts in it."""

    def strange():
        return chance.choice(NAMES) if chance.random() < 0.4 else "".join(chance.choices(SIGNS, k=chance.randint(0, 8)))

    def other(name):
        if chance.random() > rate or key not in (*FREE, "paths"):
            return name
        return f"{name}/{strange()}" if key == "paths" else strange()

    if isinstance(value, dict):
        return {other(name): renamed(inner, "" if key in FREE else name, chance, rate) for name, inner in value.items()}
    if isinstance(value, list):
        return [renamed(item, key, chance, rate) for item in value]
    return strange() if isinstance(value, str) and key in TEXTS and chance.random() < rate else value


@pytest.mark.parametrize("seed", range(2))
def test_whatever_the_names_and_texts_are_the_library_checks(imported, checked, completed, seed):
    chance = random.Random(seed)
    documents = [read_foreign(path.read_bytes(), path.name)[0].data for path in CASES]
    written = 0
    for _ in range(40):
        content = json.dumps(renamed(chance.choice(documents), "", chance, chance.choice([0.05, 0.3])))
        made = imported(content, "renamed.json")
        assert {one.code for one in made.findings} <= {"nothing-to-import"}, content
        if made.text:
            written += 1
            assert checked(completed(made.text)) == [], content
    assert written > 30


def test_the_document_of_the_demo_is_imported_whole(imported, checked, completed):
    made = imported(Path(__file__).parents[2] / "demo" / "hr" / "openapi.yaml")
    assert made.tools > 10
    assert made.left_out == 0
    assert checked(completed(made.text)) == []
