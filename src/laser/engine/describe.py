"""A readable description of how a program is evaluated: the order, the shared nodes, the indexes, and the generated code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from laser.checks.accept import accept
from laser.engine.codegen.module import Module, compile_plan
from laser.plan.build import build
from laser.plan.nodes import Node
from laser.plan.plan import Component, Plan
from laser.plan.properties import revocable_nodes
from laser.settings import ProgramOptions, RunSettings
from laser.syntax.program import Program

__all__ = ["describe", "source"]


def source(program: Program, **options: Unpack[ProgramOptions]) -> str:
    """The Python source that a program is compiled to."""
    return compile_plan(build(accept(program, RunSettings.read(options, ProgramOptions)))).source


def describe(program: Program, **options: Unpack[ProgramOptions]) -> str:
    """The plan of a program, a few lines for each step."""
    plan = build(accept(program, RunSettings.read(options, ProgramOptions)))
    return "\n".join(_lines(plan, compile_plan(plan))) + "\n"


def _lines(plan: Plan, module: Module) -> Iterator[str]:
    yield "inputs"
    for component in plan.components:
        if component.nodes[0].feed is not None:
            yield from _node(component.nodes[0], plan, module)
    revocable = revocable_nodes(plan)
    steps = [component for component in plan.components if component.nodes[0].feed is None]
    for number, component in enumerate(steps, start=1):
        kind = "recursive, to a fixed point" if component.recursive else "once"
        kind += ", revocable" if component.nodes[0] in revocable else ""
        yield f"step {number} ({kind})"
        for node in component.nodes:
            yield from _node(node, plan, module)
        yield from _rules(component, plan)
    yield "output"
    for predicate, node in plan.outputs.items():
        yield f"  {predicate}: n{module.numbers[node]}, {node}"


def _node(node: Node, plan: Plan, module: Module) -> Iterator[str]:
    readers = [rule.head for rule in plan.rules if any(subgoal.node == node for subgoal in rule.subgoals)]
    copies = [copy for copy, target in plan.aliases.items() if target == node]
    shared = f"  (read {len(readers) + len(copies)} times)" if len(readers) + len(copies) > 1 else ""
    yield f"  n{module.numbers[node]}: {node}{shared}"
    for positions in module.indexes.get(node, ()):
        yield f"      index by position {', '.join(map(str, positions))}"
    for copy in copies:
        yield f"      also serves as: {copy}"


def _rules(component: Component, plan: Plan) -> Iterator[str]:
    for text in dict.fromkeys(plan.rules[number].text for number in component.rules):
        yield f"    {text}"
