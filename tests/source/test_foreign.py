"""Documents of others: what is taken as it stands, what is refused, and where everything stands."""

import json

import pytest

from interlock.source.foreign import read_foreign


def read(content, file="x.yaml"):
    document, findings = read_foreign(content.encode(), file)
    assert findings == []
    return document.data


def test_habits_that_a_spec_may_not_have_are_taken_as_they_stand():
    text = """
        %s
        200: {description: ok, y: {a, b}, list: [k: v]}
        version: 1.10
        zeros: [007, 555E898665, 2024-05-01, 1e3]
        no: True
        text: “查询，
          继续”
    """
    lines = "\n".join(line[8:] for line in text.splitlines()).replace("%s", "").lstrip()
    assert read(lines) == {
        "200": {"description": "ok", "y": {"a": None, "b": None}, "list": [{"k": "v"}]},
        "version": "1.10",
        "zeros": ["007", "555E898665", "2024-05-01", "1e3"],
        "no": "True",
        "text": "“查询， 继续”",
    }


def test_json_keeps_its_own_rules():
    text = '\ufeff{"a": "\\ud83d\\ude00\\/", "n": [1, 1.5, 123456789012345678901234567890],\t"b":null}'
    assert read(text) == {"a": "😀/", "n": [1, 1.5, 123456789012345678901234567890], "b": None}


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        ("a: &x 1\nb: *x\n", "yaml-anchor", "1:4"),
        ("a: !t 1\n", "yaml-tag", "1:4"),
        ("a: 1\na: 2\n", "duplicate-key", "2:1"),
        ("<<: {a: 1}\n", "merge-key", "1:1"),
        ("? [a]\n: 1\n", "non-string-key", "1:3"),
        ("a: 1\n---\nb: 2\n", "several-documents", "2:1"),
        ("%YAML 1.1\n---\na: 1\n", "yaml-directive", "1:1"),
        ("a: 'x\n", "yaml-syntax", "1:4"),
        ("", "empty-file", "1:1"),
        ("# nothing\n", "empty-file", "1:1"),
        ("- a\n", "not-a-map", "1:1"),
        ("[1]", "not-a-map", "1:1"),
        ('{"a": 1,\n "a": 2}', "bad-json", "1:1"),
        ('{"a":\n {"b": [1, NaN]}}', "bad-json", "2:12"),
        ('{"a":\n {"b": x}}', "bad-json", "2:8"),
        ('{"a": {"\\ud800": 1}}', "bad-json", "1:2"),
        ("a: \x07", "control-character", "1:4"),
    ],
)
def test_what_is_refused_is_told_at_its_place(content, code, place):
    document, findings = read_foreign(content.encode(), "x")
    assert document is None
    assert (findings[0].code, str(findings[0].location)) == (code, f"x:{place}")


def test_other_encodings_are_named():
    assert read_foreign('{"a": "é"}'.encode("latin-1"), "x")[1][0].code == "bad-json"
    assert read_foreign("a: é".encode("latin-1"), "x")[1][0].code == "wrong-encoding"


def spots(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from spots(inner, (*path, key))


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_every_key_of_a_json_text_has_its_place(indent):
    data = {"a": [1, {"b\\u": "]}"}, [], [[2]]], "c": {"d": {}, "": None}, 'e"\n': 'x"'}
    text = json.dumps(data, indent=indent)
    document, _ = read_foreign(text.encode(), "x")
    lines = text.split("\n")
    for path in spots(data):
        place = document.places.key(path)
        rest = "\n".join([lines[place.line - 1][place.column - 1 :], *lines[place.line :]])
        wanted = json.dumps(path[-1]) + ":" if path and isinstance(path[-1], str) else ""
        assert rest.startswith(wanted)
        if not wanted:
            assert json.JSONDecoder().raw_decode(rest)[0] == _at(data, path)
    assert document.places.key(("c", "nowhere", "at all")) == document.places.key(("c",))


def _at(value, path):
    for step in path:
        value = value[step]
    return value
