"""Random trees of every shape that the grammar can say, sensible or not; what laws about text need."""

from __future__ import annotations

from hypothesis import strategies as st

from laser.syntax import tree
from laser.syntax.program import Program
from laser.ticks import UNITS
from laser.values import RESERVED, Iri, Predicate, number
from laser.windows import WRITTEN, LastOf, Window

BASES = {"ex": "http://example.org/", "": "urn:x:", "long": "http://example.org/deep/"}
CONSTANTS = ("n", "const", "s")
NAMES = ("a", "b", "isSteam", "x_1", "min_2", *CONSTANTS)

local_names = st.sampled_from(["", "a", "A", "a-b", "1", "has.dot", "é", "deep/x", "_"])
iris = st.builds(lambda base, local: base + local, st.sampled_from(sorted(BASES.values())), local_names)
names = st.one_of(st.sampled_from(NAMES), iris.map(lambda iri: f"<{iri}>"))
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    st.sampled_from([*sorted(RESERVED), *CONSTANTS, "X", "_", "%*", "//", '"', "\\n", "1", "a.b"]),
)
floats = st.floats(allow_nan=False, allow_infinity=False).map(number)
numbers = st.one_of(st.integers(-(10**30), 10**30), floats)
constants = st.builds(tree.Constant, st.one_of(numbers, texts, iris.map(Iri)))
variables = st.builds(tree.Variable, st.sampled_from(["X", "Y", "T", "_", "_x", "X1"]))
constant_names = st.builds(tree.ConstantName, st.sampled_from(CONSTANTS))


def _arithmetic(terms: st.SearchStrategy[tree.Term]) -> st.SearchStrategy[tree.Term]:
    pairs = st.tuples(terms, terms)
    return st.one_of(
        st.builds(tree.Arithmetic, st.sampled_from(["+", "-", "*", "/", "div", "mod", "min", "max"]), pairs),
        st.builds(tree.Arithmetic, st.sampled_from(["-", "abs"]), st.tuples(terms)),
    )


terms: st.SearchStrategy[tree.Term] = st.recursive(
    st.one_of(variables, constants, constant_names), _arithmetic, max_leaves=6
)
ranges = st.builds(tree.Range, terms, terms)


def atoms(arguments: st.SearchStrategy[tree.Term]) -> st.SearchStrategy[tree.AtomPattern]:
    return st.builds(tree.AtomPattern, names, st.lists(arguments, max_size=3).map(tuple))


lengths = st.one_of(st.builds(tree.Constant, numbers), constant_names)
durations = st.builds(tree.Size, lengths, st.sampled_from([None, *UNITS]))
counts = st.builds(tree.Size, lengths)


def _window(kind: type[Window]) -> st.SearchStrategy[tree.Window]:
    """A window of a kind, each size of which fits its rule."""
    sizes = st.tuples(*(durations if rule.of == "ticks" else counts for rule in kind.SIZES))
    if kind is LastOf:
        return st.builds(tree.Window, st.just(kind), sizes, per=st.lists(variables, max_size=2).map(tuple))
    return st.builds(tree.Window, st.just(kind), sizes)


windows = st.one_of([_window(kind) for kind in WRITTEN])
times = st.builds(tree.At, terms)
windowed = st.builds(
    tree.Literal, atoms(terms), st.one_of(st.sampled_from(["sometime", "always"]), times), windows, st.booleans(),
    st.booleans(),
)  # fmt: skip
counted = st.builds(
    tree.Literal, atoms(terms), st.builds(tree.Times, st.sampled_from([">=", "<="]), lengths), windows, st.booleans()
)
unwindowed = st.builds(tree.Literal, atoms(terms), st.one_of(st.just("now"), times), st.none(), st.booleans())
comparisons = st.builds(tree.Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), terms, terms)
elements = st.one_of(windowed, counted, unwindowed, comparisons)
bodies = st.lists(elements, min_size=1, max_size=4).map(tuple)

statements = st.one_of(
    st.builds(tree.Rule, atoms(terms), st.none(), bodies),
    st.builds(tree.Rule, atoms(terms), terms, st.one_of(st.just(()), bodies)),
    st.builds(tree.Fact, atoms(st.one_of(terms, ranges))),
    st.lists(st.builds(Predicate, names, st.integers(0, 9)), min_size=1, max_size=3).map(
        lambda predicates: tree.ShowDirective(tuple(predicates))
    ),
)
DECLARATIONS: tuple[tree.Statement, ...] = (
    *(tree.ConstDirective(name, tree.Constant(3)) for name in CONSTANTS),
    *(tree.PrefixDirective(prefix, iri) for prefix, iri in BASES.items()),
)
programs = st.lists(statements, max_size=4).map(lambda rest: Program((*DECLARATIONS, *rest)))
