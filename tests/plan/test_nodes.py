"""What nodes answer: ids that tell inputs apart, and how they are fed."""

from __future__ import annotations

from itertools import combinations

import pytest

from laser.plan.nodes import (
    Background,
    Dated,
    Feed,
    Gate,
    InputNode,
    Node,
    Pending,
    Pinned,
    Plain,
    Points,
    Projection,
    Recent,
    Recorded,
    RecordedDated,
    Steady,
    Unbroken,
    Unit,
)
from laser.values import Predicate
from laser.windows import HISTORY, PRESENT, Ago, LastFacts, Sliding, Tumbling

P, Q = Predicate("p", 1), Predicate("p", 2)
INPUTS: list[tuple[InputNode, Feed]] = [
    (Recent(P, Sliding(3)), Feed.STREAM),
    (Recent(P, Tumbling(3)), Feed.STREAM),
    (Recent(P, LastFacts(3)), Feed.ARRIVALS),
    (Recent(Q, Sliding(3)), Feed.STREAM),
    (Dated(P, Sliding(3)), Feed.STREAM),
    (Dated(P, HISTORY), Feed.STREAM),
    (Dated(P, LastFacts(3)), Feed.ARRIVALS),
    (Unbroken(P, Sliding(3)), Feed.STREAM),
    (Recorded(P, Sliding(3)), Feed.RECORD),
    (RecordedDated(P, Sliding(3)), Feed.RECORD),
    (Points(PRESENT), Feed.CLOCK),
    (Points(Ago(3)), Feed.CLOCK),
    (Points(LastFacts(3)), Feed.CLOCK),
    (Background(P), Feed.ONCE),
    (Unit(), Feed.ONCE),
]
MADE: list[Node] = [
    Plain(P),
    Pinned(P),
    Pending(P),
    Projection(Plain(P), ()),
    Gate(Plain(P), (1,)),
    Steady(P, Plain(P), Sliding(3)),
]


@pytest.mark.parametrize(("node", "feed"), INPUTS, ids=str)
def test_an_input_says_how_it_is_fed(node: InputNode, feed: Feed) -> None:
    assert node.feed is feed


def test_inputs_have_different_ids() -> None:
    assert all(one.id != two.id for (one, _), (two, _) in combinations(INPUTS, 2))
    assert all(isinstance(part, str | int) for node, _ in INPUTS for part in node.id)


@pytest.mark.parametrize("node", MADE, ids=str)
def test_a_computed_node_is_not_fed_and_has_no_id(node: Node) -> None:
    assert node.feed is None
    with pytest.raises(AssertionError, match="is not an input"):
        _ = node.id


def test_a_node_with_times_has_one_more_value() -> None:
    assert [node.width for node in (Recent(P, PRESENT), Dated(P, PRESENT), Plain(P), Pinned(P), Pending(P))] == [
        1,
        2,
        1,
        2,
        2,
    ]
    assert [Points(PRESENT).width, Unit().width, Projection(Pinned(Q), (0, 2)).width] == [1, 0, 2]


def test_only_dated_nodes_of_time_windows_know_when_a_key_ends() -> None:
    assert Dated(P, Sliding(3)).ending == (1, Sliding(3))
    assert (Dated(P, HISTORY).ending, Dated(P, LastFacts(3)).ending, Recent(P, Sliding(3)).ending) == (None, None, None)
