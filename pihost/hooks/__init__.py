"""Hooks: their specifications, how answers combine, and the dispatch."""
