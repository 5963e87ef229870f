"""``laser explain``."""

from __future__ import annotations

import json

import pytest

RULES = """#const n = 3.
q(X, Y) :- a(X, Y) in [n], not off.
"""


@pytest.fixture
def rules(here):
    (here / "p.lars").write_text(RULES)
    return here


def test_an_atom_that_holds_is_explained(laser, rules):
    result = laser("explain", "p.lars", "s.stream", "q(x1, y)", "--at", 38)
    assert result.stdout == (
        "q(x1, y) holds at 38, since 36, until 39 if nothing arrives\n"
        "└─ q(X, Y) :- a(X, Y) in [n], not off.  (line 2; X = x1, Y = y)\n"
        "   ├─ a(x1, y) at 36, in [36, 38]  (fact)\n"
        "   └─ no off at 38\n"
    )


def test_an_atom_that_does_not_hold_is_explained(laser, rules):
    shown = (
        "q(x1, y) does not hold at 41\n"
        "└─ q(X, Y) :- a(X, Y) in [n], not off.  (line 2; X = x1, Y = y)\n"
        "   └─ ✗ no a(x1, y) in [38, 41]\n"
        "      ├─ nearest: a(x1, y) was last seen at 36, but the window begins at 38\n"
        "      └─ nearest: a(x2, y) holds at 38, but differs in argument 1\n"
    )
    assert laser("explain", "p.lars", "s.stream", "q(x1, y)", code=1).stdout == shown
    assert laser("explain", "p.lars", "s.stream", "q(x1, y)", "--why-not").stdout == shown


def test_the_exit_code_says_whether_the_question_was_right(laser, rules):
    laser("explain", "p.lars", "s.stream", "q(x2, y)", code=0)
    laser("explain", "p.lars", "s.stream", "q(x2, y)", "--why-not", code=1)


def test_a_pattern_explains_all_atoms_that_match(laser, rules):
    result = laser("explain", "p.lars", "s.stream", "q(X, y)", "--at", 39)
    assert result.stdout.startswith("2 atoms of the form q(X, y) hold at 39\n├─ q(x1, y): q(X, Y) :- a(X, Y)")


def test_many_matches_are_counted(laser, here):
    (here / "many.stream").write_text("1: " + ", ".join(f"a({i}, y)" for i in range(25)) + ".\n")
    lines = laser("explain", "p.lars", "many.stream", "q(_, _)").stdout.splitlines()
    assert lines[0] == "25 atoms of the form q(_, _) hold at 1"
    assert lines[-1] == "└─ … 15 more atoms"


def test_options_of_a_run(laser, rules):
    (rules / "b.lars").write_text("off.\n")
    base = ("explain", "p.lars", "s.stream", "q(x1, y)", "--at", 40)
    assert laser(*base, "--const", "n=9").exit_code == 0
    assert "off is background data" in laser(*base, "--const", "n=9", "--background", "b.lars", code=1).stdout
    laser("explain", "p.lars", "s.stream", "q(x1, y)", "--at", 30, "--start", 20, code=1)


def test_json(laser, rules):
    data = json.loads(laser("explain", "p.lars", "s.stream", "q(x2, y)", "--json").stdout)
    assert (data["holds"], data["since"], data["until"], data["proofs"]) == (True, 38, 41, [0])
    assert data["nodes"][0]["rule"] == {"text": "q(X, Y) :- a(X, Y) in [n], not off.", "line": 2}


def test_dot_and_svg(laser, rules):
    assert laser("explain", "p.lars", "s.stream", "q(x2, y)", "--dot").stdout.startswith("digraph")
    assert laser("explain", "p.lars", "s.stream", "q(x2, y)", "--svg", "-").stdout.startswith("<svg")
    assert laser("explain", "p.lars", "s.stream", "q(x2, y)", "--svg", "q.svg").stdout == ""
    assert (rules / "q.svg").read_text().startswith("<svg")


def test_wrong_usage(laser, rules):
    assert "cannot be used together" in laser("explain", "p.lars", "s.stream", "q", "--json", "--dot", code=2).stderr
    assert "ATOM" in laser("explain", "p.lars", "s.stream", "q(", code=2).stderr
    assert "--at" in laser("explain", "p.lars", "s.stream", "q", "--at", "soon", code=2).stderr
    assert "would overwrite" in laser("explain", "p.lars", "s.stream", "q", "--svg", "s.stream", code=2).stderr
    assert "begins at 36" in laser("explain", "p.lars", "s.stream", "q", "--at", "3", code=1).stderr
    (rules / "empty.stream").write_text("")
    assert "is empty" in laser("explain", "p.lars", "empty.stream", "q", code=1).stderr


def test_nothing_after_the_time_is_read(laser, rules):
    (rules / "broken.stream").write_text("1: a(x, y).\n2: .\n3: a(((.\n")
    assert laser("explain", "p.lars", "broken.stream", "q(x, y)", "--at", 1).exit_code == 0


def test_time_points_of_streams_with_dates_are_written_as_dates(laser, here):
    (here / "dated.lars").write_text("warm(M) :- temp(M, V) in [3 s], V >= 90.")
    (here / "dated.stream").write_text("2026-11-15T08:00:01Z: temp(oven, 93).\n2026-11-15T08:00:02Z: temp(oven, 20).")
    answer = laser("explain", "dated.lars", "dated.stream", "warm(oven)").stdout
    assert answer.startswith(
        "warm(oven) holds at 2026-11-15T08:00:02Z, since 2026-11-15T08:00:01Z, until\n  2026-11-15T08:00:04Z if nothing arrives"
    )
    assert "17947" not in answer
    told = json.loads(laser("explain", "dated.lars", "dated.stream", "warm(oven)", "--json").stdout)
    assert (told["time"], told["until"]) == ("2026-11-15T08:00:02Z", "2026-11-15T08:00:04Z")
    assert told["nodes"][0]["bindings"] == {"M": "oven", "V": 93}
    assert told["nodes"][0]["premises"][0]["window"]["first"] == "2026-11-15T08:00:01Z"
    dot = laser("explain", "dated.lars", "dated.stream", "warm(oven)", "--dot").stdout
    assert "2026-11-15T08:00:01Z" in dot
    assert "17947" not in dot


def test_an_atom_hidden_by_the_warm_up_is_explained_with_a_note(laser):
    result = laser("explain", "p.lars", "s.stream", "q(x1, y)", "--at", "38", "--warmup", "5 s")
    assert result.stdout.startswith("q(x1, y) holds at 38")
    assert result.stderr == "the warm-up lasts until 41, so there is no output yet; without it:\n"
    assert laser("explain", "p.lars", "s.stream", "q(x2, y)", "--at", "41", "--warmup", "5 s").stderr == ""
    assert laser("eval", "p.lars", "s.stream", "--warmup", "5 s").stdout == "41  + q(x2, y)\n"


def test_the_picture_has_dates_if_the_stream_has_them(laser, here):
    (here / "d.lars").write_text("q(X) :- p(X) in [5].\n")
    (here / "d.stream").write_text("2026-03-02T22:00:00Z: p(7).\n2026-03-02T22:00:02Z: r.\n")
    drawn = laser("explain", "d.lars", "d.stream", "q(7)", "--svg", "-").stdout
    assert "2026-03-02T22:00:02Z" in drawn
    assert "17724888" not in drawn
