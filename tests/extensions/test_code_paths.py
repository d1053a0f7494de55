"""Where a candidate's code lies, without importing it."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.extensions.candidate import Candidate, Source
from pihost.extensions.code_paths import code_paths

METADATA = Path("/site/acme-1.0.dist-info")


def entry_point(text):
    return Candidate(
        id="acme", source=Source.INSTALLED, entry_point=text, distribution="acme", metadata=METADATA
    )


def test_a_path_is_itself_with_its_links_followed():
    candidate = Candidate(
        id="a", source=Source.LOCAL, path=Path("/p/link.py"), resolved=Path("/elsewhere/a.py")
    )
    assert code_paths(candidate) == (Path("/elsewhere/a.py"),)


@pytest.mark.parametrize("target", ["acme_code", "acme_code.sub.deep:plugin.inner", "acme_code:setup"])
def test_an_entry_point_is_its_metadata_and_its_top_level_package(write_module, monkeypatch, target):
    """Finding it runs nothing, not even the package around the module it names."""
    package = write_module("acme_code/__init__.py", "1 / 0").parent
    monkeypatch.syspath_prepend(package.parent)
    assert code_paths(entry_point(target)) == (METADATA, package)
    assert "acme_code" not in sys.modules


def test_every_part_of_a_namespace_package_counts(tmp_path, monkeypatch):
    parts = [tmp_path / name / "acme_shared" for name in ("a", "b")]
    for part in parts:
        part.mkdir(parents=True)
        monkeypatch.syspath_prepend(part.parent)
    assert set(code_paths(entry_point("acme_shared.one"))) == {METADATA, *parts}


def test_a_finder_that_fails_leaves_the_metadata(monkeypatch):
    class Broken:
        def find_spec(self, name, path=None, target=None):
            raise RuntimeError(name)

    monkeypatch.setattr(sys, "meta_path", [Broken()])
    assert code_paths(entry_point("acme_nowhere")) == (METADATA,)


@given(text=st.text(max_size=12))
def test_whatever_an_entry_point_says_its_metadata_is_there(text):
    assert code_paths(entry_point(text))[0] == METADATA
