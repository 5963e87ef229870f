"""Files that appear whole or not at all."""

from __future__ import annotations

import os

import pytest

from laser.io import write_whole
from laser.io.atomic import write_whole_directory


def test_a_file_appears_at_the_end(tmp_path):
    path = tmp_path / "out"
    with write_whole(path) as file:
        file.write("ä\n")
        assert not path.exists()
    assert path.read_bytes() == "ä\n".encode()
    assert os.listdir(tmp_path) == ["out"]


def fail_while_writing(path, error):
    with write_whole(path) as file:
        file.write("new")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_only_the_old_file_exists(tmp_path, error):
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(error):
        fail_while_writing(path, error)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_permissions_and_links_are_kept(tmp_path):
    path, link = tmp_path / "out", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with write_whole(link) as file:
        file.write("new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_usual_permissions(tmp_path):
    with write_whole(tmp_path / "out") as file:
        file.write("new")
    (tmp_path / "usual").write_text("")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_device_is_written_to_directly():
    with write_whole("/dev/null") as file:
        file.write("gone")
    assert not os.path.isfile("/dev/null")


def test_what_a_killed_run_left_beside_its_output_is_removed(tmp_path):
    mine, other, dead = (tmp_path / f".answers.{pid}.part" for pid in (os.getpid(), os.getppid(), 2**22 + 1))
    for left in (mine, other, dead):
        (left / "rows").mkdir(parents=True)
    with write_whole_directory(tmp_path / "answers", overwrite=True) as part:
        assert not dead.exists()
        assert other.exists(), "somebody is at work there"
        assert list(part.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [other.name, "answers"]
