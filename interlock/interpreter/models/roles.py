"""Which model role is asked at a stage, by which rule, and what the record keeps of that."""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from interlock.expressions import NotMet
from interlock.plan.models import AUTO, GENERAL, TOOL_CALL

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Turn
    from interlock.plan.models import Model
    from interlock.plan.plan import Plan

OVERRIDE = "model_override"
"""What the record gives as the rule, where the caller named the model."""

Stage: TypeAlias = Literal["selection", "arguments", "planning", "generation"]


def writer(turn: "Turn", wanted: str) -> str:
    """The role that writes a reply; noted for the record with the rule that chose it."""
    role, rule = (wanted, "") if wanted != AUTO else _by_rules(turn)
    return noted(turn, "generation", role, rule)


def chooser(turn: "Turn", stage: Stage) -> str:
    """The role that chooses tools and proposes arguments."""
    return noted(turn, stage, TOOL_CALL, "")


def noted(turn: "Turn", stage: Stage, role: str, rule: str) -> str:
    """The role, or `general` where the plan has no such role; the decision goes into the record."""
    models = turn.program.plan.models
    named = overriding(turn)
    if named is not None:
        turn.asking.roles.append({"stage": stage, "role": GENERAL, "model": named["model"], "rule": OVERRIDE})
        return GENERAL
    found = role if role in models else GENERAL
    entry: Json = {"stage": stage, "role": found, "model": models[found].model, "rule": rule or None}
    if found != role:
        entry["instead_of"] = role
    turn.asking.roles.append(entry)
    return found


def overriding(turn: "Turn") -> "Json | None":
    """The settings that the caller named for this message or the session; none at a server that a new plan has not."""
    named = turn.message.model or turn.state.model
    return named if named is not None and has_server(turn.program.plan, named) else None


def has_server(plan: "Plan", named: "Json") -> bool:
    """Whether models of this plan answer at the server that is named, if one is."""
    return "server" not in named or any(one.server == named["server"] for one in plan.models.values())


def settings_of(plan: "Plan", role: str, named: "Json | None" = None) -> "Model":
    """The settings of a role, with what it takes over from `general`; `named` ones count before them."""
    own = plan.models[role]
    if named is not None:
        return own.model_copy(update=named)
    general = plan.models.get(GENERAL, own)
    lent: dict[str, Any] = {
        key: getattr(general, key)
        for key in ("temperature", "max_tokens", "timeout_ms")
        if getattr(own, key) is None and getattr(general, key) is not None
    }
    return own.model_copy(update=lent) if lent else own


def _by_rules(turn: "Turn") -> tuple[str, str]:
    for rule in turn.program.plan.model_rules:
        met: Any = turn.program.condition(rule.when)(turn.context) if rule.when else True
        if isinstance(met, NotMet) and met.reason != "missing":
            turn.failed(rule.at, "model-rule-failed", f"{met.path}: {met.reason}")
        elif met and not isinstance(met, NotMet):
            return rule.model, rule.at
    return GENERAL, ""
