"""Following a value through the records of runs to its ends: calls, events, models, a starter, or the author."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

ENDS = frozenset(
    {"config", "value", "caller", "default", "slots", "message", "user", "session", "intents", "model"}
    | {"conditions", "decisions", "run", "now", "turn", "error", "args", "result", "payload", "status"}
)
"""What a value is from that nothing has made of anything else, by the first word of its source."""

AMONG = "which is not among these runs"


@dataclass(frozen=True, slots=True)
class Handed:
    """What a run has given another, or has given back: where each value is from; none where its record does not say."""

    run: str
    first: str
    sources: Json | None


@dataclass(slots=True)
class Trails:
    """The runs that values may lead through; a run is known by its own id, and by the one that Temporal gave it."""

    _known: set[str] = field(default_factory=set)
    _receipts: set[str] = field(default_factory=set)
    _given: dict[str, Handed] = field(default_factory=dict)
    _results: dict[str, Handed] = field(default_factory=dict)
    _wanted: set[str] = field(default_factory=set)

    @property
    def wanted(self) -> set[str]:
        """The runs that have given an audited one its input, and are not known."""
        return self._wanted - self._known

    def take(self, run: str, first: str, records: Sequence[Json]) -> None:
        """Know the records of a run."""
        self._known |= {run, first}
        for record in records:
            for call in record.get("calls") or ():
                if call.get("receipt"):
                    self._receipts.add(call["receipt"])
                self._wanted |= set(_givers(call.get("sources") or {}))
            if child := (record.get("child") or {}).get("run"):
                self._given[child] = Handed(run, first, record.get("sources"))
            for begun in record.get("runs") or ():
                self._given[f"{run}/{begun['run']}"] = Handed(run, first, begun.get("sources"))
            if record.get("event") == "done":
                self._results[run] = self._results[first] = Handed(run, first, record.get("sources"))

    def lost(self, run: str, first: str, origin: Json, seen: frozenset[tuple[str, str]] = frozenset()) -> str:
        """Why a value of this origin cannot be followed to its ends; empty if it can."""
        return next((why for end in ends_of(origin) if (why := self._lost(run, first, end, seen))), "")

    def _lost(self, run: str, first: str, end: Json, seen: frozenset[tuple[str, str]]) -> str:
        if "more" in end:
            return f"{end['more']} more of its sources are not named"
        source = str(end.get("source") or "")
        root = source.partition(".")[0]
        if (run, source) in seen or any(name in end for name in ("event", "model", "retriever")):
            return ""
        seen |= {(run, source)}
        if "receipt" in end:
            return "" if end["receipt"] in self._receipts else f"{source} has the receipt of no known call"
        if "run" in end:
            return self._through(self._results.get(end["run"]), source, 3, f"{source} is from run {end['run']}", seen)
        if root == "input":
            return self._of_input(run, first, end, source, seen)
        return "" if root in ENDS else f"{source or 'it'} has no source that is known"

    def _of_input(self, run: str, first: str, end: Json, source: str, seen: frozenset[tuple[str, str]]) -> str:
        handed, link = self._given.get(first) or self._given.get(run), end.get("given_by")
        if handed is None and link is None:
            return ""
        what = f"{source} was given by run {link['run'] if link else handed.run if handed else ''}"
        return self._through(handed, source, 1, what, seen)

    def _through(self, handed: Handed | None, source: str, at: int, what: str, seen: frozenset[tuple[str, str]]) -> str:
        """Go on in another run, at the name that stands in `source` at a place; a whole is all that was handed over."""
        if handed is None:
            return f"{what}, {AMONG}"
        if handed.sources is None:
            return f"{what}, whose record does not say where it is from"
        name = source.split(".")[at] if source.count(".") >= at else ""
        origins = [handed.sources[name]] if name in handed.sources else [] if name else handed.sources.values()
        return next((why for one in origins if (why := self.lost(handed.run, handed.first, one, seen))), "")


def ends_of(origin: Json) -> list[Json]:
    """The ends of a value as its record names them; a value is its own, if nothing else was made of it."""
    if "made_of" in origin:
        return list(origin["made_of"])
    return [{"source": path} for path in origin["reads"]] if "reads" in origin else [origin]


def _givers(sources: Json) -> Iterator[str]:
    for origin in sources.values():
        yield from (end["given_by"]["run"] for end in ends_of(origin) if "given_by" in end)
