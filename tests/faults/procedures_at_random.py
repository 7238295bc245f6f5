"""Procedures written at random, with the tools that they call."""

import json

from interlock.compiler.compile import compile_folder

LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: tools
servers:
  s: {http: "https://example.org"}
tools:
  look:
    http: GET /things/{name}
    effect: read
    input: {name: {type: string, from: caller}}
    output: {name: {type: string}, state: {type: string}}
  make:
    http: POST /things
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {name: {type: string, from: caller}}
    output: {made: {type: string}}
    ensures: [{that: result.made != ''}]
  unmake:
    http: DELETE /things
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {name: {type: string, from: caller}}
    output: {made: {type: string}}
    ensures: [{that: result.made != ''}]
  pay:
    http: POST /pay
    effect: irreversible
    idempotency: {none: the bank has no keys}
    input: {name: {type: string, from: caller}}
    requires: [{call: look, with: {name: "{{ args.name }}"}, that: result.name == args.name}]
    output: {made: {type: string}}
    ensures: [{that: result.made != ''}]
"""


class Author:
    """Writes a procedure at random."""

    def __init__(self, dice, child=True):
        self.dice, self.child, self.numbers, self.events = dice, child, 0, {}

    def spec(self, name):
        """A whole procedure."""
        spec = {"apiVersion": "interlock/v1", "kind": "Procedure", "name": name, "uses": ["tools"]}
        spec["steps"] = self.steps(3, (), self.dice.randint(2, 5))
        if self.events:
            spec["events"] = {event: {"n": {"type": "integer"}} for event in self.events}
        for key in ("on_failure", "on_cancel"):
            if self.dice.random() < 0.6:
                spec[key] = "compensate"
        if self.dice.random() < 0.15:
            spec["deadline"] = f"{self.dice.randint(1, 40)}s"
        return spec

    def steps(self, depth, item, count):
        """Some steps within a loop of `item`, or none."""
        return [self.step(depth, item) for _ in range(count)]

    def step(self, depth, item):
        """One step."""
        self.numbers += 1
        name = f"s{self.numbers}"
        kinds = ["make", "make", "make", "pay", "look", "wait", "receive", "set", "poll"]
        if depth:
            kinds += ["parallel", "for_each", "do", "switch", "run" if self.child else "do"]
        if self.dice.random() < 0.03:
            kinds = ["fail", "end"]
        step = {"id": name, **getattr(self, f"_{self.dice.choice(kinds)}")(name, depth, item)}
        if self.dice.random() < 0.12:
            step["timeout"] = f"{self.dice.randint(1, 20)}s"
        if self.dice.random() < 0.15:
            step["catch"] = [{"do": self.steps(0, item, self.dice.randint(0, 2))}] if self.dice.random() < 0.7 else [{"errors": ["timeout", "unknown"]}]  # fmt: skip
            step["catch"] = [{key: value for key, value in one.items() if value} or {"errors": ["error"]} for one in step["catch"]]  # fmt: skip
        if self.dice.random() < 0.1:
            step["when"] = self.dice.choice(["input.n > 1", "vars.v == 'x'"])
        return step

    def _call(self, tool, name, item):
        return {"call": tool, "with": {"name": _whose(name, item)}}

    def _make(self, name, _depth, item):
        step = self._call("make", name, item)
        if self.dice.random() < 0.6:
            step["compensate"] = [{**self._call("unmake", f"{name}", item), "id": f"u{name}"}]
            if self.dice.random() < 0.3:
                step["compensate"].insert(0, {"wait": "500ms", "id": f"w{name}"})
            if self.dice.random() < 0.3:
                step["compensate"][-1]["with"]["name"] = f"{{{{ steps.{name}.result.made }}}}"
        return step

    def _pay(self, name, _depth, item):
        return self._call("pay", name, item)

    def _look(self, name, _depth, item):
        return self._call("look", name, item)

    def _poll(self, name, _depth, item):
        repeat = {"until": "result.state == 'shut'", "every": f"{self.dice.randint(1, 3)}s", "timeout": "9s"}
        return {**self._call("look", name, item), "repeat": repeat}

    def _wait(self, _name, _depth, _item):
        return {"wait": f"{self.dice.randint(1, 9_000)}ms"}

    def _receive(self, name, _depth, _item):
        self.events[f"e{name}"] = 1
        return {"receive": f"e{name}", "timeout": f"{self.dice.randint(1, 30)}s"}

    def _set(self, _name, _depth, item):
        return {
            "set": {
                "v": self.dice.choice(["x", "{{ vars.v }}y", "{{ " + item[-1] + " }}" if item else "z"]),
                **({"list": ["p"]} if self.dice.random() < 0.3 else {}),
            }
        }

    def _run(self, name, _depth, item):
        step = {"run": "inner", "with": {"name": _whose(name, item)}}
        if self.dice.random() < 0.5:
            step["compensate"] = [{**self._call("unmake", f"inner-{name}", item), "id": f"u{name}"}]
        return step

    def _fail(self, _name, _depth, _item):
        return {"fail": "Enough.", **({"compensate": True} if self.dice.random() < 0.6 else {})}

    def _end(self, _name, _depth, _item):
        return {"end": {"given": "{{ input.n }}"}}

    def _do(self, name, depth, item):
        step = {"do": self.steps(depth - 1, item, self.dice.randint(1, 3))}
        if self.dice.random() < 0.3:
            step["compensate"] = [{**self._call("unmake", f"group-{name}", item), "id": f"u{name}"}]
        return step

    def _switch(self, _name, depth, item):
        return {"switch": [
            {"when": self.dice.choice(["input.n > 1", "vars.v == 'x'"]), "do": self.steps(depth - 1, item, 1)},
            {"do": self.steps(depth - 1, item, 1)},
        ]}  # fmt: skip

    def _parallel(self, _name, depth, item):
        return {"parallel": {f"lane{n}": self.steps(depth - 1, item, self.dice.randint(1, 3)) for n in range(self.dice.randint(2, 3))}}  # fmt: skip

    def _for_each(self, name, depth, item):
        inner = f"i{name}"
        items = self.dice.choice(["{{ input.names }}", ["p", "q", "r"], "{{ vars.list }}"])
        loop = {"items": items, "as": inner, "key": f"{{{{ {inner} }}}}", "do": self.steps(depth - 1, (*item, inner), self.dice.randint(1, 3))}  # fmt: skip
        if self.dice.random() < 0.6:
            loop["max_parallel"] = self.dice.randint(2, 4)
        if self.dice.random() < 0.4:
            loop["on_failure"] = "continue"
        return {"for_each": loop}


def _whose(name, items):
    """The name of a step, with the items of the passes that it stands in."""
    return "-".join([name, *(f"{{{{ {item} }}}}" for item in items)])


INNER = {
    "apiVersion": "interlock/v1", "kind": "Procedure", "name": "inner", "uses": ["tools"], "park": "0s",
    "input": {"name": {"type": "string"}},
    "steps": [{"call": "make", "id": "one", "with": {"name": "in-{{ input.name }}"}, "compensate": [{"call": "unmake", "id": "undo", "with": {"name": "in-{{ input.name }}"}}]}, {"wait": "2s"}],
    "on_cancel": "compensate", "result": {"made": "{{ steps.one.result.made }}"},
}  # fmt: skip


def written(dice, folder):
    """The plans of a procedure at random, by name; None for one that the checker refuses."""
    spec = Author(dice).spec("main")
    spec["input"] = {"names": {"type": "list", "items": {"type": "string"}}, "n": {"type": "integer"}}
    spec["steps"].insert(0, {"set": {"v": "v", "list": ["a", "b"]}, "id": "begin"})
    (folder / "tools.yaml").write_text(LIBRARY)
    inner = INNER | ({"on_failure": "compensate"} if dice.random() < 0.5 else {})
    for one in (inner, spec):
        (folder / f"{one['name']}.yaml").write_text(json.dumps(one, indent=1))
    return compile_folder(folder)
