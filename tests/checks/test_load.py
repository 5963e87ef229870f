"""Programs from texts and files."""

from pathlib import Path

import pytest

from laser.checks.accept import accept
from laser.checks.load import load, parse
from laser.checks.report import check
from laser.errors import ProgramError


def test_parse_refuses_with_all_errors_and_no_warnings() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("q(X) :- a(Y).\nr :- b in [0 #], c(Once).", "two.lars")
    error = caught.value
    assert [d.code for d in error.diagnostics] == ["unsafe-variable", "window-size"]
    assert (error.line, error.column, error.code) == (1, 3, "unsafe-variable")
    assert str(error).startswith("two.lars:1:3: error[unsafe-variable]: ")


def test_parse_accepts_programs_that_only_have_warnings() -> None:
    assert len(parse("q :- a(Once).").rules) == 1


def test_parse_leaves_the_tick_to_the_run() -> None:
    assert len(parse("q :- a in [250 ms].").rules) == 1


def test_load_reads_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "bom.lars"
    path.write_bytes(b"\xef\xbb\xbfq :- a.")
    assert load(path).name == str(path)
    assert load(str(path)) == parse("q :- a.")


def unreadable(path: Path | str) -> ProgramError:
    with pytest.raises(ProgramError) as caught:
        load(path)
    assert caught.value.code == "unreadable"
    return caught.value


def test_the_error_of_a_missing_file_suggests_an_existing_one(tmp_path: Path) -> None:
    (tmp_path / "cooling.lars").write_text("q :- a.")
    error = unreadable(tmp_path / "colling.lars")
    assert "colling.lars: error[unreadable]: the program cannot be read: no such file or directory" in str(error)
    assert error.hint == "did you mean `cooling.lars`?"


@pytest.mark.parametrize(
    ("there", "wanted", "guess"),
    [
        ("empty.lars", "nope.lars", None),
        ("cooling.lars", "heating.lars", None),
        ("cooling.lars", "cooling.lrs", "cooling.lars"),
        ("cooling.lars", "cooling", "cooling.lars"),
        ("cooling.stream", "colling.lars", None),
    ],
)
def test_only_a_similar_name_is_suggested(tmp_path: Path, there: str, wanted: str, guess: str | None) -> None:
    (tmp_path / there).write_text("q :- a.")
    assert unreadable(tmp_path / wanted).hint == (guess and f"did you mean `{guess}`?")


@pytest.mark.parametrize("given", [3, None, b"q :- a.", Path("q.lars")], ids=repr)
def test_a_program_that_is_not_a_string_is_a_type_error(given: object) -> None:
    with pytest.raises(TypeError, match="parse expects the text of a program, not "):
        parse(given)
    with pytest.raises(TypeError, match="is not a program: "):
        accept(given)
    with pytest.raises(TypeError, match="is not a program: "):
        check(given)


def test_a_folder_and_a_file_in_no_folder_are_unreadable(tmp_path: Path) -> None:
    unreadable(tmp_path)
    unreadable(tmp_path / "none" / "x.lars")
    unreadable("a\0b")


def test_other_encodings_are_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.lars"
    path.write_bytes("q :- a.\nr :- b. % Gerät".encode("latin-1"))
    assert "byte 0xe4 on line 2 is not UTF-8" in str(unreadable(path))
