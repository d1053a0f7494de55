import subprocess
import sys

import pytest

from pihost import trust


def test_every_public_name_is_there():
    assert all(getattr(trust, name) is not None for name in trust.__all__)
    assert set(trust.__all__) <= set(dir(trust))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'Trust'"):
        _ = trust.Trust


def test_importing_the_package_imports_none_of_its_parts():
    code = "import sys, pihost.trust; print([m for m in sys.modules if m.startswith('pihost.trust.')])"
    path = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=path)
    assert done.stdout == "[]\n"
