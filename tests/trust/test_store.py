import contextlib
import json
import os
import pickle
import resource
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pihost.trust import ProjectTrustStore, TrustEntry, TrustStoreError

DIGEST = "sha256:" + "0" * 64


def write(home, text):
    home.mkdir(exist_ok=True)
    (home / "trust.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    return home / "trust.json"


def test_without_a_file_there_is_no_decision(store, project):
    assert store.get(project) is None
    assert store.get_entry(project) is None
    assert store.entries() == ()


@pytest.mark.parametrize("decision", [True, False])
def test_what_was_set_is_there_for_the_next_process(store, home, project, decision):
    store.set(project, decision)
    assert ProjectTrustStore(home).get(project) is decision


def test_a_decision_covers_what_lies_below(store, project):
    store.set(project, decision=True)
    deep = project / "not" / "there" / "yet"
    assert store.get_entry(deep) == TrustEntry(path=project, decision=True)


def test_g08_the_nearest_ancestor_counts(store):
    store.set_many({Path("/w"): True, Path("/w/evil"): False})
    assert [store.get(path) for path in ("/w/evil/sub", "/w/evil", "/w/ok", "/w", "/")] == [
        False,
        False,
        True,
        True,
        None,
    ]


def test_a_directory_whose_name_begins_alike_is_not_covered(store):
    store.set("/w/app", decision=True)
    assert store.get("/w/app-evil") is None


def test_none_removes_a_decision(store):
    store.set_many({Path("/w"): True, Path("/v"): False})
    store.set_many({Path("/w"): None, Path("/never"): None})
    assert store.entries() == (TrustEntry(path=Path("/v"), decision=False),)


def test_a_null_in_the_file_is_no_decision(store, home):
    write(home, '{"/w/sub": null, "/w": true}')
    assert store.get("/w/sub") is True
    assert [entry.path for entry in store.entries()] == [Path("/w")]


def test_a_null_in_the_file_stays_when_something_else_is_set(store, home):
    write(home, '{"/w/sub": null}')
    store.set("/v", decision=True)
    assert json.loads(store.file.read_text()) == {"/v": True, "/w/sub": None}


def test_the_root_can_be_decided_on(store):
    store.set("/", decision=False)
    assert store.get("/any/where") is False


def test_several_decisions_are_stored_together(store):
    store.set_many({Path("/b"): True, Path("/a"): False})
    assert [entry.path for entry in store.entries()] == [Path("/a"), Path("/b")]


def test_the_file_is_the_users_own_and_in_order(store, home):
    store.set_many({Path("/b"): True, Path("/a"): False})
    assert stat.S_IMODE(store.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert store.file.read_text() == '{\n  "/a": false,\n  "/b": true\n}\n'


def test_missing_directories_above_the_home_are_made(tmp_path):
    ProjectTrustStore(tmp_path / "a" / "b").set("/w", decision=True)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_a_link_in_the_place_of_the_file_is_replaced_and_not_written_through(store, home, tmp_path):
    target = tmp_path / "elsewhere.json"
    target.write_text("{}")
    home.mkdir()
    store.file.symlink_to(target)
    store.set("/w", decision=True)
    assert (target.read_text(), store.file.is_symlink()) == ("{}", False)


def test_a_directory_named_in_bytes_that_are_no_text_can_be_decided_on(store, tmp_path):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/na\xefve"))
    odd.mkdir()
    store.set(odd, decision=True)
    assert store.get(odd / "sub") is True


def test_a_refusal_counts_however_its_name_is_spelt(store, home, tmp_path):
    """Where case or accents do not tell two names apart, both lead to one directory, as this link does."""
    (tmp_path / "evil").mkdir()
    (tmp_path / "EVIL").symlink_to("evil")
    write(home, json.dumps({str(tmp_path / "EVIL"): False, str(tmp_path): True}))
    assert store.get(tmp_path / "evil" / "sub") is False
    store.set(tmp_path / "evil", decision=True)
    assert len(store.entries()) == 2


def test_a_directory_that_is_gone_lends_its_decision_to_no_other(store, tmp_path):
    (tmp_path / "evil").mkdir()
    store.set(tmp_path / "EVIL", decision=True)
    assert store.get(tmp_path / "evil") is None


def test_names_that_differ_in_case_are_two_directories_where_the_system_says_so(store, tmp_path):
    (tmp_path / "evil").mkdir()
    (tmp_path / "EVIL").mkdir()
    store.set(tmp_path / "EVIL", decision=True)
    assert store.get(tmp_path / "evil") is None


@pytest.mark.parametrize("decision", ["no", 1, 0, "true", [], object()])
def test_only_a_decision_can_be_set(store, decision):
    """What counts as true in a condition must not become an approval."""
    with pytest.raises(TypeError, match="True, False or None"):
        store.set("/w", decision)
    assert not store.file.exists()


# Files that are not what they should be

FAULTS = {
    "not JSON": '{"/w": true',
    "empty": "",
    "bytes that are no text": b'{"/w\xff": true}',
    "UTF-16": '{"/w": true}'.encode("utf-16"),
    "a list": "[]",
    "a word": "true",
    "a string as decision": '{"/w": "true"}',
    "a number as decision": '{"/w": 1}',
    "a list as decision": '{"/w": [true]}',
    "a number without end": '{"/w": ' + "1" * 5000 + "}",
    "no number at all": '{"/w": NaN}',
    "nested without end": '{"/w": ' + "[" * 100_000,
    "one name twice": '{"/w": false, "/w": true}',
    "a relative name": '{"w": true}',
    "a name with a slash at its end": '{"/w/": false}',
    "a name with dots": '{"/w/../v": false}',
    "an empty name": '{"": true}',
    "a name with a NUL": '{"/w\\u0000": true}',
    "a digest on a refusal": json.dumps({"/w": {"decision": False, "digest": DIGEST}}),
    "no digest": '{"/w": {"decision": true}}',
    "a null digest": '{"/w": {"decision": true, "digest": null}}',
    "a digest of another kind": '{"/w": {"decision": true, "digest": "md5:00"}}',
    "a digest with a line after it": json.dumps({"/w": {"decision": True, "digest": DIGEST + "\n"}}),
    "a further key": json.dumps({"/w": {"decision": True, "digest": DIGEST, "until": 1}}),
    "a decision that is 1": json.dumps({"/w": {"decision": 1, "digest": DIGEST}}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_file_is_an_error_and_stays_as_it_is(store, home, fault):
    file = write(home, FAULTS[fault])
    before = file.read_bytes()
    for use in (lambda: store.get("/w"), store.entries, lambda: store.set("/v", decision=False)):
        with pytest.raises(TrustStoreError) as caught:
            use()
        assert (caught.value.file, str(file) in str(caught.value)) == (file, True)
    assert file.read_bytes() == before


def test_the_error_names_the_entry_at_fault(store, home):
    write(home, '{"/good": true, "/w": "yes"}')
    with pytest.raises(TrustStoreError, match=r"the value of '/w' must be true, false, null or .* a string"):
        store.get("/good")


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda file: file.symlink_to("nowhere")])
def test_something_else_in_the_place_of_the_file_is_an_error(store, home, make):
    """A directory, a pipe that nobody writes to, a link that leads nowhere."""
    home.mkdir()
    make(store.file)
    with pytest.raises(TrustStoreError):
        store.get("/w")
    with pytest.raises(TrustStoreError):
        store.set("/w", decision=True)


def test_an_error_can_be_pickled(store):
    error = pickle.loads(pickle.dumps(TrustStoreError(store.file, "it is broken")))
    assert (error.file, error.fault, str(error)) == (
        store.file,
        "it is broken",
        f"{store.file}: it is broken",
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=4,
)
NAMES = st.one_of(st.text(), st.text().map("/{}".format), st.sampled_from(["/w", "/w/x", "/"]))
DECISIONS = st.one_of(JSON, st.just({"decision": True, "digest": DIGEST}))
TEXTS = st.one_of(
    st.binary(),
    st.text().map(str.encode),
    st.dictionaries(NAMES, DECISIONS).map(lambda value: json.dumps(value).encode()),
)


@settings(max_examples=150, deadline=None)
@given(data=TEXTS)
def test_any_bytes_are_a_valid_store_or_an_error_and_never_touched(data):
    # Not below tmp_path, whose parents only their owner may enter.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        file = write(Path(folder), data)
        store = ProjectTrustStore(folder)
        with contextlib.suppress(TrustStoreError):
            entries = store.entries()
            assert {str(entry.path): entry.decision for entry in entries} == {
                name: value is not False for name, value in json.loads(data).items() if value is not None
            }
        assert file.read_bytes() == data


@settings(max_examples=25, deadline=None)
@given(
    changes=st.lists(st.tuples(st.sampled_from(["/a", "/a/b", "/c"]), st.none() | st.booleans()), max_size=6)
)
def test_a_store_holds_what_a_dictionary_would(changes):
    expected = {}
    # Not below tmp_path, whose parents only their owner may enter.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        store = ProjectTrustStore(folder)
        for path, decision in changes:
            store.set(path, decision)
            expected[path] = decision
        assert {str(entry.path): entry.decision for entry in store.entries()} == {
            path: decision for path, decision in expected.items() if decision is not None
        }


# Places that cannot be written

READ_ONLY = """
import os, sys
from pihost.trust import ProjectTrustStore, TrustStoreError
if os.geteuid() == 0:
    os.setuid(65534)
store = ProjectTrustStore(sys.argv[1])
assert store.get("/w") is True
try:
    store.set("/v", True)
except TrustStoreError as error:
    print(error)
"""


def test_a_home_that_cannot_be_written_is_an_error_and_can_still_be_read():
    """In a process without the rights of root, which may write everywhere."""
    # Not below tmp_path, whose parents only their owner may enter.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        home = Path(folder)
        write(home, '{"/w": true}').chmod(0o644)
        home.chmod(0o555)
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, "-c", READ_ONLY, str(home)]
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        home.chmod(0o755)
        assert done.stderr == ""
        assert f"{home}/trust.json: it cannot be written: Permission denied" in done.stdout


def test_a_file_in_the_place_of_the_home_is_an_error(store, home):
    home.write_text("")
    with pytest.raises(TrustStoreError, match="it cannot be written"):
        store.set("/w", decision=True)


def test_without_room_the_old_file_stays_and_no_other(store):
    """The limit on the size of a file stands for a full disk."""
    store.set("/w", decision=True)
    before, names = store.file.read_bytes(), sorted(store.file.parent.iterdir())
    many = {Path(f"/w/{number}"): True for number in range(5000)}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        with pytest.raises(TrustStoreError, match="it cannot be written"):
            store.set_many(many)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (store.file.read_bytes(), sorted(store.file.parent.iterdir())) == (before, names)


def child_env():
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
