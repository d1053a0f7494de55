"""What ``read`` is made of: what a file is, and some lines out of it."""
