"""``laser plot`` on the command line."""

from __future__ import annotations

import json

import pytest


def test_a_program_and_a_stream_are_drawn(laser):
    assert laser("plot", "p.lars", "s.stream", "--width", "40").stdout.splitlines() == [
        "q/2",
        "  x1, y ████████████████████",
        "  x2, y           ████████████████████",
        "a/2",
        "  x1, y █████",
        "  x2, y           █████",
        "        36        38        40",
    ]


@pytest.mark.parametrize("kind", ["svg", "html", "json", "txt"])
def test_the_name_of_the_output_decides_its_format(laser, here, kind):
    laser("plot", "p.lars", "s.stream", "-o", f"out.{kind}")
    start = {"svg": "<svg", "html": "<!doctype html>", "json": "{", "txt": "q/2"}[kind]
    assert (here / f"out.{kind}").read_text().startswith(start)


def test_a_png_is_written(laser, here):
    pytest.importorskip("resvg_py")
    laser("plot", "p.lars", "s.stream", "-o", "out.png", "--theme", "dark", "--title", "q")
    assert (here / "out.png").read_bytes().startswith(b"\x89PNG")


def test_only_requested_predicates_are_drawn(laser):
    made = json.loads(laser("plot", "p.lars", "s.stream", "--only", "q", "--as", "json").stdout)
    assert [group["title"] for group in made["groups"]] == ["q/2"]


def test_bounds_are_those_of_eval(laser):
    made = json.loads(laser("plot", "p.lars", "s.stream", "--start", "30", "--until", "50", "--as", "json").stdout)
    assert (made["start"], made["end"]) == (30, 50)


def test_lines_are_chosen_by_argument(laser, here):
    (here / "v.stream").write_text("1: v(1, 2).\n2: v(1, 3).\n")
    made = json.loads(laser("plot", "v.stream", "--line", "v/2:2", "--as", "json").stdout)
    assert made["groups"][0]["curves"][0]["points"] == [[1, 2, "v(1, 2)"], [2, 3, "v(1, 3)"]]
    assert not json.loads(laser("plot", "v.stream", "--line", "none", "--as", "json").stdout)["groups"][0]["curves"]
    assert "NAME/ARITY" in laser("plot", "v.stream", "--line", "v", code=2).stderr


def test_a_program_needs_exactly_one_stream(laser):
    assert "one stream" in laser("plot", "p.lars", code=2).stderr


def test_mistakes_are_reported_as_in_other_commands(laser, here):
    (here / "bad.lars").write_text("q(X) :- p.")
    assert "unsafe-variable" in laser("plot", "bad.lars", "s.stream", code=1).stderr
    (here / "bad.stream").write_text("1: a(")
    assert "bad.stream:1" in laser("plot", "bad.stream", code=1).stderr


@pytest.mark.parametrize("name", ["x.pdf", "x.docx"])
def test_a_name_of_another_kind_of_file_is_refused(laser, here, name):
    result = laser("plot", "p.lars", "s.stream", "-o", name, code=2)
    assert "is not a kind of drawing; use .svg, .png, .html, .htm, .json, .txt, or add --as" in result.stderr
    assert not (here / name).exists()


def test_plots_and_explanations_reject_malformed_rows(laser, here):
    (here / "hr.lars").write_text("#input hr(p: string, bpm: number).\nhigh(P) :- hr(P, B), B > 120.\n")
    (here / "hr.csv").write_text("ts,p,bpm\n1,a,n/a\n2,a,130\n")
    table = ["--input", "hr=hr.csv"]
    assert "hr.csv:2: column bpm" in laser("plot", "hr.lars", *table, code=1).stderr
    assert "high/1" in laser("plot", "hr.lars", *table, "--rejects", "bad.jsonl").stdout
    assert json.loads((here / "bad.jsonl").read_text())["line"] == 2
    (here / "bad.jsonl").unlink()
    assert "high(a) holds" in laser("explain", "hr.lars", "high(a)", *table, "--rejects", "bad.jsonl").stdout
    assert json.loads((here / "bad.jsonl").read_text())["line"] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--only", "nosuch"], "warning: --only: nothing is called `nosuch`; there is `a/2`\n"),
        (["--line", "nosuch/1"], "warning: --line: nothing is called `nosuch/1`; there is `a/2`\n"),
    ],
)
def test_a_name_that_matches_nothing_is_a_warning(laser, words, said):
    assert laser("plot", "s.stream", *words).stderr == said
    assert laser("plot", "s.stream", *words, "--quiet").stderr == ""


def test_a_line_needs_an_argument_that_the_predicate_has(laser):
    assert "a/2 has no argument 7" in laser("plot", "s.stream", "--line", "a/2:7", code=2).stderr
