"""Readers of the library, what they have said, and what a call may hold at most because of it: judged without the engine."""

import re
import unicodedata
from dataclasses import dataclass, field

WINDOW = 3
"""How many messages of the reader count as trusted history."""

SHAPES = {
    "book": re.compile(r"(?<![0-9A-Z_])(?:LB-[0-9]{4}-[0-9]{4}|[0-9]{3}E[0-9]{6})(?![0-9A-Z_])"),
    "card": re.compile(r"(?<![0-9A-Z_])CR[A-Z][0-9]{6}(?![0-9A-Z_])"),
    "books": re.compile(r"(?<![0-9A-Z_])SET[0-9]{5}(?![0-9A-Z_])"),
}
"""What has the form of an identifier, in a text whose width is folded and whose letters are raised."""

TAKES = {
    "find_book": {"book": "book"},
    "hold_book": {"book": "book"},
    "extend_loan": {"book": "book", "card": "card"},
    "find_sets": {"books": "books"},
    "erase": {"book": "book"},
}
MEANT = {"find_book": "find", "hold_book": "hold", "extend_loan": "extend", "find_sets": "sets"}
WINGS = {"EAST": ("east", "东馆"), "WEST": ("west", "西馆")}

WORDS = {
    "find": ["find {}", "where is {}", "{} 查书", "please find {} now"],
    "hold": ["reserve {}", "预约 {}", "reserve {} in the east wing", "{} 预约 西馆"],
    "extend": ["extend {}", "续借 {}", "please extend {}"],
    "sets": ["whole sets {}", "套书 {}"],
    "go on": ["check it", "那个呢", "check it please", "that one"],
    "": ["it is about {}", "{}", "thank you very much {}", "I have read 12 pages {}", "关于 {}", "the rules of {}", "tell me freely {}"],
}  # fmt: skip


def an_identifier(dice, kind):
    """One that nobody has said."""
    if kind == "book":
        return dice.choice([f"LB-{dice.randrange(10**4):04}-{dice.randrange(10**4):04}", f"{dice.randrange(10**3):03}E{dice.randrange(10**6):06}"])  # fmt: skip
    if kind == "card":
        return f"cr{dice.choice('abcdefgh')}{dice.randrange(10**6):06}"
    return f"SET{dice.randrange(10**5):05}"


def named_in(text):
    """Everything in a text that has the form of an identifier, letters raised."""
    folded = unicodedata.normalize("NFKC", text).upper()
    return {found[0] for shape in SHAPES.values() for found in shape.finditer(folded)}


@dataclass
class Message:
    """What a reader says: the intent that its words show (`*`: any), the identifiers in it by kind, and the text."""

    meant: str
    holds: dict
    text: str
    type: str = "user_chat"


@dataclass
class Reader:
    """One conversation as the reader knows it."""

    dice: object
    said: list = field(default_factory=list)
    loans: list = field(default_factory=list)
    """What `find_book` has told, the last one last."""
    mistaken: list = field(default_factory=list)
    """Loans that were given back although they were not the last that was told."""

    def message(self):
        """The next message; what it holds stands in it as it is written on the book."""
        dice = self.dice
        meant = dice.choice([*WORDS, "find", "hold", "go on"])
        kinds = ["books"] if meant == "sets" else ["book", "card"] if meant == "extend" else ["book"]
        holds = {}
        if meant != "go on" and dice.random() < 0.55:
            for kind in kinds:
                several = 2 if dice.random() < 0.15 else 1
                holds[kind] = [self._known(kind) if dice.random() < 0.2 else an_identifier(dice, kind) for _ in range(several)]  # fmt: skip
        written = " ".join(one for each in holds.values() for one in each)
        text = dice.choice(WORDS[meant]).replace("{}", written).strip() or "hello"
        return Message(meant, holds, text, "form" if dice.random() < 0.06 else "user_chat")

    def _known(self, kind):
        """One that was said before, however long ago."""
        before = [one for message in self.said for one in message.holds.get(kind, ())]
        return self.dice.choice(before) if before else an_identifier(self.dice, kind)

    def say(self, message):
        """The reader has said it."""
        self.said.append(message)

    @property
    def recent(self):
        """The messages that count beside the last one."""
        return self.said[:-1][-WINDOW:]

    def stale(self, kind):
        """Identifiers that were said, but too long ago."""
        old = [one for message in self.said[: -WINDOW - 1] for one in message.holds.get(kind, ())]
        return [one for one in old if one not in self.may_be(kind, "find_book")]

    def may_be(self, kind, tool):
        """What the identifier of a call may be now: the one of the message, or the only one of the history it asks for."""
        now = self.said[-1]
        here = list(dict.fromkeys(now.holds.get(kind, ())))
        if here:
            return here if len(here) == 1 or kind == "books" else []
        if now.type != "user_chat" or now.meant not in (MEANT.get(tool), "go on", "*"):
            return []
        known = list(dict.fromkeys(one for message in self.recent for one in message.holds.get(kind, ())))
        return known if len(known) == 1 else []

    def told(self, tool, arguments):
        """What `find_book` tells now, where that is called; a loan is looked at when it is given back."""
        if tool == "give_back" and arguments["loan"] != (self.loans or [None])[-1]:
            self.mistaken.append(("loan", arguments["loan"]))
        if tool == "find_book":
            self.loans.append(f"LN{self.dice.randrange(10**8):08}")
        return self.loans[-1] if self.loans else ""

    def wrong(self, tool, arguments):
        """What of a call the reader has given no cause for; empty if nothing."""
        found, self.mistaken = self.mistaken, []
        for name, kind in TAKES.get(tool, {}).items():
            values = arguments[name] if isinstance(arguments[name], list) else [arguments[name]]
            allowed = self.may_be(kind, tool)
            found += [(name, value, allowed) for value in values if value not in allowed]
        wing = arguments.get("wing")
        if wing is not None and not any(word in self.said[-1].text.lower() for word in WINGS[wing]):
            found.append(("wing", wing))
        heard = {one.upper() for message in [*self.recent, self.said[-1]] for each in message.holds.values() for one in each}  # fmt: skip
        texts = [arguments[name] for name in ("remark", "reason") if name in arguments]
        return found + [(text, named_in(text) - heard) for text in texts if named_in(text) - heard]
