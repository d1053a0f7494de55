import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import pihost.extensions


@pytest.mark.parametrize("name", pihost.extensions.__all__)
def test_every_public_name_is_there(name):
    value = getattr(pihost.extensions, name)
    assert getattr(value, "__name__", name) == name or get_args(value), "neither the class nor an alias"


def test_a_name_that_is_not_there_says_so():
    with pytest.raises(AttributeError, match=r"'pihost\.extensions' has no attribute 'Candidates'"):
        _ = pihost.extensions.Candidates


def test_importing_the_package_imports_none_of_its_modules():
    code = "import sys, pihost.extensions; print([m for m in sys.modules if m == 'attr' or 'pihost.' in m])"
    root = Path(pihost.extensions.__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "['pihost._version', 'pihost._lazy', 'pihost.extensions']"
