"""Key names of other programs and textbooks, and the corresponding flexmb keys."""

from __future__ import annotations

from collections.abc import Sequence

RPM = "in rad/s: revolutions per minute times pi/30"
SPIN = "spin", f'spin = {{ kind = "constant", speed = .. }}, {RPM}'
STIFFNESS = "stiffness = [[kxx, kxy], [kyx, kyy]], N/m, or one number for both directions"
HARD = (
    "restitution",
    "restitution, 0 to 1: contacts are hard and have no penalty stiffness and no damping; the energy lost at impacts "
    "is given by restitution, an elastic stop by a spring or a body",
)
DAMPING = "damping = [[cxx, cxy], [cyx, cyy]], N s/m, or one number for both directions"

WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(("rpm", "omega", "frequency", "freq", "w"), (("speed", f"speed {RPM}"), SPIN, ("to", f"to {RPM}"))),
    **dict.fromkeys(("kxx", "kxy", "kyx", "kyy", "kzz"), (("stiffness", STIFFNESS),)),
    **dict.fromkeys(("cxx", "cxy", "cyx", "cyy", "czz"), (("damping", DAMPING),)),
    "k": (("stiffness", "stiffness"), HARD),
    "c": (("damping", "damping"), ("coefficient", "coefficient, N s/m"), HARD),
    "damping": (("coefficient", "coefficient, N s/m"), HARD),
    "zeta": (("damping", "damping = { alpha = .., beta = .. }: zeta = (alpha / omega + beta omega) / 2"),),
    **dict.fromkeys(
        ("stiffness", "penalty", "penalty_stiffness", "contact_stiffness", "compliance", "kn", "cn"), (HARD,)
    ),
    "integrator": (("scheme", 'scheme = { name = ".." }'), ("name", 'name = ".."')),
    "forces": (("loads", 'loads = { NAME = { kind = "force", .. } }'),),
    **dict.fromkeys(("torque", "couple"), (("moment", "moment = [Mx, My, Mz], N m"),)),
    "tol": (("tolerance", "tolerance"),),
    "record": (("signals", "signals = [..]"),),
    "value": (("force", "force = [Fx, Fy, Fz], N"), ("acceleration", "acceleration = [0.0, 0.0, -9.81], m/s^2")),
    "weight": (("mass", "mass, kg"),),
    **dict.fromkeys(("body1", "bodies"), (("a", "a and b, the two points that the joint connects"),)),
    "body2": (("b", "b, the point of the other body"),),
    "clamped": (("supports", 'supports = [{ node = "first", kind = "clamped" }]'),),
    **dict.fromkeys(("x", "location"), (("position", "position, m"), ("point", "point, m"))),
    "v_init": (("velocity", "velocity, m/s"),),
    **dict.fromkeys(
        ("gap", "distance", "offset", "height"), (("point", "point = [x, y, z], a point of the plane, m"),)
    ),
    "mu_d": (("dynamic", "dynamic"), ("friction", 'friction = { kind = "stribeck", static, dynamic, speed }')),
    "mu_k": (("dynamic", "dynamic"), ("friction", "friction, mu itself or a table with the kind of the law")),
    "speed": (("spin", 'spin = { kind = "constant", speed = .. }, rad/s'), ("to", "from and to, rad/s")),
    "n": (("normal", "normal = [nx, ny, nz]"), ("node", "node"), ("elements", "elements")),
    "n_link": (("to", "to, the node of the other body"),),
    "m": (("mass", "mass, kg"),),
    "id": (("inertia", "inertia, about a diameter, kg m^2"),),
    "ip": (("polar_inertia", "polar_inertia, kg m^2"),),
    **dict.fromkeys(("odl", "odr", "od", "diameter"), (("outer_diameter", "outer_diameter, m"),)),
    **dict.fromkeys(("idl", "idr"), (("inner_diameter", "inner_diameter, m"),)),
    **dict.fromkeys(
        ("e", "youngs_modulus", "young_modulus", "modulus", "elastic_modulus"),
        (
            ("young", "young, N/m^2"),
            ("restitution", "restitution, 0 to 1"),
            ("material", "material = { young = .. }, Pa"),
        ),
    ),
    **dict.fromkeys(
        ("young", "density", "poisson"), (("material", "material = { young = .., density = .., poisson = .. }"),)
    ),
    "rho": (("density", "density, kg/m^3"), ("rho_inf", "rho_inf"), ("material", "material = { density = .. }")),
    "nu": (("poisson", "poisson"), ("material", "material = { young = .., density = .., poisson = .. }")),
    **dict.fromkeys(
        ("cor", "coefficient_of_restitution", "restitution_coefficient", "bounce"),
        (("restitution", "restitution, 0 to 1"),),
    ),
    **dict.fromkeys(
        ("dt", "h", "timestep", "time_step", "step_size", "delta_t"),
        (("step", "step, s"), ("every", "every, in steps between samples")),
    ),
    **dict.fromkeys(("t", "tend", "t_end", "tf", "t_final", "tmax", "duration", "stop"), (("end", "end, s"),)),
    **dict.fromkeys(("t0", "t_start", "tstart"), (("start", "start, s"),)),
    **dict.fromkeys(("nsteps", "n_steps", "num_steps"), (("steps", "steps, their number"),)),
    **dict.fromkeys(("a", "cross_section"), (("area", "area, m^2"), ("section", "section = { area = .. }"))),
    **dict.fromkeys(("l", "len"), (("length", "length, m"),)),
    **dict.fromkeys(
        ("nel", "ne", "n_elements", "num_elements", "n_elem", "mesh_size"), (("elements", "elements, their number"),)
    ),
    **dict.fromkeys(("length", "elements"), (("stations", "stations = [..], the places of its nodes, m"),)),
    **dict.fromkeys(
        ("i", "iz", "iy", "izz", "iyy", "j"), (("inertia", "inertia"), ("section", "section = { inertia = .. }"))
    ),
    "g": (
        ("gravity", "gravity = (0.0, 0.0, -9.81), m/s^2"),
        ("acceleration", "acceleration = [0.0, 0.0, -9.81], m/s^2"),
        ("shear", "shear, Pa"),
        ("material", "material = { shear = .. }"),
    ),
    **dict.fromkeys(("v0", "v", "initial_velocity"), (("velocity", "velocity, m/s"),)),
    **dict.fromkeys(("x0", "pos", "initial_position", "origin"), (("position", "position, m"),)),
    **dict.fromkeys(
        ("bc", "bcs", "boundary_conditions", "constraints", "fixed"), (("supports", "supports = [{ .. }]"),)
    ),
    "type": (("kind", "kind"), ("name", 'name = ".."')),
    "method": (("name", 'name = ".."'),),
    **dict.fromkeys(("sampling", "output_step", "sample_every"), (("every", "every, in steps"),)),
    "g_s": (("poisson", "poisson = E / (2 G) - 1"),),
    **dict.fromkeys(("alpha", "beta"), (("damping", "damping = { alpha = .., beta = .. }"),)),
    "unbalance_magnitude": (("magnitude", "magnitude, kg m"),),
    "unbalance": (("unbalances", "unbalances = [{ node = .., magnitude = .. }], kg m"),),
    "unbalance_phase": (("phase", "phase, rad"),),
    **dict.fromkeys(("seals", "bearing_elements", "bearing_seal_elements"), (("bearings", "bearings"),)),
    "disk_elements": (("disks", "disks"),),
    "shaft_elements": (("sections", "sections, or stations with outer_diameter"),),
    **dict.fromkeys(
        (
            *("mu", "friction_coefficient", "frictioncoefficient", "friction_coeff", "coefficient_of_friction"),
            *("coefficient", "coeff", "cof", "coulomb"),
        ),
        (("friction", "friction, mu itself or a table with the kind of the law"), ("mu", "mu")),
    ),
    **dict.fromkeys(("e_t", "e_tangential"), (("tangential_restitution", "tangential_restitution"),)),
    **dict.fromkeys(("mu_r", "rolling_friction"), (("rolling", "rolling, a length, m"),)),
    "mu_s": (("static", "static"), ("spinning", "spinning, a length, m; friction for the static coefficient")),
    "spinning_friction": (("spinning", "spinning, a length, m"),),
    **dict.fromkeys(("radial_clearance", "clearance"), (("gap", "gap, the radial clearance, m"),)),
}
"""Keys of other programs in lower case, with the flexmb key and its form; the first one allowed is suggested."""
KIND_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(("hinge", "pin", "pivot"), (("revolute", "revolute"),)),
    "slider": (("prismatic", "prismatic"),),
    "ball": (("spherical", "spherical, a joint; particle, a body"), ("particle", "particle, or rigid with a shape")),
    **dict.fromkeys(("mass", "point-mass", "point_mass"), (("particle", "particle"),)),
    **dict.fromkeys(("rod", "truss"), (("bar", "bar"),)),
    **dict.fromkeys(("rigid-body", "rigid_body"), (("rigid", "rigid, or rigid-planar"),)),
    **dict.fromkeys(("floor", "wall", "plane", "ground", "stop"), (("node-plane", "node-plane"),)),
    **dict.fromkeys(("fixed", "clamp", "encastre"), (("clamped", "clamped"),)),
    **dict.fromkeys(("simply-supported", "hinged"), (("pinned", "pinned"),)),
}
"""Kinds of other programs, likewise."""


def in_our_words(key: object, allowed: Sequence[str]) -> str:
    """Return the flexmb form of a key or kind that other programs call by this name; otherwise an empty text."""
    ours, how = our_word(key, allowed)
    return f" (here: {how})" if ours else ""


def our_word(key: object, allowed: Sequence[str]) -> tuple[str, str]:
    """Return the allowed key or kind that other programs call by this name, and its form; otherwise empty texts."""
    word = str(key).lower()
    known = (*WORDS.get(word, ()), *WORDS.get(word.replace("-", "_"), ()), *KIND_WORDS.get(word, ()))
    return next((one for one in known if one[0] in allowed), ("", ""))
