"""What ends a fork of which several parts have failed."""

import pytest

from interlock.interpreter.failures import StepFailed
from interlock.interpreter.work.ends import Ended, Refused, raise_first
from interlock.interpreter.work.tasks import Stopped

FIRST, SECOND = (StepFailed("error", word, "a", "x:1:1") for word in ("first", "second"))
FAULT, END, REFUSAL, STOPPED = KeyError("of ours"), Ended(), Refused(FIRST), Stopped()


@pytest.mark.parametrize(
    ("outcomes", "raised"),
    [
        ([None, STOPPED], STOPPED),
        ([STOPPED, FIRST, SECOND], FIRST),
        ([FIRST, END, STOPPED], END),
        ([END, REFUSAL], REFUSAL),
        ([REFUSAL, FIRST, FAULT], FAULT),
    ],
)
def test_the_gravest_is_raised_and_of_its_like_the_first(outcomes, raised):
    with pytest.raises(type(raised)) as caught:
        raise_first(outcomes)
    assert caught.value is raised


def test_results_raise_nothing():
    raise_first([None, {"a": 1}])
