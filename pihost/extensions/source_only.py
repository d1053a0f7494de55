"""Importing what belongs to a project and is no extension, such as a command of its own."""

from __future__ import annotations

from pihost.extensions._private_modules import import_installed, installed_group

__all__ = ["import_from_source"]


def import_from_source(module: str) -> None:
    """Import a module by its name, and what it imports under the same top-level name, from source alone.

    Bytecode that came with a checkout does not run in the place of what was approved, and none is written,
    which would change the files that an approval is bound to.

    Args:
        module: Its name.
    """
    import_installed(module, installed_group(module, source_only=True))
