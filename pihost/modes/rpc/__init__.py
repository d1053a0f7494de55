"""Rpc mode: a program asks, line by line; responses, events and the questions of extensions go back."""
