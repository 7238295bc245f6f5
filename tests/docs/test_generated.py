"""The generated pages are what the code gives, and every link between pages leads somewhere."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
PAGES = sorted(path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")] if "generate" not in path.parts)
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)\s]*)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The generated pages, made in a process of their own as `make docs` does."""
    program = "import json, sys; from docs.generate.pages import pages; json.dump(pages(), sys.stdout)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_generated_pages_are_what_the_code_gives(made):
    stale = [name for name, text in made.items() if (REFERENCE / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run `make docs`"


def test_every_code_has_a_section_and_nearly_every_one_an_example(made):
    from interlock.compiler.codes import CODES
    from interlock.compiler.codes_of_imports import IMPORTS

    sections = re.split(r"^### ", made["diagnostics.md"], flags=re.MULTILINE)[1:]
    assert [section.split("\n", 1)[0] for section in sections] == list(CODES)
    bare = [section.split("\n", 1)[0] for section in sections if "```text" not in section]
    bare = [code for code in bare if code not in IMPORTS]  # those are about other people's documents
    assert len(bare) <= 8


def test_every_key_of_the_language_is_explained(made):
    rows = [line for line in made["language.md"].splitlines() if re.match(r"\| `\w+` \|.*\|.*\|", line)]
    unexplained = [row for row in rows if row.rstrip(" |").endswith(("|", "| **required**"))]
    assert len(rows) > 150
    assert unexplained == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_page_and_a_heading(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), f"{target} leads nowhere"
        if anchor:
            assert anchor in anchors(path), f"{target}: {path.name} has no such heading"


def anchors(path: Path) -> set[str]:
    headings = HEADING.findall(FENCED.sub("", path.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_every_test_that_the_guarantees_name_is_there():
    page = (ROOT / "docs" / "explanation" / "guarantees.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`test_.*) \| `(\S+\.py)` \|$", page, re.MULTILINE)
    assert len(rows) >= 10
    for names, file in rows:
        source = (ROOT / "tests" / file).read_text(encoding="utf-8")
        for name in re.findall(r"`(test_\w+)`", names):
            assert f"def {name}(" in source, f"{file} has no {name}"


def test_the_glossary_has_the_words_of_the_language():
    glossary = (ROOT / "docs" / "explanation" / "glossary.md").read_text(encoding="utf-8").lower()
    words = ["agent", "library", "suite", "server", "vocabulary", "slot", "intent", "condition", "decision table"]
    words += ["response", "tool", "gate", "route", "flow", "mount", "outcome", "cell", "receipt", "stub"]
    words += ["procedure", "run", "event", "guard", "compensation", "read-back", "idempotency key", "unknown", "pass"]
    assert [word for word in words if f"| {word}" not in glossary and f", {word}" not in glossary] == []


def test_the_architecture_page_names_every_package():
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    for package in sorted((ROOT / "interlock").glob("*/__init__.py")):
        assert f"`interlock/{package.parent.name}/`" in page
