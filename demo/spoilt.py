"""The payroll bundle with one mistake in each copy: one that the checker refuses, and two that stop when they run."""

from collections.abc import Mapping
from pathlib import Path

HEAD, REST = "  - call: match_template\n", "  - call: start_calculation\n"
IMPORT = '  - call: import_template\n    with: {remark: "Payroll {{ input.month }}"}\n'
MAX_AGE = "max_age: 30m"

UNMATCHED = {HEAD: f"{HEAD}    when: input.round > 1\n"}
LATE = {IMPORT: f"  - receive: warnings_accepted\n{IMPORT}"}
TWICE = {
    IMPORT: """\
  - parallel:
      one:
        - call: import_template
          with: {remark: "Payroll {{ input.month }}"}
      another:
        - call: import_template
          id: import_again
          with: {remark: "Again {{ input.month }}"}
"""
}


def missing(payroll: Path, folder: Path) -> str:
    """A copy in which the template is not always looked for; the name of its procedure."""
    return _copy(payroll, folder, "payroll-missing", UNMATCHED)


def stale(payroll: Path, folder: Path) -> str:
    """A copy in which a template is good for a second, and something is waited for; the name of its procedure."""
    return _copy(payroll, folder, "payroll-stale", LATE, {MAX_AGE: "max_age: 1s"})


def ambiguous(payroll: Path, folder: Path) -> Path:
    """A copy in which two calls may have given the id of the import; its folder."""
    _copy(payroll, folder, "payroll-ambiguous", TWICE, whole=True)
    return folder / "payroll-ambiguous"


def _copy(
    payroll: Path,
    folder: Path,
    name: str,
    steps: Mapping[str, str],
    library: Mapping[str, str] | None = None,
    *,
    whole: bool = False,
) -> str:
    text = (payroll / "payroll-run.yaml").read_text(encoding="utf-8").replace("name: payroll-run", f"name: {name}")
    if not whole:
        text = text.partition(REST)[0]
    (folder / name).mkdir()
    (folder / name / "procedure.yaml").write_text(_changed(text, steps), encoding="utf-8")
    tools = (payroll / "payroll.yaml").read_text(encoding="utf-8")
    (folder / name / "payroll.yaml").write_text(_changed(tools, library or {}), encoding="utf-8")
    for child in ("onboarding.yaml", "post-to-ledger.yaml") if whole else ():
        (folder / name / child).write_text((payroll / child).read_text(encoding="utf-8"), encoding="utf-8")
    return name


def _changed(text: str, changes: Mapping[str, str]) -> str:
    for old, new in changes.items():
        if text.count(old) != 1:
            raise RuntimeError(f"the payroll bundle has no longer one {old!r}")
        text = text.replace(old, new)
    return text
