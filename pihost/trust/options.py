"""The choices of the prompt that asks whether a project is trusted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.paths import canonical
from pihost.trust._display import shown

__all__ = ["TrustOption", "project_trust_options"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TrustOption(Value):
    """One choice.

    Attributes:
        label: What the user reads; no two choices share one.
        trusted: Whether the project takes part if it is chosen.
        updates: What is stored, by canonical directory: a decision, or ``None`` to remove one. Empty for an
            answer that counts for this session only.
        pin: Whether what is stored is bound to the files as they are now.
    """

    label: str
    trusted: bool
    updates: Mapping[Path, bool | None] = attrs.field(factory=dict)
    pin: bool = False


def project_trust_options(cwd: str | os.PathLike[str]) -> tuple[TrustOption, ...]:
    """The choices for a project, in the order in which they are offered.

    Trust, trust the parent folder, trust this session only, do not trust, do not trust this session only,
    trust these exact files. At the root of the file system there is no parent to offer.

    Args:
        cwd: The project's directory.
    """
    folder = canonical(Path(cwd))
    choices = [
        TrustOption(label=f"Trust {shown(folder)}", trusted=True, updates={folder: True}),
        _trust_parent(folder),
        TrustOption(label="Trust for this session only", trusted=True),
        TrustOption(label=f"Do not trust {shown(folder)}", trusted=False, updates={folder: False}),
        TrustOption(label="Do not trust for this session only", trusted=False),
        TrustOption(
            label="Trust these exact files, and ask again when one of them changes",
            trusted=True,
            updates={folder: True},
            pin=True,
        ),
    ]
    return tuple(choice for choice in choices if choice is not None)


def _trust_parent(folder: Path) -> TrustOption | None:
    """The folder's own decision goes, or it would still be the nearest one."""
    if folder.parent == folder:
        return None
    return TrustOption(
        label=f"Trust the parent folder {shown(folder.parent)} and every project in it",
        trusted=True,
        updates={folder.parent: True, folder: None},
    )
