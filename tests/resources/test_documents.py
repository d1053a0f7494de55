"""Reading a Markdown file and its front matter."""

import contextlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.resources.documents import MOST_BYTES, DocumentError, read_document, read_text


@pytest.fixture
def document(tmp_path):
    def write(data):
        path = tmp_path / "one.md"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def test_front_matter_and_text_are_taken_apart(document):
    found = read_document(document("---\nname: a\ndescription: >\n  two\n  lines\n---\n\n# Title\n\ntext\n"))
    assert dict(found.fields) == {"name": "a", "description": "two lines\n"}
    assert found.text == "# Title\n\ntext"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("just text\n", "just text"),
        ("---\n---\ntext", "text"),
        ("---\nnever closed\n", "---\nnever closed"),
        ("text\n---\na: b\n---\n", "text\n---\na: b\n---"),
        ("\ufeff---\r\na: b\r\n---\r\ntext\r\n", "text"),
        (b"caf\xe9", "caf\ufffd"),
        ("", ""),
    ],
)
def test_the_text_is_what_stands_after_a_closed_front_matter(document, data, text):
    assert read_document(document(data)).text == text


@pytest.mark.parametrize(
    ("front", "fault"),
    [
        ("a: [1", "no YAML: .* in line 3"),
        ("- a\n- b", "must be a mapping"),
        ("just words", "must be a mapping"),
        ("a: !!python/object:os.system x", "no YAML: could not determine a constructor"),
    ],
)
def test_front_matter_that_is_no_mapping_is_an_error_that_names_the_file(document, front, fault):
    with pytest.raises(DocumentError, match=rf"one\.md: its front matter.*{fault}"):
        read_document(document(f"---\n{front}\n---\ntext"))


def test_a_missing_file_is_told_from_one_that_cannot_be_used(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_text(tmp_path / "missing")
    (tmp_path / "large").write_bytes(b"x" * (MOST_BYTES + 1))
    with pytest.raises(DocumentError, match="larger than 1 MiB"):
        read_text(tmp_path / "large")


def test_what_is_no_file_is_refused_without_waiting_for_it(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(DocumentError, match=rf"{name}: .*(regular file|directory)"):
            read_text(tmp_path / name)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_document_or_an_error_of_ours(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.md"
    path.write_bytes(b"---\n" + data + b"\n---\nrest")
    with contextlib.suppress(DocumentError):
        assert "rest" in read_document(path).text
