"""Random sets of extensions, many of them broken: every healthy one is found, every fault is told once."""

import os
import random

import pytest

KINDS = {
    "file": True,
    "package": True,
    "manifest": True,
    "distribution": True,
    "bad manifest": False,
    "missing paths": False,
    "dangling link": False,
    "nameless metadata": False,
    "unmet requirement": None,
}
"""Kinds of extensions: healthy, broken, and (``None``) found but not to be loaded."""


@pytest.fixture
def plant(shared, site, write_extension, write_distribution):
    """Put an extension of one kind where discovery looks."""

    def manifest(name, text):
        (shared / name).mkdir()
        (shared / name / "pyproject.toml").write_text(text)

    def nameless(name):
        metadata = write_distribution(site, name)
        (metadata / "METADATA").write_text("Version: 1\n")

    def packed(name):
        write_extension(shared / name / "src" / "main.py")
        (shared / name / "pyproject.toml").write_text("[tool.pihost]\nextensions = ['src/main.py']\n")

    ways = {
        "file": lambda name: write_extension(shared / f"{name}.py"),
        "package": lambda name: write_extension(shared / name / "__init__.py"),
        "manifest": packed,
        "distribution": lambda name: write_distribution(site, name),
        "bad manifest": lambda name: manifest(name, "= nonsense"),
        "missing paths": lambda name: manifest(name, "[tool.pihost]\nextensions = ['gone.py']\n"),
        "dangling link": lambda name: (shared / f"{name}.py").symlink_to("nowhere"),
        "nameless metadata": nameless,
        "unmet requirement": lambda name: write_distribution(
            site, name, headers=("Requires-Dist: pihost>99",)
        ),
    }
    return lambda name, kind: ways[kind](name)


@pytest.mark.parametrize("seed", range(25))
def test_every_healthy_one_is_found_and_every_fault_told_once(find, plant, seed):
    chance = random.Random(seed)
    planted = {f"ext{number:02}": chance.choice(list(KINDS)) for number in range(chance.randrange(1, 25))}
    for name, kind in planted.items():
        plant(name, kind)
    discovery = find(installed=True)
    expected = sorted(name for name, kind in planted.items() if KINDS[kind] is not False)
    assert sorted(candidate.id for candidate in discovery.candidates) == expected
    broken = sorted(name for name, kind in planted.items() if KINDS[kind] is not True)
    told = sorted(name for name in planted for d in discovery.diagnostics if name in d.message)
    assert told == broken
    assert len(discovery.diagnostics) == len(broken)


def test_discovering_twice_finds_the_same(find, plant):
    for number, kind in enumerate(KINDS):
        plant(f"ext{number:02}", kind)
    assert find(installed=True) == find(installed=True)


def test_the_order_of_the_file_system_makes_no_difference(find, plant, monkeypatch):
    for number, kind in enumerate(KINDS):
        plant(f"ext{number:02}", kind)
    usual, listdir = find(installed=True), os.listdir
    monkeypatch.setattr(os, "listdir", lambda path=".": listdir(path)[::-1])
    assert find(installed=True) == usual
