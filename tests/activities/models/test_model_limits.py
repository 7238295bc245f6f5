"""Client-side limits: arithmetic without a clock, turns on a clock that is turned by hand."""

import asyncio
import selectors
from collections import deque
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.plan.tools import Limits
from interlock_activities.failures import Failure
from interlock_activities.models.chat import Chat, Endpoint
from interlock_activities.models.pace import Pace, Turns, estimated_tokens
from interlock_activities.models.windows import MINUTE_S, Turn, start
from tests.activities.models import services

limits_drawn = st.builds(
    Limits,
    requests_per_minute=st.none() | st.integers(1, 6),
    tokens_per_minute=st.none() | st.integers(1, 100),
)
arrivals = st.lists(st.tuples(st.floats(0, 40), st.integers(0, 60)), max_size=25)


def admitted(arriving, limits):
    """The turns that requests get which come one after the other, each `pause` after the one before."""
    now, past = 0.0, deque()
    for pause, cost in arriving:
        now += pause
        at = start(past, [cost], limits, max(now, past[-1].at if past else 0))
        past.append(Turn(at, cost))
    return past


@settings(deadline=None)
@given(arrivals, limits_drawn)
def test_no_minute_has_more_than_the_limits_say(arriving, limits):
    turns = admitted(arriving, limits)
    for number, first in enumerate(turns):
        within = [turn for turn in list(turns)[number:] if turn.at < first.at + MINUTE_S]
        if limits.requests_per_minute is not None:
            assert len(within) <= limits.requests_per_minute
        if limits.tokens_per_minute is not None:
            most = limits.tokens_per_minute
            assert sum(turn.tokens for turn in within) <= most or any(turn.tokens > most for turn in within)
            # One that alone is more than all of a minute starts when nothing else is in it.
            if first.tokens > most:
                before = [turn for turn in list(turns)[:number] if turn.at + MINUTE_S > first.at]
                assert sum(turn.tokens for turn in before) == 0


@settings(deadline=None)
@given(arrivals, limits_drawn)
def test_no_turn_is_earlier_than_it_was_asked_for_or_than_one_before_or_later_than_needed(arriving, limits):
    turns = admitted(arriving, limits)
    assert all(one.at <= other.at for one, other in pairwise(turns))
    if limits.requests_per_minute is None and limits.tokens_per_minute is None:
        asked = 0.0
        for (pause, _), turn in zip(arriving, turns, strict=True):
            asked += pause
            assert turn.at == asked


@settings(deadline=None)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=10), limits_drawn)
def test_a_queue_is_worked_out_as_if_its_requests_came_one_by_one(costs, limits):
    one_by_one = admitted([(0.0, cost) for cost in costs], limits)
    assert start([], costs, limits, 0.0) == one_by_one[-1].at


def test_limits_left_out_are_none():
    assert start([], [10**9] * 100, Limits(), 5.0) == 5.0


class Clock(selectors.SelectSelector):
    """Waits by turning the clock."""

    now = 0.0

    def select(self, timeout=None):
        found = super().select(0)
        if not found and timeout:
            self.now += timeout
        return found


@pytest.fixture
def by_hand():
    """Runs a coroutine function on a loop whose time passes only by waiting; it is given the clock."""

    def run(work):
        clock = Clock()
        loop = asyncio.SelectorEventLoop(clock)
        loop.time = lambda: clock.now
        try:
            return loop.run_until_complete(work(loop.time))
        finally:
            loop.close()

    return run


def test_turns_are_given_in_order_and_to_the_limits(by_hand):
    async def work(clock):
        turns, order = Turns(clock), []

        async def one(number):
            await turns.take(0, Limits(requests_per_minute=3), 1_000)
            order.append((number, round(clock())))

        await asyncio.gather(*(one(number) for number in range(8)))
        return order

    expected = [(0, 0), (1, 0), (2, 0), (3, 60), (4, 60), (5, 60), (6, 120), (7, 120)]
    assert by_hand(work) == expected


def test_a_large_request_is_not_overtaken_by_small_ones(by_hand):
    async def work(clock):
        turns, order = Turns(clock), []

        async def one(tokens):
            await turns.take(tokens, Limits(tokens_per_minute=100), 1_000)
            order.append(tokens)

        await asyncio.gather(one(60), one(90), one(5), one(6))
        return order

    assert by_hand(work) == [60, 90, 5, 6]


def test_who_would_wait_too_long_fails_at_once_and_is_told_how_long(by_hand):
    async def work(clock):
        turns, limits = Turns(clock), Limits(requests_per_minute=1)
        await turns.take(0, limits, 1)
        with pytest.raises(Failure) as failure:
            await turns.take(0, limits, 59)
        assert clock() == 0
        return failure.value

    failure = by_hand(work)
    assert (failure.kind, failure.retryable, failure.sent) == ("error", True, False)
    assert failure.retry_after_ms == 60_000


def test_who_waits_behind_others_counts_them(by_hand):
    async def work(clock):
        turns, limits = Turns(clock), Limits(requests_per_minute=1)
        await turns.take(0, limits, 1)
        waiting = asyncio.ensure_future(turns.take(0, limits, 100))
        await asyncio.sleep(0)
        with pytest.raises(Failure) as failure:
            await turns.take(0, limits, 100)
        await waiting
        return failure.value.retry_after_ms

    assert by_hand(work) == 120_000


def test_a_cancelled_call_leaves_its_place_to_the_next(by_hand):
    async def work(clock):
        turns, limits = Turns(clock), Limits(requests_per_minute=1)
        await turns.take(0, limits, 1)
        waiting = [asyncio.ensure_future(turns.take(0, limits, 1_000)) for _ in range(3)]
        await asyncio.sleep(1)
        waiting[0].cancel()
        waiting[1].cancel()
        await waiting[2]
        return clock()

    assert by_hand(work) == pytest.approx(60)


def test_a_correction_lets_the_next_go_or_holds_it_back(by_hand):
    async def work(clock):
        turns, limits = Turns(clock), Limits(tokens_per_minute=100)
        first = await turns.take(90, limits, 1)
        waiting = asyncio.ensure_future(turns.take(50, limits, 1_000))
        await asyncio.sleep(5)
        assert not waiting.done()
        turns.correct(first, 20)
        second = await waiting
        assert clock() == pytest.approx(5)
        turns.correct(second, 500)
        await turns.take(1, limits, 1_000)
        return clock()

    assert by_hand(work) == pytest.approx(65)


def test_what_was_not_sent_is_given_back(by_hand):
    async def work(clock):
        turns, limits = Turns(clock), Limits(requests_per_minute=1)
        turns.give_back(await turns.take(0, limits, 1))
        turn = await turns.take(0, limits, 1)
        await turns.take(0, limits, 100)
        turns.give_back(turn)
        return clock()

    assert by_hand(work) == pytest.approx(60)


def test_a_correction_while_one_waits_may_make_it_wait_too_long(by_hand):
    async def work(clock):
        turns, limits = Turns(clock), Limits(tokens_per_minute=100)
        await turns.take(50, limits, 1)
        await asyncio.sleep(30)
        second = await turns.take(50, limits, 1)
        waiting = asyncio.ensure_future(turns.take(40, limits, 40))
        await asyncio.sleep(5)
        turns.correct(second, 90)
        with pytest.raises(Failure) as failure:
            await waiting
        return clock(), failure.value.retry_after_ms

    assert by_hand(work) == (pytest.approx(70), pytest.approx(20_000, abs=5))


def test_each_service_and_credential_has_turns_of_its_own():
    pace = Pace()
    one = pace.at(Endpoint("http://a", {"x-api-key": "k"}))
    assert pace.at(Endpoint("http://a", {"x-api-key": "k"})) is one
    assert pace.at(Endpoint("http://b", {"x-api-key": "k"})) is not one
    assert pace.at(Endpoint("http://a", {"x-api-key": "l"})) is not one
    assert "x-api-key" not in repr(vars(pace))


def test_services_that_nobody_asks_any_more_are_forgotten():
    pace = Pace()
    for number in range(3_000):
        pace.at(Endpoint(f"http://{number}"))
    assert len(pace._turns) <= 1_000


def test_a_chat_costs_about_its_size_and_its_answer():
    messages = ({"role": "user", "content": "x" * 4_000},)
    assert 1_400 < estimated_tokens(Chat("r", "m", messages)) < 1_600
    assert 1_000 < estimated_tokens(Chat("r", "m", messages, max_tokens=9)) < 1_100


def test_a_server_with_limits_is_asked_so_often_and_no_more(serve, asking, failing, generate):
    wire = serve(body=services.openai())
    request = asking(wire, server={"limits": {"requests_per_minute": 2}})
    generate(request, request)
    failure = failing(request, request, request)
    assert failure.message == "model 'writer': the server's `limits` leave no turn within the time-out"
    assert (failure.type, failure.non_retryable, failure.details[0]["sent"]) == ("model_error", False, False)
    assert 55 < failure.next_retry_delay.total_seconds() <= 60
    assert len(wire.seen) == 4


def test_tokens_are_counted_as_they_were(serve, asking, failing, generate):
    wire = serve(body=services.openai(usage=(40, 50)))
    request = asking(wire, max_tokens=10, server={"limits": {"tokens_per_minute": 160}})
    generate(request)
    generate(request, request)
    failing(request, request, request)
    assert len(wire.seen) == 5


def test_a_request_that_never_left_costs_no_turn(asking, failing):
    request = asking(server={"limits": {"requests_per_minute": 1}})
    assert "no connection" in failing(request).message
