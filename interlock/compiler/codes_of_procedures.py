"""Codes for what tools do outside, and for the steps of procedures."""

from interlock.compiler.meaning import Meaning

PROCEDURES = {
    "write-without-key": Meaning(
        "a tool that writes and does not say how a repeated request is known",
        "An answer may be lost after the effect has happened. Say `idempotency: {header: …}` or `{argument: …}`, so "
        "that the service knows the same request again; or `{none: …}` with the reason why it cannot, and the call is "
        "then tried once.",
    ),
    "write-without-check": Meaning(
        "a tool that writes and whose answer nothing checks",
        "A call that returned has not yet done what it should. Say under `ensures` what its answer must show.",
    ),
    "retry-without-key": Meaning(
        "several attempts of an effect that no key tells from its repetition",
        "The second attempt could have the effect again. Give it a key, or try once.",
    ),
    "write-in-check": Meaning(
        "a check, a condition or a `read_back` that calls a tool which writes",
        "Finding something out changes nothing: it may be done again at any time. Call a tool that only reads.",
    ),
    "repeated-write": Meaning(
        "`repeat` at a call that writes",
        "Every repetition would have its effect. Write once, then let a call that reads repeat until it is done.",
    ),
    "key-argument-taken": Meaning(
        "the argument that carries the idempotency key stands under `input` too",
        "The engine fills it. Take it out of `input`; write what the key is made of under `idempotency.key`.",
    ),
    "not-in-procedure": Meaning(
        "something that needs a conversation, in a Procedure",
        "A procedure has no user, no slots and no turns. What it needs stands under `input`, or is received as an "
        "event; a cell lives as long as the run.",
    ),
    "not-in-flow": Meaning(
        "something that only a Procedure has, in a flow of an Agent",
        "A turn of a conversation is short. Put the work into a Procedure.",
    ),
    "not-in-undoing": Meaning(
        "a step that cannot stand under `compensate`",
        "What undoes a step runs when the run has failed already: it cannot end the run, and is not undone in turn.",
    ),
    "unknown-procedure": Meaning(
        "`run` names no Procedure of the bundle",
        "Correct the name, or write that Procedure.",
    ),
    "procedure-circle": Meaning(
        "procedures that run each other in a circle",
        "They would never end. Use `for_each` for work that repeats, `repeat` for a call that is made until something "
        "holds.",
    ),
    "unknown-event": Meaning(
        "`receive` of an event that is not declared",
        "Declare it under `events`, with its fields: only declared events are let in.",
    ),
    "cannot-feed": Meaning(
        "a part of a Library reads what this spec has not, or has as another type",
        "A Procedure has an `input` and no conversation, an Agent the contrary. Declare what is read under `input`, "
        "with the type that the part takes, or let the part take it from `caller`.",
    ),
    "cell-not-filled-yet": Meaning(
        "a cell is read where no call can have filled it",
        "Its call runs later, at the same time, in another branch or in a pass of a loop, or something has made it "
        "stale. Let it run before. On paths where it may or may not have run, see `cell-may-be-missing`.",
    ),
    "cell-may-be-missing": Meaning(
        "an argument or a value needs a cell that is not filled on every path (a warning)",
        "Where it is missing the run stops before the call; nobody fills it in. Ask `is defined` first, or under the "
        "same condition as its call. A write whose answer is lost fills nothing, and may have happened: what undoes it "
        "must not need its cells.",
    ),
    "variable-not-set-yet": Meaning(
        "a variable of a Procedure is read where no `set` can have given it a value",
        "It is always none there. The `set` runs later, at the same time, in another branch or in a pass of a loop, "
        "whose variables are its own. Let it run before; or ask for it, `vars.x is none`.",
    ),
    "variable-may-be-unset": Meaning(
        "an argument needs a variable of a Procedure that is not set on every path (a warning)",
        "Where it is none the run stops before the call; nobody fills it in. Set it on every path, or ask "
        "`vars.x is not none` first, or under the same condition as its `set`.",
    ),
    "cell-too-old": Meaning(
        "an argument takes a cell that is older than its `max_age` allows whenever it is read",
        "The waits between are longer. Call the tool again after them, or allow a greater age.",
    ),
    "result-not-there": Meaning(
        "the result of a step is read where that step cannot have ended",
        "It runs in another branch or at the same time, or what reads it is its own `catch`. Read it where it has run.",
    ),
    "two-producers": Meaning(
        "two calls may have filled the cell that is read, and nothing says which is meant",
        "Calls in branches that run at the same time are always two producers; calls one after the other are one as "
        "long as they bind the same arguments, or the later surely has run, whose values then count. Otherwise take "
        "the value from one step, `steps.<id>.result`. What undoes a step runs at the end: there any call of the run "
        "counts, but a call is undone with the cells that it filled itself. Branches of a switch exclude each other, "
        "and so do `when: x` and `when: not x`, and what is caught and its `catch`.",
    ),
    "unguarded": Meaning(
        "a call that a `guard` is about, and that its condition does not stand before on every path",
        "The path is shown. Assert the condition by the `when` of the step or of one around it, or under the tool's "
        "`requires`; or end the run before, `when: not conditions.x`, if nothing that the condition reads can be "
        "missing: where something is, neither the condition nor its contrary holds. What a procedure that is run "
        "asserts is about its own input: it counts where `with` gives it the same, `{x: '{{ input.x }}'}`, for all "
        "that the condition depends on there, what chooses between two answers among it; an event, what a model fills "
        "in, the answer to a write, and a failure that is handled are never the same. `except` names tools that need "
        "it not.",
    ),
    "too-early": Meaning(
        "something is read before it can be there",
        "Read what is there when a run begins: its `input`.",
    ),
    "bad-wait": Meaning(
        "a `wait` that is neither a duration nor a time",
        "Write `4h`, or a template that gives a time.",
    ),
    "too-late": Meaning(
        "something lasts as long as, or longer than, the time it has (a warning)",
        "The bound around it ends it first. Shorten it, or lengthen the bound.",
    ),
    "hidden-name": Meaning(
        "a loop's item is called like something that it would hide",
        "Give the item a name of its own.",
    ),
    "loop-without-key": Meaning(
        "a loop that writes without a `key`",
        "If the list is another one when the run goes on after a failure, the place of an item in it says nothing. "
        "Give a `key` that is different for each item and stays the same.",
    ),
    "same-key": Meaning(
        "a key that cannot differ between the items of a loop, the values of `expand`, or two steps of a run",
        "The second effect would be taken for a repetition of the first, and be lost. Let the key read what tells them "
        "apart, or leave `key` out: the engine makes one of run, step and item.",
    ),
    "check-without-answer": Meaning(
        "a check that asks nothing of the answer it is about",
        "A line of `ensures` is asked after the call, and one that reads neither `result` nor `payload`, and calls "
        "nothing, was as true before: it shows nothing of the effect. A check, condition or `read_back` that calls "
        "first is about the `result` of that call. Ask something of the answer; what must hold before the call stands "
        "in `requires`.",
    ),
    "sensitive-key": Meaning(
        "a loop whose `key` is made of something sensitive",
        "The key names the passes of a loop: it stands in the names of steps, in records, in the ids of procedures "
        "that are run, and in the engine's idempotency keys, and nothing masks it there. Make it of a number or id "
        "that is not sensitive.",
    ),
    "constant-key": Meaning(
        "an idempotency key that is the same in every run",
        "A service takes a second request of one key for a repetition of the first, and does nothing: the effect of "
        "every run but the first would be lost. Constants, `config` among them, tell no run from another; make the key "
        "of what the effect is about, such as the id of a payment, or leave it out: the engine's own is of the run.",
    ),
    "unstable-key": Meaning(
        "a key that reads the time",
        "A key must be the same when the call is made again. Make it of what the effect is about.",
    ),
}
