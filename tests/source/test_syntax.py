"""The parser's complaints in plain words, and what bites in YAML without one."""

import pytest

from interlock.source import read_document


def findings(text):
    return read_document(text.encode(), "a.yaml")[1]


@pytest.mark.parametrize(
    ("text", "code", "place", "words"),
    [
        ("fact: {value: rows[0].value, x: 1}", "yaml-syntax", "1:19", "rows.0.value"),
        ("reply: {{ config.company }} 您好", "unquoted-template", "1:8", "'{{ … }}'"),
        ("reply: {{ config.company }}", "unquoted-template", "1:8", "'{{ … }}'"),
        ("a:\n  - {{ x }} y\n", "unquoted-template", "2:5", "quote"),
        ("x: {show: 您好 {{ x }}}", "yaml-syntax", "1:14", "quote"),
        ("x: {until: x in ['A'], b: 1}", "yaml-syntax", "1:17", "quote"),
        ("when: 'tracking' in message.text", "yaml-syntax", "1:18", "quote the whole value"),
        ("when: k in {'a': 1}", "yaml-syntax", "1:16", "quote the whole value"),
        ("a: 1\nreply：您好\n", "full-width-colon", "2:1", "': '"),
        ("a: {reply：您好}", "full-width-colon", "1:5", "': '"),
        ("a: {amount: >= 100}", "yaml-syntax", "1:13", "quote"),
        ("a: [10..20)", "yaml-syntax", "1:4", "[10..20)"),
        ("rules:\n  - {amount: [1..5), fee: 2}", "yaml-syntax", "2:14", "[10..20)"),
        ('p: ["\\b\\d+"]', "yaml-syntax", "1:8", "single quotes"),
        ('a: "abc', "yaml-syntax", "1:4", "close it"),
        ("a: 'abc\nb: 1", "yaml-syntax", "1:4", "close it"),
        ("a: [1, 2\nb: 3", "yaml-syntax", "1:4", "close it"),
        ("a: {x: 1\nb: 3", "yaml-syntax", "1:4", "close it"),
        ("a: %x", "yaml-syntax", "1:4", "quote"),
        ("a: @x", "yaml-syntax", "1:4", "quote"),
        ("a: * x", "yaml-syntax", "1:4", "quote"),
        ("a:\n  - b\n c: 1", "yaml-syntax", "3:2", "line the keys up"),
        ("a: 1\n  b: 2", "yaml-syntax", "2:4", "indent"),
        ("key:value\nb: 1", "yaml-syntax", "1:1", "key: value"),
        ("a: 1\nkey:value\nb: 1", "yaml-syntax", "2:1", "key: value"),
        ("a: b: c", "yaml-syntax", "1:5", "quote"),
        ("a: > b", "yaml-syntax", "1:4", "break the line"),
        ("a: >= 5", "yaml-syntax", "1:4", "quote"),
        ("- a\nb: 1", "yaml-syntax", "2:1", "'-'"),
        ("a: - b", "yaml-syntax", "1:4", "break the line"),
        ("a: ]", "yaml-syntax", "1:4", "quote"),
        ('a: "x" y', "yaml-syntax", "1:8", "quote"),
        ("a: [a, b] c", "yaml-syntax", "1:11", "quote"),
        ('a: "\\ud800"', "yaml-syntax", "1:7", "single quotes"),
        ("a: {zh: 你好, en: Hello, you}", "split-text", "1:24", "quote"),
        ("a: [group: finance]", "pair-in-list", "1:5", "{key: value}"),
    ],
)
def test_a_mistake_is_told_at_its_place_with_the_remedy(text, code, place, words):
    finding = findings(text)[0]
    assert (finding.code, f"{finding.location.line}:{finding.location.column}") == (code, place)
    assert words in finding.hint
    assert "did not find expected" not in finding.message


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("a: [查询货物，查一下进度]", "full-width-comma", "1:9"),
        ("a: [退款、退货]", "full-width-comma", "1:7"),
        ("a: “您好”", "curly-quotes", "1:4"),
        ("a: >\n  您好，\n  请提供\n", "folded-cjk", "2:6"),
        ("a: 您好，\n  请提供\n", "folded-cjk", "1:7"),
        ("a: '您好，\n  请提供'\n", "folded-cjk", "1:8"),
        ("a: text\n  - item\n", "continued-text", "2:3"),
    ],
)
def test_a_habit_that_yaml_takes_literally_is_a_warning(text, code, place):
    (finding,) = findings(text)
    assert (finding.severity, finding.code) == ("warning", code)
    assert f"{finding.location.line}:{finding.location.column}" == place


@pytest.mark.parametrize(
    "text",
    [
        "a: |\n  您好，\n  请提供\n",
        "a: >\n  Hello,\n  you\n",
        "a: 您好，请提供\n",
        "a:\n  - 好的，谢谢\n",
        "a: ['查询货物，查一下进度']\n",
        "a: 他说“您好”。\n",
        "a: >\n  第一段。\n\n  第二段。\n",
        "a: {zh: 你好, en: Hello}\n",
        "a: '{{ x }}'\n",
        "a: [{group: finance}]\n",
        "a: {b: }\n",
    ],
)
def test_what_is_written_well_is_not_commented(text):
    assert findings(text) == []


def test_scalars_that_a_comment_follows_are_known():
    document, _ = read_document(
        "a: 运单 #1\nb: #get\nc: x#y\nd: 'x' # y\ne: [f] # z\ng:\n  - h   # i\n".encode(), "a.yaml"
    )
    assert document.commented == {("a",), ("b",), ("g", 0)}
