"""``#include``: other programs in place, each once, with places that name their file."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import laser
from laser.cli.notation import convert
from laser.serve.run_request import RunRequest
from laser.serve.tasks import tidy
from laser.syntax.formatter import format_source
from laser.syntax.includes import inlined
from laser.syntax.parser import parse_tree

MAIN = '#include "lib/limits.lars".\n#include "lib/more.lars".\nhot(M) :- temp(M, V), V > limit.  % here\n'
MORE = '#include "limits.lars".\nvery(M) :- hot(M), temp(M, V), V > 2 * limit or forced(M).\n'
WHOLE = "#const limit = 90. very(M) :- hot(M), temp(M, V), V > 2 * limit or forced(M). hot(M) :- temp(M, V), V > limit."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules" / "lib").mkdir(parents=True)
    write(tmp_path / "rules/main.lars", MAIN)
    write(tmp_path / "rules/lib/limits.lars", "#const limit = 90.\n")
    write(tmp_path / "rules/lib/more.lars", MORE)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def refused(path: Path) -> laser.ProgramError:
    with pytest.raises(laser.ProgramError) as caught:
        laser.load(path)
    return caught.value


def test_files_are_read_in_place_and_once(here: Path) -> None:
    program = laser.load("rules/main.lars")
    assert program == laser.parse(WHOLE)
    assert laser.parse(str(program)) == program
    assert pickle.loads(pickle.dumps(program)) == program
    assert dict(laser.run(program, [(1, ["temp(m, 200)"])])) == {
        1: {laser.Atom(name, ["m"]) for name in ("hot", "very")}
    }


def test_a_text_includes_from_the_current_folder_or_from_one_that_is_given(here: Path) -> None:
    text = '#include "lib/limits.lars". q :- a(X), X > limit.'
    with pytest.raises(laser.ProgramError, match="missing-include"):
        laser.parse(text)
    assert laser.parse(text, folder=here / "rules").constants
    assert laser.Reasoner('#include "rules/main.lars".').advance(1, ["temp(m, 100)"])


def test_without_a_folder_nothing_is_read(here: Path) -> None:
    for text in ('#include "rules/main.lars".', f'#include "{here}/rules/main.lars".'):
        with pytest.raises(laser.ProgramError, match="no-include"):
            laser.parse(text, folder=None)
    with pytest.raises(laser.ProgramError, match="no-include"):
        tidy({"program": '#include "/etc/passwd".', "notation": "formal"})
    with pytest.raises(laser.ProgramError, match="no-include"):
        assert RunRequest({"program": '#include "/etc/passwd".', "stream": ""}).program
    assert [finding.code for finding in laser.check('#include "/etc/passwd".', folder=None).findings] == ["no-include"]


def test_the_error_of_a_circle_lists_its_files(here: Path) -> None:
    write(here / "a.lars", '#include "rules/b.lars".')
    write(here / "rules/b.lars", 'q :- p.\n  #include "../a.lars".')
    error = refused(here / "a.lars")
    assert (error.code, error.line, error.column) == ("include-circle", 2, 12)
    assert error.file == str(here / "rules/b.lars")
    assert "a.lars -> b.lars -> a.lars" in str(error)
    assert refused(write(here / "self.lars", '#include "self.lars".')).code == "include-circle"


@pytest.mark.parametrize("name", ["nowhere.lars", "rules", "a\\tb\\n", "\0", "a" * 5000], ids=range(5))
def test_a_file_that_cannot_be_read_is_an_error_at_the_include(here: Path, name: str) -> None:
    error = refused(write(here / "a.lars", f'q :- p.\n#include "{name}".'))
    assert (error.code, error.line, error.column) == ("missing-include", 2, 10)


def test_an_included_file_that_is_not_utf_8_is_refused_at_the_include(here: Path) -> None:
    (here / "bytes.lars").write_bytes(b"q :- p.\n\xff")
    error = refused(write(here / "a.lars", '#include "bytes.lars".'))
    assert "byte 0xff on line 2 is not UTF-8" in str(error)


def test_errors_name_the_file_and_its_line(here: Path) -> None:
    write(here / "rules/lib/more.lars", '#include "limits.lars".\n\np(X) :- b(_).\n#const limit = 3.\n')
    error = refused(here / "rules/main.lars")
    more = here / "rules/lib/more.lars"
    assert (error.file, error.line, error.column) == (str(more), 4, 8)
    assert f"the first declaration is on line 1 of {here / 'rules/lib/limits.lars'}" in str(error)
    write(more, '#include "limits.lars".\n\np(X) :- b(_).\n')
    assert f"{more}:3:3: error[unsafe-variable]" in str(refused(here / "rules/main.lars"))
    assert "  3 | p(X) :- b(_)." in str(refused(here / "rules/main.lars"))
    assert laser.check('#include "rules/main.lars".').to_json()["findings"][0]["file"] == "rules/lib/more.lars"


def test_a_statement_ends_with_its_file(here: Path) -> None:
    write(here / "rules/lib/limits.lars", "#const limit = 90.\nr :- a(X")
    error = refused(here / "rules/main.lars")
    assert (error.code, error.line) == ("unclosed-bracket", 2)


def test_explanations_quote_the_rule_and_its_file(here: Path) -> None:
    program = laser.load("rules/main.lars")
    told = str(laser.explain(program, [(1, ["temp(m, 200)"])], "very(m)", 1))
    assert "very(M) :- hot(M), temp(M, V), V > 2 * limit or forced(M)." in told
    assert "(line 2 of rules/lib/more.lars; M = m, V = 200)" in " ".join(told.split())
    assert "(line 3; M = m, V = 200)" in " ".join(told.split())


def test_formatting_and_converting_keep_the_directive(here: Path) -> None:
    folder = here / "rules"
    assert format_source('#include   "lib/limits.lars" .\nq:-a(X),X>limit.', folder=folder) == (
        '#include "lib/limits.lars".\nq :- a(X), X > limit.\n'
    )
    assert convert(MAIN, "main.lars", "formal", folder) == MAIN.replace(":-", "←")
    assert convert("h :- a in [3], b or c.", "x", "formal") == "h ← ⊞3 ◇ a, b or c."


def test_the_playground_gets_one_text_with_the_included_rules(here: Path) -> None:
    text = inlined(MAIN, here / "rules/main.lars")
    assert "#include" not in text
    assert parse_tree(text) == laser.parse(WHOLE)
    assert "% here" in text


def test_the_zone_of_an_included_file_is_that_of_the_run(here: Path) -> None:
    write(here / "zone.lars", '\n#zone "Europe/Vienna".')
    program = laser.parse('#include "zone.lars". q(hour(T)) :- on at T in [0].')
    assert [atoms for _, atoms in laser.run(program, [("2026-03-01T23:30:00Z", ["on"])])] == [{laser.Atom("q", [0])}]
    with pytest.raises(laser.ProgramError) as caught:
        laser.Reasoner(program, zone="Asia/Tokyo")
    assert (caught.value.file, caught.value.line) == ("zone.lars", 2)
