"""The one way every tool is called: events, checks, execution, result."""
