"""The source of a plan: names under typed ids, a legend, nothing that is stored in vain, and errors at load."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from laser.engine.codegen.module import Loaded, Module, compile_plan
from laser.engine.codegen.names import FunctionId, Way, function_name
from laser.engine.relation import FOREVER
from laser.engine.reports import Reports
from laser.values import CODE_NAMES
from tests.plan.plans import plan_of

JOIN = "q(X, Z) :- a(X, Y) in [3], b(Y, Z) in [3], not c(X), Z > 5."
RECURSION = "@T p(X) :- a(X) at T in [3]. @T p(X) :- q(X), b(X) at T in [3]. q(X) :- p(X) always in [2]."


def load(module: Module) -> Loaded:
    helpers: dict[str, Any] = {**CODE_NAMES, "FOREVER": FOREVER, **Reports().functions(module.plan)}
    return module.load([{} for _ in module.numbers], helpers)


def functions(source: str) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]


def test_every_function_is_recorded_under_its_purpose() -> None:
    module = compile_plan(plan_of(JOIN))
    ways = {(f.way, f.subgoal) for f in module.functions if f.owner == "d0"}
    assert ways >= {(Way.DERIVE, 0), (Way.DERIVE, 1), (Way.WITHOUT, 0), (Way.BLAME_NOT, 0), (Way.CHECK, None)}
    assert all(function_name(function) == name for function, name in module.functions.items())


def test_recorded_names_are_functions_of_the_source_and_unique() -> None:
    module = compile_plan(plan_of(f"{JOIN} {RECURSION.replace('q(', 'r(')}"))
    names = [node.name for node in functions(module.source)]
    assert len(set(names)) == len(names)
    kept = {name for name in names if not re.fullmatch(r"n\d+_(un)?index_for_\w+", name)}
    assert kept == set(module.functions.values())


@pytest.mark.parametrize("text", [JOIN, RECURSION])
def test_a_function_that_the_source_lacks_is_an_error_at_load(text: str) -> None:
    module = compile_plan(plan_of(text))
    for name in module.functions.values():
        broken = replace(module, pieces=(module.source.replace(f"def {name}(", f"def {name}_misspelt("),))
        with pytest.raises(KeyError, match=name):
            load(broken)


@pytest.mark.parametrize("way", Way)
def test_a_function_that_was_never_recorded_is_an_error_at_load(way: Way) -> None:
    module = compile_plan(plan_of(f"{JOIN} r(X) :- q(X, Y), b(X, Y) in [3 #]."))
    lost = {function: name for function, name in module.functions.items() if function.way is not way}
    with pytest.raises(KeyError):
        load(replace(module, functions=lost))


def test_only_rules_over_revocable_nodes_have_blame_functions() -> None:
    plan = plan_of("q(X) :- a(X) in [3], b(X) in [2 #].")
    blamed = {
        str(plan.rules[0].positives[f.subgoal or 0].node) for f in compile_plan(plan).functions if f.way is Way.BLAME
    }
    assert blamed == {"b/1 in [2 #]"}


def test_each_machine_has_its_own_tables() -> None:
    module = compile_plan(plan_of(JOIN))
    one, two = load(module), load(module)
    for node, index in one.indexes.items():
        index.add([(node.label, 1, 2)])
        assert all(table for table in index.tables.values())
        assert not any(two.indexes[node].tables.values())
        index.discard([(node.label, 1, 2)])
        assert not any(index.tables.values())


def test_the_source_begins_with_a_legend_of_all_nodes() -> None:
    module = compile_plan(plan_of(JOIN))
    legend = [f"# n{number}: {node}" for node, number in module.numbers.items()]
    assert module.source.splitlines()[: len(legend)] == legend


def test_the_text_of_the_program_stays_in_comments() -> None:
    odd = 'q("import os") :- a("\\") or 1 == 1", X), X != "\\n". % __import__("os")\n'
    source = compile_plan(plan_of(odd)).source
    for line in source.splitlines():
        assert line.startswith("#") or "__import__" not in line
    ast.parse(source)


@pytest.mark.parametrize(
    "text",
    [
        JOIN,
        RECURSION,
        "q(X) :- a(X, Y), b(Y, Z), c(Z, W), d(W).",
        "q(X) :- a(X, X, Y) at T in [5], T > 3, Y = T + 1.",
        "@U q(X) :- a(X) at T in [5], U = T + 3, not b(X, _).",
        "q :- a(_, 3).",
    ],
)
def test_generated_functions_store_no_variable_that_is_never_read(text: str) -> None:
    for function in functions(compile_plan(plan_of(text)).source):
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        stored = {n.id for n in names if isinstance(n.ctx, ast.Store) and n.id.startswith(("v_", "is_", "any_"))}
        read = Counter(n.id for n in names if isinstance(n.ctx, ast.Load))
        assert [name for name in stored if not read[name]] == [], function.name


def test_a_body_of_thirty_atoms_nests_within_the_limit_of_python() -> None:
    chain = ", ".join(f"e{i}(X{i}, X{i + 1})" for i in range(30))
    module = compile_plan(plan_of(f"q(X0, X30) :- {chain}."))
    deepest = max(len(line) - len(line.lstrip()) for line in module.source.splitlines()) // 4
    assert deepest <= 20
    assert load(module).rules[0].derive[0]([], 0, 0) == {}


def test_function_ids_differ_by_owner_purpose_and_position() -> None:
    ids = [FunctionId(owner, way, place) for owner in ("d1", "d11", "n1") for way in Way for place in (None, 1, 11)]
    assert len({function_name(each) for each in ids}) == len(ids)


def test_an_index_uses_sets_only_if_many_keys_share_a_value() -> None:
    module = compile_plan(plan_of("q(X, Z) :- a(X, Y) in [3], b(Y, Z) in [3]."))
    loaded = module.load([{} for _ in module.numbers], {**CODE_NAMES, "FOREVER": FOREVER})
    (index,) = (index for node, index in loaded.indexes.items() if str(node).startswith("a/2"))
    table = index.tables[2,]
    many = [("a", i, 7) for i in range(20)]
    index.add([("a", 1, 5), ("a", 2, 6), ("a", 3, 6), ("a", 4, 6), *many])
    assert table == {5: (("a", 1, 5),), 6: (("a", 2, 6), ("a", 3, 6), ("a", 4, 6)), 7: set(many)}
    index.discard([("a", 3, 6), *many[1:]])
    assert table == {5: (("a", 1, 5),), 6: (("a", 2, 6), ("a", 4, 6)), 7: {("a", 0, 7)}}
    index.discard([("a", 1, 5), ("a", 2, 6), ("a", 4, 6), ("a", 0, 7)])
    assert table == {}


def test_an_index_used_only_by_checks_is_separate() -> None:
    module = compile_plan(plan_of("q(X) :- a(X, Y) in [3], b(Y) in [3]."))
    loaded = load(module)
    tables = [
        {str(node): list(index.tables) for node, index in indexes.items()}
        for indexes in (loaded.indexes, loaded.check_indexes)
    ]
    assert tables == [{"a/2 in [3]": [(2,)]}, {"a/2 in [3]": [(1,)]}]
