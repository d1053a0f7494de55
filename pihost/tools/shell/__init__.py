"""What ``bash`` and ``powershell`` are made of: running a program and ending all it started."""
