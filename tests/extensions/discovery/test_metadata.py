import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pihost.extensions._metadata import parse_entry_points, parse_headers
from pihost.extensions._metadata_files import distribution_name


def test_one_group_is_read_and_sorted_by_name():
    text = "[other]\nz = z\n\n[mine]\n# comment\n; comment\nb = m.b : f [extra]\na=m:C.f\n[third]\nc = c\n"
    assert parse_entry_points(text, "mine").objects == (("a", "m:C.f"), ("b", "m.b:f"))


def test_a_group_in_two_parts_is_one_group_and_the_first_of_a_name_counts():
    text = "[mine]\na = one\n[other]\n[ mine ]\na = two\nb = two\n"
    assert parse_entry_points(text, "mine").objects == (("a", "one"), ("b", "two"))


@pytest.mark.parametrize("text", ["", "[mine", "a = b", "[other]\na = b", "[mine]", "[MINE]\na = b"])
def test_a_text_without_the_group_has_neither_entries_nor_faults(text):
    found = parse_entry_points(text, "mine")
    assert (found.objects, found.faults) == ((), ())


@given(text=st.text(max_size=200))
@example(text="0=²")
def test_any_line_of_the_group_is_an_entry_or_a_fault(text):
    """Never an exception, and every entry names an importable object."""
    found = parse_entry_points(f"[mine]\n{text}", "mine")
    for name, target in found.objects:
        assert name.strip() == name != ""
        assert all(part.isidentifier() for part in target.replace(":", ".").split("."))


@given(
    line=st.text(
        st.characters(exclude_characters="#;[]", exclude_categories=["Cc", "Zl", "Zp", "Cs"]), min_size=1
    )
)
def test_no_line_is_passed_over_in_silence(line):
    found = parse_entry_points(f"[mine]\n{line}", "mine")
    assert len(found.objects) + len(found.faults) == (1 if line.strip() else 0)


@given(text=st.text(max_size=200))
def test_headers_are_read_from_any_text(text):
    headers = parse_headers(f"Name: x\nRequires-Dist: pihost>1\nRequires-Dist: other\n\n{text}")
    assert (headers.name, headers.version, headers.requirements) == ("x", None, ("pihost>1",))


def test_headers_are_read_whatever_the_case_and_the_line_ending():
    headers = parse_headers(
        "NAME: Acme\r\nversion:1\r\nSummary: a\r\n Name: folded\r\nname:\r\n\r\nName: late"
    )
    assert (headers.name, headers.version) == ("Acme", "1")


@pytest.mark.parametrize(
    "directory",
    [
        "Acme_Foo-1.0.dist-info",
        "acme.foo-1.0.dist-info",
        "acme-foo-1.0.dist-info",
        "acme_foo-1.0-py3.12.egg-info",
        "acme_foo-1.0.egg-info",
        "acme_foo.egg-info",
        "acme-foo.egg-info",
    ],
)
def test_the_name_in_the_name_of_a_metadata_directory(directory):
    assert distribution_name(directory) == "acme-foo"
