"""Reading small files with few calls."""

import pytest

from pihost.extensions._file_reading import read_file


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 300_000])
def test_a_file_is_read_whole(tmp_path, size):
    file = tmp_path / "file"
    file.write_bytes(data := bytes(range(256)) * (size // 256) + b"x" * (size % 256))
    assert read_file(file) == data


def test_about_as_much_is_read_as_is_asked_for(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"x" * 1_000_000)
    assert 100_000 <= len(read_file(file, most=100_000)) <= 100_000 + 65_536


def test_a_file_that_is_not_there_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "file")
