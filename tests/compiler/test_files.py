"""Findings whose cause cannot well stand in a repository: folders without files, huge files, links that lead out."""

import time
from pathlib import Path

import pytest

from interlock.compiler import compile_folder

LIBRARY = "apiVersion: interlock/v1\nkind: Library\nname: parts\n"


@pytest.fixture
def told(tmp_path: Path):
    """Codes and first lines of what is found in a folder with one spec."""

    def compiled(text: str) -> list[str]:
        (tmp_path / "parts.yaml").write_text(text, encoding="utf-8")
        return [str(finding).splitlines()[0] for finding in compile_folder(tmp_path).diagnostics]

    return compiled


def test_an_empty_folder_says_what_a_bundle_is(tmp_path: Path):
    assert [finding.code for finding in compile_folder(tmp_path).diagnostics] == ["empty-bundle"]


def test_a_folder_that_is_not_there_suggests_the_nearest(tmp_path: Path):
    (tmp_path / "specs").mkdir()
    (finding,) = compile_folder(tmp_path / "spec").diagnostics
    assert (finding.code, finding.hint) == ("missing-file", "did you mean 'specs'?")


def test_a_file_that_is_no_spec_is_refused(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    assert [finding.code for finding in compile_folder(tmp_path / "notes.txt").diagnostics] == ["not-a-spec"]


def test_a_link_out_of_the_bundle_is_not_followed(tmp_path: Path, told):
    outside = tmp_path.parent / f"{tmp_path.name}-outside.csv"
    outside.write_text("word\na\n", encoding="utf-8")
    (tmp_path / "words.csv").symlink_to(outside)
    assert "outside-bundle" in told(LIBRARY + "vocabularies: {v: {csv: words.csv}}\n")[0]


def test_something_that_is_no_regular_file_is_not_read(tmp_path: Path, told):
    (tmp_path / "words.csv").mkdir()
    assert "unreadable-file" in told(LIBRARY + "vocabularies: {v: {csv: words.csv}}\n")[0]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("too-large", LIBRARY + f"config: {{a: '{'x' * 600_000}'}}\n"),
        ("too-many-nodes", LIBRARY + f"config: {{a: [{'1, ' * 150_000}1]}}\n"),
        ("too-long", LIBRARY + f"conditions: {{c: {{that: \"user.id == '{'x' * 5000}'\"}}}}\n"),
    ],
)
def test_what_is_over_a_limit_is_refused(code: str, text: str, told):
    assert any(f"error[{code}]" in line for line in told(text))


def test_a_table_too_large_to_be_checked_says_so(told):
    rows = "".join(f"      - {{a: 'v{i}', b: x}}\n" for i in range(12_000))
    head = (
        "config: {a: b}\ndecisions:\n  d:\n    hit: first\n    inputs: {a: {type: string, value: '{{ config.a }}'}}\n"
    )
    lines = told(LIBRARY + head + "    outputs: {b: {type: string}}\n    rules:\n" + rows)
    assert any("warning[table-not-checked]" in line for line in lines)


def test_thousands_of_wrong_names_among_thousands_cost_little_and_a_hundred_are_told(told):
    flows = "\n".join(f"  f{n}: [{{flow: g{n}}}]" for n in range(5_000))
    text = f"apiVersion: interlock/v1\nkind: Agent\nname: big\nlanguages: [en]\nroutes:\n  - {{id: all, flow: f1}}\nflows:\n{flows}\n"
    started = time.process_time()
    found = [line for line in told(text) if "error[unknown-target]" in line]
    assert time.process_time() - started < 4
    assert len(found) == 100
