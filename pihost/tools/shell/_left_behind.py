"""What commands have left running in the background: ended when the interpreter exits."""

from __future__ import annotations

import time
from collections import deque

from pihost.tools.shell._process_tree import TERM_GRACE_SECONDS, ProcessTree

__all__ = ["LeftBehind"]

_MOST = 64
_POLL_SECONDS = 0.03


class LeftBehind:
    """The groups that outlived their shells, the latest of them.

    Only processes that were seen when their shell ended, and what they have in their group while one of them
    lives, are ever signalled: a number given again is no reason to. So a child that moved to a session of its
    own is out of reach, and so is a group of which only later members are left.
    """

    def __init__(self) -> None:
        self._trees: deque[ProcessTree] = deque(maxlen=_MOST)

    def __len__(self) -> int:
        return len(self._trees)

    def look(self, tree: ProcessTree) -> None:
        """Remember a tree whose shell has ended if something of it lives on."""
        if tree.has_left_some():
            self._forget_ended()
            self._trees.append(tree)

    def end(self) -> None:
        """Tell all of them to end, and kill those that have not after a short grace."""
        self._forget_ended()
        for tree in self._trees:
            tree.terminate()
        deadline = time.monotonic() + TERM_GRACE_SECONDS
        while self._trees and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
            self._forget_ended()
        for tree in self._trees:
            tree.kill()
        self._trees.clear()

    def _forget_ended(self) -> None:
        left = [tree for tree in self._trees if tree.is_left()]
        self._trees.clear()
        self._trees.extend(left)
