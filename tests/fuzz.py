"""Mutated programs and streams: a diagnostic or an answer, never another exception. ``python -m tests.fuzz 10000 --seed 1``.

Each try takes a case, damages its program, its stream or both, and runs it. Where the engine answers, the reference must
answer the same; where it refuses a call, the call must have changed nothing.
"""

from __future__ import annotations

import argparse
import logging
import random
import re
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from functools import cache

from laser import FactError, LaserError, LimitError, ProgramError, Reasoner, TimeError
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.io.formats.text import TEXT
from laser.io.records import ParsedLine
from laser.reference import answer
from laser.syntax.program import Program
from laser.ticks import Tick
from laser.values import Atom
from tests.cases_reader import CASES, EXAMPLES
from tests.laws import QUIET, time_guard

read_line = TEXT.parser(Tick())
SECONDS_A_TRY = 20
LIMIT = 20_000
FAR = 200
"""Streams that a mutation has stretched further than this are not compared: the reference visits every time point."""

WORDS = (
    ":- . , ( ) [ ] # in at always not @ ⊞ ◇ □ ¬ ← _ X T U 0 1 2 30 1.5 -1 a q(X) a(X) [2] [3#] ⊞2 ⊞#2 @T T+1 + - * / div mod abs( "
    'min( = != < >= ≥ "x" "" <http://example.org/i> ex:a % %* *% // /* #const #show #prefix n 1..3 .. s min h ; | \\ \' " é 𝔸 \x00'
)
TOKENS = [*WORDS.split(), "\t", "\n"]
WORD = re.compile(r"\w+|\s+|[^\w\s]")


@cache
def corpus() -> tuple[tuple[str, str], ...]:
    """Programs with streams; the programs of errors/ are run with the stream of their neighbours."""
    found = []
    for path in sorted([*CASES.glob("*/*.lars"), *EXAMPLES.glob("*.lars")]):
        stream = path.with_suffix(".stream")
        found.append(
            (path.read_text("utf-8"), stream.read_text("utf-8") if stream.exists() else "1: a(1), b(1).\n3: a(2).\n")
        )
    return tuple(found)


def mutate(text: str, rng: random.Random) -> str:
    """A few mutations of characters or of tokens: delete, duplicate, swap, replace, insert, cut off."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        parts = WORD.findall(text) if rng.random() < 0.6 else list(text)
        if not parts:
            return rng.choice(TOKENS)
        i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
        match rng.randrange(7):
            case 0:
                del parts[i]
            case 1:
                parts.insert(i, parts[i])
            case 2:
                parts[i], parts[j] = parts[j], parts[i]
            case 3:
                parts[i] = rng.choice(TOKENS)
            case 4:
                parts.insert(i, rng.choice(TOKENS))
            case 5:
                parts[i] = parts[j]
            case 6:
                parts = parts[:i] if rng.random() < 0.2 else parts
        text = "".join(parts)
    return text


def try_one(seed: str) -> str:
    """One try; what became of it, in a word."""
    rng = random.Random(seed)
    program, stream = rng.choice(corpus())
    which = rng.randrange(4)
    program = mutate(program, rng) if which != 0 else program
    stream = mutate(stream, rng) if which in (0, 1) else stream
    try:
        parsed = parse(program, "<fuzz>")
        reasoner = Reasoner(parsed, limit=LIMIT)
    except ProgramError as error:
        if not error.diagnostics:
            raise AssertionError("refused without a reason") from error
        return "refused"
    try:
        return feed(reasoner, parsed, stream)
    except LimitError:
        return "limited"


def feed(reasoner: Reasoner, program: Program, stream: str) -> str:
    """Run a damaged stream, and compare its end with the reference."""
    history: dict[tuple[int, Atom], None] = {}
    outcome = "answered"
    for line in stream.split("\n"):
        try:
            record = read_line(line)
        except (FactError, TimeError):
            outcome = "answered in part"
            continue
        if not isinstance(record, ParsedLine):
            continue
        if advance(reasoner, record.time, record.facts):
            history.update(dict.fromkeys((record.time, fact) for fact in record.facts))
        else:
            outcome = "answered in part"
    start, last = reasoner.start, reasoner.time
    if start is not None and last is not None and last - start <= FAR:
        try:
            right = answer(accept(program), list(history), start, last)
        except (
            TimeoutError
        ):  # the reasoner has answered; the definition may take too long for a program that damage made large
            return outcome
        assert reasoner.holding() == right, f"at {last}: {reasoner.holding()} is not {right}"
    return outcome


def advance(reasoner: Reasoner, time: int, facts: Sequence[Atom]) -> bool:
    """One call; whether it was accepted. If not, nothing may have changed."""
    before = state(reasoner)
    try:
        reasoner.advance(time, facts)
    except (FactError, TimeError):
        assert state(reasoner) == before, "a refused call has changed the state"
        return False
    return True


def state(reasoner: Reasoner) -> object:
    return reasoner.time, reasoner.holding(), reasoner.save()


def try_guarded(seed: str) -> tuple[str, str | None]:
    """The outcome, and what is wrong if something is."""
    try:
        with time_guard(SECONDS_A_TRY), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return try_one(seed), None
    except LaserError as error:
        return "broken", f"seed {seed}: {type(error).__name__} is not caught where it belongs: {error}"
    except Exception as error:
        return "broken", f"seed {seed}: {type(error).__name__}: {error}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one try, by its name (1/42), with its traceback")
    options = parser.parse_args()
    if options.only:
        print(try_one(options.only))
        return 0
    logging.getLogger("laser").setLevel(QUIET)
    outcomes: Counter[str] = Counter()
    broken = []
    for i in range(options.count):
        outcome, wrong = try_guarded(f"{options.seed}/{i}")
        outcomes[outcome] += 1
        if wrong:
            broken.append(wrong)
        if i % 100 == 99:
            print(f"\r{i + 1} of {options.count}, {len(broken)} broken", end="", flush=True)
    print("\n" + ", ".join(f"{name}: {count}" for name, count in outcomes.most_common()))
    for wrong in broken[:20]:
        print(f"\n{wrong}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
