"""A group of commands that answers a misspelt one with the near names."""

from __future__ import annotations

import click

from pihost.near import near_names

__all__ = ["Group"]


class Group(click.Group):
    """Like click's own, and knows what a word may have been meant to be."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names, and the rest of the words.

        Raises:
            click.UsageError: there is none of that name.
        """
        word = args[0]
        if word not in self.commands and not word.startswith("-"):
            near = near_names(word, self.commands)
            known = near or list(self.commands)
            ctx.fail(f"there is no command {word!r}. Did you mean {' or '.join(known)}?")
        return super().resolve_command(ctx, args)
