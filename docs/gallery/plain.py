"""Words of case files for Markdown: nothing of them is markup, and formulas typed in ASCII get their letters."""

from __future__ import annotations

import html
import re

MARKS = re.compile(r"([\\*_\[\]#|~$])")
"""What Markdown would take for something else in plain words."""
GREEK = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "eps": "ε", "zeta": "ζ", "theta": "θ", "lambda": "λ", "pi": "π"},
    **{"rho_inf": "ρ∞", "rho": "ρ", "tau": "τ", "phi": "φ", "omega": "ω", "Omega": "Ω"},
}
LETTER = re.compile(rf"(?<![-\w])({'|'.join(GREEK)})(?=\d*(?![-\w])|_)")
"""A Greek letter by its name, but for that of a scheme such as generalized-alpha."""
SIGNS = {"<=": "≤", ">=": "≥", " perp ": " ⊥ ", "sqrt(": "√(", "sqrt ": "√"}
HIGH, LOW = dict(zip("0123456789n", "⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ", strict=True)), dict(zip("0123456789in", "₀₁₂₃₄₅₆₇₈₉ᵢₙ", strict=True))


def plain_words(text: str) -> str:
    """Return words of a case file for Markdown: code in backticks stays code, nothing else is markup."""
    pieces = re.split(r"(`[^`\n]+`)", text.strip())
    return "".join(
        piece if k % 2 else MARKS.sub(r"\\\1", html.escape(lettered(piece), quote=False))
        for k, piece in enumerate(pieces)
    )


def lettered(text: str) -> str:
    """Return words with the letters and signs that their formulas mean: ``rho A v0^2 >= 0`` is ρ A v₀² ≥ 0."""
    text = LETTER.sub(lambda found: GREEK[found[1]], text)
    for typed, meant in SIGNS.items():
        text = text.replace(typed, meant)
    text = re.sub(r"\^([\dn])(?![\w.])", lambda found: HIGH[found[1]], text)
    text = re.sub(r"(?<=\b[A-Za-zα-ω])_([\din])(?!\w)", lambda found: LOW[found[1]], text)
    return re.sub(r"(?<=\b[vqlmwJα-ω])([0-3])(?=\b|[²³])(?!\.\d)", lambda found: LOW[found[1]], text)
