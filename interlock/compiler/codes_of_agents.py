"""Codes for gates, routes, flows, mounts and what an Agent makes of its parts."""

from interlock.compiler.meaning import Meaning

AGENTS = {
    "unreachable": Meaning(
        "a gate, route, branch, outcome or step that is never reached",
        "An ordered rule without `when` always holds and stands last; one with the same `when` as an earlier "
        "one never has its turn; nothing follows a step that ends the flow. Overlapping conditions in general "
        "cannot be decided, and are not reported.",
    ),
    "no-last-route": Meaning(
        "the last route has a `when`",
        "Then a message may find no route. Let the last route have none.",
    ),
    "unknown-runtime": Meaning(
        "`runtime` names none that is there",
        "Write `pipeline` or `react`, or install the package that brings it: as an entry point of the group "
        "`interlock.runtimes`. It must be there where a spec is checked, and on every worker.",
    ),
    "unknown-decomposer": Meaning(
        "`decompose` names none that is there",
        "Install the package that brings it, as an entry point of the group `interlock.decomposers`: where specs are "
        "checked, and on every worker. Or leave it out: then every combination gets a call.",
    ),
    "screen-order": Meaning(
        "a screen is written after other gates (a warning)",
        "Screens run first wherever they stand. Write them first, so that the spec reads as it runs.",
    ),
    "no-effect": Meaning(
        "something that changes nothing (an error or a warning)",
        "The message says what. Take it out, or correct the name.",
    ),
    "not-mounted": Meaning(
        "a tool is called that is not mounted",
        "`mounts` is what a conversation may do; nothing else is eligible. Add the tool there.",
    ),
    "duplicate-mount": Meaning(
        "a tool is mounted twice",
        "Keep one of the two.",
    ),
    "cell-never-filled": Meaning(
        "a cell is read that no call of this Agent or Procedure can fill",
        "Its tool is not mounted, or no step of the procedure calls it. Mount or call it, or read something else. In a "
        "conversation, whether a call has really been made before is known only when it runs: then the condition is "
        "not met, and the record says `missing`.",
    ),
    "silent-path": Meaning(
        "a flow may end without a word",
        "On the path shown, through a skip, a branch or a failure, nothing is said. Add a `reply`, or "
        "`respond: none` where silence is meant. A path with exactly one call is answered by the `respond` of "
        "its mount.",
    ),
    "no-result": Meaning(
        "a `respond` without a result",
        "No call comes before it on any path: call a tool first, or say a text with `reply`. In a procedure say "
        "`result: steps.<id>.result`: several calls may go on side by side.",
    ),
    "flow-circle": Meaning(
        "a flow that runs itself",
        "Flows are inlined; a circle would never end. Use a route, or `collect`, to go on in a later turn.",
    ),
    "flow-not-checked": Meaning(
        "flows with too many ways to follow them all (a warning)",
        "What was found holds; steps that no way reaches, and catches of what cannot happen, are not told. Split them "
        "into several Agents.",
    ),
    "catch-never": Meaning(
        "a `catch` for something that cannot happen (a warning)",
        "The steps within cannot end in that error, or an earlier entry takes it. Take it out.",
    ),
    "expand-single": Meaning(
        "`expand` over a slot with one value",
        "Say `many: true` at the slot, or leave it out of `expand`.",
    ),
    "needs-expand": Meaning(
        "a slot of several values feeds an argument that takes one",
        "Write `expand: [slot]` at the call, which then calls once for each value; or make the argument a list.",
    ),
    "unused": Meaning(
        "a part or mount of an Agent that nothing uses (a warning)",
        "Take it out, or use it. A Library may hold more than an Agent needs.",
    ),
}
