"""Ways through a program's tree: its terms, variables, literals, and the words the user wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from laser.errors import Span
from laser.syntax import tree

__all__ = [
    "binds", "bound_variables", "comparisons", "element_terms", "is_positive", "literal_terms", "literals", "rule_terms",
    "source_text", "subterms", "variables",
]  # fmt: skip


def subterms(term: tree.Term) -> Iterator[tree.Term]:
    """A term and all terms within it, in the order of the text."""
    stack = [term]
    while stack:
        top = stack.pop()
        yield top
        match top:
            case tree.Arithmetic(operands=operands):
                stack.extend(reversed(operands))
            case tree.Range(low=low, high=high):
                stack.extend((high, low))


def variables(terms: Iterable[tree.Term]) -> Iterator[tree.Variable]:
    """Every occurrence of a variable."""
    return (term for outer in terms for term in subterms(outer) if isinstance(term, tree.Variable))


def literals(rule: tree.Rule) -> list[tree.Literal]:
    return [element for element in rule.body if isinstance(element, tree.Literal)]


def comparisons(rule: tree.Rule) -> list[tree.Comparison]:
    return [element for element in rule.body if isinstance(element, tree.Comparison)]


def literal_terms(literal: tree.Literal) -> tuple[tree.Term, ...]:
    """The arguments of a literal, and its time."""
    if isinstance(literal.modality, tree.At):
        return (*literal.atom.args, literal.modality.time)
    return literal.atom.args


def element_terms(element: tree.BodyElement) -> tuple[tree.Term, ...]:
    if isinstance(element, tree.Comparison):
        return (element.left, element.right)
    return literal_terms(element)


def rule_terms(rule: tree.Rule) -> Iterator[tree.Term]:
    """The outermost terms of a rule: head, head's time, body."""
    yield from rule.head.args
    if rule.time is not None:
        yield rule.time
    for element in rule.body:
        yield from element_terms(element)


def is_positive(literal: tree.Literal) -> bool:
    """Whether a literal asks for its atom to hold: two negations cancel, except that ``not ⊞ @T ¬ a`` stays negative.

    >>> is_positive(tree.Literal(tree.AtomPattern("a"), "always", negated=True, negated_inside=True))
    True
    """
    if isinstance(literal.modality, tree.At):
        return not (literal.negated or literal.negated_inside)
    return literal.negated == literal.negated_inside


def binds(literal: tree.Literal) -> set[str]:
    """The variables to which a literal gives values: those that are arguments themselves, not within arithmetic."""
    if is_positive(literal):
        terms = literal_terms(literal)
    elif isinstance(literal.modality, tree.At) and not literal.negated:
        terms = (literal.modality.time,)
    else:
        terms = ()
    return {term.name for term in terms if isinstance(term, tree.Variable)} - {"_"}


def bound_variables(rule: tree.Rule, given: Iterable[str] = ()) -> set[str]:
    """The variables that have a value once the body is matched, by atoms or by assignments from what they bind."""
    bound = {name for literal in literals(rule) for name in binds(literal)}.union(given)
    pending = [(c.left, c.right) for c in comparisons(rule) if c.operator == "="]
    while assigned := {name for sides in pending for name in _assigned(*sides, bound)} - bound:
        bound |= assigned
    return bound


def _assigned(left: tree.Term, right: tree.Term, bound: set[str]) -> Iterator[str]:
    for target, value in ((left, right), (right, left)):
        known = all(variable.name in bound for variable in variables([value]))
        if isinstance(target, tree.Variable) and target.name != "_" and known:
            yield target.name


def source_text(rows: Sequence[str], span: Span | None) -> str:
    """The user's own words at a place, on one line; none where the tree was not read from a text."""
    lines = list(rows[span.line - 1 : span.end_line]) if span else []
    if span is None or not lines:
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(" ".join(lines).split())
