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
        walk.files(pages.GO_ON.get(page.name, pages.TUTORIAL))
    walk.page(page)


def test_only_what_is_listed_is_not_run(pages):
    shown = [block for page in PAGES for block in pages.blocks_of(page)]
    commands = {one.line for block in shown if block.language == "console" for one in pages.commands_of(block)}
    assert set(pages.UNRUN) <= commands, "the list names a command that no page shows"
    skipped = {block.page.name for block in shown if "skip" in block.says}
    assert skipped == {"diagnostics.md", "language.md"}, "only parts of the generated pages stand for themselves"


SPEC = "apiVersion: interlock/v1\nkind: Agent\nname: a\nroutes: [{flow: f}]\nflows: {f: [{reply: Hello}]}\n"
RIGHT = f"```yaml file=specs/a/agent.yaml\n{SPEC}```\n```console\n$ interlock check\n1 bundle: no findings\n```\n"


def walked(pages, monkeypatch, folder, text):
    monkeypatch.setattr(pages, "ROOT", folder)
    monkeypatch.setattr(pages, "UPDATE", False)
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    pages.Walk(folder).page(page)


def test_a_right_page_passes(pages, monkeypatch, tmp_path):
    walked(pages, monkeypatch, tmp_path, RIGHT)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("1 bundle: no", "2 bundles: no"),
        ("```console", "```console exit=1"),
        ("routes", "roots"),
        ("agent.yaml", "agent.yaml wrong=unknown-key"),
        ("$ interlock check", "$ interlock chekc"),
    ],
)
def test_a_wrong_page_is_found_out(pages, monkeypatch, tmp_path, right, wrong):
    with pytest.raises(AssertionError):
        walked(pages, monkeypatch, tmp_path, RIGHT.replace(right, wrong))
