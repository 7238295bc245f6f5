"""The six figures of an audit: each so many of so many, with what is not among them."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Share:
    """So many of so many; `others` names those that are not among them, each with why."""

    part: int = 0
    whole: int = 0
    others: list[str] = field(default_factory=list)

    def count(self, good: bool, otherwise: str) -> None:
        """One more of the whole, and of the part if it is good."""
        self.whole += 1
        self.part += good
        if not good:
            self.others.append(otherwise)

    @property
    def complete(self) -> bool:
        """Whether the part is the whole."""
        return self.part == self.whole


@dataclass(slots=True)
class Figures:
    """The six figures over `calls` calls; `masked` values could not be compared."""

    inputs_with_source: Share = field(default_factory=Share)
    cells_with_one_producer: Share = field(default_factory=Share)
    write_arguments_with_provenance: Share = field(default_factory=Share)
    ids_verbatim: Share = field(default_factory=Share)
    bad_arguments_stopped: Share = field(default_factory=Share)
    calls_linked: Share = field(default_factory=Share)
    calls: int = 0
    masked: int = 0

    def shares(self) -> list[tuple[str, Share]]:
        """The figures with their names for people, in the order of the docs."""
        return [
            ("inputs with a source", self.inputs_with_source),
            ("cells with one producer", self.cells_with_one_producer),
            ("arguments of writes with provenance", self.write_arguments_with_provenance),
            ("values of cells that arrived verbatim", self.ids_verbatim),
            ("bad arguments stopped before the call", self.bad_arguments_stopped),
            ("calls linked to what they read and wrote", self.calls_linked),
        ]
