"""What README and the pages show is true: every spec checks, every command prints what is shown."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]
    if "adr" not in path.parts and "generate" not in path.parts
)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_page_shows_is_so(pages, page, tmp_path):
    walk = pages.Walk(tmp_path)
    if page.parent.name == "how-to":
        walk.files(pages.TUTORIAL)
    walk.page(page)
