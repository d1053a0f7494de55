"""Cutting long texts, and following long outputs in bounded memory."""
