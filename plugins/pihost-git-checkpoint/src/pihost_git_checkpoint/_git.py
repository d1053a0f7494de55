"""Snapshots of a work tree as commits that no branch holds; index, branches and stash stay as they are."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

__all__ = ["GitError", "Snapshots"]


class Done(Protocol):
    """What came of a program."""

    @property
    def code(self) -> int:
        """Its exit code."""
        ...

    @property
    def stdout(self) -> str:
        """What it printed."""
        ...

    @property
    def stderr(self) -> str:
        """What it said besides."""
        ...


class GitError(Exception):
    """Git refused; the text is its own."""


class Snapshots:
    """The snapshots of one work tree.

    Args:
        run: Runs a program: its words, and the directory to run it in.
        cwd: A directory of the work tree.
    """

    def __init__(self, run: Callable[[Sequence[str], Path], Awaitable[Done]], cwd: Path) -> None:
        self._run = run
        self._cwd = cwd

    async def take(self, ref: str, message: str) -> str:
        """Keep all files that git does not ignore, tracked or not, under a reference of their own.

        Args:
            ref: The reference, such as ``refs/pihost/…``.
            message: What the commit says.

        Returns:
            The commit.

        Raises:
            GitError: this is no repository, or git refused.
        """
        tree = await self._tree()
        head = await self._git("rev-parse", "--verify", "--quiet", "HEAD", check=False)
        parent = ("-p", head) if head else ()
        identity = ("-c", "user.name=pihost", "-c", "user.email=pihost@localhost")
        commit = await self._git(*identity, "commit-tree", tree, *parent, "-m", message)
        await self._git("update-ref", ref, commit)
        return commit

    async def restore(self, commit: str) -> list[str]:
        """Make every file as it was in a commit; what was not there then is deleted, what is ignored stays.

        Args:
            commit: A snapshot.

        Returns:
            The paths that changed, from the root of the repository.

        Raises:
            GitError: git refused.
        """
        root = Path(await self._git("rev-parse", "--show-toplevel"))
        listed = await self._git("diff", "--name-status", "--no-renames", "-z", await self._tree(), commit)
        words = listed.split("\0")
        changes = list(zip(words[0::2], words[1::2], strict=False))
        kept = [path for status, path in changes if status != "D"]
        for start in range(0, len(kept), 200):
            paths = kept[start : start + 200]
            at_root = [f":(top,literal){path}" for path in paths]
            await self._git("restore", f"--source={commit}", "--worktree", "--", *at_root)
        for status, path in changes:
            if status == "D":
                (root / path).unlink(missing_ok=True)
        return [path for _status, path in changes]

    async def _tree(self) -> str:
        """The work tree as it is now, as a tree of git's; an index of its own leaves the user's alone."""
        with tempfile.TemporaryDirectory(prefix="pihost-checkpoint-") as folder:
            index = f"{folder}/index"
            own = await self._git("rev-parse", "--git-path", "index")
            _copy_if_there(self._cwd / own, Path(index))  # with it git need not read what has not changed
            root = await self._git("rev-parse", "--show-toplevel")
            await self._git("-C", root, "add", "--all", index=index)
            return await self._git("write-tree", index=index)

    async def _git(self, *words: str, index: str | None = None, check: bool = True) -> str:
        prefix = ("env", f"GIT_INDEX_FILE={index}") if index is not None else ()
        done = await self._run([*prefix, "git", *words], self._cwd)
        if done.code == 0:
            return done.stdout.rstrip("\n")
        if check:
            raise GitError(done.stderr.strip() or f"git {words[0]} ended with code {done.code}")
        return ""


def _copy_if_there(source: Path, target: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(source, target)
