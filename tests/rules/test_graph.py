"""Laws of graphs, against the definition on random small ones."""

import random
from itertools import product

import pytest

from laser.rules.graph import reachable, reverse, strongly_connected

Graph = dict[int, list[int]]


def random_graph(seed: int) -> Graph:
    rng = random.Random(seed)
    size = rng.randint(1, 9)
    return {n: rng.choices(range(size + 1), k=rng.randint(0, 3)) for n in rng.sample(range(size), size)}


def leads(graph: Graph, start: int, goal: int) -> bool:
    """Whether some way of any length, also of none, goes from start to goal: by trying ways one step longer each time."""
    ends = {start}
    for _ in range(len(graph) + 2):
        ends |= {target for node in ends for target in graph.get(node, ())}
    return goal in ends


@pytest.mark.parametrize("seed", range(60))
def test_reachable_nodes_are_those_that_paths_lead_to(seed: int) -> None:
    graph = random_graph(seed)
    for root in graph:
        assert reachable(graph, [root]) == {node for node in range(len(graph) + 1) if leads(graph, root, node)}


@pytest.mark.parametrize("seed", range(60))
def test_nodes_are_in_one_component_exactly_if_each_leads_to_the_other(seed: int) -> None:
    graph = random_graph(seed)
    parts = list(strongly_connected(graph))
    home = {node: number for number, part in enumerate(parts) for node in part}
    assert sum(map(len, parts)) == len(home) == len({*graph, *(n for below in graph.values() for n in below)})
    for (one, first), (two, second) in product(home.items(), repeat=2):
        assert (first == second) is (leads(graph, one, two) and leads(graph, two, one))


@pytest.mark.parametrize("seed", range(60))
def test_a_component_comes_after_all_that_it_leads_to(seed: int) -> None:
    graph = random_graph(seed)
    home = {node: number for number, part in enumerate(strongly_connected(graph)) for node in part}
    assert all(home[node] >= home[target] for node in graph for target in graph[node])


def test_a_reversed_graph_has_each_edge_the_other_way() -> None:
    assert reverse({"a": ["b", "c"], "b": ["c"]}) == {"b": ["a"], "c": ["a", "b"]}


def test_the_order_follows_the_order_of_the_graph() -> None:
    """Numbers of nodes in generated code rest on it."""
    graph = {"h": ["b", "a"], "b": ["c"], "c": ["b", "d"], "a": []}
    assert list(strongly_connected(graph)) == [["d"], ["b", "c"], ["a"], ["h"]]


def test_long_chains_need_no_deep_stack() -> None:
    chain = {n: [n + 1] for n in range(20_000)}
    assert len(list(strongly_connected(chain))) == len(reachable(chain, [0])) == 20_001
