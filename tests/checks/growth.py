"""Programs of many shapes and any size: how much work checking them is. ``python -m tests.checks.growth 500 1000 2000``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable

from laser.checks.report import check

__all__ = ["SHAPES", "calls"]


def rules(form: str) -> Callable[[int], str]:
    """So many rules of a form; ``{0}`` is the number of a rule, ``{1}`` the next one."""
    return lambda n: "\n".join(form.format(i, i + 1) for i in range(n))


def body(form: str, head: str = "q(X) :- b(X)") -> Callable[[int], str]:
    """One rule with so many parts of a form."""
    return lambda n: ", ".join([head, *(form.format(i, i + 1) for i in range(n))]) + "."


def args(form: str, head: str = "q") -> Callable[[int], str]:
    return lambda n: form.format(", ".join(f"{head}{i}" for i in range(n)))


SHAPES: dict[str, Callable[[int], str]] = {
    "comparisons": body("X > {0}"),
    "comparisons of variables": body("X > Y + {0}", "q(X) :- b(X, Y)"),
    "assignments": body("X{1} = X{0} + 1", "q(X0) :- b(X0)"),
    "assignments, last one first": lambda n: (
        f"q(X0) :- {', '.join(f'X{i} = X{i + 1} + 1' for i in range(n))}, b(X{n})."
    ),
    "atoms": body("a(X{0}, X{1}) in [3]", "q(X0) :- b(X0)"),
    "negated atoms": body("not a{0}(X) in [3]"),
    "one atom in many windows": body("a(X) in [{0}], not a(X) always in [{0}]"),
    "computed arguments": body("a(X + {0})"),
    "unsafe negations": body("not a(Some{0})"),
    "arguments that occur once": args("q :- a({0}).", "Name"),
    "unsafe arguments": args("q({0}) :- a(X).", "Name"),
    "chain": rules("a{0}(X) :- a{1}(X) in [5]."),
    "chain, last one first": rules("a{1}(X) :- a{0}(X) in [5]."),
    "chain of negations": rules("a{0}(X) :- b(X), not a{1}(X)."),
    "chain of times": rules("@T a{0}(X) :- b(X), a{1}(X) at T."),
    "ring through negation": lambda n: "\n".join(f"a{i}(X) :- b(X), not a{(i + 1) % n}(X)." for i in range(n)),
    "independent rules": rules("a{0}(X, Y) :- b{0}(X, Y) in [3]."),
    "rules for one predicate": rules("q(X) :- a{0}(X) in [3], b(X)."),
    "windows over one predicate": lambda n: "p(X) :- b(X).\n" + rules("a{0}(X) :- p(X) in [{1}].")(n),
    "constants": lambda n: rules("#const c{0} = {0}.")(n) + rules("q(X) :- a(X), X > c{0}.")(n),
    "unknown constants": lambda n: rules("#const count{0} = 1.")(n) + rules("q(X) :- a(X) in [cuont{0}].")(n),
    "unknown names to show": lambda n: rules("#show shown{0}/3.")(n) + rules("derived{0}(X) :- a(X).")(n),
    "facts": rules("a({0})."),
    "rules in one line": lambda n: rules("q{0}(X) :- a{0}(X), b.")(n).replace("\n", " "),
}


def calls(text: str, inputs: Iterable[str] | None = None) -> int:
    """How many functions are called to check a program: a measure of the work that is the same on every machine."""
    count = 0

    def tally(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tally)
    try:
        check(text, inputs)
    finally:
        sys.setprofile(None)
    return count


def _seconds(text: str) -> float:
    begin = time.process_time()
    check(text)
    return time.process_time() - begin


if __name__ == "__main__":
    sizes = [int(size) for size in sys.argv[1:]] or [500, 1000, 2000]
    print(f"{'seconds to check a program of size':<40}" + "".join(f"{size:>8}" for size in sizes))
    for name, shape in SHAPES.items():
        print(f"{name:<40}" + "".join(f"{_seconds(shape(size)):8.2f}" for size in sizes), flush=True)
