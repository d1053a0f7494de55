"""Reading small files with few calls."""

import pytest

from pihost.extensions._file_reading import read_file


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 300_000])
def test_a_file_is_read_whole(tmp_path, size):
    file = tmp_path / "file"
    file.write_bytes(data := bytes(range(256)) * (size // 256) + b"x" * (size % 256))
    assert read_file(file) == data


@pytest.mark.parametrize("size", [65_535, 65_537, 131_073, 1_000_000])
def test_a_file_that_is_larger_than_it_may_be_is_refused_and_never_cut(tmp_path, size):
    file = tmp_path / "file"
    file.write_bytes(b"x" * size)
    with pytest.raises(OSError, match=f"too large: '{file}'"):
        read_file(file, most=min(size - 1, 131_072))
    assert len(read_file(file, most=size)) == size


def test_a_file_that_is_not_there_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "file")
