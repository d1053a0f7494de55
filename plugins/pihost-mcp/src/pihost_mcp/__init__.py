"""The Model Context Protocol: pihost's tools for other programs. The command is ``pihost mcp``."""
