"""Formulas of the pages: LaTeX between dollars becomes MathML, which browsers show without scripts from outside.

``$...$`` in a line and ``$$...$$`` on lines of its own are found by ``pymdownx.arithmatex``; GitHub shows them as well.
"""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

FORMULA = re.compile(r'(\(?)<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\2>([).,;:?]*)', re.S)
"""A formula and the marks that it must not be parted from."""
NAMES = {
    "{aligned}": "{align*}",
    "\\lvert": "\\left|",
    "\\rvert": "\\right|",
    "\\lVert": "\\left\\|",
    "\\rVert": "\\right\\|",
}
"""What GitHub knows under a better name than the converter."""
PERPENDICULAR = '<mo lspace="0.28em" rspace="0.28em">&#x022A5;</mo>'
PRIME = "&#x020(?:3[2-4]|57);"
"""One to four of them."""
BEFORE = "&#x0003D;|&#x02264;|&#x02265;|&#x0002C;|&#x00028;"
"""Relations, comma and parenthesis: a minus behind them is a sign."""
NAME = "<mi>(?:cos|sin|tan|cosh|exp|log|ln)</mi>"
"""A function, set apart from what stands beside it."""
THIN = '<mspace width="0.167em" />'
MENDS = (
    (r"<mi>&#x027C2;</mi>", PERPENDICULAR),
    (r"<mi>(&#x003(?:9[1-9A-F]|A[0-9]);)</mi>", r'<mi mathvariant="normal">\1</mi>'),
    (r"<mi>(&#x000[46][0-9A-F];)</mi>", r'<mi mathvariant="normal">\1</mi>'),
    (rf"<msup>((?:(?!<msup>).)*?)<mi>({PRIME})</mi></msup>", r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>'),
    (rf"((?:{BEFORE})</mo>)<mo>&#x02212;</mo>", r'\1<mo form="prefix">&#x02212;</mo>'),
    (rf"(</m(?:i|n|sub|sup|subsup|over|row)>)({NAME})", rf"\1{THIN}\2"),
    (rf"({NAME})(?=<m(?:i|n|sub|sup|subsup|over|sqrt)[ >])", rf"\1{THIN}"),
    (r"<mo>&#x0002F;</mo>", '<mo lspace="0" rspace="0">&#x0002F;</mo>'),
    (r"<mo>&#x022A4;</mo>", '<mi mathvariant="normal">&#x022A4;</mi>'),
    (r"<mover>(?=(?:(?!</?mover).)*<mo[^>]*>&#x0(?:005E|007E|02D9|00A8);</mo></mover>)", '<mover accent="true">'),
)
"""What the converter gets wrong: a relation without space, capital Greek and upright letters that browsers would slant,
primes that would be raised twice, signs and quotients set like sums, functions that touch what stands beside them,
transposes taken for operators, accents for limits."""


def with_formulas(page: str) -> str:
    """Return a page of HTML with its formulas as MathML."""
    return FORMULA.sub(_set, page)


def _set(found: re.Match[str]) -> str:
    """Return a formula that was found, on one line with the marks beside it."""
    before, _, bracket, latex, behind = found.groups()
    made = mathml(html.unescape(latex), alone=bracket == "[")
    return f'<span class="together">{before}{made}{behind}</span>' if before or behind else made


def mathml(latex: str, alone: bool = False) -> str:
    """Return a formula as MathML.

    Parameters
    ----------
    latex : str
    alone : bool
        Whether it stands on lines of its own, in a box that can be scrolled.

    Raises
    ------
    ValueError
        Where something of it is not known.
    """
    known = latex.strip()
    for name, other in NAMES.items():
        known = known.replace(name, other)
    made = convert(known, display="block" if alone else "inline")
    if re.search(r"\\|<mi>&amp;|<mi>&<|linebreak", made):
        raise ValueError(f"a formula that cannot be converted: {latex.strip()}")
    for wrong, right in MENDS:
        made = re.sub(wrong, right, made)
    return f'<div class="formula">{made}</div>' if alone else made
