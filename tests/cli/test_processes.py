"""The command line as a process of its own: pipes, signals, files that are none."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from tests.cli.conftest import ROOT

WAIT = 20


def read_soon(pipe):
    """A line, or a failure where none comes."""
    assert select.select([pipe], [], [], WAIT)[0], "no answer"
    return pipe.readline()


def test_each_line_of_standard_input_is_answered_before_the_next(start):
    process = start("eval", "p.lars", "-")
    process.stdin.write("36: a(x1, y).\n")
    process.stdin.flush()
    assert read_soon(process.stdout) == "36  + q(x1, y)\n"
    process.stdin.write("40:\n")
    process.stdin.flush()
    assert read_soon(process.stdout) == "40  - q(x1, y)\n"
    process.stdin.close()
    assert process.wait(WAIT) == 0
    assert process.stderr.read() == ""


def test_a_reader_that_stops_reading_causes_no_error_message(here, start):
    (here / "long.stream").write_text("".join(f"{t}: a(x{t}, y).\n" for t in range(20_000)))
    process = start("eval", "p.lars", "long.stream")
    assert process.stdout.readline() == "0  + q(x0, y)\n"
    process.stdout.close()
    assert process.wait(WAIT) == 141
    assert process.stderr.read() == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_followed_stream_that_is_interrupted_ends_as_at_its_end(here, start, number):
    process = start("eval", "p.lars", "-", "--as", "intervals", "-o", "out.txt", "--rejects", "bad.jsonl", "-v")
    process.stdin.write("36: a(x1, y).\nnoise\n")
    process.stdin.flush()
    while not (here / "bad.jsonl").exists() or not (here / "bad.jsonl").read_text():
        assert process.poll() is None
    time.sleep(0.2)  # the reader has rejected the noise, and the fact before it is on its way
    process.send_signal(number)
    assert process.wait(WAIT) == 130
    assert process.stderr.read() == "1 fact, 1 time point, 1 change, 1 rejected, 0 undefined operations\n"
    assert (here / "out.txt").read_text() == "q(x1, y)  [36, 36…]\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_file_that_is_interrupted_leaves_no_traceback_and_no_answer(here, start, number):
    (here / "endless.lars").write_text("n(X) :- a(X, _). n(Y) :- n(X), Y = X + 1.\n")
    (here / "one.stream").write_text("bad\n36: a(1, y).\n")
    process = start(
        "eval", "endless.lars", "one.stream", "--limit", "1000000000", "-o", "out.txt", "--rejects", "bad.jsonl"
    )
    while not (here / "bad.jsonl").exists() or not (here / "bad.jsonl").read_text():
        assert process.poll() is None
    time.sleep(0.2)
    process.send_signal(number)
    assert process.wait(WAIT) == 130
    assert process.stderr.read().strip() == ""
    assert sorted(os.listdir(here)) == ["bad.jsonl", "endless.lars", "one.stream", "p.lars", "s.stream"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["eval", "p.lars", "missing.stream"], "missing.stream"),
        (["eval", "p.lars", "."], "is a directory"),
        (["evla", "p.lars", "s.stream"], "evla"),
        (["check", "--strct", "p.lars"], "--strict"),
        (["eval", "p.lars"], "STREAM"),
    ],
)
def test_wrong_usage_is_one_message_and_where_help_is(start, args, words):
    process = start(*args)
    out, err = process.communicate(timeout=WAIT)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("error: ")
    assert words in err
    assert "--help'" in err


def test_a_missing_program_is_wrong_usage_too(start):
    process = start("eval", "missing.lars", "s.stream")
    assert "missing.lars: error[unreadable]" in process.communicate(timeout=WAIT)[1]
    assert process.returncode == 2


def test_an_empty_stream_has_an_empty_answer(here, start):
    (here / "empty").write_text("")
    process = start("eval", "p.lars", "empty")
    assert process.communicate(timeout=WAIT) == ("", "")
    assert process.returncode == 0


def test_an_output_that_cannot_be_written_says_so(start):
    process = start("eval", "p.lars", "s.stream", "--output", "no/such/place")
    out, err = process.communicate(timeout=WAIT)
    assert (process.returncode, out) == (1, "")
    assert err == "error: no/such/place: there is no directory no/such\n"


def test_a_closed_standard_input_is_an_empty_stream(start):
    process = start("eval", "p.lars", "-", stdin=subprocess.DEVNULL)
    assert process.communicate(timeout=WAIT) == ("", "")
    assert process.returncode == 0


def test_output_is_utf_8_whatever_the_locale_says(here, start, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    (here / "u.stream").write_text('36: a("ä", y).\n', encoding="utf-8")
    process = start("eval", "p.lars", "u.stream", encoding="utf-8")
    assert process.communicate(timeout=WAIT)[0] == '36  + q("ä", y)\n'


def on_terminal(start, *args):
    """What a terminal gets on standard error."""
    terminal, end = pty.openpty()
    process = start(*args, stderr=end)
    os.close(end)
    process.wait(WAIT)
    text = os.read(terminal, 10_000).decode()
    os.close(terminal)
    return text


def test_a_terminal_gets_a_summary_and_colours(start, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert on_terminal(start, "eval", "p.lars", "s.stream").startswith("2 facts, 6 time points, 3 changes")
    assert on_terminal(start, "eval", "p.lars", "missing").startswith("\x1b[31m\x1b[1merror\x1b[0m: ")


def test_colours_can_be_turned_off(start, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert on_terminal(start, "eval", "p.lars", "missing").startswith("error: ")


def test_closed_standard_streams_count_as_empty(here):
    command = f'PYTHONPATH="{ROOT / "src"}" "{sys.executable}" -m laser eval p.lars'
    for redirected in ("- <&-", "s.stream 2>&-"):
        finished = subprocess.run(["sh", "-c", f"{command} {redirected}"], capture_output=True, text=True, check=False)
        assert (finished.returncode, finished.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_an_error(start):
    with open("/dev/full", "w") as full:
        process = start("eval", "p.lars", "s.stream", stdout=full)
        assert process.communicate(timeout=WAIT)[1] == "error: No space left on device\n"
    assert process.returncode == 1


def test_output_may_be_named_like_a_device(start):
    process = start("eval", "p.lars", "s.stream", "--output", "/dev/stdout")
    assert process.communicate(timeout=WAIT)[0].startswith("36  + q(x1, y)\n")


def stamped(fact, ago=0):
    return f"{(datetime.now(UTC) - timedelta(seconds=ago)).isoformat()}: {fact}.\n"


SILENT = "silent(H) :- host(H), not ping(H) in [1 s].\nhost(a).\n"


def test_the_clock_reports_a_silent_stream(here, start):
    (here / "hosts.lars").write_text(SILENT)
    process = start("eval", "hosts.lars", "-", "--clock", "wall", "-v")
    process.stdin.write(stamped("ping(a)"))
    process.stdin.flush()
    assert read_soon(process.stdout).endswith("+ silent(a)\n")
    process.send_signal(signal.SIGTERM)
    assert process.wait(WAIT) == 130
    assert "1 fact, " in process.stderr.read()


def test_a_file_is_followed_as_it_grows_under_the_clock(here, start):
    (here / "hosts.lars").write_text(SILENT)
    log = here / "pings.stream"
    log.write_text(stamped("ping(a)", ago=90) + stamped("ping(a)", ago=80))
    process = start("eval", "hosts.lars", "pings.stream", "--clock", "wall")
    assert read_soon(process.stdout).endswith("+ silent(a)\n")
    assert read_soon(process.stdout).endswith("- silent(a)\n")
    assert read_soon(process.stdout).endswith("+ silent(a)\n")
    row = stamped("ping(a)")
    with log.open("a") as file:
        file.write(row[:30])
        file.flush()
        time.sleep(0.3)  # half a line is no line yet
        file.write(row[30:])
    assert read_soon(process.stdout).endswith("- silent(a)\n")
    process.send_signal(signal.SIGINT)
    assert process.wait(WAIT) == 130


def test_the_clock_ends_with_the_stream(here, start):
    (here / "hosts.lars").write_text(SILENT)
    process = start("eval", "hosts.lars", "-", "--clock", "wall", "--lateness", "1 min")
    out, err = process.communicate(stamped("ping(a)", ago=90) + stamped("ping(a)", ago=80), timeout=WAIT)
    assert [line[-11:] for line in out.splitlines()] == ["+ silent(a)", "- silent(a)"]
    assert (process.returncode, err) == (0, "")


def test_a_closed_standard_output_is_an_error(here):
    """``>&-``: standard output is closed."""
    command = f"exec {sys.executable} -m laser eval p.lars s.stream"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    for rest, code in ((">&-", 1), ("-o answers.txt >&-", 0)):
        done = subprocess.run(
            ["/bin/sh", "-c", f"{command} {rest}"], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert ("standard output: it is closed" in done.stderr) == bool(code)
        assert "Traceback" not in done.stderr


def test_a_terminal_of_80_columns_breaks_messages_between_words(here, start, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    (here / "unsafe.lars").write_text("hot(M) :- temp(X, V) in [3], V > 90.  % " + "a comment " * 10 + "\n")
    text = on_terminal(start, "eval", "unsafe.lars", "s.stream").replace("\r\n", "\n")
    first, second, source, *rest = text.splitlines()
    assert first == "unsafe.lars:1:5: error[unsafe-variable]: `M` in the head is not bound by any"
    assert second == "  positive body atom"
    assert len(source) > 80  # a line of the program is never broken
    assert all(len(line) <= 80 for line in rest)
    assert "must get\n    its values from a positive body atom" in text


def test_control_characters_in_data_do_not_reach_the_terminal(here):
    """What is sent to a terminal has no escape sequence of the data, in any format."""
    (here / "odd.jsonl").write_text('{"time": 1, "predicate": "a", "args": ["\\u001b[31m\\u009b", "y"]}\n')
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    for form in ("text", "csv", "jsonl"):
        command = [sys.executable, "-m", "laser", "eval", "p.lars", "odd.jsonl", "--format", form, "--quiet"]
        outer, inner = pty.openpty()
        process = subprocess.Popen(command, env=environment, stdout=inner, stderr=subprocess.DEVNULL)
        os.close(inner)
        shown = b""
        with suppress(OSError):  # the end of a terminal
            while more := os.read(outer, 1000):
                shown += more
        os.close(outer)
        assert process.wait(WAIT) == 0
        assert b"31m" in shown
        assert b"\x1b" not in shown
        assert b"\xc2\x9b" not in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell_is_produced_as_documented(start, monkeypatch, shell):
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert f"_LASER_COMPLETE={shell}_source laser" in page
    monkeypatch.setenv("_LASER_COMPLETE", f"{shell}_source")
    process = start()
    script, errors = process.communicate(timeout=WAIT)
    assert (process.returncode, errors) == (0, "")
    assert "_laser_completion" in script


def test_completion_knows_commands_options_and_values(start, monkeypatch):
    def completed(words: str, place: int) -> list[str]:
        monkeypatch.setenv("_LASER_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(place))
        return start().communicate(timeout=WAIT)[0].split()

    assert completed("laser ev", 1) == ["plain,eval"]
    assert completed("laser eval --la", 2) == ["plain,--lateness", "plain,--late"]
    assert completed("laser eval --as ", 3) == ["plain,changes", "plain,snapshots", "plain,intervals"]
