"""The Java that Spark runs on, and the script in front of it. No Spark."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from laser.errors import LaserError
from laser.spark import java_wrapper
from laser.spark.java import chosen_java, find_java, java_home, java_version

HOSTILE = "#!/bin/sh\nexec /bin/false\n"


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A temporary directory of its own, and a process that has not made a script yet."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(java_wrapper, "_HOMES", {})
    return tmp_path


def modes(home):
    return {stat.S_IMODE(path.lstat().st_mode) for path in (home, home / "bin", home / "bin" / "java")}


def put_script(home, text):
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(text, "utf-8")
    script.chmod(0o755)


def foreseeable_home(place):
    """Where another user would lay a script for us: a name that follows from ours and that of Java."""
    name = re.sub(r"\W+", "-", str(find_java().resolve().parent.parent)).strip("-")[-80:]
    return place / f"laser-java-{os.getuid()}-{name}"


def test_a_java_is_found_here_and_in_the_package(tmp_path):
    assert java_version(find_java("package")) >= 21
    assert (java_home("package") / "bin" / "java").exists()
    with pytest.raises(LaserError, match="not Java 17 or later"):
        find_java(str(tmp_path))


def test_the_script_passes_all_options_that_this_java_supports(temporary):
    told = subprocess.run(
        [java_home() / "bin" / "java", "--add-modules=jdk.incubator.vector", "-version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "version" in told.stderr
    assert "incubator" not in told.stderr


def test_a_directory_prepared_by_another_user_is_not_used(temporary):
    laid = foreseeable_home(temporary)
    put_script(laid, HOSTILE)
    os.utime(laid / "bin" / "java", (1, 1))
    home = java_home()
    assert home != laid
    assert (laid / "bin" / "java").read_text("utf-8") == HOSTILE, "and nothing is written to it"


def test_a_link_made_by_another_user_is_not_followed(temporary, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    foreseeable_home(temporary).symlink_to(elsewhere)
    assert java_home().parent == temporary
    assert list(elsewhere.iterdir()) == []


def test_other_users_can_neither_write_nor_read_the_script(temporary):
    assert modes(java_home()) == {0o700}


@pytest.mark.parametrize("spoil", ["rights", "rights below", "text", "link", "gone"])
def test_a_directory_that_is_not_ours_alone_any_more_is_replaced(temporary, spoil):
    home = java_home()
    assert java_home() == home, "one for the whole process"
    match spoil:
        case "rights":
            home.chmod(0o770)
        case "rights below":
            (home / "bin" / "java").chmod(0o755)
        case "text":
            (home / "bin" / "java").write_text(HOSTILE, "utf-8")
        case "link":
            home.rename(temporary / "moved")
            home.symlink_to(temporary / "moved")
        case "gone":
            (home / "bin" / "java").unlink()
    fresh = java_home()
    assert fresh != home
    assert modes(fresh) == {0o700}
    assert (fresh / "bin" / "java").read_text("utf-8") != HOSTILE


def test_what_another_user_owns_is_not_private(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    assert java_wrapper.is_private(tmp_path)
    uid = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: uid + 1)
    assert not java_wrapper.is_private(tmp_path)


def test_java_home_is_restored(monkeypatch):
    for before in ({}, {"JAVA_HOME": "/opt/java"}):
        monkeypatch.delenv("JAVA_HOME", raising=False)
        for name, value in before.items():
            monkeypatch.setenv(name, value)
        with chosen_java():
            assert os.environ["JAVA_HOME"] == str(java_home())
        assert os.environ.get("JAVA_HOME") == before.get("JAVA_HOME")


def test_the_directory_is_removed_when_the_process_ends(tmp_path):
    code = "from laser.spark.java import java_home; print(java_home())"
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert Path(told.stdout.strip()).parent == tmp_path
    assert list(tmp_path.iterdir()) == []
