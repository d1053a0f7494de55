from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.config import HostConfig
from pihost.settings import FILE_NAME, Settings, load_settings, merge_project, read_settings_file


@pytest.fixture
def write(tmp_path):
    """Write a settings file and give its path."""

    def write(text, folder="home"):
        path = tmp_path / folder / FILE_NAME
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return write


def messages(file):
    return [d.message.removeprefix(f"{file.path}: ") for d in file.diagnostics]


def test_a_file_that_is_not_there_is_an_empty_one(tmp_path):
    file = read_settings_file(tmp_path / FILE_NAME, "global")
    assert (dict(file.values), file.diagnostics) == ({}, ())


def test_paths_resolve_from_the_file_and_tilde_expands(write, monkeypatch):
    monkeypatch.setenv("HOME", "/users/someone")
    path = write('extensions = ["./mine", "~/theirs", "/abs"]\nsession_dir = "s"')
    values = read_settings_file(path, "global").values
    assert values["extensions"] == (str(path.parent / "mine"), "/users/someone/theirs", "/abs")
    assert values["session_dir"] == path.parent / "s"


def test_a_number_too_long_to_read_is_a_warning(write):
    file = read_settings_file(write("retries = 1" + "0" * 5000), "global")
    assert "cannot be read, so it is left out" in messages(file)[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('extensions = "one"', "'extensions' must be a list of strings, not 'one'; it is ignored"),
        ("disabled = [1]", "'disabled' must be a list of strings, not [1]; it is ignored"),
        ("retries = -1", "'retries' must be a whole number from 0 up, not -1; it is ignored"),
        ("retries = true", "'retries' must be a whole number from 0 up, not True; it is ignored"),
        ("compact_at = 2", "'compact_at' must be a number above 0 and up to 1, not 2; it is ignored"),
        ("hook_timeout = nan", "'hook_timeout' must be a number of seconds above 0, not nan; it is ignored"),
        ("file_locks = 1", "'file_locks' must be true or false, not 1; it is ignored"),
        ('shell = ""', "'shell' must be a string that is not empty, not ''; it is ignored"),
        ("providers = 3", "'providers' must be tables, one for each name, not 3; it is ignored"),
        ('trust_pin = "yes"', "'trust_pin' must be \"never\" or \"always\", not 'yes'; it is ignored"),
    ],
)
def test_a_wrong_value_is_a_warning_and_the_rest_counts(write, line, message):
    file = read_settings_file(write(f'{line}\ndefault_model = "m"'), "global")
    assert messages(file) == [message]
    assert dict(file.values) == {"default_model": "m"}
    assert file.diagnostics[0].level == "warning"


def test_an_unknown_key_names_the_near_one(write):
    file = read_settings_file(write('defualt_model = "m"'), "global")
    assert messages(file) == ["there is no setting 'defualt_model'"]
    assert file.diagnostics[0].hint == "Did you mean 'default_model'?"


@pytest.mark.parametrize("content", [b"a = ", b"\xff", b"a = 1\na = 2", b"x = " + b"[" * 5000])
def test_a_file_that_does_not_parse_is_one_warning_naming_it(tmp_path, content):
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    file = read_settings_file(path, "global")
    assert len(file.diagnostics) == 1
    assert str(path) in file.diagnostics[0].message


def test_a_project_may_not_set_what_only_the_user_may(write):
    path = write('default_project_trust = "always"\nshell = "/x"\nretries = 1', "project")
    file = read_settings_file(path, "project")
    assert dict(file.values) == {"retries": 1}
    assert messages(file) == [
        "'default_project_trust' counts in the user's own settings only; it is ignored",
        "'shell' counts in the user's own settings only; it is ignored",
    ]


def test_the_environment_overrides_what_happens_on_extension_errors(tmp_path, monkeypatch):
    monkeypatch.setenv("PIHOST_ON_EXTENSION_ERROR", "continue")
    settings, diagnostics = load_settings(HostConfig(), tmp_path)
    assert (settings.on_extension_error, diagnostics) == ("continue", ())


def test_a_wrong_word_in_the_environment_is_a_warning_and_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("PIHOST_ON_EXTENSION_ERROR", "maybe")
    settings, diagnostics = load_settings(HostConfig(), tmp_path)
    assert settings.on_extension_error == "stop"
    assert "PIHOST_ON_EXTENSION_ERROR" in diagnostics[0].message


def test_a_projects_file_adds_to_lists_and_overrides_the_rest(write):
    own = read_settings_file(
        write('extensions = ["a"]\ndisabled = ["g"]\ndefault_model = "m"\nexclude_tools = ["x"]'), "global"
    )
    project = read_settings_file(
        write('extensions = ["b"]\ndisabled = ["p"]\ndefault_model = "n"\nexclude_tools = ["y"]', "p"),
        "project",
    )
    merged = merge_project(Settings(**own.values), project)
    assert [Path(path).name for path in (*merged.extensions, *merged.project_extensions)] == ["a", "b"]
    assert (merged.disabled, merged.project_disabled) == (("g",), ("p",))
    assert (merged.default_model, merged.exclude_tools) == ("n", ("x", "y"))


def test_a_projects_word_on_a_users_extension_counts_only_where_the_user_allows_it(write):
    own = read_settings_file(
        write('project_may_set = ["Acme_Tool"]\n[extension.guard]\na = 1\n[extension.acme-tool]\na = 1'),
        "global",
    )
    project = read_settings_file(
        write("[extension.guard]\na = 2\n[extension.acme_tool]\na = 2", "p"), "project"
    )
    merged = merge_project(Settings(**own.values), project)
    assert merged.extension_table("guard", local=False) == {"a": 1}
    assert merged.extension_table("acme.tool", local=False) == {"a": 2}
    assert merged.extension_table("guard", local=True) == {"a": 2}


@given(st.binary(max_size=200))
def test_no_content_makes_reading_fail(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("s") / FILE_NAME
    path.write_bytes(content)
    file = read_settings_file(path, "project")
    assert isinstance(merge_project(Settings(), file), Settings)


@given(st.text(st.sampled_from('abdeilmnrstx_ =[]"\n1.'), max_size=60))
def test_no_text_like_settings_makes_reading_fail(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("s") / FILE_NAME
    path.write_text(text)
    assert all(d.level == "warning" for d in read_settings_file(path, "global").diagnostics)
