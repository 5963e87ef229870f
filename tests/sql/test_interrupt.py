"""Ctrl-C ends a query at once."""

import signal
import subprocess
import sys

LONG = """
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.sql.duck import Duck

with Duck(accept(parse("q :- p."))) as duck:
    print("begins", flush=True)
    try:
        with duck.exactly():
            duck.ask("select count(*) from range(4000000) a(i), range(9000000) b(j) where i * j % 7 = 3")
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def test_a_query_ends_when_it_is_interrupted() -> None:
    process = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    try:
        process.communicate(timeout=2)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert (out, process.returncode) == ("interrupted\n", 0)
