"""Attachments of user-defined functions."""

from __future__ import annotations

from .user_defined_functions import SERVED_ATTACHMENTS as SERVED

__all__ = ["SERVED"]
