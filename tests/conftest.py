"""Fixtures that tests of more than one folder use."""

import gzip
import json
from pathlib import Path

import pytest

VECTORS = Path(__file__).parent / "vectors"


@pytest.fixture(scope="session")
def load_vectors():
    """Read the expected values in ``tests/vectors/<name>.json`` or ``<name>.json.gz``."""

    def load(name):
        packed = VECTORS / f"{name}.json.gz"
        if packed.exists():
            return json.loads(gzip.decompress(packed.read_bytes()))
        return json.loads((VECTORS / f"{name}.json").read_bytes())

    return load
