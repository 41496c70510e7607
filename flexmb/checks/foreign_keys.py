"""Keys as other programs of rotordynamics (and textbooks) call them, and what they are here."""

from __future__ import annotations

from collections.abc import Sequence

RPM = "in rad/s: turns per minute times pi/30"
SPIN = "spin", f'spin = {{ kind = "constant", speed = .. }}, {RPM}'
STIFFNESS = "stiffness = [[kxx, kxy], [kyx, kyy]], N/m, or one number for both directions"
DAMPING = "damping = [[cxx, cxy], [cyx, cyy]], N s/m, or one number for both directions"

WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(("rpm", "omega", "frequency", "freq", "w"), (("speed", f"speed {RPM}"), SPIN, ("to", f"to {RPM}"))),
    **dict.fromkeys(("kxx", "kxy", "kyx", "kyy", "kzz"), (("stiffness", STIFFNESS),)),
    **dict.fromkeys(("cxx", "cxy", "cyx", "cyy", "czz"), (("damping", DAMPING),)),
    "k": (("stiffness", "stiffness"),),
    "c": (("damping", "damping"), ("coefficient", "coefficient")),
    "speed": (("spin", 'spin = { kind = "constant", speed = .. }, rad/s'), ("to", "from and to, rad/s")),
    "n": (("node", "node"), ("elements", "elements")),
    "n_link": (("to", "to, the node of the other body"),),
    "m": (("mass", "mass, kg"),),
    "id": (("inertia", "inertia, about a diameter, kg m^2"),),
    "ip": (("polar_inertia", "polar_inertia, kg m^2"),),
    **dict.fromkeys(("odl", "odr", "od", "diameter"), (("outer_diameter", "outer_diameter, m"),)),
    **dict.fromkeys(("idl", "idr"), (("inner_diameter", "inner_diameter, m"),)),
    **dict.fromkeys(("e", "youngs_modulus"), (("young", "young, N/m^2"), ("restitution", "restitution"))),
    "rho": (("density", "density, kg/m^3"),),
    "g_s": (("poisson", "poisson = E / (2 G) - 1"),),
    **dict.fromkeys(("alpha", "beta"), (("damping", "damping = { alpha = .., beta = .. }"),)),
    "unbalance_magnitude": (("magnitude", "magnitude, kg m"),),
    "unbalance": (("unbalances", "unbalances = [{ node = .., magnitude = .. }], kg m"),),
    "unbalance_phase": (("phase", "phase, rad"),),
    **dict.fromkeys(("seals", "bearing_elements", "bearing_seal_elements"), (("bearings", "bearings"),)),
    "disk_elements": (("disks", "disks"),),
    "shaft_elements": (("sections", "sections, or stations with outer_diameter"),),
    **dict.fromkeys(
        ("mu", "friction_coefficient", "coefficient_of_friction"),
        (("friction", "friction, mu itself or a table with the kind of the law"),),
    ),
    **dict.fromkeys(("e_t", "e_tangential"), (("tangential_restitution", "tangential_restitution"),)),
    **dict.fromkeys(("mu_r", "rolling_friction"), (("rolling", "rolling, a length, m"),)),
    **dict.fromkeys(("mu_s", "spinning_friction"), (("spinning", "spinning, a length, m"),)),
    **dict.fromkeys(("radial_clearance", "clearance"), (("gap", "gap, the radial clearance, m"),)),
}
"""By the word in small letters: our key, and how it is written; the first that is allowed is meant."""


def in_our_words(key: object, allowed: Sequence[str]) -> str:
    """Return how a key is written here, if it is known elsewhere under this name; else nothing."""
    for ours, how in WORDS.get(str(key).lower(), ()):
        if ours in allowed:
            return f" (here: {how})"
    return ""
