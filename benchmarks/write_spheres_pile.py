"""Write the bodies of the case ``spheres_pile``: ``python benchmarks/write_spheres_pile.py > cases/spheres_pile.toml``.

N^3 steel balls in columns, layers a little apart and not quite in rows, above the floor of a box.
"""

from __future__ import annotations

import numpy as np

N, RADIUS, SPACING, JITTER = 10, 0.01, 2.05, 0.01
"""Balls along each edge; radius, m; distance between centres and displacement of each, over the radius."""
HEAD = '''title = "A thousand balls dropped into a box"
description = """
A thousand steel balls of 20 mm diameter, in ten layers of ten by ten that are half a millimeter apart, are released in
a box, mu = 0.3 between all of them and with the walls; e = 0. Layers land one after the other within 40 ms; then
the columns stand on the floor and begin to roll off each other. The run is short; it demonstrates the size, a
thousand bodies and more than a thousand loaded contacts in each step. No closed form: what is known is the balance.
(Bodies: benchmarks/write_spheres_pile.py.)
"""

[time]
end = 0.1
step = 1e-3

[scheme]
name = "moreau-jean"
theta = 0.5

[gravity]
acceleration = [0.0, 0.0, -9.81]

[contacts.balls]
kind = "spheres"
bodies = "b*"
friction = 0.3
'''
TAIL = """
[output]
fields_every = 20
signals = ["b0.position", "b999.position", "b999.velocity"]

[[expect]]
signal = "contacts.floor.impulse"
reduce = "sum"
value = 32.0525
rtol = 0.03
source = "the weight, 32.6735 kg x 9.81 m/s^2 x 0.1 s; walls carry little, columns sink a little"

[[expect]]
signal = "energy.kinetic"
reduce = "last"
at_most = 0.1
source = "a few percent of the released potential energy, 1.1 J"

[[expect]]
signal = "energy.work_friction"
reduce = "last"
at_most = -1e-4
source = "friction has dissipated a part, impacts the rest"

[[expect]]
signal = "summary.max_penetration"
at_most = 5e-4
source = "velocity level: less than the distance moved in a step, 1 ms at 0.3 m/s, and what columns add"

[[expect]]
signal = "summary.energy.residual_max"
at_most = 1e-10
source = "the ledger closes; impulses have a residual of up to 1e-6, but their work is exact"
"""
WALLS = {"floor": (0, 0, 1), "west": (1, 0, 0), "east": (-1, 0, 0), "south": (0, 1, 0), "north": (0, -1, 0)}


def text() -> str:
    """Return the case file."""
    rng, names, bodies = np.random.default_rng(1), [], []
    d, shape = SPACING * RADIUS, f'shape = {{ kind = "sphere", radius = {RADIUS} }}'
    for k, place in enumerate(np.ndindex(N, N, N)):
        x = (np.array(place[::-1]) - 0.5 * (N - 1)) * d + JITTER * RADIUS * rng.uniform(-1.0, 1.0, 3)
        x[2] += 0.5 * (N - 1) * d + 1.02 * RADIUS
        names.append(f'"b{k}"')
        at = ", ".join(f"{value:.5f}" for value in x)
        bodies.append(f'b{k} = {{ kind = "rigid", density = 7800.0, position = [{at}], {shape} }}')
    rows = [", ".join(names[k : k + 14]) for k in range(0, len(names), 14)]
    nodes, parts = "[\n  " + ",\n  ".join(rows) + ",\n]", [HEAD]
    for name, normal in WALLS.items():
        away = 0.0 if name == "floor" else -(0.5 * (N - 1) * d + 1.05 * RADIUS)
        point = [float(away * value) + 0.0 for value in normal]
        parts.append(
            f'\n[contacts.{name}]\nkind = "node-plane"\nnodes = {nodes}\npoint = {[round(x, 6) for x in point]}\n'
            f"normal = {[float(x) for x in normal]}\nradius = {RADIUS}\nfriction = 0.3\n"
        )
    return "".join([*parts, "\n[bodies]\n", "\n".join(bodies), "\n", TAIL])


if __name__ == "__main__":
    print(text(), end="")
