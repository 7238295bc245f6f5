"""What graphs are drawn with: lines of a Mermaid flowchart, with labels that show what was written."""

from dataclasses import dataclass, field

from interlock.plan.base import Text
from interlock.plan.plan import Plan

LABEL_LENGTH = 60

STYLES = (
    "classDef gate fill:#fff4d6,stroke:#b98900,color:#3d2e00",
    "classDef says fill:#e6f4ea,stroke:#2e7d4f,color:#0f3d22",
    "classDef ends fill:#fde7e7,stroke:#b3403a,color:#4a1210",
    "classDef calls fill:#e3edfd,stroke:#2f5fb3,color:#10264d",
)

Shape = tuple[str, str, str]
"""What stands before and after the label of a node, and its class."""

PLAIN = ('["', '"]', "")
ROUND = ('(["', '"])', "")
ASKS = ('{"', '"}', "")


class Dotted(str):
    """The label of a dotted edge: a way that is gone only if something fails."""

    __slots__ = ()


Tails = list[tuple[str, str]]
"""Nodes that the next one hangs on, each with the label of its edge."""


def escaped(text: str) -> str:
    """One line of at most LABEL_LENGTH characters that Mermaid shows as it is."""
    line = " ".join(text.split())
    line = line if len(line) <= LABEL_LENGTH else line[: LABEL_LENGTH - 1] + "…"
    return "".join(f"#{ord(one)};" if one in '#&"<>`\\' else one for one in line)


@dataclass
class Lines:
    """The lines drawn so far; nodes are numbered in drawing order, so equal plans give equal graphs.

    Edges come last: what a subgraph names, Mermaid draws within it.
    """

    plan: Plan
    language: str
    lines: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    nodes: int = 0

    def chart(self) -> str:
        """The whole flowchart."""
        return "\n".join(["flowchart TD", *(f"  {line}" for line in (*self.lines, *self.edges, *STYLES))]) + "\n"

    def numbered(self, shape: Shape, text: str) -> str:
        """A node of its own number; its name."""
        self.nodes += 1
        return self.node(f"n{self.nodes}", shape, text)

    def node(self, name: str, shape: Shape, text: str) -> str:
        """A node of that name."""
        before, after, style = shape
        self.lines.append(f"{name}{before}{escaped(text)}{after}{style}")
        return name

    def join(self, tails: Tails, node: str) -> None:
        """Edges from the tails to a node."""
        for tail, label in tails:
            text = escaped(label)
            if isinstance(label, Dotted):
                self.edges.append(f'{tail} -. "{text}" .-> {node}')
            else:
                self.edges.append(f'{tail} -- "{text}" --> {node}' if label else f"{tail} --> {node}")

    def said(self, text: Text | None) -> str:
        """The text in the reader's language."""
        return "" if not text else text.get(self.language) or next(iter(text.values()))
