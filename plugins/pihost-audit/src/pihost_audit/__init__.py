"""Keeps a log of what tools did: one JSON object a line, with secrets masked."""

from __future__ import annotations

from pihost_audit._log import AuditLog
from pihost_audit._record import setup

__all__ = ["AuditLog", "setup"]
