"""Accumulators of aggregates, against what is there: whatever came and went before."""

import math
import random
from fractions import Fraction
from statistics import quantiles, stdev

import pytest

from laser import Reasoner, run
from laser.engine.operators.aggregate import bounds
from laser.engine.operators.exact import Sums, root
from laser.engine.operators.ordered import BLOCK, Orders, SortedValues
from laser.plan.nodes import Aggregated, Members, Threshold
from laser.values.fold import Fold
from laser.values.operations import compare


def aggregated(fold: Fold, level: Fraction | None = None) -> Aggregated:
    return Aggregated(Members(0, 2), (0,), fold, 1, level)


def keys(values: list) -> list[tuple]:
    return [("", "g", value) for value in values]


DRAWS = {
    "like readings": lambda rng: round(rng.gauss(20, 5), 2),
    "of all sizes": lambda rng: rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300),
    "the smallest": lambda rng: rng.choice([5e-324, -5e-324, 2.2e-308, 0.1]),
    "integers among them": lambda rng: rng.choice([3, 10**30, 0.1, -7, 1e-5]),
    "cancelling": lambda rng: rng.choice([1e16, -1e16, 1.5, 0.1]),
}


@pytest.mark.parametrize("name", DRAWS)
def test_sums_are_those_of_fsum_while_values_come_and_go(name: str) -> None:
    rng, there = random.Random(name), []
    sums = Sums(aggregated(Fold.SUM))
    for _ in range(150):
        added = [DRAWS[name](rng) for _ in range(rng.randint(0, 20))]
        removed = rng.sample(there, rng.randint(0, len(there) // 2))
        for value in removed:
            there.remove(value)
        there += added
        sums.change(keys(added), keys(removed))
        assert sums.has("g") is bool(there)
        if there:
            exact = sum(map(Fraction, there))
            integers = all(isinstance(value, int) for value in there)
            assert sums.result("g") == (exact if integers else float(exact))
            if not any(isinstance(value, int) for value in there):
                assert sums.result("g") == math.fsum(there)


def test_a_run_of_doubles_that_come_and_go_has_the_sums_of_fsum() -> None:
    rng = random.Random(14)
    stream = [(t, [("a", rng.uniform(-1, 1) * 10.0 ** rng.randint(-9, 9)) for _ in range(20)]) for t in range(300)]
    for t, atoms in run("s(N) :- N = sum(V, T : a(V) at T in [7]).", stream):
        (atom,) = atoms
        assert atom.args == (math.fsum(v for u, facts in stream if t - 7 <= u <= t for _, v in facts),)


@pytest.mark.parametrize("name", DRAWS)
def test_the_deviation_is_that_of_the_statistics_module(name: str) -> None:
    rng = random.Random(name)
    for _ in range(60):
        values = [DRAWS[name](rng) for _ in range(rng.randint(2, 12))]
        sums = Sums(aggregated(Fold.STDEV))
        sums.change(keys([*values, 17.25]), keys([17.25]))
        try:
            expected = stdev(list(map(Fraction, values)))
        except OverflowError:
            expected = None
        assert sums.result("g") == expected


def test_the_root_of_a_fraction_is_the_nearest_double() -> None:
    rng = random.Random(5)
    for _ in range(2000):
        numerator, denominator = rng.getrandbits(rng.randint(1, 300)) + 1, rng.getrandbits(rng.randint(1, 300)) + 1
        found = root(numerator, denominator)
        assert found is not None
        up, down = math.nextafter(found, math.inf), math.nextafter(found, 0)
        halves = [(Fraction(found) + Fraction(other)) / 2 for other in (down, up)]
        assert halves[0] ** 2 <= Fraction(numerator, denominator) <= halves[1] ** 2
    assert root(0, 7) == 0


def test_sorted_values_stay_sorted_over_many_blocks() -> None:
    rng, values, there = random.Random(3), SortedValues(), []
    for step in range(12 * BLOCK):
        if step < 6 * BLOCK or rng.random() < 0.3:
            there.append(rng.randrange(1000))
            values.add(there[-1])
        else:
            values.remove(there.pop(rng.randrange(len(there))))
    ordered = sorted(there)
    assert [values[place] for place in range(len(values))] == ordered
    assert len(values.blocks) > 2
    assert values[-1] == ordered[-1]
    with pytest.raises(IndexError):
        values[len(there)]


@pytest.mark.parametrize("size", [5, 3 * BLOCK])
def test_quantiles_are_those_of_the_statistics_module(size: int) -> None:
    rng = random.Random(size)
    values = [rng.randrange(10_000) for _ in range(size)]
    cuts = quantiles(values, n=10, method="inclusive")
    for tenth, cut in enumerate(cuts, 1):
        orders = Orders(aggregated(Fold.QUANTILE, Fraction(tenth, 10)))
        orders.change(keys(values), [])
        assert orders.result("g") == pytest.approx(cut, rel=1e-12)


def test_values_have_no_order_until_only_one_type_is_left() -> None:
    orders = Orders(aggregated(Fold.MAX))
    assert set(orders.change(keys([3, "x", 5.5]), [])) == {"g"}
    assert orders.result("g") is None
    assert orders.fault("g") == "max of 3 and x"
    assert set(orders.change([], keys(["x"]))) == {"g"}
    assert orders.result("g") == 5.5
    orders.change(keys(["y", "z"]), keys([3, 5.5]))
    assert orders.result("g") == "z"
    assert set(orders.change([], keys(["y", "z"]))) == {"g"}
    assert not orders.has("g")


@pytest.mark.parametrize("sign", ["=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("value", [-1, 0, 0.5, 1, 2, 2.5, 3])
def test_the_bounds_of_a_count_are_where_its_comparison_holds(sign: str, value: float) -> None:
    found = bounds(Threshold(sign, value))
    assert found is not None
    for count in range(1, 6):
        assert (found[0] <= count <= found[1]) is compare(sign, count, value)
    assert not found[0] <= 0 <= found[1]


def test_a_count_below_its_threshold_derives_nothing() -> None:
    reasoner = Reasoner("busy(S) :- count(C : car(C, S) in [100]) > 20.", start=0)
    for t in range(30):
        reasoner.advance(t, [("car", t, "a")])
    assert len(reasoner.advance(30, [("car", 30, "a")])) == 0
    assert reasoner.holding() == {("busy", "a")}


def test_undefined_aggregates_are_reported_once_per_rule() -> None:
    reasoner = Reasoner("p(N) :- N = sum(V : a(V) in [3]). q(N) :- N = sum(V : a(V) in [3]), N > 1.", start=0)
    for t in range(4):
        reasoner.advance(t, ["a(x)", "a(1)"])
    assert [report.split(",")[0] for report in reasoner.reports] == ["not defined: sum of x"] * 2


def test_an_empty_set_and_the_deviation_of_one_are_not_reported() -> None:
    reasoner = Reasoner(
        "p(S, N) :- s(S), N = max(V : a(V, S) in [3]). q(N) :- N = stdev(V : a(V, _) in [3]). s(1..3).", start=0
    )
    reasoner.advance(1, ["a(5, 1)"])
    assert reasoner.holding() == {("p", 1, 5)}
    assert not list(reasoner.reports)
