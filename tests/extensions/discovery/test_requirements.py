import contextlib
import os
import platform

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from pihost._version import __version__
from pihost.extensions import Requires, admit
from pihost.extensions._inline_metadata import InlineMetadataError, read_inline_requires
from pihost.extensions._requirements import versions_required


def block(*lines):
    """A block of script metadata."""
    return "\n".join(("# /// script", *(f"# {line}" if line else "#" for line in lines), "# ///"))


@pytest.fixture
def find_file(find, shared, write_extension):
    """Discover a file that begins with ``head``."""

    def run(head):
        write_extension(shared / "x.py", head)
        return find()

    return run


def test_a_file_with_met_requirements_is_found_without_a_word(find_file):
    discovery = find_file(block('requires-python = ">=3.11"', "dependencies = [", '  "pluggy>=1",', "", "]"))
    (candidate,) = discovery.candidates
    assert (str(candidate.requires.python), list(map(str, candidate.requires.packages))) == (
        ">=3.11",
        ["pluggy>=1"],
    )
    assert discovery.diagnostics == ()


@pytest.mark.parametrize(
    ("line", "requirement", "found", "hint"),
    [
        ('dependencies = ["pluggy<1"]', "pluggy<1", "pluggy 1", 'Run: pip install "pluggy<1"'),
        (
            'dependencies = ["No.Such-Thing[x]>2"]',
            "No.Such-Thing[x]>2",
            "No.Such-Thing is not installed",
            'Run: pip install "No.Such-Thing[x]>2"',
        ),
        (
            'dependencies = ["nowhere @ https://example.com/n.whl"]',
            "nowhere @ https://example.com/n.whl",
            "nowhere is not installed",
            'Run: pip install "nowhere @ https://example.com/n.whl"',
        ),
        (
            'dependencies = ["pihost>99"]',
            "pihost>99",
            f"pihost {__version__} is installed",
            'Run: pip install "pihost>99"',
        ),
        (
            'requires-python = ">=99"',
            "Python >=99",
            f"this is Python {platform.python_version()}",
            "Run it with a Python that is >=99.",
        ),
    ],
)
def test_an_unmet_requirement_is_an_error_that_says_how_to_mend_it(find_file, line, requirement, found, hint):
    discovery = find_file(block(line))
    (fault,) = discovery.diagnostics
    assert (fault.level, fault.source, fault.hint) == ("error", "x", hint)
    assert f"requires {requirement}, but {found}" in fault.message
    (dropped,) = admit(discovery.candidates, trusted=True).dropped
    assert dropped.cause == "incompatible"


def test_emptied_metadata_of_a_requirement_does_not_hide_the_real_one(find_file, site, write_distribution):
    (site / "zzz-3.0.dist-info").mkdir()
    write_distribution(site, "zzz", "2.0", entry_points=("z",))
    (fault,) = find_file(block('dependencies = ["zzz<1"]')).diagnostics
    assert "requires zzz<1, but zzz 2.0 is installed" in fault.message


def test_a_version_from_before_pep_440_satisfies_nothing(find_file, site, write_distribution):
    write_distribution(site, "zzz", "2004d", entry_points=("z",))
    (fault,) = find_file(block('dependencies = ["zzz>=1"]')).diagnostics
    assert "but zzz 2004d is installed" in fault.message


def test_a_requirement_whose_marker_does_not_hold_requires_nothing(find_file):
    assert find_file(block("""dependencies = ["nowhere; os_name == 'none'"]""")).diagnostics == ()


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (block("= nonsense"), "the block is not TOML"),
        (block("x = 1" + "0" * 5000), "the block is not TOML"),
        (block('requires-python = "new"'), "'new' is no set of versions"),
        (block("requires-python = 3"), "requires-python must be a string, not 3"),
        (block('dependencies = "pluggy"'), "dependencies must be a list of strings"),
        (block('dependencies = ["!"]'), "'!' is no requirement"),
        (block() + "\n\n" + block(), "more than one block"),
    ],
)
def test_a_malformed_block_is_a_warning_and_the_file_is_found(find_file, ids, head, words):
    """A slip in a comment does not take a file out; what it requires is then not checked."""
    discovery = find_file(head)
    assert ids(discovery) == ["x"]
    (fault,) = discovery.diagnostics
    assert fault.level == "warning"
    assert words in fault.message


@pytest.mark.parametrize(
    "head",
    [
        "# /// script\n# requires-python = '>=99'\n",
        "# /// tests\n# requires-python = '>=99'\n# ///\n",
        "x = '''\n # /// script\n'''",
        "# /// script\nx = 1\n# requires-python = '>=99'\n# ///\n",
        "# /// script\n#requires-python = '>=99'\n# ///\n",
    ],
)
def test_what_is_no_block_of_script_metadata_requires_nothing(find_file, head):
    assert find_file(head).candidates[0].requires.is_empty


def test_a_block_ends_at_its_last_closing_line(tmp_path):
    """A closing line that more comment follows belongs to the content, as PEP 723 has it."""
    path = tmp_path / "x.py"
    path.write_text(block("a = '''", "///", "'''", 'requires-python = ">=3"'))
    assert str(read_inline_requires(path).python) == ">=3"


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_a_byte_order_mark_and_line_endings_make_no_difference(tmp_path, ending):
    path = tmp_path / "x.py"
    text = block('requires-python = ">=3"').replace("\n", ending)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert str(read_inline_requires(path).python) == ">=3"


def test_a_block_counts_wherever_it_stands(tmp_path):
    path = tmp_path / "x.py"
    path.write_text("# filler\n" * 120_000 + "\n" + block('requires-python = ">=3"'))
    assert str(read_inline_requires(path).python) == ">=3"


def test_a_file_too_large_to_look_for_a_block_is_refused_and_not_half_read(tmp_path):
    path = tmp_path / "x.py"
    path.touch()
    os.truncate(path, (16 << 20) + 1)
    with pytest.raises(InlineMetadataError, match="the file is larger than 16 MiB"):
        read_inline_requires(path)


def test_a_file_that_cannot_be_read_requires_nothing(tmp_path):
    assert read_inline_requires(tmp_path).is_empty


def test_many_opening_lines_take_no_more_time_than_as_many_lines(tmp_path):
    """A regular expression for the block would start anew at each of them."""
    path = tmp_path / "x.py"
    path.write_text("# /// script\n" * 80_000)
    assert read_inline_requires(path).is_empty


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(body=st.text(max_size=200))
def test_any_block_is_read_or_refused_by_its_own_error(tmp_path, body):
    path = tmp_path / "x.py"
    path.write_text(block(*body.split("\n")), encoding="utf-8", errors="replace", newline="")
    with contextlib.suppress(InlineMetadataError):
        assert isinstance(read_inline_requires(path), Requires)


class TestManifest:
    @pytest.mark.parametrize("where", ["extensions", "package"])
    def test_requires_host_is_held_against_the_running_version(self, find, shared, where, write_extension):
        write_extension(shared / "pack" / "__init__.py")
        key = "extensions = ['__init__.py']\n" if where == "extensions" else ""
        (shared / "pack" / "pyproject.toml").write_text(f"[tool.pihost]\n{key}requires-host = '>=99,<100'\n")
        (fault,) = find().diagnostics
        assert f"requires pihost<100,>=99, but pihost {__version__} is installed" in fault.message
        assert fault.hint == 'Run: pip install "pihost<100,>=99"'

    def test_the_fault_of_a_project_is_known_as_such(self, find, local, write_extension):
        write_extension(local / "x.py", block('dependencies = ["nowhere"]'))
        discovery = find()
        assert len(discovery.diagnostics) == 1
        assert discovery.project_diagnostics == discovery.diagnostics


class TestDistribution:
    @pytest.mark.parametrize(
        "requirement",
        ["pihost>99", "pihost (>99)", "PiHost >99", "pihost[tui]>99", "pihost>99; python_version > '3'"],
    )
    def test_one_that_requires_another_host_is_an_error(self, find, site, write_distribution, requirement):
        write_distribution(site, headers=(f"Requires-Dist: {requirement}",))
        discovery = find(installed=True)
        assert [c.id for c in discovery.candidates] == ["acme"]
        (fault,) = discovery.diagnostics
        assert (fault.level, fault.source, fault.hint) == ("error", "acme", 'Run: pip install "pihost>99"')
        assert "acme 1.0" in fault.message

    @pytest.mark.parametrize(
        "requirement",
        [
            "pihost",
            f"pihost=={__version__}",
            "pihost>=0.0.0.dev0",
            "pihost>99; extra == 'new'",
            "pihost>99; os_name == 'none'",
            "pihost-tools>99",
            "zzz<1",
        ],
    )
    def test_one_whose_requirements_on_the_host_are_met_or_do_not_apply_loads(
        self, find, site, write_distribution, requirement
    ):
        """Its other requirements are pip's business, also where the environment does not meet them."""
        write_distribution(site, headers=(f"Requires-Dist: {requirement}",))
        discovery = find(installed=True)
        assert len(admit(discovery.candidates, trusted=False).admitted) == 1
        assert discovery.diagnostics == ()

    def test_several_requirements_must_all_be_met(self, find, site, write_distribution):
        write_distribution(site, headers=("Requires-Dist: pihost>=0", "Requires-Dist: pihost<0.0.1"))
        (candidate,) = find(installed=True).candidates
        assert str(candidate.requires.host) == "<0.0.1,>=0"

    def test_an_unreadable_requirement_is_a_warning(self, find, site, write_distribution, ids):
        write_distribution(site, headers=("Requires-Dist: pihost ~~ 1",))
        discovery = find(installed=True)
        assert ids(discovery) == ["acme"]
        assert [(d.level, d.kind) for d in discovery.diagnostics] == [("warning", "package")]


def test_a_pre_release_of_the_host_satisfies_like_a_release():
    assert versions_required("pihost", ["pihost>=1.0b1"]).contains("1.0rc1", prereleases=True)


@settings(deadline=None)  # the first example pays for an import
@given(text=st.text(max_size=40))
def test_any_requirement_is_read_or_refused_by_a_value_error(text):
    with contextlib.suppress(ValueError):
        versions = versions_required("pihost", ["pihost" + text])
        assert versions is None or isinstance(versions, SpecifierSet)
