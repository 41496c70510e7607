"""Pictures of a rotor in a report: orbits, spectrum, waterfall, forces, as ``flexmb plot`` draws them."""

from __future__ import annotations

from flexmb.errors import InputError
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.report.html import Html, joined, tag
from flexmb.postproc.report.picture import picture


def rotor_pictures(opened: Opened) -> Html:
    """Return the pictures for which the result has signals; none without a rotor."""
    if all(body.get("kind") != "rotor" for body in opened.case.get("bodies", {}).values()):
        return Html("")
    from flexmb.postproc.orbit_plot import plot_orbits
    from flexmb.postproc.rotor_forces_plot import plot_rotor_forces
    from flexmb.postproc.rotor_spectrum_plot import plot_spectrum, plot_waterfall

    kinds = {
        "Orbits across the axis": plot_orbits,
        "Spectrum, backward and forward": plot_spectrum,
        "Spectrum over time": plot_waterfall,
        "Forces on bearings and in contacts": plot_rotor_forces,
    }
    pictures, missing = [], []
    for words, plot in kinds.items():
        try:
            figure = plot(opened)
        except InputError as err:  # a node normal to the axis was not recorded, or there are too few samples
            missing.append(tag("p", f"{words}: {err.message}", cls="note"))
            continue
        pictures.append(picture(figure, words))
    return joined([tag("div", *pictures, cls="grid"), *missing])
