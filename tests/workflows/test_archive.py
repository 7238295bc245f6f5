"""Every record of a run can be asked for, however many turns ago."""

from interlock_workflows.archive import Archive


def records_until(turn):
    return [{"turn": number, "text": f"{number}" * 50} for number in range(max(1, turn - 49), turn + 1)]


def test_every_turn_is_found_and_nothing_twice():
    archive = Archive()
    for turn in range(1, 231):
        archive.take(records_until(turn))
    archive.take(records_until(230))
    assert [archive.find(turn)["turn"] for turn in range(1, 231)] == list(range(1, 231))
    assert archive.find(0) is None
    assert archive.find(231) is None


def test_what_the_run_before_has_carried_over_is_found_too():
    archive = Archive()
    archive.take(records_until(201)[-3:])
    assert archive.find(199)["turn"] == 199
    assert archive.find(198) is None
