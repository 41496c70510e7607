"""Formulas in LaTeX become MathML that browsers set as it is meant."""

from __future__ import annotations

import importlib.util
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from missing import missing

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))

SPACE = "{http://www.w3.org/1998/Math/MathML}"


@pytest.fixture(autouse=True)
def converter() -> None:
    """Skip where the site cannot be built."""
    if importlib.util.find_spec("latex2mathml") is None:
        missing("no latex2mathml here (pip install .[docs])")


def mathml(latex: str, alone: bool = False) -> str:
    from formulas import mathml

    return mathml(latex, alone)


def tree(latex: str) -> ElementTree.Element:
    return ElementTree.fromstring(mathml(latex))


def words(latex: str) -> str:
    """Return all letters and signs of a formula in their order."""
    return "".join(tree(latex).itertext()).replace(" ", "")


def found(latex: str, tag: str) -> list[ElementTree.Element]:
    return tree(latex).findall(f".//{SPACE}{tag}")


def test_letters_and_signs_stay_what_they_are() -> None:
    assert words(r"x_{k+\theta} = \theta x_{k+1} + (1 - \theta) x_k") == "xk+θ=θxk+1+(1−θ)xk"
    assert words(r"0 \le g \perp \lambda \ge 0") == "0≤g⊥λ≥0"
    assert words(r"\lVert \Delta q \rVert_K^2 < \rho_\infty") == "‖Δq‖K2<ρ∞"
    assert words(r"q \oplus \delta q, \quad \dot v, \hat X, \tilde v") == "q⊕δq,v˙,X^,v~".replace(" ", "")
    assert words(r"G^\top S^{-1} G") == "G⊤S−1G"


def test_what_browsers_would_set_wrongly_is_mended() -> None:
    upright = [one.text for one in found(r"\Delta q + \Omega + \mathrm{K}", "mi") if one.get("mathvariant") == "normal"]
    assert upright == ["Δ", "Ω", "K"]
    (perp,) = [one for one in found(r"0 \le g \perp \nu", "mo") if one.text == "⊥"]
    assert perp.get("lspace") == perp.get("rspace") == "0.28em"
    minus = [one.get("form") for one in found(r"a = -b - c", "mo") if one.text == "−"]
    assert minus == ["prefix", None]
    assert [one.get("accent") for one in found(r"\dot v + \tilde v + \hat q", "mover")] == ["true"] * 3
    assert not found(r"w'''' - (N w')'", "msup")
    assert "mspace" in mathml(r"\cos b \cosh b")


def test_lines_are_aligned_and_stand_in_a_box() -> None:
    made = mathml(r"\begin{aligned} a &= b \\ c &= d \end{aligned}", alone=True)
    assert made.startswith('<div class="formula"><math ')
    assert 'display="block"' in made
    assert made.count("<mtr>") == 2
    assert made.count('columnalign="right"') == made.count('columnalign="left"') == 2


def test_formulas_of_a_page_are_found_and_others_are_errors() -> None:
    from formulas import with_formulas

    page = '<p>a <span class="arithmatex">\\(x &lt; 1\\)</span> b <code>$y$</code></p>'
    made = with_formulas(page)
    assert made.startswith("<p>a <math ")
    assert made.endswith("</math> b <code>$y$</code></p>")
    assert "arithmatex" not in made
    ended = with_formulas('(<span class="arithmatex">\\(x\\)</span>), b')
    assert ended.startswith('<span class="together">(<math ')
    assert ended.endswith("</math>),</span> b")
    for wrong in (r"\nosuchcommand x", r"a & b"):
        with pytest.raises(ValueError, match="cannot be converted"):
            mathml(wrong)
