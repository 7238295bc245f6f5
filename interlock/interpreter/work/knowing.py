"""What a run's state holds that is sensitive: all of it is known again when the run is taken up."""

from typing import TYPE_CHECKING

from interlock.interpreter.secrets import Secrets

if TYPE_CHECKING:
    from interlock.interpreter.program import Program
    from interlock.interpreter.work.state import Json, RunState


def known_in(program: "Program", run: "RunState") -> Secrets | None:
    """What is known to be sensitive in a run as it stands; none under a plan that declares nothing so."""
    if program.sensitive is None:
        return None
    secrets = Secrets(program.sensitive)
    secrets.learn(("input",), run.input)
    secrets.learn(("vars",), run.vars)
    for name, box in run.mailbox.items():
        for event in box:
            secrets.learn(("events", name), event["data"])
    _results(secrets, {instance: one["result"] for instance, one in run.journal.items() if "result" in one})
    for one in run.passes.values():
        secrets.learn(("vars",), one["vars"])
        for variable, item in one["roots"].items():
            secrets.learn((variable,), item)
        _results(secrets, {step: done["result"] for step, done in one.get("done", {}).items()})
        _results(secrets, one.get("steps", {}))  # as a version has kept them that knew of no ends
    for cells in (run.cells, *(one["cells"] for one in (*run.passes.values(), *run.undo.values()))):
        _cells(secrets, cells)
    return secrets


def _results(secrets: Secrets, results: "Json") -> None:
    for instance, result in results.items():
        secrets.learn(("steps", instance.rpartition("/")[2], "result"), result)


def _cells(secrets: Secrets, cells: "Json") -> None:
    for tool, filled in cells.items():
        secrets.learn(("cells", tool), {key: cell["value"] for key, cell in filled.items()})
