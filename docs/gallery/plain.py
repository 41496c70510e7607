"""Texts of case files for Markdown: markup is escaped, and ASCII formulas get Greek letters and signs."""

from __future__ import annotations

import html
import re

MARKS = re.compile(r"([\\*_\[\]#|~$])")
"""Characters of plain text that Markdown would interpret."""
GREEK = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "eps": "ε", "zeta": "ζ", "theta": "θ", "lambda": "λ", "pi": "π"},
    **{"rho_inf": "ρ∞", "rho": "ρ", "tau": "τ", "phi": "φ", "omega": "ω", "Omega": "Ω"},
}
LETTER = re.compile(rf"(?<![-\w])({'|'.join(GREEK)})(?=\d*(?![-\w])|_)")
"""The name of a Greek letter, except within names such as generalized-alpha."""
SIGNS = {"<=": "≤", ">=": "≥", " perp ": " ⊥ ", "sqrt(": "√(", "sqrt ": "√"}
HIGH, LOW = dict(zip("0123456789n", "⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ", strict=True)), dict(zip("0123456789in", "₀₁₂₃₄₅₆₇₈₉ᵢₙ", strict=True))


def plain_words(text: str) -> str:
    """Return text of a case file for Markdown: code in backticks remains code, other markup is escaped."""
    pieces = re.split(r"(`[^`\n]+`)", text.strip())
    return "".join(
        piece if k % 2 else MARKS.sub(r"\\\1", html.escape(lettered(piece), quote=False))
        for k, piece in enumerate(pieces)
    )


def lettered(text: str) -> str:
    """Return text with formulas in Greek letters and signs: ``rho A v0^2 >= 0`` becomes ρ A v₀² ≥ 0."""
    text = LETTER.sub(lambda found: GREEK[found[1]], text)
    for typed, meant in SIGNS.items():
        text = text.replace(typed, meant)
    text = re.sub(r"\^([\dn])(?![\w.])", lambda found: HIGH[found[1]], text)
    text = re.sub(r"(?<=\b[A-Za-zα-ω])_([\din])(?!\w)", lambda found: LOW[found[1]], text)
    return re.sub(r"(?<=\b[vqlmwJα-ω])([0-3])(?=\b|[²³])(?!\.\d)", lambda found: LOW[found[1]], text)
