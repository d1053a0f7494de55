import pytest
from pihost_guard._paths import covering_pattern


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("poetry.lock", "*.lock"),
        ("deep/down/poetry.lock", "*.lock"),
        ("@poetry.lock", "*.lock"),
        ("./x/../poetry.lock", "*.lock"),
        ("migrations/0001.py", "migrations/"),
        ("app/migrations/0001.py", "migrations"),
        ("app/data/a/b.txt", "app/data"),
        ("app/data/a.txt", "app/*/"),
        ("/etc/hosts", "/etc"),
        ("my\u00a0file.txt", "my file.txt"),
    ],
)
def test_a_path_that_a_pattern_covers_is_found(tmp_path, path, pattern):
    assert covering_pattern(path, [pattern], tmp_path) == pattern


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("a.txt", "*.lock"),
        ("app/datax/a.txt", "app/data"),
        ("migrations2/x", "migrations"),
        ("data/a", "app/data"),
    ],
)
def test_a_path_beside_a_pattern_is_not(tmp_path, path, pattern):
    assert covering_pattern(path, [pattern], tmp_path) is None


def test_a_link_to_a_covered_place_is_covered(tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "door").symlink_to("secret")
    assert covering_pattern("door/key.txt", ["./secret"], tmp_path) == "./secret"


def test_the_home_directory_is_understood_on_both_sides(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert covering_pattern("~/.ssh/config", ["~/.ssh"], tmp_path / "project") == "~/.ssh"
    assert covering_pattern(str(tmp_path / ".ssh/config"), ["~/.ssh"], tmp_path / "project") == "~/.ssh"


def test_where_the_project_lies_does_not_matter(tmp_path):
    project = tmp_path / "build"
    assert covering_pattern("src/a.py", ["build"], project) is None
    assert covering_pattern("build/a.py", ["build"], project) == "build"
