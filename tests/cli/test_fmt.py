"""``laser fmt``."""

from __future__ import annotations

import os

import pytest

UGLY = "% what it is for\nq( X,Y ):-a(X,Y)in[3].\n"


@pytest.fixture
def ugly(here):
    (here / "u.lars").write_text(UGLY)
    return here / "u.lars"


def test_a_file_is_rewritten_and_then_stays(laser, ugly):
    assert laser("fmt", "u.lars").stderr == "changed u.lars\n"
    pretty = ugly.read_text()
    assert pretty.startswith("% what it is for\n")
    assert "q(X, Y) :- a(X, Y) in [3]." in pretty
    assert laser("fmt", "u.lars").stderr == ""
    assert ugly.read_text() == pretty


def test_check_changes_nothing_and_lists(laser, ugly):
    laser("fmt", "p.lars")
    result = laser("fmt", "--check", "u.lars", "p.lars", code=1)
    assert result.stderr == "would change u.lars\n"
    assert ugly.read_text() == UGLY
    laser("fmt", "--check", "p.lars")


def test_diff_changes_nothing_and_shows(laser, ugly):
    result = laser("fmt", "--diff", "u.lars")
    assert "-q( X,Y ):-a(X,Y)in[3].\n" in result.stdout
    assert "+q(X, Y) :- a(X, Y) in [3].\n" in result.stdout
    assert ugly.read_text() == UGLY
    laser("fmt", "--diff", "--check", "u.lars", code=1)


def test_standard_input_goes_to_standard_output(laser):
    assert "q(X, Y) :- a(X, Y) in [3]." in laser("fmt", "-", stdin=UGLY).stdout


def test_notations_convert_and_come_back(here, laser, ugly):
    laser("fmt", "u.lars")
    readable = ugly.read_text()
    laser("fmt", "--notation", "formal", "u.lars")
    assert "◇ a(X, Y)" in ugly.read_text()
    laser("fmt", "--notation", "readable", "u.lars")
    assert ugly.read_text() == readable


def test_converting_keeps_comments_and_quotes_what_a_constant_is_called(here, laser):
    text = '#const n = 3.\n% head\np("n") :-  % inside\n    a(X, n) in [n],\n    X != "n".  % beside\n'
    (here / "c.lars").write_text(text)
    laser("fmt", "--notation", "formal", "c.lars")
    formal = (here / "c.lars").read_text()
    assert 'p("n") ← ⊞n ◇ a(X, n), X ≠ "n".' in formal
    assert all(comment in formal for comment in ("% head", "% inside", "% beside"))


def test_a_file_with_an_error_is_unchanged_and_the_others_are_formatted(here, laser, ugly):
    (here / "bad.lars").write_text("q(X :-\n")
    before = sorted(os.listdir(here))
    result = laser("fmt", "bad.lars", "u.lars", code=1)
    assert "bad.lars:1:" in result.stderr
    assert (here / "bad.lars").read_text() == "q(X :-\n"
    assert ugly.read_text() != UGLY
    assert sorted(os.listdir(here)) == before


def test_files_that_are_not_utf_8_are_refused(here, laser):
    (here / "b.lars").write_bytes(b"% fine\n\xff\n")
    assert "error: b.lars:2: the file is not UTF-8" in laser("fmt", "b.lars", code=1).stderr


def test_a_missing_file_is_wrong_usage(laser):
    laser("fmt", "missing.lars", code=2)
