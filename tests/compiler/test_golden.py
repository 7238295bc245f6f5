"""What the author reads, to the letter: every spec under `err/` against the text beside it.

`INTERLOCK_UPDATE_GOLDEN=1 pytest tests/compiler/test_golden.py` writes the texts anew.
"""

import os
from pathlib import Path

import pytest

from interlock.compiler import Compiled, compile_bundle, compile_folder
from interlock.compiler.codes import CODES
from interlock.compiler.codes_of_imports import IMPORTS
from interlock.source import Bundle, read_document

HERE = Path(__file__).parent
ERR = HERE / "err"
CASES = sorted(path for path in ERR.iterdir() if path.is_dir() or path.suffix == ".yaml")

MADE_BY_TESTS = {
    "empty-bundle",
    "not-a-spec",
    "unreadable-file",
    "outside-bundle",
    "too-large",
    "too-many-nodes",
    "too-long",
    "table-not-checked",
}
"""Findings about what cannot well stand in a repository: a folder without files, huge files. See `test_files.py`.

Those about imported documents are shown by `tests/importing`.
"""


def compiled(case: Path) -> Compiled:
    """A folder is a bundle; a single file is a bundle of its own."""
    if case.is_dir():
        return compile_folder(case / "bundle" if (case / "bundle").is_dir() else case)
    document, read = read_document(case.read_bytes(), case.name)
    return compile_bundle(Bundle("err", ERR, (document,) if document else (), {}), read=read)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_every_mistake_is_told_as_the_golden_file_has_it(case: Path):
    found = compiled(case)
    text = "".join(f"{finding}\n" for finding in found.diagnostics)
    golden = ERR / f"{case.stem}.out"
    if os.environ.get("INTERLOCK_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    assert text, "a fixture of a mistake finds one"


def test_every_code_has_a_fixture():
    shown = {code for golden in ERR.glob("*.out") for code in codes_in(golden.read_text(encoding="utf-8"))}
    assert sorted(set(CODES) - shown - MADE_BY_TESTS - set(IMPORTS)) == []


def test_there_is_no_golden_text_without_its_spec():
    assert {path.stem for path in ERR.glob("*.out")} == {case.stem for case in CASES}


def codes_in(text: str) -> set[str]:
    return {
        part.split("]")[0]
        for line in text.splitlines()
        for part in line.split("[")[1:2]
        if ": error[" in line or ": warning[" in line
    }


def test_nine_mistakes_in_nine_places_are_told_in_one_run():
    found = compile_folder(ERR / "nine_mistakes")
    assert len(found.diagnostics) == 9
    assert len({finding.code for finding in found.diagnostics}) == 9
    assert all(finding.hint or finding.also for finding in found.diagnostics)
    assert found.plans == {}
