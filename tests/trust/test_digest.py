import hashlib
import json
import os
import pickle
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pihost.trust import digest
from pihost.trust.digest import PinChanges, TrustPin, TrustPinError, pin_changes, take_pin


@pytest.fixture
def config(project):
    return project / ".pihost"


@pytest.fixture
def pin(project, config):
    """Pin the project's extensions and settings as they are now."""
    return lambda: take_pin(project, [config / "extensions", config / "settings.toml"])


def test_a_pin_lists_every_file_by_its_path_in_the_project(config, pin):
    (config / "extensions" / "pkg" / "deep").mkdir(parents=True)
    (config / "extensions" / "pkg" / "deep" / "b.py").write_text("B = 1\n")
    (config / "settings.toml").write_text("")
    assert sorted(pin().files) == [
        ".pihost/extensions/a.py",
        ".pihost/extensions/pkg/deep/b.py",
        ".pihost/settings.toml",
    ]


def test_the_same_files_have_the_same_digest_wherever_the_project_lies(project, pin):
    before = pin()
    moved = project.rename(project.with_name("moved"))
    assert take_pin(moved, [moved / ".pihost" / "extensions"]).digest == before.digest
    assert before.digest.startswith("sha256:")


def test_what_is_not_a_resource_is_not_looked_at(project, config, pin):
    before = pin()
    (config / "notes.txt").write_text("x")
    (project / "main.py").write_text("x")
    assert pin() == before


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda d: (d / "a.py").write_text("A = 2\n"), PinChanges(changed=(".pihost/extensions/a.py",))),
        (lambda d: (d / "b.py").write_text(""), PinChanges(added=(".pihost/extensions/b.py",))),
        (lambda d: (d / "a.py").unlink(), PinChanges(gone=(".pihost/extensions/a.py",))),
        (
            lambda d: (d / "a.py").rename(d / "c.py"),
            PinChanges(added=(".pihost/extensions/c.py",), gone=(".pihost/extensions/a.py",)),
        ),
    ],
    ids=["changed", "added", "gone", "renamed"],
)
def test_a_change_is_noticed_and_named(config, pin, change, expected):
    before = pin()
    change(config / "extensions")
    after = pin()
    assert after.digest != before.digest
    assert pin_changes(before, after) == expected


def test_changes_read_as_a_sentence():
    changes = PinChanges(changed=("a", "b"), gone=("x\x1b[2Jy",))
    assert str(changes) == "changed: a, b; gone: x\\x1b[2Jy"


def test_many_changes_are_counted():
    assert str(PinChanges(added=tuple(map(str, range(14))))).endswith("10, 11 and 2 more")


def test_compiled_files_count_like_any_other(config, pin):
    """Python may run one in the place of the source that was approved."""
    before = pin()
    (config / "extensions" / "__pycache__").mkdir()
    (config / "extensions" / "__pycache__" / "a.cpython-311.pyc").write_bytes(b"planted")
    assert pin_changes(before, pin()).added == (".pihost/extensions/__pycache__/a.cpython-311.pyc",)


def test_the_target_of_a_link_counts(config, pin, tmp_path):
    """Both files hold the same."""
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("")
    link = config / "extensions" / "l.py"
    link.symlink_to(tmp_path / "one.py")
    before = pin()
    link.unlink()
    link.symlink_to(tmp_path / "two.py")
    assert pin_changes(before, pin()).changed == (".pihost/extensions/l.py",)


def test_the_content_behind_a_link_counts(config, pin, tmp_path):
    """Whoever loads the extension follows the link."""
    (tmp_path / "out.py").write_text("1")
    (tmp_path / "pkg").mkdir()
    (config / "extensions" / "l.py").symlink_to(tmp_path / "out.py")
    (config / "extensions" / "p").symlink_to(tmp_path / "pkg")
    before = pin()
    (tmp_path / "out.py").write_text("2")
    (tmp_path / "pkg" / "__init__.py").write_text("")
    assert pin_changes(before, pin()) == PinChanges(
        changed=(".pihost/extensions/l.py",), added=(".pihost/extensions/p/__init__.py",)
    )


def test_a_link_that_leads_nowhere_is_pinned_as_it_is(config, pin, tmp_path):
    (config / "extensions" / "l.py").symlink_to(tmp_path / "later.py")
    before = pin()
    (tmp_path / "later.py").write_text("")
    assert pin_changes(before, pin()).changed == (".pihost/extensions/l.py",)


@pytest.mark.parametrize("content", [f"file {'0' * 64}", "other", ""])
def test_no_target_reads_like_a_target_and_what_is_behind_it(config, pin, content):
    """A link to nowhere would otherwise become code in an approved project without a question."""
    data = b"def setup(api): ..."
    link = config / "extensions" / "x.py"
    sha = hashlib.sha256(data).hexdigest()
    link.symlink_to(f"../z {content.replace('0' * 64, sha)}")
    before = pin()
    link.unlink()
    link.symlink_to("../z")
    if content == "other":
        os.mkfifo(config / "z")
    elif content:
        (config / "z").write_bytes(data)
    assert pin_changes(before, pin()).changed == (".pihost/extensions/x.py",)


def test_links_that_lead_back_up_end(config, pin):
    (config / "extensions" / "up").symlink_to("..")
    (config / "extensions" / "here").symlink_to(".")
    (config / "notes.txt").touch()
    files = pin().files
    assert files[".pihost/extensions/here"] == 'link "."'
    assert files[".pihost/extensions/up"] == 'link ".."'
    assert max(files) == ".pihost/extensions/up/notes.txt"


def test_a_deep_directory_is_pinned_to_its_end(config, pin, monkeypatch):
    """It must not stop the start."""
    monkeypatch.chdir(config / "extensions")
    for _level in range(600):
        Path("d").mkdir()
        os.chdir("d")
    Path("a.py").touch()
    assert ".pihost/extensions/" + "d/" * 600 + "a.py" in pin().files


def test_a_pipe_is_pinned_without_being_opened(config, pin):
    os.mkfifo(config / "extensions" / "pipe")
    assert pin().files[".pihost/extensions/pipe"] == "other"


def test_extensions_that_the_settings_name_belong_to_it(project, config, pin):
    """They load once the project is trusted, wherever they lie."""
    (config / "settings.toml").write_text('extensions = ["../tools/x.py", "../none.py"]')
    (project / "tools").mkdir()
    (project / "tools" / "x.py").write_text("1")
    before = pin()
    (project / "tools" / "x.py").write_text("2")
    (project / "none.py").write_text("")
    assert pin_changes(before, pin()) == PinChanges(changed=("tools/x.py",), added=("none.py",))


def test_what_lies_outside_the_project_is_named_in_full(project, tmp_path):
    (tmp_path / "out.py").write_text("")
    assert list(take_pin(project, [tmp_path / "out.py"]).files) == [f"{tmp_path}/out.py"]


def test_names_that_are_no_text_can_be_pinned(config, pin):
    odd = config / "extensions" / os.fsdecode(b"na\xefve.py")
    odd.write_text("")
    before = pin()
    odd.write_text("x")
    assert len(pin_changes(before, pin()).changed) == 1


def test_too_many_files_cannot_be_pinned(config, pin, monkeypatch):
    monkeypatch.setattr(digest, "_MOST_NAMES", 3)
    for number in range(4):
        (config / "extensions" / f"{number}.py").touch()
    with pytest.raises(TrustPinError, match="more than 3 files"):
        pin()


def test_too_much_content_cannot_be_pinned(config, pin, monkeypatch):
    monkeypatch.setattr(digest, "_MOST_BYTES", 4)
    with pytest.raises(TrustPinError, match=r"a\.py: the files here hold more than"):
        pin()


def test_a_file_that_cannot_be_read_cannot_be_pinned(config, pin):
    (config / "extensions" / "loop").symlink_to("loop")
    with pytest.raises(TrustPinError, match="symbolic links"):
        pin()


def test_settings_that_cannot_be_read_name_nothing(config, pin):
    (config / "settings.toml").write_text("extensions = [")
    assert ".pihost/settings.toml" in pin().files


def test_the_error_can_be_pickled():
    error = pickle.loads(pickle.dumps(TrustPinError(Path("/x"), "it is gone")))
    assert (error.path, error.fault, str(error)) == (Path("/x"), "it is gone", "/x: it is gone")


def test_a_list_of_another_form_has_another_digest_and_says_so(pin):
    now = pin()
    data = json.dumps(dict(now.files), separators=(",", ":")).encode()
    older = TrustPin.from_bytes(data, f"sha256:{hashlib.sha256(data).hexdigest()}")
    assert older is not None
    assert older.digest != now.digest
    assert "another form" in str(pin_changes(older, now))


def test_a_list_is_only_read_back_under_its_own_digest(pin):
    one = pin()
    assert TrustPin.from_bytes(one.to_bytes(), one.digest) == one
    assert TrustPin.from_bytes(one.to_bytes() + b" ", one.digest) is None


FILES = st.dictionaries(st.sampled_from(["a", "b", "c/d", "c/e"]), st.binary(max_size=8))


@settings(max_examples=40, deadline=None)
@given(one=FILES, other=FILES)
def test_two_sets_of_files_have_one_digest_only_if_they_are_the_same(one, other):
    with tempfile.TemporaryDirectory() as folder:
        pins = []
        for number, files in enumerate((one, other)):
            base = Path(folder, str(number))
            base.mkdir()
            for name, content in files.items():
                (base / name).parent.mkdir(exist_ok=True)
                (base / name).write_bytes(content)
            pins.append(take_pin(base, [base]))
        assert (pins[0].digest == pins[1].digest) is (one == other)
