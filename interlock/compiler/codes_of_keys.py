"""Codes for the shape of a spec: its keys, and the form of their values."""

from interlock.compiler.meaning import Meaning

KEYS = {
    "unknown-kind": Meaning(
        "a `kind` that is not there",
        "Agent, Procedure, Library and Suite are the kinds of spec.",
    ),
    "unknown-version": Meaning(
        "an `apiVersion` that is not known",
        "Write `apiVersion: interlock/v1`.",
    ),
    "unknown-key": Meaning(
        "a key that the language does not have at this place",
        "The hint names the key you may mean, or where it belongs. Nothing written is ignored.",
    ),
    "unknown-action": Meaning(
        "a step with an action that is not there",
        "A step has one action: in flows call, run, collect, act, plan, retrieve, generate, respond, reply, refuse, "
        "handoff, flow, set, switch or do; in procedures call, run, generate, respond, set, switch, parallel, "
        "for_each, do, wait, receive, end or fail.",
    ),
    "missing-key": Meaning(
        "a required key is missing",
        "Add it; the reference says what it holds.",
    ),
    "exactly-one": Meaning(
        "none or several of keys that exclude each other",
        "The message lists them. Keep exactly one; make two steps of two actions.",
    ),
    "lonely-key": Meaning(
        "a key that does nothing without another",
        "Add the key it belongs to, or take it out.",
    ),
    "wrong-type": Meaning(
        "a value of the wrong type for its key",
        "The message says what is expected and what was found. Quote a text that YAML reads as something else.",
    ),
    "not-allowed": Meaning(
        "a word that may not stand at its key",
        "The hint lists those that may.",
    ),
    "out-of-range": Meaning(
        "a number or duration outside its bounds",
        "The message says which.",
    ),
    "empty-map": Meaning(
        "an empty map",
        "It says nothing. Leave the key out, or say what it holds.",
    ),
    "empty-list": Meaning(
        "an empty list",
        "It says nothing. Leave the key out, or say what it holds.",
    ),
    "empty-text": Meaning(
        "an empty text",
        "It says nothing. Leave the key out, or say something.",
    ),
    "bad-name": Meaning(
        "a name of the wrong form",
        "Names of parts are snake_case, since they stand in expressions; names of specs are kebab-case.",
    ),
    "bad-language": Meaning(
        "a language of the wrong form",
        "Write `zh`, `en` or `zh-Hant`. If a comma split a text, quote it.",
    ),
    "bad-path": Meaning(
        "a path of the wrong form",
        "A path has dots, as in `rows.0.value`; it is never computed.",
    ),
    "bad-source": Meaning(
        "a `from` that is no source",
        "`caller`, `model`, or a path under slots, cells, user, session, config, message or turn.",
    ),
    "bad-form": Meaning(
        "a text that is not of the form its key wants",
        "The hint shows the form: `GET /orders/{order_no}`, an entry point's name, a host.",
    ),
    "swallowed-comment": Meaning(
        "a comment cuts off an unquoted text (a warning)",
        "An unquoted ` #` begins a comment. Quote the text, or put the comment on a line of its own.",
    ),
}
