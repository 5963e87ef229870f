"""Attacks: input that is made to break something, drawn at random. ``python -m tests.attack 2000 --seed 1``.

An attack is a function of a generator; it says in a word what became of a try, and raises where something broke: another
exception than those of Laser, an answer that differs, output that commands a terminal, a request that is a mistake of ours.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import tempfile
import traceback
import xml.dom.minidom
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from laser import Atom, LaserError, LimitError, Reasoner
from laser.engine import machine
from laser.io.formats import FORMATS
from laser.io.formats.format import LineFormat
from laser.phrases import printable
from laser.plot.run import timeline
from laser.serve.follow import Follower
from laser.serve.requests import QUESTIONS, BadRequestError, read_request
from laser.serve.tasks import Worker
from laser.ticks import Tick
from laser.values.facts import parse_fact
from tests.fuzz import corpus, mutate
from tests.laws import QUIET, time_guard

SECONDS_A_TRY = 30
PROGRAM = "q(X) :- p(X) in [3]. r(X) :- q(X), not s(X) in [2]. t(N) :- N = count(X : p(X) in [9]). u(X) :- p(X) always in [4]."
ODD = "\0\x07\x1b[31m\x7f\x85\x9b\u200e\u2028\u202e\ufeff\ufffe\ud800\udfffé𝄞\\\"'<>&,;:(){}%#\n\r\t "
NUMBERS = (
    "0",
    "-1",
    "1e5000",
    "9" * 5000,
    "0x1F",
    "1_0",
    "١",
    "NaN",
    "-0.0",
    "9223372036854775808",
    "1" * 40,
    "0." + "0" * 400 + "1",
)
FAR = 10**12


def texts(rng: random.Random) -> str:
    """A text of odd characters, numbers and words."""
    parts = ["".join(rng.choices(ODD, k=rng.randint(1, 6))), rng.choice(NUMBERS), "abc", "X", "p(1)", "1: p(1)."]
    return "".join(rng.choices(parts, k=rng.randint(1, 4)))


def numbers(rng: random.Random) -> str:
    """Times, ticks, constants and lengths that nobody means."""
    odd: list[Any] = [
        *NUMBERS,
        10**5000,
        -(10**5000),
        2**63,
        -1,
        0.5,
        float("nan"),
        float("inf"),
        True,
        None,
        [],
        texts(rng),
        *(36, 37, 40) * 5,
    ]
    options: dict[str, Any] = {
        name: rng.choice(odd) for name in rng.sample(["tick", "start", "constants", "limit"], rng.randint(0, 2))
    }
    if "constants" in options:
        options["constants"] = {"k": options["constants"]}
    try:
        Reasoner("q(X) :- p(X) in [3], X != k. #const k = 1.", **options).advance(
            rng.choice(odd), [("p", rng.choice(odd))]
        )
    except LaserError:
        return "refused"
    except (TypeError, ValueError) as error:  # an argument of a wrong type, said in words
        if "limit" not in str(error) or "set_int_max_str_digits" in str(error):
            raise
        return "refused"
    return "answered"


def characters(rng: random.Random) -> str:
    """Strings that command terminals and break drawings."""
    text = texts(rng)
    atom = Atom("p", [text])
    written = str(atom)
    assert (
        printable(written) == written
        or "\ud800" <= max(text) <= "\udfff"
        or any("\ud800" <= c <= "\udfff" for c in text)
    )
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert parse_fact(written) == atom, "a value is not read as it was written"
    drawn = timeline("q(X) :- p(X) in [3].", [(1, [atom])])
    xml.dom.minidom.parseString(drawn.to_svg(title=text))
    drawn.to_text()
    return "drawn"


def lines(rng: random.Random) -> str:
    """Lines of any format that are damaged or of another."""
    _, stream = rng.choice(corpus())
    line = rng.choice(
        [
            texts(rng),
            mutate(rng.choice(stream.split("\n")), rng),
            mutate('{"time": 1, "predicate": "p", "args": [1]}', rng),
        ]
    )
    form = rng.choice([form for form in FORMATS.values() if isinstance(form, LineFormat)])
    try:
        form.parser(Tick())(line)
        form.parse_background(line)
    except (LaserError, ValueError, RecursionError):
        return "refused"
    return "read"


def files(rng: random.Random) -> str:
    """Files that a server follows, whatever is in them."""
    with tempfile.TemporaryDirectory() as folder:
        follower = Follower(Path(folder), Tick())
        for _ in range(3):
            suffix = rng.choice(("jsonl", "csv", "stream", "parquet", "gz", "x"))
            data = rng.choice(
                [
                    rng.randbytes(rng.randint(0, 300)),
                    texts(rng).encode("utf-8", "replace"),
                    b"PAR1" + rng.randbytes(50) + b"PAR1",
                ]
            )
            Path(folder, f"{rng.randrange(3)}.{suffix}").write_bytes(data)
            list(follower.news())
        return "told" if follower.troubles() else "followed"


def states(rng: random.Random) -> str:
    """Saved states in which a byte is another one, or the end is missing."""
    reasoner = Reasoner(PROGRAM)
    for t in range(6):
        reasoner.advance(t, [("p", rng.randrange(4)), ("s", rng.randrange(4))])
    data = bytearray(reasoner.save())
    for _ in range(rng.choice((1, 1, 3))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    damaged = bytes(data[: rng.randrange(len(data))]) if rng.random() < 0.2 else bytes(data)
    try:
        restored = Reasoner.restore(PROGRAM, damaged)
    except LaserError:
        return "refused"
    assert damaged == reasoner.save() or restored.holding() == reasoner.holding(), "a damaged state was taken"
    restored.advance(99, [("p", 1)])
    return "the same"


def jumps(rng: random.Random) -> str:
    """Far jumps of time, with any program: they end, or there is a limit."""
    program, _ = rng.choice(corpus())
    try:
        reasoner = Reasoner(program, limit=10_000)
        reasoner.advance(rng.randrange(9), ["p(1)", "a(1)", "b(1)"])
        for _ in range(3):
            reasoner.advance((reasoner.time or 0) + rng.choice((1, 7, FAR, FAR * 1000)), ["a(2)"])
    except LimitError:
        return "limited"
    except LaserError:
        return "refused"
    return "answered"


def requests(rng: random.Random) -> str:
    """What may be posted to the server."""
    fields = ("program", "stream", "tick", "start", "until", "at", "atom", "notation", "x")
    values: list[Any] = [
        None,
        1,
        -1,
        10**40,
        1.5,
        True,
        [],
        {},
        "",
        "1 s",
        "q(1)",
        "formal",
        PROGRAM,
        "1: p(1).",
        texts(rng),
    ]
    body = {name: rng.choice(values) for name in rng.sample(fields, rng.randint(0, 6))}
    body["program"] = rng.choice([PROGRAM, mutate(PROGRAM, rng), body.get("program")])
    data = json.dumps(body).encode()
    if rng.random() < 0.1:
        data = data[: rng.randrange(len(data))]
    task = rng.choice(list(QUESTIONS))
    try:
        asked = read_request(data, *QUESTIONS[task])
    except BadRequestError:
        return "refused"
    answer = Worker().answer({**asked, "task": task, "limit": 1000})
    kind = answer.get("error", {}).get("kind")
    assert kind != "internal", answer
    return "refused" if kind else "answered"


ATTACKS: dict[str, Callable[[random.Random], str]] = {
    each.__name__: each for each in (numbers, characters, lines, files, states, jumps, requests)
}


def try_attack(name: str, seed: str) -> tuple[str, str | None]:
    """One try: what became of it, and what broke."""
    before, machine.MOST_SILENT_TICKS = machine.MOST_SILENT_TICKS, 2000
    try:
        with time_guard(SECONDS_A_TRY):
            return ATTACKS[name](random.Random(f"{name}/{seed}")), None
    except Exception:  # whatever it is, it is what is looked for
        return "broken", traceback.format_exc()
    finally:
        machine.MOST_SILENT_TICKS = before


def main() -> int:
    """Try every attack so often, and count."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=2000, help="tries of each attack")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=ATTACKS)
    wanted = parser.parse_args()
    logging.getLogger("laser").setLevel(QUIET)
    broken = 0
    for name in [wanted.only] if wanted.only else ATTACKS:
        tally: Counter[str] = Counter()
        for number in range(wanted.count):
            outcome, wrong = try_attack(name, f"{wanted.seed}/{number}")
            tally[outcome] += 1
            if wrong is not None and tally["broken"] <= 3:
                print(f"{name}/{wanted.seed}/{number}\n{wrong}")
        broken += tally["broken"]
        print(
            f"{name:<12}{wanted.count:>8} tries: {', '.join(f'{n} {what}' for what, n in sorted(tally.items()))}",
            flush=True,
        )
    print(f"{broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
