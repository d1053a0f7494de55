"""The commands there are, imported only when one is named."""

__all__ = ["COMMANDS"]

COMMANDS = {
    "extensions": ("pihost.cli.extensions", "See, disable and enable extensions."),
    "hooks": ("pihost.cli.hooks", "What extensions can answer, and how."),
    "tool": ("pihost.cli.tool", "Run one tool, hooks included."),
    "trust": ("pihost.cli.trust", "Decide whether projects may run their own extensions."),
}
"""Each command's module and what it does; a word is a command only as the first argument."""
