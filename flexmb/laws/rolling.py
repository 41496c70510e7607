"""Resistance to rolling and spinning: |m_T| <= roll P_N and |m_N| <= spin P_N, with lengths for coefficients.

The moments act on the relative rotation of the bodies in contact, m_T on its component normal to the contact normal,
m_N on that about the normal.
"""

from __future__ import annotations

from flexmb.checks.values import nonnegative


def rolling_length(value: object, where: str) -> float:
    """Return the length of the key ``rolling``, m."""
    return nonnegative(value, "rolling", where)


def spinning_length(value: object, where: str) -> float:
    """Return the length of the key ``spinning``, m."""
    return nonnegative(value, "spinning", where)
