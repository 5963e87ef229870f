"""Blocks of days in a zone: midnight to midnight, also where clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import groupby
from zoneinfo import ZoneInfo

import pytest

import laser
from laser.checks.accept import accept
from laser.checks.report import check
from laser.engine.run import run
from laser.reference import answer_stream, window_points
from laser.settings import RunSettings
from laser.windows import Growing, Hopping, TimeWindow, Tumbling
from laser.zones import CODE_NAMES, Days

HOUR = Fraction(3600)
CHANGES = [
    ("Europe/Vienna", datetime(2026, 3, 27, tzinfo=UTC)),  # a day of 23 hours
    ("Europe/Vienna", datetime(2026, 10, 23, tzinfo=UTC)),  # a day of 25 hours
    ("America/Sao_Paulo", datetime(2018, 11, 2, tzinfo=UTC)),  # a day that begins at one o'clock
    ("America/Havana", datetime(2025, 10, 31, tzinfo=UTC)),  # midnight comes twice
    ("Asia/Tokyo", datetime(2026, 3, 27, tzinfo=UTC)),
    ("+09:00", datetime(2026, 3, 27, tzinfo=UTC)),
]


class Nothing:
    def time_of(self, back: int) -> int | None:
        return None


def hours(begin: datetime, days: int) -> list[int]:
    first = int(begin.timestamp()) // 3600
    return list(range(first, first + 24 * days))


@pytest.mark.parametrize(("zone", "begin"), CHANGES)
@pytest.mark.parametrize("count", [1, 2, 7])
def test_a_block_is_the_time_points_of_its_days(zone: str, begin: datetime, count: int) -> None:
    days = Days(zone, count, HOUR)
    local = ZoneInfo("Asia/Tokyo" if zone == "+09:00" else zone)

    def block(t: int) -> int:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(hours=t)
        return (moment.astimezone(local).date() - datetime(1970, 1, 1).date()).days // count

    blocks = [list(points) for _, points in groupby(hours(begin, 20), key=block)][1:-1]
    for points in blocks:
        assert {days.begin(t) for t in points} == {points[0]}
        assert {days.following(t) for t in points} == {points[-1] + 1}
        assert len(points) <= days.most_ticks


@pytest.mark.parametrize(("zone", "begin"), CHANGES)
@pytest.mark.parametrize("kind", ["each", "this", "every"])
def test_a_window_of_days_agrees_with_itself(zone: str, begin: datetime, kind: str) -> None:
    days = Days(zone, 1, HOUR)
    made = {"each": Tumbling(24, days=days), "this": Growing(24, days=days), "every": Hopping(5, 24, days=days)}
    window: TimeWindow = made[kind]
    times = hours(begin, 6)
    t0 = times[3]
    for t in times[3:]:
        points = window.points(t, t0, Nothing())
        assert points == window_points(made[kind], [], t0, t)
        for u in range(t0, t + 1):
            last = window.exit(u)
            assert last is not None
            assert (u in points) == (window.entry(u) <= t <= last), (t, u)
        names = {**CODE_NAMES, "max": max, "min": min}
        assert eval(window.entry_code("t"), {**names, "t": t}) == window.entry(t)
        assert eval(str(window.exit_code("t")), {**names, "t": t}) == window.exit(t)
        assert eval(window.length_code(), {**names, "t": t, "t0": t0}) == (len(points) or -1)
        assert t - min(points, default=t) <= (window.reach.ticks or 0)


PROGRAM = """
#zone "Europe/Vienna".
yesterday(X) :- a(X) in [each 1 d].
today(X) :- a(X) in [this 1 d].
all(X) :- a(X) always in [each 1 d].
every(X) :- a(X) in [2 h every 1 d].
hours(N) :- N = count(T : tick at T in [each 1 d]).
utc(X) :- a(X) in [each 12 h].
"""


def test_the_engine_and_the_definition_agree_over_a_change_of_clocks() -> None:
    times = hours(datetime(2026, 3, 28, 20, tzinfo=UTC), 3)
    stream = [(t, ["tick", *([f"a({t % 5})"] if t % 7 < 3 else [])]) for t in times]
    program = laser.parse(PROGRAM)
    right = list(answer_stream(accept(program, RunSettings.read({"tick": "1 h"})), stream))
    assert list(run(program, stream, tick="1 h")) == right
    counts = {str(atom) for _, atoms in right for atom in atoms if atom.predicate == "hours"}
    assert "hours(23)" in counts


def test_a_zone_that_does_not_fit_is_refused() -> None:
    assert check(PROGRAM, tick="1 h").ok
    assert "there is no time zone" in str(check('#zone "Mars/Olympus". q :- p in [this 1 d].'))
    assert "sets two time zones" in str(check('#zone "UTC". #zone "Asia/Tokyo". q :- p in [this 1 d].'))
    with pytest.raises(laser.ProgramError, match="whole number of ticks"):
        laser.Reasoner('#zone "Asia/Kolkata". q :- p in [this 1 d].', tick="1 h")
    with pytest.raises(laser.ProgramError, match="but the run sets"):
        laser.Reasoner('#zone "Asia/Tokyo". q :- p in [this 1 d].', zone="UTC")
    laser.Reasoner('#zone "Asia/Tokyo". q :- p in [this 1 d].', zone="Asia/Tokyo")


def test_a_state_knows_its_zone() -> None:
    program = '#zone "Asia/Tokyo". q(X) :- p(X) in [each 1 d].'
    reasoner = laser.Reasoner(program, tick="1 h")
    reasoner.advance("2026-03-28T10:00:00Z", ["p(1)"])
    state = reasoner.save()
    assert laser.Reasoner.restore(program, state, tick="1 h", dates=True).advance("2026-03-28T15:00:00Z")
    with pytest.raises(laser.StateError):
        laser.Reasoner.restore(program.replace("Tokyo", "Seoul"), state, tick="1 h")


def test_python_times_without_a_zone_are_in_the_zone_of_the_run():
    program = '#zone "Europe/Vienna".\nlate(J, D) :- job(J, D), D > 2026-07-01T00:00, open(O), D > O.'
    reasoner = laser.Reasoner(program, start="2026-03-02T22:00", background=["open(2026-06-01T00:00)"])
    assert reasoner.start == 1772485200
    facts = ["job(a, 2026-07-02T00:00)", ("job", "b", datetime(2026, 7, 2)), ("job", "c", datetime(2026, 6, 30, 22))]
    changes = reasoner.advance("2026-03-02T22:00", facts)
    due = laser.Time.of(datetime(2026, 7, 1, 22, tzinfo=UTC))
    assert [change.atom.args for change in changes] == [("a", due), ("b", due)]
    assert str(changes[0].atom) == "late(a, 2026-07-01T22:00:00Z)"


def test_a_program_with_local_times_runs_in_any_zone():
    program = laser.parse("late(J) :- job(J) at T in [0], T >= 2026-03-02T22:00.")
    assert str(program) == "late(J) :- job(J) at T in [0], T >= 2026-03-02T22:00:00.\n"
    assert laser.parse(str(program)) == program
    for zone, time in (("UTC", "22:00:00Z"), ("Europe/Vienna", "21:00:00Z"), ("America/New_York", "03:00:00Z")):
        day = 3 if zone.startswith("America") else 2
        reasoner = laser.Reasoner(program, zone=zone)
        moment = datetime.fromisoformat(f"2026-03-0{day}T{time}")
        assert reasoner.advance(moment - timedelta(seconds=1), ["job(a)"]) == []
        assert len(reasoner.advance(moment, ["job(a)"])) == 1
