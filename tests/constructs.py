"""Which constructs of the language a program uses, by name: the laws count them, so that none is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from laser.rules.scopes import Scope, bound_outside, scopes
from laser.syntax import tree
from laser.syntax.program import Program
from laser.syntax.terms import subterms
from laser.values.functions import FUNCTIONS
from laser.values.operations import COMPARISONS


def constructs(program: Program) -> set[str]:
    """The names of the constructs of a program."""
    derived = {rule.head.predicate for rule in program.rules}
    found = set()
    for statement in program.statements:
        match statement:
            case tree.Rule():
                found.update(of_rule(statement, derived))
                found.update(of_records(statement, program))
            case tree.Alternatives(rules=rules):
                found.update({"or"}, *(of_rule(rule, derived) for rule in rules))
                found.update(*(of_records(rule, program) for rule in rules))
            case tree.Fact():
                found.add("fact of a derived predicate" if statement.atom.predicate in derived else "fact")
                found.update("range" for term in statement.atom.args if isinstance(term, tree.Range))
            case tree.ConstDirective():
                found.add("#const")
            case tree.ShowDirective():
                found.add("#show")
            case tree.RecordDirective():
                found.add("#record")
            case tree.PrefixDirective():
                found.add("#prefix")
            case tree.WarmupDirective():
                found.add("#warmup")
    return found


def of_rule(rule: tree.Rule, derived: set) -> Iterator[str]:
    if rule.time is not None:
        yield f"head at {of_time(rule.time)}"
    if any(isinstance(term, tree.Arithmetic) for term in rule.head.args):
        yield "arithmetic in a head"
    if not any(isinstance(e, tree.Literal) and not e.negated and not e.negated_inside for e in rule.body):
        yield "body without positive atoms"
    yield from of_functions("a head", rule.head.args)
    for element in rule.body:
        negative = isinstance(element, tree.Literal) and not element.is_positive
        place = "a negation" if negative else "an atom" if isinstance(element, tree.Literal) else "a comparison"
        yield from of_functions(place, element.terms)
    for aggregate in rule.aggregates:
        yield from of_functions("an aggregate", aggregate.terms())
        yield from (
            f"in an aggregate, test {e.operator}" for e in aggregate.comparisons if e.operator not in COMPARISONS
        )
    for scope in scopes(rule):
        yield from of_aggregate(scope, bound_outside(rule), derived)
    for element in rule.body:
        if isinstance(element, tree.Comparison):
            yield f"comparison {element.operator}"
            if element.aggregates:
                yield f"comparison {element.operator} with an aggregate"
        else:
            yield from of_literal(element, derived)
            if element.atom.predicate == rule.head.predicate:
                yield f"recursion {of_modality(element)}"


def of_functions(place: str, terms: Iterable[tree.Term]) -> Iterator[str]:
    for term in (part for outer in terms for part in subterms(outer)):
        if isinstance(term, tree.Arithmetic) and term.operator in FUNCTIONS:
            yield f"function {term.operator}"
            yield f"function in {place}"


def of_records(rule: tree.Rule, program: Program) -> Iterator[str]:
    for literal in rule.all_literals:
        if literal.atom.predicate in program.recorded:
            own = ", of the head" if literal.atom.predicate == rule.head.predicate else ""
            yield f"record: {of_modality(literal)}{own}"


def of_aggregate(scope: Scope, outside: set[str], derived: set) -> Iterator[str]:
    fold = scope.aggregate.fold.value
    yield f"aggregate {fold}"
    if not scope.groups:
        yield f"aggregate {fold} without groups"
    elif outside.issuperset(scope.groups):
        yield f"aggregate {fold} by groups that atoms bind"
    else:
        yield f"aggregate {fold} by groups that it binds"
    if scope.given:
        yield "aggregate with a group that only the rest of the rule binds"
    for literal in scope.aggregate.literals:
        yield f"in an aggregate, {of_modality(literal)}"
        yield f"in an aggregate, over {'derived' if literal.atom.predicate in derived else 'input'}"


def of_literal(literal: tree.Literal, derived: set) -> Iterator[str]:
    yield of_modality(literal)
    yield f"{of_modality(literal)}, over {'derived' if literal.atom.predicate in derived else 'input'}"
    if isinstance(literal.modality, tree.At):
        yield f"body at {of_time(literal.modality.time)}"
    names = [t.name for t in literal.atom.args if isinstance(t, tree.Variable)]
    if "_" in names:
        yield "_ under not" if literal.negated or literal.negated_inside else "_"
    if len(set(names) - {"_"}) < len([n for n in names if n != "_"]):
        yield "repeated variable"
    if any(isinstance(t, tree.Constant) for t in literal.atom.args):
        yield "constant in an atom"
    if any(isinstance(t, tree.Arithmetic) for t in literal.atom.args):
        yield "arithmetic in a body atom"


def of_modality(literal: tree.Literal) -> str:
    names = {tree.At: "at", tree.Times: "times"}
    modality = names.get(type(literal.modality), literal.modality)
    window = f"{literal.window.kind.__name__} window " if literal.window else ""
    return f"{'not ' * literal.negated}{window}{modality}{' not' * literal.negated_inside}"


def of_time(term: tree.Term) -> str:
    match term:
        case tree.Variable(name="_"):
            return "_"
        case tree.Variable(name=name):
            return "a time variable" if name in "TU" else "a data variable"
        case tree.Arithmetic(operator=operator):
            return f"T {operator} k"
        case _:
            return "a constant"
