"""Snapshots and intervals say the same as the changes that they are made from."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laser.io import FORMATS, FORMS
from laser.io.formats.format import Times
from laser.io.formats.text import TEXT
from laser.io.read import read_stream
from laser.values import Atom

PLAIN = Times()
P, Q = Atom("p"), Atom("q", ("x1", "y"))


def write(form, steps, start, layout="text", times=PLAIN):
    out = io.BytesIO()
    writer = FORMATS[layout].writer(form, times, out)
    sink = FORMS[form](writer)
    for now, changes in steps:
        sink.take(changes, start, now)
    sink.end()
    writer.close()
    return out.getvalue()


def lines(*given):
    return write(*given).decode().splitlines()


STEPS = [(36, [(36, Q, True)]), (41, [(40, Q, False), (41, P, True)]), (42, [])]


def test_changes_in_order():
    assert lines("changes", STEPS, 36) == ["36  + q(x1, y)", "40  - q(x1, y)", "41  + p"]


def test_a_snapshot_for_every_time_point_from_the_start():
    held = [f"{t}: q(x1, y)." for t in (36, 37, 38, 39)]
    assert lines("snapshots", STEPS, 35) == ["35: .", *held, "40: .", "41: p.", "42: p."]


def test_intervals_are_written_when_certain_and_open_ones_at_the_end():
    assert lines("intervals", STEPS, 36) == ["q(x1, y)  [36, 39]", "p  [41, 42…]"]


def test_times_can_be_dates():
    assert lines("changes", [(60, [(60, P, True)])], 60, "text", Times(dates=True)) == ["1970-01-01T00:01:00Z  + p"]


REVISED = [(1, [(1, P, True)]), (1, [(1, P, False), (1, Q, True)]), (2, [(2, Q, False)]), (2, [(2, Q, True)]), (3, [])]


def test_a_revised_time_point_is_written_again():
    assert lines("snapshots", REVISED, 1) == ["1: p.", "1: q(x1, y).", "2: .", "2: q(x1, y).", "3: q(x1, y)."]


def test_a_revision_makes_no_interval_of_its_own():
    assert lines("intervals", REVISED, 1) == ["q(x1, y)  [1, 3…]"]


def test_a_step_without_changes_at_the_present_writes_nothing_again():
    assert lines("snapshots", [(1, []), (1, [])], 1) == ["1: ."]


ATOMS = [Atom("p", (n,)) for n in range(3)]
histories = st.lists(st.frozensets(st.sampled_from(ATOMS)), min_size=1, max_size=12)


def changes_of(history, start):
    before = frozenset()
    for time, atoms in enumerate(history, start):
        yield from [(time, a, True) for a in sorted(atoms - before)] + [
            (time, a, False) for a in sorted(before - atoms)
        ]
        before = atoms


def steps_of(history, start, cuts):
    """The changes in steps that end at some time points, as a reasoner hands them out."""
    end = start + len(history) - 1
    changes = list(changes_of(history, start))
    last = start - 1
    for now in sorted({start + cut for cut in cuts if cut < len(history)} | {end}):
        yield now, [change for change in changes if last < change[0] <= now]
        last = now


@given(histories, st.sets(st.integers(0, 11)))
def test_snapshots_are_the_history(history, cuts):
    found = lines("snapshots", steps_of(history, 5, cuts), 5)
    assert found == [TEXT.write_snapshot(t, sorted(atoms)) for t, atoms in enumerate(history, 5)]


@given(histories, st.sets(st.integers(0, 11)))
def test_intervals_cover_the_history_exactly(history, cuts):
    found = lines("intervals", steps_of(history, 5, cuts), 5)
    expected = set()
    for atom in ATOMS:
        since = None
        for time, atoms in enumerate([*history, frozenset()], 5):
            if atom in atoms and since is None:
                since = time
            elif atom not in atoms and since is not None:
                expected.add(TEXT.write_interval(atom, since, time - 1, time == 5 + len(history)))
                since = None
    assert set(found) == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize("layout", list(FORMATS))
@given(history=histories)
def test_snapshots_in_every_format_are_streams_again(layout, history, tmp_path_factory):
    path = tmp_path_factory.mktemp("again") / "s"
    path.write_bytes(write("snapshots", steps_of(history, 5, ()), 5, layout))
    again: dict[int, set[Atom]] = {}
    for record in read_stream(path, layout):
        again.setdefault(record.time, set()).update(record.facts)
    assert again == dict(enumerate(history, 5))
