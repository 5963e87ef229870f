"""clingo, the solver behind Ticker: the window as facts with times, and an encoding of each program.

*Ground and solve*: each time point is a program of its own. *Multi-shot*: the facts of a time point are added to a program
that stays, as externals that are released when they leave the window; each atom may be defined in only one step.
"""

from __future__ import annotations

from typing import Any

from laser.bench.case import Batch, Case, Experiment, Fact
from laser.bench.peers.peer import Peer, Rows
from laser.bench.programs import usual

__all__ = ["CLINGO", "CLINGO_MULTI"]

_JOIN = "q{i}(A,C) :- p(A,B,_), p(B,C,_). #show q{i}/2."
_COOLING = """
steam(V,T) :- temp(V,T), V >= 100.
liquid(V,T) :- temp(V,T), V >= 1, V < 100.
isSteam(T) :- steam(_,T).
isLiquid(T) :- liquid(_,T).
alarm :- isSteam(T) : T = first..now.
normal :- isLiquid(T) : T = first..now.
freeze :- not alarm, not normal.
veryHot(T) :- steam(V,T), V >= 150.
veryCold(T) :- liquid(V,T), V = 1.
#show. #show steam(V) : steam(V,now). #show liquid(V) : liquid(V,now).
#show isSteam : isSteam(now). #show isLiquid : isLiquid(now).
#show alarm/0. #show normal/0. #show freeze/0. #show veryHot/1. #show veryCold/1.
"""


def encoding(experiment: Experiment, case: Case) -> str:
    """The program at one time point; ``first`` and ``now`` are the bounds of the window."""
    match experiment.name:
        case "diamond":
            return "q(A,B) :- p(A,B,_). #show q/2."
        case "box":
            return "q(A) :- p(A,now), p(A,T) : T = first..now. #show q/1."
        case "join":
            return _JOIN.format(i="")
        case "multi-heads":
            return "".join(_JOIN.format(i=i) for i in range(1, case.r + 1))
        case "cooling":
            return _COOLING
        case "recursion":
            return "reach(A,B) :- edge(A,B,_). reach(A,C) :- reach(A,B), edge(B,C,_). #show reach/2."
        case "negation":
            return "busy(X) :- job(X,_,_). idle(X) :- machine(X,_), not busy(X). #show idle/1."
        case "tuples":
            return "q(A,C) :- p(A,B,_), s(B,C,_). #show q/2."
        case "latest":
            return "q(A,B) :- temp(A,B,_). #show q/2."
        case "rules":
            rules = (f'alert{i}(V) :- temp("s{i}",V,_), V >= 90. #show alert{i}/1.' for i in range(case.r))
            return "\n".join(rules)
        case _:
            return aggregate_encoding(experiment, case)


def aggregate_encoding(experiment: Experiment, case: Case) -> str:
    """The programs that count, or take the maximum."""
    match experiment.name:
        case "count":
            return f"busy(S) :- car(_,S,_), #count{{ C : car(C,S,_) }} > {usual(case)}. #show busy/1."
        case "extremes":
            return "highest(M,A) :- temp(M,_,_), A = #max{ V : temp(M,V,_) }. #show highest/2."
        case "tumbling":
            block = f"block(C,S,T) :- car(C,S,T), T >= (now/{case.w}-1)*{case.w}, T < (now/{case.w})*{case.w}."
            return f"{block} report(S,N) :- block(_,S,_), N = #count{{ C,T : block(C,S,T) }}. #show report/2."
        case _:
            raise NotImplementedError(experiment.name)


class Solver:
    """Ground and solve at each time point."""

    def __init__(self, experiment: Experiment, case: Case) -> None:
        import clingo

        self.clingo = clingo
        self.text = encoding(experiment, case)
        self.rows = Rows.of(experiment, case)
        self.w = experiment.reach(case)
        self.model: list[Any] = []

    def symbol(self, fact: Fact, t: int) -> Any:
        number, string = self.clingo.Number, self.clingo.String
        values = [number(v) if isinstance(v, int) else string(v) for v in fact[1:]]
        return self.clingo.Function(fact[0], [*values, number(t)])

    def load(self, t: int, facts: list[Fact]) -> None:
        self.rows.add(t, facts, self.symbol)

    def run(self, batches: list[Batch]) -> int:
        out = 0
        for t, facts in batches:
            self.load(t, facts)
            self.solve(t)
            out += len(self.model)
        return out

    def solve(self, t: int) -> None:
        bounds = ["-c", f"now={t}", "-c", f"first={max(0, t - self.w)}"]
        control = self.clingo.Control(["--warn=none", *bounds])
        with control.backend() as backend:
            for _, _, symbol in self.rows:
                backend.add_rule([backend.add_atom(symbol)])
        control.add("base", [], self.text)
        control.ground([("base", [])])
        control.solve(on_model=self.keep)

    def keep(self, model: Any) -> None:
        self.model = model.symbols(shown=True)

    def answer(self) -> set[Fact]:
        return {_fact(symbol) for symbol in self.model}

    def close(self) -> None:
        return


def _fact(symbol: Any) -> Fact:
    return (symbol.name, *(a.number if a.type.name == "Number" else a.string for a in symbol.arguments))


_STEP_JOIN = """
q{i}(A,C,t,T) :- p(A,B,t), p(B,C,T).
q{i}(A,C,T,t) :- p(A,B,T), p(B,C,t), T < t.
#show q{i}(A,C) : q{i}(A,C,t,T). #show q{i}(A,C) : q{i}(A,C,T,t).
"""
_STEP_COOLING = """
steam(V,t) :- temp(V,t), V >= 100.
liquid(V,t) :- temp(V,t), V >= 1, V < 100.
isSteam(t) :- steam(_,t).
isLiquid(t) :- liquid(_,t).
alarm(t) :- now(t), isSteam(T) : T = f..t.
normal(t) :- now(t), isLiquid(T) : T = f..t.
freeze(t) :- now(t), not alarm(t), not normal(t).
veryHot(t) :- steam(V,t), V >= 150.
veryCold(t) :- liquid(V,t), V = 1.
#show steam(V) : steam(V,t), now(t). #show liquid(V) : liquid(V,t), now(t).
#show isSteam : isSteam(t), now(t). #show isLiquid : isLiquid(t), now(t).
#show alarm : alarm(t). #show normal : normal(t). #show freeze : freeze(t).
#show veryHot(t) : veryHot(t). #show veryCold(t) : veryCold(t).
"""


def step_encoding(experiment: Experiment, case: Case) -> str:
    """What each step t adds; f is the begin of its window, and now(t) an external of that step only."""
    match experiment.name:
        case "diamond":
            return "#show q(A,B) : p(A,B,t)."
        case "box":
            return "q(A,t) :- now(t), p(A,t), p(A,T) : T = f..t. #show q(A) : q(A,t)."
        case "join":
            return _STEP_JOIN.format(i="")
        case "multi-heads":
            return "".join(_STEP_JOIN.format(i=i) for i in range(1, case.r + 1))
        case "cooling":
            return _STEP_COOLING
        case _:
            raise NotImplementedError(experiment.name)


class MultiShot(Solver):
    """One program, to which each time point adds a step."""

    def __init__(self, experiment: Experiment, case: Case) -> None:
        import clingo

        self.clingo = clingo
        self.rows = Rows.of(experiment, case)
        self.w = case.w
        self.model = []
        self.now: Any = None
        self.control = clingo.Control(["--warn=none"])
        self.control.add("step", ["t", "f"], "#external now(t).\n" + step_encoding(experiment, case))
        self.control.add("base", [], "#show.")
        self.control.ground([("base", [])])

    def load(self, t: int, facts: list[Fact]) -> None:
        self.take(t, facts)

    def run(self, batches: list[Batch]) -> int:
        out = 0
        for t, facts in batches:
            self.take(t, facts)
            self.control.solve(on_model=self.keep)
            out += len(self.model)
        return out

    def take(self, t: int, facts: list[Fact]) -> None:
        clingo, control = self.clingo, self.control
        first = len(self.rows.window)
        gone = self.rows.add(t, facts, self.symbol)
        for _, _, symbol in gone:
            control.release_external(symbol)
        if self.now is not None:
            control.release_external(self.now)
        control.cleanup()
        with control.backend() as backend:
            for _, _, symbol in list(self.rows.window)[first - len(gone) :]:
                backend.add_external(backend.add_atom(symbol), clingo.TruthValue.True_)
        control.ground([("step", [clingo.Number(t), clingo.Number(max(0, t - self.w))])])
        self.now = clingo.Function("now", [clingo.Number(t)])
        control.assign_external(self.now, True)


_REDEFINED = "an atom would be defined in more than one step, which multi-shot solving does not allow"

_NO_DECIMALS = "it has no decimals"
_FORGETS = "each time point is solved separately, and nothing is remembered"

CLINGO = Peer(
    "clingo",
    "clingo, ground and solve",
    "clingo",
    "clingo",
    Solver,
    {"average": _NO_DECIMALS, "quantile": _NO_DECIMALS, "hysteresis": _FORGETS},
)
CLINGO_MULTI = Peer(
    "clingo multi-shot",
    "clingo, multi-shot",
    "clingo",
    "clingo",
    MultiShot,
    {
        "recursion": f"reach(a,b): {_REDEFINED}",
        "negation": f"busy(x): {_REDEFINED}",
        "tuples": "written for time windows only",
        "latest": "written for time windows only",
        **dict.fromkeys(
            ("rules", "count", "extremes", "tumbling", "hysteresis"), "written for the paper's experiments only"
        ),
        **dict.fromkeys(("average", "quantile"), _NO_DECIMALS),
    },
)
