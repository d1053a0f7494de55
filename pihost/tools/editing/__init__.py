"""What ``edit`` is made of: finding what is to be replaced, changing bytes, showing the difference."""
