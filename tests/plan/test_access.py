"""Which node serves an atom of a body: by modality, window, and where the predicate comes from."""

from __future__ import annotations

import pytest

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.plan.access import AccessPaths
from laser.plan.nodes import Background, Dated, EveryPoint, ManyPoints, Pending, Pinned, Plain, Recent, Unbroken, Union
from laser.values import Predicate
from laser.windows import HISTORY, PRESENT, Ago, Between, Growing, Hopping, LastFacts, Sliding, Tumbling, Window

P = Predicate("p", 1)
STREAM, BACKGROUND, PLAIN, PINNED = "q :- p(_).", "p(1).", "p(X) :- a(X).", "@T p(X) :- a(X) at T in [9]."
TIMED: list[Window] = [Sliding(3), Hopping(3, 5), Tumbling(5), Growing(5), Ago(2), Between(1, 4)]
WINDOWS = [*TIMED, LastFacts(3)]


def paths(*sources: str, streams: bool = False) -> AccessPaths:
    return AccessPaths(accept(parse(" ".join(sources))), frozenset({P}) if streams else frozenset())


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_a_predicate_that_streams_in_is_read_from_its_inputs(window: Window) -> None:
    assert paths(STREAM).sometime(P, window) == Recent(P, window)
    assert paths(STREAM).dated(P, window) == Dated(P, window)
    assert paths(STREAM).at_least(P, window, 3) == ManyPoints(Dated(P, window), 3)


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_always_keeps_runs_in_sliding_windows_and_counts_in_others(window: Window) -> None:
    counted = EveryPoint(Dated(P, window), window)
    assert paths(STREAM).always(P, window) == (Unbroken(P, window) if isinstance(window, Sliding) else counted)


@pytest.mark.parametrize("source", [STREAM, BACKGROUND, PLAIN, PINNED])
def test_always_over_the_present_alone_means_now(source: str) -> None:
    assert paths(source).always(P, PRESENT) == paths(source).sometime(P, PRESENT)


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_background_data_are_read_directly_unless_the_window_may_be_empty(window: Window) -> None:
    direct = window in (Sliding(3), Growing(5), LastFacts(3))
    assert isinstance(paths(BACKGROUND).sometime(P, window), Background if direct else Union)
    assert paths(BACKGROUND).always(P, window) == paths(BACKGROUND).sometime(P, window)


@pytest.mark.parametrize("window", TIMED, ids=str)
def test_plain_atoms_are_read_directly_if_the_window_always_includes_the_present(window: Window) -> None:
    direct = window in (Sliding(3), Growing(5))
    assert isinstance(paths(PLAIN).sometime(P, window), Plain if direct else Union)


@pytest.mark.parametrize(
    ("window", "rules"),
    [(Sliding(3), 1), (Hopping(3, 5), 1), (Tumbling(5), 0), (Ago(2), 0), (Between(1, 4), 0)],
    ids=str,
)
def test_a_window_that_never_includes_the_present_does_not_read_plain_atoms(window: Window, rules: int) -> None:
    access = paths(PLAIN)
    assert len(access.rules[access.dated(P, window)]) == rules


@pytest.mark.parametrize("window", TIMED, ids=str)
def test_a_pinned_atom_is_read_through_its_window_and_waits_for_a_late_entry(window: Window) -> None:
    access = paths(PINNED)
    subgoal = access.at(P, window, ())
    assert subgoal.window == window
    waits = window not in (Sliding(3), Growing(5))
    assert subgoal.node == (Pending(P, window) if waits else Pinned(P))  # type: ignore[arg-type]
    assert (subgoal.node in access.rules) == waits


@pytest.mark.parametrize("sources", [(BACKGROUND,), (PLAIN,), (PINNED,), (PLAIN, PINNED), (BACKGROUND, PLAIN, PINNED)])
def test_a_union_has_a_rule_for_each_source(sources: tuple[str, ...]) -> None:
    access = paths(*sources, streams=True)
    for union in (access.sometime(P, Sliding(3)), access.dated(P, Sliding(3))):
        assert isinstance(union, Union)
        assert len(union.parts) == len(access.rules[union]) == len(sources) + 1


def test_always_reads_background_data_separately_from_other_sources() -> None:
    access = paths(BACKGROUND, PLAIN)
    union = access.always(P, Sliding(3))
    counted, background = (rule.positives[0].node for rule in access.rules[union])
    assert (str(union), background) == ("p/1 always in [3] from background + plain", Background(P))
    assert isinstance(counted, EveryPoint)
    assert "background" not in str(counted)


def test_the_output_of_a_predicate_contains_only_derived_atoms() -> None:
    assert paths(PLAIN, BACKGROUND, streams=True).output(P) == Plain(P)
    assert str(paths(PLAIN, PINNED, BACKGROUND, streams=True).output(P)) == "p/1 in [0] from pinned + plain"


def test_a_node_is_defined_once_however_often_it_is_requested() -> None:
    access = paths(PLAIN, PINNED)
    first, second = access.dated(P, HISTORY), access.dated(P, HISTORY)
    assert (first, len(access.rules[first])) == (second, 2)


@pytest.mark.parametrize(
    ("rules", "size", "own"),
    [
        (PINNED, 9, True),
        (PINNED, 12, True),
        (PINNED, 8, False),  # an atom outlives the window
        ("@T p(X) :- a(X) at T.", 9, False),
        ("@(T + 1) p(X) :- a(X) at T in [9].", 9, False),
        ("@T p(X) :- a(X) at T in [9 every 3].", 9, False),
        ("@T p(X) :- b(X), not a(X) at T in [9], c at T.", 9, False),
        (f"{PINNED} @T p(X) :- b(X) at T in [5].", 9, True),
        (f"{PINNED} @T p(X) :- b(X) at T in [20].", 9, False),
    ],
)
def test_pinned_atoms_that_end_with_the_window_are_not_copied(rules: str, size: int, own: bool) -> None:
    assert (paths(rules).dated(P, Sliding(size)) == Pinned(P)) is own
