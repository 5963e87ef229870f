"""The key of a program: found exactly if there is one, valid, the first in order, and in time that does not explode."""

import random
from collections.abc import Mapping
from itertools import product

import pytest

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.rules import partition_key
from laser.rules.body import ExtendedAtom
from laser.rules.partition_key import find_key
from laser.rules.rule import ResolvedProgram, Rule
from laser.values import Predicate
from tests.strategies import Seeded, generate

Positions = Mapping[Predicate, int]


def fits(rule: Rule, static: set[Predicate], positions: Positions) -> bool:
    """Whether all atoms of a rule have one term at the key's position, background data left aside."""
    atoms = [e for e in rule.body if isinstance(e, ExtendedAtom) and e.predicate not in static]
    terms = [rule.args[positions[rule.predicate]], *(atom.args[positions[atom.predicate]] for atom in atoms)]
    return all(term == terms[0] for term in terms)


def first_key(program: ResolvedProgram, inputs: set[Predicate], fixed: Positions) -> dict[Predicate, int] | None:
    """The first of all choices that fits, by trying them all."""
    read = {e.predicate for rule in program.rules for e in rule.atoms}
    static = (read | {atom.signature for atom in program.background}) - program.derived - inputs
    keyed = sorted((read | program.derived) - static | set(fixed))
    options = [[fixed[p]] if p in fixed else range(p.arity) for p in keyed]
    choices = (dict(zip(keyed, choice, strict=True)) for choice in product(*options))
    return next((c for c in choices if all(fits(rule, static, c) for rule in program.rules)), None)


def random_rules(seed: int) -> str:
    """Rules over few predicates and variables, so that some programs have a key and some have none."""
    rng = random.Random(seed)
    arity = {name: rng.randint(1, 3) for name in "abcpqr"}

    def atom(name: str, terms: list[str]) -> str:
        return f"{name}({', '.join(rng.choices(terms, k=arity[name]))})"

    lines = []
    for _ in range(rng.randint(1, 5)):
        body = [atom(rng.choice("abcpqr"), ["X", "Y", "Z", "1"][: rng.randint(1, 4)]) for _ in range(rng.randint(1, 3))]
        bound = [variable for variable in "XYZ" if any(variable in part for part in body)]
        lines.append(f"{atom(rng.choice('pqr'), bound or ['1'])} :- {', '.join(body)}.")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(400))
def test_the_key_is_the_first_of_all_that_fit(seed: int) -> None:
    rng = random.Random(("key", seed).__repr__())
    program = accept(parse(random_rules(seed)))
    read = sorted({e.predicate for rule in program.rules for e in rule.atoms})
    inputs = {p for p in read if rng.random() < 0.8}
    fixed = {p: rng.randrange(p.arity) for p in inputs if rng.random() < 0.15}
    found = find_key(program, inputs, fixed)
    assert (dict(found.positions) if found else None) == first_key(program, inputs, fixed)


def test_random_rules_have_keys_and_lack_them() -> None:
    """The test above would mean nothing if all programs were alike."""
    keys = [bool(find_key(accept(parse(random_rules(seed))))) for seed in range(400)]
    assert 40 < sum(keys) < 360


@pytest.mark.parametrize("seed", range(60))
def test_the_key_of_a_program_with_every_construct_fits_its_rules(seed: int) -> None:
    program = accept(generate(Seeded(("key", seed))).program)
    read = {e.predicate for rule in program.rules for e in rule.atoms}
    found = find_key(program, read)
    static = {atom.signature for atom in program.background} - program.derived - read
    assert not found or all(fits(rule, static, found.positions) for rule in program.rules)


def independent(count: int) -> str:
    """Rules that have a key each, and two that have none together."""
    rules = [f"a{i}(X, Y) :- b{i}(X, Y) in [3]." for i in range(count)]
    return "\n".join([*rules, "link(X, Y) :- wire(X, Y) in [9].", "link(X, Y) :- link(Y, X)."])


def chain(count: int) -> str:
    return "\n".join(f"a{i}(X, Y) :- a{i + 1}(X, Y) in [3]." for i in range(count))


def star(count: int) -> str:
    """All rules meet in one predicate, and each has a choice of its own."""
    return "\n".join(f"a{i}(X, X, Y) :- s(X, Y, Y)." for i in range(count))


@pytest.mark.parametrize("shape", [independent, chain, star])
def test_the_work_grows_with_the_rules_and_no_faster(shape, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    looks: list[int] = []
    shared = partition_key._Search.shared
    monkeypatch.setattr(partition_key._Search, "shared", lambda self, n: looks.append(n) or shared(self, n))

    def work(count: int) -> int:
        looks.clear()
        find_key(accept(parse(shape(count))))
        return len(looks)

    assert work(400) <= 4.5 * work(100)
    assert work(400) <= 10 * 400


def clauses(variables: int, count: int, seed: int) -> str:
    """A SAT problem: position 1 or 2 of v is false or true, a position of c is one of the seven ways to satisfy a clause."""
    rng = random.Random(seed)
    rules = []
    for number in range(count):
        wanted = [rng.random() < 0.5 for _ in range(3)]
        ways = [
            way for way in product([False, True], repeat=3) if any(a == b for a, b in zip(way, wanted, strict=True))
        ]
        for place, variable in enumerate(rng.sample(range(variables), 3)):
            args = ", ".join("T" if way[place] else "F" for way in ways)
            rules.append(f"c{number}({args}) :- v{variable}(F, T).")
    return "\n".join(rules)


def test_a_search_that_would_explode_is_given_up_with_a_reason() -> None:
    assert "the search was stopped" in find_key(accept(parse(clauses(80, 480, 1)))).reason


def test_an_easy_problem_of_the_same_kind_is_solved() -> None:
    program = accept(parse(clauses(20, 40, 1)))
    found = find_key(program)
    assert found
    assert all(fits(rule, set(), found.positions) for rule in program.rules)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("q(X) :- a(X, Y) in [last 1 per X].", "argument 1 of a/2, argument 1 of q/1"),
        ("q(X, Y) :- a(X, Y) in [last 1 per Y].", "argument 2 of a/2, argument 2 of q/2"),
        ("q(X) :- a(X, Y) in [last 1 per X, Y], b(Y, X).", "argument 1 of a/2, argument 2 of b/2, argument 1 of q/1"),
        ("q(X) :- a(X, Y) in [last 1 per Y].", f"none: {partition_key.EXCLUDED}"),
        ("q(X) :- a(X, Y) in [last 2].", "none: [last 2] counts the facts of a/2 of all keys"),
        ("q(X) :- b(X), c(Y) in [last 2]. c(1).", "argument 1 of b/1, argument 1 of q/1"),
    ],
)
def test_a_window_that_counts_by_key_allows_the_keys_by_which_it_counts(text: str, key: str) -> None:
    assert str(find_key(accept(parse(text)))) == key
