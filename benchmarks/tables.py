"""A first-match decision table of three columns, asked for rows all over it."""

import json
import random
from collections.abc import Iterator
from functools import partial

from benchmarks.measuring import SEED, Effort, cpu_seconds, in_turn, installed
from benchmarks.table import Row
from interlock.interpreter.tables import Table
from interlock.plan.base import Field
from interlock.plan.rules import Cell, Decision, TableInput
from interlock.plan.rules import Row as Rule

AT = "table.yaml:1:1"
TIERS = ("basic", "plus", "vip")


def rows(effort: Effort) -> Iterator[Row]:
    """Two sizes."""
    for size, figure, zen_cost in ((1_000, 1e-6, 334e-6), (10_000, 2e-6, 1.6e-3)):
        rules = [(f"C{n // 5:05}", TIERS[n % 3], (n % 5) * 100, (n % 5 + 1) * 100, f"desk {n}") for n in range(size)]
        questions = [_question(rule) for rule in random.Random(SEED).sample(rules, 50)]
        contenders = {"ours": _ours(rules, questions)} | dict(
            installed(
                {
                    "zen-engine": ("zen", partial(_zen, rules, questions)),
                    "business-rules": ("business_rules", partial(_business_rules, rules, questions)),
                }
            )
        )
        for name, call in contenders.items():
            assert [call() for _ in questions] == [desk for *_, desk in questions], name
        times = cpu_seconds(contenders, effort)
        yield Row(f"first-match table, {size:,} rules", times.pop("ours"), figure, times, peer=("zen-engine", zen_cost))


def _question(rule):
    country, tier, low, _, desk = rule
    return {"country": country, "tier": tier, "weight": low + 50}, desk


def _ours(rules, questions):
    fields = {"country": "string", "tier": "string", "weight": "integer"}
    table = Table(
        Decision(
            at=AT,
            hit="first",
            inputs={name: TableInput(type=kind, value=None) for name, kind in fields.items()},
            outputs={"desk": Field(type="string")},
            rows=tuple(_row(*rule) for rule in rules),
        )
    )
    outputs = [{"desk": desk} for *_, desk in rules]
    following = in_turn([values for values, _ in questions])
    return lambda: table.decide(following(), outputs.__getitem__).result["desk"]


def _row(country, tier, low, high, desk):
    weight = Cell(above=low, above_inclusive=True, below=high)
    cells = {"country": Cell(any_of=(country,)), "tier": Cell(any_of=(tier,)), "weight": weight}
    return Rule(at=AT, when=cells, then={"desk": desk})


def _zen(rules, questions, module):
    names = ("country", "tier", "weight")
    table = {
        "hitPolicy": "first",
        "inputs": [{"id": name, "name": name, "field": name} for name in names],
        "outputs": [{"id": "desk", "name": "desk", "field": "desk"}],
        "rules": [
            {
                "_id": str(n),
                "country": json.dumps(country),
                "tier": json.dumps(tier),
                "weight": f"[{low}..{high})",
                "desk": json.dumps(desk),
            }
            for n, (country, tier, low, high, desk) in enumerate(rules)
        ],
    }
    nodes = [
        {"id": "in", "type": "inputNode", "name": "in"},
        {"id": "table", "type": "decisionTableNode", "name": "table", "content": table},
        {"id": "out", "type": "outputNode", "name": "out"},
    ]
    edges = [
        {"id": "1", "type": "edge", "sourceId": "in", "targetId": "table"},
        {"id": "2", "type": "edge", "sourceId": "table", "targetId": "out"},
    ]
    decision = module.ZenEngine().create_decision(json.dumps({"nodes": nodes, "edges": edges}))
    following = in_turn([values for values, _ in questions])
    return lambda: decision.evaluate(following())["result"]["desk"]


def _business_rules(rules, questions, module):
    from business_rules.actions import BaseActions, rule_action  # noqa: PLC0415 - a rival, perhaps not there
    from business_rules.fields import FIELD_TEXT  # noqa: PLC0415
    from business_rules.variables import BaseVariables, numeric_rule_variable, string_rule_variable  # noqa: PLC0415

    class Variables(BaseVariables):
        def __init__(self, values):
            self.values = values

        @string_rule_variable
        def country(self):
            return self.values["country"]

        @string_rule_variable
        def tier(self):
            return self.values["tier"]

        @numeric_rule_variable
        def weight(self):
            return self.values["weight"]

    class Actions(BaseActions):
        chosen = None

        @rule_action(params={"desk": FIELD_TEXT})
        def choose(self, desk):
            self.chosen = desk

    written = [_written(*rule) for rule in rules]
    following = in_turn([values for values, _ in questions])

    def ask():
        actions = Actions()
        module.run_all(written, Variables(following()), actions, stop_on_first_trigger=True)
        return actions.chosen

    return ask


def _written(country, tier, low, high, desk):
    conditions = [
        {"name": "country", "operator": "equal_to", "value": country},
        {"name": "tier", "operator": "equal_to", "value": tier},
        {"name": "weight", "operator": "greater_than_or_equal_to", "value": low},
        {"name": "weight", "operator": "less_than", "value": high},
    ]
    return {"conditions": {"all": conditions}, "actions": [{"name": "choose", "params": {"desk": desk}}]}
