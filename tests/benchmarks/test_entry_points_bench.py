"""Finding entry points among many distributions, beside listing the directory and reading each file once."""

import os
import sys

import pytest

from pihost.extensions._distributions import find_distributions
from pihost.extensions._metadata import parse_entry_points
from pihost.extensions.installed import search_installed

pytestmark = pytest.mark.bench

GROUP = "acme.agent.extensions"
DISTRIBUTIONS = 500
MATCHING = 100


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A directory of distributions, every fifth of which declares an extension."""
    directory = tmp_path_factory.mktemp("site")
    for number in range(DISTRIBUTIONS):
        name = f"dist{number:03}"
        metadata = directory / f"{name}-1.0.dist-info"
        metadata.mkdir()
        ours = f"[{GROUP}]\n{name} = {name}:setup\n" if number % (DISTRIBUTIONS // MATCHING) == 0 else ""
        (metadata / "entry_points.txt").write_text(f"[console_scripts]\n{name} = {name}.cli:main\n{ours}")
        headers = "".join(f"Classifier: Topic :: {n}\nRequires-Dist: other{n}>=1\n" for n in range(10))
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{headers}\n" + "Some words.\n" * 300
        (metadata / "METADATA").write_text(text)
    return str(directory)


def read_everything(directory):
    """The floor: list the directory and read every ``entry_points.txt`` once, 16 KiB at a time."""
    for name in os.listdir(directory):  # noqa: PTH208 -- the floor makes no objects of paths
        if name.endswith(".dist-info"):
            descriptor = os.open(f"{directory}/{name}/entry_points.txt", os.O_RDONLY)
            while os.read(descriptor, 16 * 1024):
                pass
            os.close(descriptor)


def test_finding_and_reading_the_matches(side_by_side, site):
    """The matches with their names, versions and requirements, and their entry points parsed."""

    def ours():
        found = find_distributions(GROUP, [site])
        return [parse_entry_points(distribution.entry_points, GROUP) for distribution in found]

    assert sum(len(entry_points.objects) for entry_points in ours()) == MATCHING
    name = f"{MATCHING} of {DISTRIBUTIONS} distributions, metadata headers read"
    side_by_side(name, ours, lambda: read_everything(site), goal=2.1, repeat=31)


def test_candidates_from_distributions(side_by_side, site, tmp_path, monkeypatch):
    """The whole of it, up to candidates that know whose they are."""
    monkeypatch.setattr(sys, "path", [site])

    def ours():
        return list(search_installed(GROUP, tmp_path))

    assert len(ours()) == MATCHING
    name = f"{MATCHING} candidates of {DISTRIBUTIONS} distributions"
    side_by_side(name, ours, lambda: read_everything(site), goal=2.1, repeat=31)


def test_passing_over_what_does_not_match(side_by_side, site):
    """A group that no distribution declares: nothing is parsed."""

    def ours():
        return list(find_distributions("nobody.declares.this", [site]))

    assert ours() == []
    name = f"none of {DISTRIBUTIONS} distributions"
    side_by_side(name, ours, lambda: read_everything(site), goal=1.6, repeat=31)
