"""Shifts, snapshots and intervals: all that is made of changes."""

from __future__ import annotations

import builtins
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laser import Reasoner
from laser.answers import IntervalBuilder, Shift, changes_by_time, merge, overlapping
from laser.engine import run as run_module
from laser.values import Atom, Iri, Predicate
from laser.values.time import Duration, Time


def shift(label: str, begun: list[str], ended: list[str]) -> Shift:
    return Shift(3, Predicate("q", 1), label, *([(label, value) for value in values] for values in (begun, ended)))


def test_a_shift_with_the_right_label_is_left_as_it_is():
    kept = shift("q", ["a"], ["b"])
    assert kept.labelled("q") is kept


def test_a_shift_gets_another_label_on_all_its_keys():
    assert shift("p", ["a", "c"], ["b"]).labelled("q") == shift("q", ["a", "c"], ["b"])


@pytest.mark.parametrize("label", ["q", "p"])
def test_atoms_have_the_name_of_the_predicate_whatever_the_label_is(label):
    atoms = {Atom("q", ("b",))}
    shift(label, ["a"], ["b"]).apply(atoms)
    assert atoms == {Atom("q", ("a",))}
    assert {type(atom) for atom in atoms} == {Atom}


COPIES = "q(X) :- p(X). r(X) :- q(X) in [1]. s(X) :- p(X) in [2]."


def test_the_reasoner_names_predicate_and_label_of_every_shift():
    reasoner = Reasoner(COPIES)
    seen = set()
    for time in range(6):
        for change in reasoner.advance(time, [("p", time)] if time < 2 else []).shifts:
            seen.add(change.predicate)
            assert {key[0] for keys in (change.begun, change.ended) for key in keys} == {change.label}
    assert {str(predicate) for predicate in seen} == {"q/1", "r/1", "s/1"}


ATOMS = ["a", "b", "c"]
histories = st.lists(st.frozensets(st.sampled_from(ATOMS)), min_size=1, max_size=12)


@given(histories)
def test_intervals_are_the_maximal_runs_of_a_history(history):
    changes, before = [], frozenset()
    for time, atoms in enumerate(history):
        changes += [(time, atom, True) for atom in atoms - before] + [(time, atom, False) for atom in before - atoms]
        before = atoms
    builder = IntervalBuilder()
    runs = [run for step in changes_by_time(changes) for run in builder.take(*step).rows()]
    assert builder.still_open.keys() == history[-1]
    runs += builder.finish(len(history) - 1).rows()
    assert not builder.still_open
    for atom in ATOMS:
        held = [(time, time) for time, atoms in enumerate(history) if atom in atoms]
        assert sorted(run[1:] for run in runs if run[0] == atom) == merge(held)


def test_an_interval_continues_if_a_revision_withdraws_its_end():
    builder = IntervalBuilder()
    builder.take(3, ["a"], [])
    (ended,) = builder.take(5, [], ["a"]).rows()
    builder.take(5, ["a"], [])
    builder.reopen("a", ended[1])
    assert list(builder.finish(9).rows()) == [("a", 3, 9)]


spans = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)).map(lambda span: (span[0], sum(span))))


@given(spans)
def test_merged_spans_cover_the_same_points_and_do_not_touch(given_spans):
    merged = merge(given_spans)
    assert {t for a, b in merged for t in range(a, b + 1)} == {t for a, b in given_spans for t in range(a, b + 1)}
    assert all(left[1] + 1 < right[0] for left, right in pairwise(merged))
    assert sorted(span for group in overlapping(given_spans) for span in group) == sorted(given_spans)


def test_a_tick_with_many_changes_makes_one_snapshot(monkeypatch):
    copied = 0

    def counted(atoms=()):
        nonlocal copied
        copied += len(atoms)
        return builtins.frozenset(atoms)

    monkeypatch.setattr(run_module, "frozenset", counted, raising=False)
    for size in (100, 1000):
        copied = 0
        answers = list(run_module.run("q(X) :- p(X) in [1].", [(3, [("p", x) for x in range(size)]), (9, [])]))
        assert [len(atoms) for _, atoms in answers] == [size, size, 0, 0, 0, 0, 0]
        assert copied == size


HARD = [
    ("p", 1, "a"), ("p", 2, "b"), ("p", 2**70, "c"), ("p", 0.5, "d"), ("p", Iri("http://e.org/x"), "e"), ("p", "\ud800", ""),
    ("r", 1, 2.5), ("r", 3, 4), ("s", "x"), ("t",), ("u", Time(5), Duration(7)), ("v", Iri("http://e.org/x")),
]  # fmt: skip
PROGRAM = "q(X, Y) :- p(X, Y) in [1]. r2(X, Y) :- r(X, Y) in [2]. s2(X) :- s(X). t2 :- t in [3]. u2(X, Y) :- u(X, Y). v2(X) :- v(X)."


def test_batches_are_the_changes() -> None:
    reasoner = Reasoner(PROGRAM)
    for time in range(12):
        changes = reasoner.advance(2 * time, HARD[time : time + 4])
        read = [
            (batch.time, Atom(batch.predicate.name, row), holds)
            for batch in changes.batches()
            for holds, rows in ((True, batch.added), (False, batch.removed))
            for row in rows
        ]
        assert len(read) == len(changes)
        assert set(read) == {tuple(change) for change in changes}
        assert [batch[:2] for batch in changes.batches()] == sorted(batch[:2] for batch in changes.batches())


def test_batches_create_no_atoms(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = Reasoner("q(X) :- p(X).").advance(1, [("p", 1)])
    monkeypatch.setattr(Atom, "of", None)
    assert [batch.added for batch in changes.batches()] == [[(1,)]]


def test_tables_are_the_changes() -> None:
    pytest.importorskip("pyarrow")
    reasoner = Reasoner(PROGRAM)
    for time in range(12):
        changes = reasoner.advance(2 * time, HARD[time : time + 4])
        tables = changes.to_arrow()
        assert sum(table.num_rows for table in tables.values()) == len(changes)
        assert list(tables) == sorted({batch.predicate for batch in changes.batches()})
        rows = [
            (row["time"], predicate.name, row["holds"])
            for predicate, table in tables.items()
            for row in table.to_pylist()
        ]
        assert sorted(rows) == sorted((time, atom.predicate, holds) for time, atom, holds in changes)


def test_columns_have_the_types_of_their_values() -> None:
    pytest.importorskip("pyarrow")

    def types(*facts: tuple[object, ...]) -> list[str]:
        (table,) = Reasoner("q(X) :- p(X).").advance(1, [("p", *fact) for fact in facts]).to_arrow().values()
        return [str(kind) for kind in table.schema.types[2:]]

    assert types((1,), (2,)) == ["int64"]
    assert types((1,), (2.5,)) == ["double"]
    assert types(("a",)) == ["string"]
    assert types((Time(5),)) == ["timestamp[us, tz=UTC]"]
    assert types((Duration(5),)) == ["duration[us]"]
    for odd in [((2**70,),), ((1,), ("a",)), ((Iri("http://e.org/x"),),), ((0.5,), (2**60 + 1,)), (("\ud800",),)]:
        assert types(*odd) == ["string"]
