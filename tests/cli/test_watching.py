"""What a model writes on the screen: as it comes, and never left to stand where it is not what was said."""

import asyncio

import pytest

from interlock.cli.watching import Screen, watched
from interlock_activities.models.drafts import Draft, Drafts, Piece


@pytest.fixture
def shown(capsys):
    """What stands on the screen after these pieces and a reply, and whether the reply does."""

    def shown(*pieces, reply, **words):
        screen = Screen(**words)
        for piece in pieces:
            screen.take(piece)
        said = screen.completes(reply)
        return capsys.readouterr().out, said

    return shown


def piece(text, call="c1", attempt=1, ending=""):
    return Piece(call, attempt, text, ending)


def test_pieces_stand_there_as_they_came_and_what_a_reply_has_more_is_added(shown):
    assert shown(piece("It "), piece("is."), piece("", ending="whole"), reply="It is.") == ("It is.\n", True)
    assert shown(piece("It is."), reply="It is.\n\nSources:\n- x") == ("It is.\n\nSources:\n- x\n", True)


def test_white_space_around_a_reply_is_none_of_it(shown):
    assert shown(piece("\n "), piece(" It"), piece(" \n"), piece("is. "), piece("\n"), reply="It \nis.") == (
        "It \nis.\n",
        True,
    )


def test_nothing_is_shown_where_nothing_was_written(shown):
    assert shown(piece("", ending="broken"), reply="Away.") == ("", False)


def test_a_head_stands_before_the_first_line_and_a_margin_before_the_others(shown):
    assert shown(piece("One\nt"), piece("wo"), reply="One\ntwo", head="> ", margin="  ") == ("> One\n  two\n", True)


def test_what_broke_off_is_told_and_the_next_attempt_begins_below(shown):
    pieces = piece("It was", ending="broken"), piece("It is.", attempt=2)
    assert shown(*pieces, reply="It is.", head="> ", margin="  ") == ("> It was\n  (broken off)\n  It is.\n", True)


@pytest.mark.parametrize(
    ("reply", "why"), [("A colleague comes.", "not said"), ("First.\n\nIt is.", "the whole reply")]
)
def test_what_is_not_the_reply_is_told_as_that(shown, reply, why):
    assert shown(piece("It is."), reply=reply) == (f"It is.\n({why})\n", False)


def test_what_two_steps_write_stands_apart_as_in_the_reply(shown):
    pieces = piece("One.\n", ending="whole"), piece(" Two.", call="c2")
    assert shown(*pieces, reply="One.\n\nTwo.") == ("One.\n\nTwo.\n", True)


def test_only_the_run_that_is_watched_is_shown_and_only_meanwhile(capsys):
    async def run():
        drafts, screen = Drafts(), Screen()

        async def written(run, text):
            draft = Draft("c1", 1, (), 1_000)
            with drafts.begun(run, draft):
                draft.add(text)
                await asyncio.sleep(0)
            await asyncio.sleep(0)

        async with watched(drafts, "mine", screen):
            await asyncio.sleep(0)
            await written("mine", "Hello")
            await written("other", "Bye")
        await written("mine", "again")
        return dict(drafts._watching)

    assert asyncio.run(run()) == {}
    assert capsys.readouterr().out == "Hello"
