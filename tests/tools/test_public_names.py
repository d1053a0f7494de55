"""The names of ``pihost.tools`` are there, and cost nothing until they are used."""

import subprocess
import sys

import pytest

import pihost.tools


@pytest.mark.parametrize("name", pihost.tools.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(pihost.tools, name) is not None
    assert name in dir(pihost.tools)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'truncate_sideways'"):
        _ = pihost.tools.truncate_sideways


def test_importing_the_package_imports_no_tool():
    code = "import sys, pihost.tools; print([m for m in sys.modules if m.startswith('pihost.tools.')])"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
