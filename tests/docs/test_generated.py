"""The generated pages are what the code gives, and every link between pages leads somewhere."""

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
    import json

    return json.loads(done.stdout)


def test_generated_pages_are_what_the_code_gives(made):
    stale = [name for name, text in made.items() if (REFERENCE / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run `make docs`"


def test_every_code_has_a_section_and_nearly_every_one_an_example(made):
    from interlock.compiler.codes import CODES

    sections = re.split(r"^### ", made["diagnostics.md"], flags=re.MULTILINE)[1:]
    assert [section.split("\n", 1)[0] for section in sections] == list(CODES)
    bare = [section.split("\n", 1)[0] for section in sections if "```text" not in section]
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
