"""Every construct of the language, in every way in which it can be written."""

import pytest

from laser.errors import ProgramError, Span
from laser.syntax.parser import parse_tree
from laser.syntax.tree import (
    Arithmetic,
    At,
    AtomPattern,
    Comparison,
    Constant,
    ConstantName,
    ConstDirective,
    Fact,
    InputDirective,
    Literal,
    PrefixDirective,
    Range,
    Rule,
    ShowDirective,
    Size,
    Term,
    Variable,
    Window,
)
from laser.values import Iri, Predicate
from laser.values.declared import Declared
from laser.windows import LastFacts, Sliding

X, Y, T = Variable("X"), Variable("Y"), Variable("T")
A = AtomPattern("a", (X,))


def element(text: str) -> Literal | Comparison:
    """The only element of a body, in a program that knows the constant n and the prefix ex."""
    declarations = "#const n = 30. #prefix ex: <http://example.org/>."
    (rule,) = parse_tree(f"{declarations} h :- {text}.").rules
    (found,) = rule.body
    return found


def term(text: str) -> Term:
    found = element(f"X = {text}")
    assert isinstance(found, Comparison)
    return found.right


def time(size: int | float, unit: str | None = None) -> Window:
    return Window(Sliding, (Size(Constant(size), unit),))


LITERALS = {
    Literal(A): ["a(X)", "a( X )"],
    Literal(A, At(T)): ["a(X) at T", "@T a(X)", "@ T a(X)"],
    Literal(A, "sometime", time(3)): ["a(X) in [3]", "a(X) [3]", "⊞3 ◇ a(X)", "⊞^3 ◇ a(X)", "⊞[3] ◊ a(X)", "⊞ 3 ⋄ a(X)"],
    Literal(A, "always", time(3)): ["a(X) always in [3]", "a(X) always [3]", "⊞3 □ a(X)", "⊞^3□a(X)"],
    Literal(A, At(T), time(3)): ["a(X) at T in [3]", "a(X) at T [3]", "⊞3 @T a(X)", "@T a(X) in [3]", "@T a(X) [3]"],
    Literal(A, "sometime", Window(LastFacts, (Size(Constant(3)),))): [
        "a(X) in [3 #]", "a(X) [# 3]", "a(X)[3#]", "⊞#3 ◇ a(X)", "⊞^#3 ◇ a(X)", "⊞[3 #] ◇ a(X)",
    ],
    Literal(A, "sometime", time(30, "s")): ["a(X) in [30 s]", "a(X) [30s]", "⊞[30 s] ◇ a(X)", "a(X) in [30 sec]"],
    Literal(A, "sometime", time(5, "min")): ["a(X) in [5 min]", "a(X) in [5 minutes]"],
    Literal(A, "always", time(250, "ms")): ["a(X) always in [250 ms]"],
    Literal(A, "always", time(1, "d")): ["a(X) always in [1 d]", "a(X) always in [1 day]"],
    Literal(A, "always", time(2, "h")): ["a(X) always in [2 h]"],
    Literal(A, "sometime", Window(Sliding, (Size(ConstantName("n")),))): ["a(X) in [n]", "⊞n ◇ a(X)", "⊞^n ◇ a(X)"],
    Literal(A, "sometime", Window(Sliding, (Size(ConstantName("n"), "s"),))): ["a(X) in [n s]", "⊞[n s] ◇ a(X)"],
    Literal(A, "sometime", Window(LastFacts, (Size(ConstantName("n")),))): ["a(X) in [n #]", "a(X) in [# n]", "⊞#n ◇ a(X)"],
    Literal(A, "sometime", time(-1)): ["a(X) in [-1]", "⊞-1 ◇ a(X)"],
    Literal(A, "sometime", time(0.5, "s")): ["a(X) in [0.5 s]", "a(X) in [5e-1 s]"],
    Literal(A, "always", time(3), False, True): ["⊞3 □ ¬ a(X)", "⊞3 □ not a(X)", "⊞[3]□¬a(X)"],
    Literal(A, "sometime", time(3), False, True): ["⊞3 ◇ ¬ a(X)"],
    Literal(A, At(T), time(3), False, True): ["⊞3 @T ¬ a(X)"],
    Literal(A, At(Arithmetic("+", (T, Constant(1)))), time(3)): [
        "a(X) at T + 1 in [3]", "⊞3 @T+1 a(X)", "⊞3 @(T+1) a(X)", "@T+1 a(X) [3]",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("literal", "text"), [(x, t) for x, ts in LITERALS.items() for t in ts])
def test_all_spellings_of_a_literal_mean_the_same(literal: Literal, text: str) -> None:
    assert element(text) == literal


@pytest.mark.parametrize("word", ["not ", "¬ ", "¬"])
@pytest.mark.parametrize("text", [texts[0] for texts in LITERALS.values()])
def test_every_literal_can_be_negated(word: str, text: str) -> None:
    plain, negated = element(text), element(word + text)
    assert isinstance(plain, Literal)
    assert negated == Literal(plain.atom, plain.modality, plain.window, True, plain.negated_inside)


@pytest.mark.parametrize("arrow", [":-", "<-", "←", " :- ", "\n  :-\n"])
def test_the_arrows_are_the_same(arrow: str) -> None:
    assert parse_tree(f"h{arrow}a(X).").rules == (Rule(AtomPattern("h"), None, (Literal(A),)),)


@pytest.mark.parametrize("head", ["@T h(X)", "h(X) at T", "@(T) h(X)"])
def test_a_head_may_name_its_time(head: str) -> None:
    (rule,) = parse_tree(f"{head} :- a(X).").rules
    assert rule == Rule(AtomPattern("h", (X,)), T, (Literal(A),))


@pytest.mark.parametrize("head", ["@T-1 h", "@(T-1) h", "h at T - 1", "@ T - 1 h"])
def test_the_time_of_a_head_may_be_arithmetic(head: str) -> None:
    (rule,) = parse_tree(f"{head} :- a(X).").rules
    assert rule.time == Arithmetic("-", (T, Constant(1)))


def test_a_head_with_a_time_needs_no_body() -> None:
    assert parse_tree("@5 a. a at 5.").rules == (Rule(AtomPattern("a"), Constant(5), ()),) * 2


def test_a_ground_head_without_a_body_is_a_fact() -> None:
    program = parse_tree('a(1). a(x, "x y"). a. a().')
    assert program.facts == (
        Fact(AtomPattern("a", (Constant(1),))),
        Fact(AtomPattern("a", (Constant("x"), Constant("x y")))),
        Fact(AtomPattern("a")),
        Fact(AtomPattern("a")),
    )


def test_a_fact_with_a_variable_parses_for_the_analysis_to_refuse() -> None:
    assert parse_tree("a(X).").statements == (Fact(A),)


@pytest.mark.parametrize("text", ["edge(1..5, 7).", "edge(1 .. 5, 7)."])
def test_facts_have_ranges(text: str) -> None:
    assert parse_tree(text).facts == (Fact(AtomPattern("edge", (Range(Constant(1), Constant(5)), Constant(7)))),)


@pytest.mark.parametrize(
    ("spellings", "operator"),
    [
        (("=", "=="), "="),
        (("!=", "≠", "<>"), "!="),
        (("<",), "<"),
        (("<=", "≤"), "<="),
        ((">",), ">"),
        ((">=", "≥"), ">="),
    ],
)
def test_comparisons_have_several_spellings(spellings: tuple[str, ...], operator: str) -> None:
    assert {element(f"X {s} Y") for s in spellings} == {Comparison(operator, X, Y)}


def test_comparisons_need_no_spaces() -> None:
    (rule,) = parse_tree("h :- A<B, C>D, E<-1, F=<http://example.org/>, G>=-2.").rules
    assert [c.operator for c in rule.body if isinstance(c, Comparison)] == ["<", ">", "<", "=", ">="]
    assert rule.body[2] == Comparison("<", Variable("E"), Constant(-1))
    assert rule.body[3] == Comparison("=", Variable("F"), Constant(Iri("http://example.org/")))


def test_a_name_in_a_comparison_is_a_string_and_alone_an_atom() -> None:
    assert element("b = X") == Comparison("=", Constant("b"), X)
    assert element("b") == Literal(AtomPattern("b"))


def plus(left: Term, right: Term) -> Arithmetic:
    return Arithmetic("+", (left, right))


TERMS = {
    "1 + 2 + 3": plus(plus(Constant(1), Constant(2)), Constant(3)),
    "1 + (2 + 3)": plus(Constant(1), plus(Constant(2), Constant(3))),
    "1 + 2 * X": plus(Constant(1), Arithmetic("*", (Constant(2), X))),
    "(1 + 2) * X": Arithmetic("*", (plus(Constant(1), Constant(2)), X)),
    "7 / 2": Arithmetic("/", (Constant(7), Constant(2))),
    "7 div 2 mod 3": Arithmetic("mod", (Arithmetic("div", (Constant(7), Constant(2))), Constant(3))),
    "-X": Arithmetic("-", (X,)),
    "--X": Arithmetic("-", (Arithmetic("-", (X,)),)),
    "-5": Constant(-5),
    "- 5": Constant(-5),
    "-(5)": Arithmetic("-", (Constant(5),)),
    "2 - -5": Arithmetic("-", (Constant(2), Constant(-5))),
    "2-5": Arithmetic("-", (Constant(2), Constant(5))),
    "-X * 2": Arithmetic("*", (Arithmetic("-", (X,)), Constant(2))),
    "abs(X - 1)": Arithmetic("abs", (Arithmetic("-", (X, Constant(1))),)),
    "min(X, 1)": Arithmetic("min", (X, Constant(1))),
    "max(X, min(Y, 1))": Arithmetic("max", (X, Arithmetic("min", (Y, Constant(1))))),
    "n + 1": plus(ConstantName("n"), Constant(1)),
    '"n"': Constant("n"),
    "((((X))))": X,
    "1.0": Constant(1),
    "1.50": Constant(1.5),
    "1e3": Constant(1000),
    "2.5E-1": Constant(0.25),
    "-0": Constant(0),
    "1e-7": Constant(1e-07),
    "s": Constant("s"),
    "_": Variable("_"),
    "_x": Variable("_x"),
    '"a\\"b\\\\c\\n\\t\\r"': Constant('a"b\\c\n\t\r'),
    '"%* // /* no comment"': Constant("%* // /* no comment"),
    '""': Constant(""),
    '"é☃"': Constant("é☃"),
    "<http://example.org/a#b>": Constant(Iri("http://example.org/a#b")),
    "<urn:isbn:1>": Constant(Iri("urn:isbn:1")),
    "ex:a": Constant(Iri("http://example.org/a")),
    "ex:A-b": Constant(Iri("http://example.org/A-b")),
}


@pytest.mark.parametrize("text", TERMS)
def test_terms_have_the_usual_precedence_and_forms(text: str) -> None:
    assert term(text) == TERMS[text]


def test_numbers_are_kept_as_integers_where_they_are_whole() -> None:
    found = term("1.0")
    assert isinstance(found, Constant)
    assert type(found.value) is int


def test_arguments_may_be_arithmetic() -> None:
    assert element("a(X + 1, abs(X))") == Literal(AtomPattern("a", (plus(X, Constant(1)), Arithmetic("abs", (X,)))))


def test_units_are_ordinary_names_elsewhere() -> None:
    (rule,) = parse_tree("s(h, d) :- ms, us(s).").rules
    assert rule.head == AtomPattern("s", (Constant("h"), Constant("d")))


def test_names_may_be_iris() -> None:
    program = parse_tree("ex:hot(S) :- ex:temp(S, V). <urn:p>(a). #prefix ex: <http://example.org/>.")
    assert program.rules[0].head.name == "<http://example.org/hot>"
    assert program.facts[0].atom.name == "<urn:p>"


def test_the_empty_prefix_is_a_prefix() -> None:
    assert parse_tree("#prefix : <urn:x:>. :a:-:b.").rules[0].head.name == "<urn:x:a>"


def test_constants_may_be_declared_after_their_use() -> None:
    program = parse_tree("h(n) :- n(n), X = n + 1, n in [n]. #const n = 30.")
    (rule,) = program.rules
    assert rule.head.args == (ConstantName("n"),)
    assert rule.body[0] == Literal(AtomPattern("n", (ConstantName("n"),)))
    assert program.constants == {"n": ConstDirective("n", Constant(30))}


def test_a_constant_may_be_called_like_a_directive() -> None:
    (rule,) = parse_tree("#const const = 3. a :- ⊞#const ◇ b.").rules
    assert rule.body[0] == Literal(AtomPattern("b"), "sometime", Window(LastFacts, (Size(ConstantName("const")),)))


def test_directives_are_statements() -> None:
    program = parse_tree("#prefix ex: <http://e/>. #show a/0, ex:b/2. #const n = -1.5 + 2.")
    (declared,) = parse_tree("#input hr(patient: string, bpm:number).").statements
    assert declared == InputDirective("hr", (("patient", Declared.STRING), ("bpm", Declared.NUMBER)))
    assert program.statements == (
        PrefixDirective("ex", "http://e/"),
        ShowDirective((Predicate("a", 0), Predicate("<http://e/b>", 2))),
        ConstDirective("n", plus(Constant(-1.5), Constant(2))),
    )
    assert program.shown == frozenset({Predicate("a", 0), Predicate("<http://e/b>", 2)})
    assert program.prefixes == {"ex": "http://e/"}


def test_without_show_everything_is_shown() -> None:
    assert parse_tree("a.").shown is None


@pytest.mark.parametrize("comment", ["% x. y", "// x. y", "%* x.\n% y. *%", "/* x.\n y. */", "%**%", "/**/"])
def test_comments_stand_anywhere(comment: str) -> None:
    program = parse_tree(f"{comment}\na {comment}\n:- b(X, {comment}\n 1) {comment}\n. {comment}")
    assert program == parse_tree("a :- b(X, 1).")


def test_ticker_programs_are_programs() -> None:
    (rule,) = parse_tree("third at T :- car(C), rec(C) at T in [3 #], not rec(C) [2 #].").rules
    rec = AtomPattern("rec", (Variable("C"),))
    assert rule.body[1:] == (
        Literal(rec, At(T), Window(LastFacts, (Size(Constant(3)),))),
        Literal(rec, "sometime", Window(LastFacts, (Size(Constant(2)),)), negated=True),
    )


def test_an_empty_text_is_a_program() -> None:
    assert parse_tree("").statements == parse_tree(" % nothing").statements == parse_tree("\ufeff").statements == ()


def test_spans_point_at_the_text() -> None:
    text = "a.\n@T  h(X) :-\n  not b(X, -1) at T+1 in [30 s], (X + 1) < 2."
    _, rule = parse_tree(text).statements
    assert isinstance(rule, Rule)
    literal, comparison = rule.body
    assert isinstance(literal, Literal)
    assert isinstance(literal.modality, At)
    assert isinstance(comparison, Comparison)
    assert literal.window
    assert rule.span == Span(2, 1, 3, 46)
    assert rule.head.span == Span(2, 5, 2, 9)
    assert literal.span == Span(3, 3, 3, 32)
    assert literal.atom.span == Span(3, 7, 3, 15)
    assert literal.atom.args[1].span == Span(3, 12, 3, 14)
    assert literal.modality.time.span == Span(3, 19, 3, 22)
    assert literal.window.span == Span(3, 26, 3, 32)
    assert comparison.span == Span(3, 34, 3, 45)
    assert comparison.left.span == Span(3, 34, 3, 41)


def test_a_program_keeps_its_source_and_name() -> None:
    program = parse_tree("a.", "x.lars")
    assert (program.source, program.name) == ("a.", "x.lars")
    assert program == parse_tree(" a . ", "y.lars")


def test_all_findings_are_in_one_report_by_place() -> None:
    text = "A :- b.\nok(X) :- b(X).\na('x').\na :- ex:b & c.\nb :- c in [k]."
    with pytest.raises(ProgramError) as caught:
        parse_tree(text, "x.lars")
    assert [d.code for d in caught.value.diagnostics] == [
        "capital-name", "quotes", "unknown-prefix", "unknown-symbol", "unknown-constant",
    ]  # fmt: skip
    assert (caught.value.line, caught.value.column) == (1, 1)
    assert str(caught.value).startswith("x.lars:1:1: error[capital-name]")


def test_least_and_times_are_names_where_nothing_is_counted() -> None:
    counted = parse_tree("#const least = 3. q :- a at least % of all\n3 /* so many */ times in [5], times.")
    named = parse_tree("#const least = 3. q :- a at least, times(3), b at least in [5].")
    assert [str(literal.modality)[:5] for literal in counted.rules[0].literals] == ["Times", "now"]
    assert [str(literal.modality)[:3] for literal in named.rules[0].literals] == ["At(", "now", "At("]
