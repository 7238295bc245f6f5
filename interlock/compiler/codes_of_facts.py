"""Codes for look-ups and the texts that state what they have found."""

from interlock.compiler.meaning import Meaning

FACTS = {
    "fact-of-a-write": Meaning(
        "a look-up that changes something",
        "A tool with `fact` is asked once for every combination of values, and again when an answer is lost. Let it "
        "only read.",
    ),
    "fact-hides-argument": Meaning(
        "an argument of a look-up is called like a part of `fact`",
        "A text about facts reads `fact.value`, `fact.unit`, `fact.source`, `fact.param` and `fact.raw` beside the "
        "arguments. Rename the argument; `send_as` keeps its name on the wire.",
    ),
    "fact-beyond-first-row": Meaning(
        "a fact that is not in the first row",
        "No row is no fact, one row is the fact, and several are an error: write `rows.0.value`, and let the call ask "
        "for one row.",
    ),
    "facts-without-fact": Meaning(
        "a response with `facts` answers a tool that is no look-up",
        "Say in the tool, under `fact`, where its answer has the value, the unit and the source; or answer it by "
        "`text`.",
    ),
    "fact-never-stated": Meaning(
        "a look-up that no response states",
        "Without a response with `facts`, at the mount or in a step, what was found is left to other texts or to a "
        "model. Name one, or leave `fact` out.",
    ),
    "facts-not-here": Meaning(
        "a response with `facts` where no look-up is answered",
        "It states all that the last call of a conversation has looked up. A part of a result is said by `text`.",
    ),
    "figure-of-no-fact": Meaning(
        "a text about facts has a figure of its own",
        "Readers take every figure of such an answer for one that was looked up. Let it come from the result, write it "
        "in words, or say it in a `reply` of its own.",
    ),
}
