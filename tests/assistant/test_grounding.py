"""How far prose is believed: the more cautious of what the model says of itself and what the policy allows."""

import itertools

import pytest

from interlock.interpreter.models.grounding import CAUTION, Claim, judged
from interlock.plan.models import Grounding

STRICT = Grounding(mode="strict", general_knowledge=False, low_confidence="ask", on_failure="decline")
PREFER = Grounding(mode="prefer", general_knowledge=True, low_confidence="answer", on_failure="answer")


def sure(kind):
    return Claim(kind, sure=True)


def unsure(kind):
    return Claim(kind, sure=False)


@pytest.mark.parametrize(
    ("policy", "claim", "evidence", "kind"),
    [
        (Grounding(), None, False, "answer"),
        (STRICT, sure("answer"), True, "answer"),
        (STRICT, sure("answer"), False, "ask"),
        (STRICT, unsure("answer"), True, "ask"),
        (STRICT, unsure("ask"), True, "ask"),
        (STRICT, sure("decline"), True, "decline"),
        (STRICT, None, True, "decline"),
        (STRICT, None, False, "decline"),
        (STRICT.model_copy(update={"on_failure": "answer"}), None, True, "answer"),
        (STRICT.model_copy(update={"on_failure": "answer"}), None, False, "ask"),
        (STRICT.model_copy(update={"low_confidence": "decline"}), sure("answer"), False, "decline"),
        (STRICT.model_copy(update={"low_confidence": "answer"}), sure("answer"), False, "ask"),
        (STRICT.model_copy(update={"general_knowledge": True}), sure("answer"), False, "ask"),
        (PREFER, sure("answer"), False, "answer"),
        (PREFER, unsure("answer"), False, "answer"),
        (PREFER.model_copy(update={"general_knowledge": False, "low_confidence": "ask"}), sure("answer"), False, "ask"),
        (PREFER.model_copy(update={"low_confidence": "decline"}), unsure("answer"), True, "decline"),
        (PREFER, None, False, "answer"),
    ],
)
def test_the_rules(policy, claim, evidence, kind):
    assert judged(policy, claim, evidence=evidence) == kind


def everything():
    flags, kinds, modes = (True, False), CAUTION, ("strict", "prefer")
    claims = [None, *(Claim(kind, sure=sure) for kind in kinds for sure in flags)]
    for mode, knows, low, failure, claim, evidence in itertools.product(modes, flags, kinds, kinds, claims, flags):
        yield Grounding(mode=mode, general_knowledge=knows, low_confidence=low, on_failure=failure), claim, evidence


def test_nothing_is_ever_bolder_than_the_model_itself():
    for policy, claim, evidence in everything():
        if claim is not None:
            assert CAUTION.index(judged(policy, claim, evidence=evidence)) >= CAUTION.index(claim.kind)


def test_strict_without_evidence_never_answers():
    assert all(judged(p, c, evidence=e) != "answer" for p, c, e in everything() if p.mode == "strict" and not e)
