"""The names of the tools of the house, for whoever needs no more of them."""

__all__ = ["all_tool_names"]

all_tool_names = ("read", "bash", "powershell", "edit", "write", "grep", "find", "ls")
"""The names of the tools of the house."""
