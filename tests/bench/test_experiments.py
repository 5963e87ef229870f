"""What is measured is right: the streams are those that the page describes, and every way to evaluate them gives the same answers."""

from __future__ import annotations

import pytest

from laser.bench import programs
from laser.bench.ablation import NaiveReasoner
from laser.bench.case import Case
from laser.bench.experiments import EXPERIMENTS, experiment
from laser.bench.measure import facts_at
from laser.bench.peers import PEERS
from laser.bench.peers.race import CASES, check
from laser.bench.streams import PATH, growing_paths, repeating_chain, repeating_pairs
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.engine.reasoner import Reasoner
from laser.reference import answer_stream
from laser.values import Iri

SMALL = Case(16, 3, 3, 24)
TICKS = 9
BY_NAME = [pytest.param(one, id=one.name) for one in EXPERIMENTS]


def small(one):
    return Case(4, 3, 3, 24) if one.name == "negation" else SMALL


@pytest.mark.parametrize("one", BY_NAME)
def test_the_engine_and_the_naive_engine_answer_as_the_reference_does(one):
    case = small(one)
    stream = [(t, facts_at(one, case, t)) for t in range(TICKS)]
    fast, naive = (kind(one.program(case), start=0) for kind in (Reasoner, NaiveReasoner))
    held = 0
    for t, atoms in answer_stream(accept(parse(one.program(case))), stream, start=0):
        for reasoner in (fast, naive):
            reasoner.advance(t, stream[t][1])
            assert reasoner.holding() == atoms
        held += len(atoms)
    assert held, "an experiment in which nothing holds measures nothing"


@pytest.mark.parametrize("one", BY_NAME)
def test_streams_have_their_rate_and_are_the_same_in_every_run(one):
    case = Case(160, 5, 4, 1000)
    for t in (20, 21):
        assert len(one.facts(case, t)) == case.n
        assert one.facts(case, t) == one.facts(case, t)


@pytest.mark.parametrize("one", BY_NAME)
def test_quick_runs_are_part_of_full_ones(one):
    assert set(one.quick) <= set(one.cases)


def test_the_facts_of_the_diamond_are_unique_pairs_of_iris():
    facts = [fact for t in range(5) for fact in experiment("diamond").facts(Case(20), t)]
    assert len(set(facts)) == len(facts)
    assert {type(value) for fact in facts for value in fact[1:]} == {Iri}


def test_the_facts_of_the_join_are_one_chain():
    links = {fact[1:] for t in range(5) for fact in experiment("join").facts(Case(20), t)}
    assert links == {(f"C{k}", f"C{k + 1}") for k in range(51)}


def test_draws_stay_in_their_range():
    assert {v for t in range(50) for _, v in experiment("box").facts(Case(30), t)} == set(range(12))
    assert {v for t in range(50) for _, v in experiment("cooling").facts(Case(200), t)} == set(range(201))


@pytest.mark.parametrize("stream", [repeating_pairs, repeating_chain])
def test_nine_of_ten_facts_repeat(stream):
    before, after = set(stream(Case(200), 7)), set(stream(Case(200), 8))
    assert len(before & after) >= 0.88 * len(after)


def test_paths_grow_by_one_edge_per_tick():
    edges = {fact[1:] for t in range(30) for fact in growing_paths(Case(8), t)}
    path = [edge for edge in edges if edge[0].startswith("v9_0_")]
    assert len(path) == PATH


def test_the_large_program_has_the_stated_number_of_rules():
    assert len(parse(programs.large(Case(r=40))).rules) == 40


@pytest.mark.parametrize("peer", [pytest.param(one, id=one.name) for one in PEERS if one.name != "spark sql"])
@pytest.mark.parametrize("name", CASES)
def test_peers_give_the_same_answers(peer, name):
    if not peer.installed:
        pytest.skip(f"not installed: pip install {peer.install}")
    if name in peer.cannot:
        pytest.skip(peer.cannot[name])
    if peer.name == "pathway":
        pytest.skip("it warns and logs in threads of its own; `laser bench` checks it before it is timed")
    assert check(peer, experiment(name)) == ""
