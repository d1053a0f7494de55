"""Files that are made of the code: written by ``python3 dev.py docs``, held to be up to date by tests."""

from collections.abc import Callable, Mapping
from pathlib import Path

from generators.hook_reference import hook_reference
from generators.protocol_reference import json_and_rpc_page
from generators.typed_on import typed_on

__all__ = ["GENERATED", "ROOT"]

ROOT = Path(__file__).parent.parent

GENERATED: Mapping[str, Callable[[], str]] = {
    "docs/hooks.md": hook_reference,
    "docs/json-and-rpc.md": json_and_rpc_page,
    "pihost/extensions/_typed_on.py": typed_on,
}
"""What makes each file."""
