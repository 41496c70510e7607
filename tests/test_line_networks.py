"""Lines of any shape from mesh files: frames, arches and trusses against closed forms, and what bad meshes are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import meshio
import numpy as np
import pytest

import flexmb as fm
from flexmb.analysis.equilibrium import equilibrium
from flexmb.analysis.modes import modes
from flexmb.errors import InputError
from flexmb.fem.network_mesh import read_network
from flexmb.record.section_forces import SectionForces
from flexmb.system.linear_system import LinearSystem

MESHES = Path(__file__).parents[1] / "meshes"
E, RHO = 2.0e11, 7800.0
STEEL = {"young": E, "density": RHO, "poisson": 0.3}
RECT = {"shape": "rectangle", "height": 0.05, "width": 0.03}
A, INERTIA = 0.05 * 0.03, 0.03 * 0.05**3 / 12.0


def write(
    path: Path,
    points: np.ndarray,
    lines: list,
    points_of: dict[str, list[int]] | None = None,
    lines_of: dict[str, list[int]] | None = None,
) -> Path:
    """Write gmsh 2.2 with named groups."""
    points = np.column_stack([points, np.zeros((len(points), 3 - np.shape(points)[1]))])
    names = [(0, name) for name in points_of or {}] + [(1, name) for name in lines_of or {}]
    tag = {name: k + 1 for k, (_, name) in enumerate(names)}
    cells = [(15, tag[name], [i]) for name, own in (points_of or {}).items() for i in own]
    in_group = {k: name for name, own in (lines_of or {}).items() for k in own}
    cells += [(1, tag.get(in_group.get(k, ""), 0), list(pair)) for k, pair in enumerate(lines)]
    text = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(names))]
    text += [f'{dim} {tag[name]} "{name}"' for dim, name in names]
    text += ["$EndPhysicalNames", "$Nodes", str(len(points))]
    text += [f"{k + 1} {p[0]!r} {p[1]!r} {p[2]!r}" for k, p in enumerate(points.tolist())]
    text += ["$EndNodes", "$Elements", str(len(cells))]
    text += [f"{i + 1} {t} 2 {g} {g} {' '.join(str(n + 1) for n in ns)}" for i, (t, g, ns) in enumerate(cells)]
    path.write_text("\n".join([*text, "$EndElements", ""]))
    return path


def chain(points: np.ndarray) -> list[list[int]]:
    return [[k, k + 1] for k in range(len(points) - 1)]


def static(body: object, node: str, force: tuple) -> LinearSystem:
    """Return the system in its static position under a force."""
    model = fm.Model(initial_static=("push",))
    model.add(body)
    model.add(fm.NodalForce("push", node=node, force=force))
    return model.assemble()


def place(system: LinearSystem, body: object, node: str) -> np.ndarray:
    """Return the displacement of a node at the start."""
    i = body._nodes.index(node)[0]
    return system.layout.displacements(system.q0[None])[0, i]


def exact_member(omega: float, L: float, EA: float, EI: float, m: float) -> np.ndarray:
    """Return the dynamic stiffness over (u, w, theta) of both ends, exact for Euler-Bernoulli beams and bars."""
    b = (m * omega**2 / EI) ** 0.25

    def shapes(x: float, k: int) -> np.ndarray:
        """Return the k-th derivatives of sin, cos, sinh and cosh of b x."""
        trig = np.sin(b * x + np.array([0.0, np.pi / 2.0]) + k * np.pi / 2.0)
        hyper = np.array([np.sinh(b * x), np.cosh(b * x)])[:: -1 if k % 2 else 1]
        return b**k * np.concatenate([trig, hyper])

    moved = np.array([shapes(0.0, 0), shapes(0.0, 1), shapes(L, 0), shapes(L, 1)])
    force = EI * np.array([shapes(0.0, 3), -shapes(0.0, 2), -shapes(L, 3), shapes(L, 2)])
    K = np.zeros((6, 6))
    K[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = force @ np.linalg.inv(moved)
    a = omega * L * np.sqrt(m / EA)
    K[np.ix_([0, 3], [0, 3])] = (
        EA / L * a * np.array([[1 / np.tan(a), -1 / np.sin(a)], [-1 / np.sin(a), 1 / np.tan(a)]])
    )
    return K


def portal_determinant(omega: float) -> float:
    """Return the determinant of the exact dynamic stiffness of meshes/portal.msh, clamped, over its corners."""
    K = np.zeros((6, 6))
    m = RHO * A
    column, beam = exact_member(omega, 3.0, E * A, E * INERTIA, m), exact_member(omega, 4.0, E * A, E * INERTIA, m)
    up, flat = np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 1]]), np.diag([1.0, -1, 1] * 2)  # turns about y, w = y x d
    for k in (0, 3):
        K[k : k + 3, k : k + 3] += up.T @ column[3:, 3:] @ up
    K += flat @ beam @ flat
    return float(np.linalg.det(K / (E * INERTIA)))


def roots(f: Callable[[float], float], grid: np.ndarray) -> list[float]:
    """Return zeros with a change of sign, not poles."""
    from scipy.optimize import brentq

    values = np.array([f(x) for x in grid])
    found = []
    for k in np.flatnonzero(np.sign(values[:-1]) != np.sign(values[1:])):
        x = brentq(f, grid[k], grid[k + 1])
        if abs(f(x)) < 1e-3 * max(abs(values[k]), abs(values[k + 1])):
            found.append(x)
    return found


def test_frequencies_of_a_portal_frame_are_those_of_the_exact_dynamic_stiffness() -> None:
    frame = fm.Beam(
        "frame",
        mesh=MESHES / "portal.msh",
        section=RECT,
        material=STEEL,
        supports=[{"node": "feet", "kind": "clamped"}],
    )
    model = fm.Model()
    model.add(frame)
    got = modes(model.assemble(), 5).omega
    exact = roots(portal_determinant, np.linspace(5.0, 1.1 * got[4], 1500))[:5]
    assert len(exact) == 5
    assert got == pytest.approx(exact, rel=1e-4)  # 12 elements each; the fifth is off by 8e-5, the first by 1e-6


def test_groups_of_a_straight_mesh_give_what_the_straight_beam_gives(tmp_path: Path) -> None:
    x = np.linspace(0.0, 2.0, 9)
    points = np.column_stack([x, 0 * x, 0 * x])
    path = write(
        tmp_path / "line.msh", points, chain(points), {"stop": [6]}, {"left": [0, 1, 2, 3], "right": [4, 5, 6, 7]}
    )
    keys = {"section": RECT, "material": STEEL, "bending": "spatial", "orientation": (0.0, 0.3, 1.0)}
    held = [{"node": "first", "kind": "clamped"}]
    plain = fm.Beam("b", length=2.0, elements=8, supports=held, **keys)
    grouped = fm.Beam("b", mesh=path, groups={"left": {"section": RECT}}, supports=held, **keys)
    one, two = plain.parts(), grouped.parts()
    for name in ("M", "K"):
        a, b = getattr(one, name).toarray(), getattr(two, name).toarray()
        assert b == pytest.approx(a, abs=1e-10 * np.abs(a).max()), name
    for name in ("gravity", "momentum"):
        a, b = getattr(one, name), getattr(two, name)
        assert b == pytest.approx(a, abs=1e-12 * np.abs(a).max()), name
    assert one.dof_names == two.dof_names
    assert two.named["stop"] == 6
    assert fm.Beam("b", mesh=path, **keys).parts().named["stop"] == 6
    half = fm.Bar("b", mesh=path, area=1.0, material=STEEL, groups={"right": {"section": {"area": 2.0}}}, supports=held)
    tip = place(static(half, "b.last", (1e6, 0, 0)), half, "last")
    assert tip == pytest.approx([1e6 / E * (1.0 + 0.5), 0, 0], rel=1e-12)


def test_a_frame_turned_in_space_has_the_same_frequencies_and_mass(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    mesh = read_network(MESHES / "truss.msh", "x")
    points = mesh.points @ turn.T + [1.0, -2.0, 0.5]
    path = write(tmp_path / "turned.msh", points, mesh.lines.tolist())
    keys = {"section": RECT, "material": STEEL, "bending": "spatial"}
    found = []
    for file in (MESHES / "truss.msh", path):
        model = fm.Model()
        model.add(body := fm.Beam("b", mesh=file, **keys))
        found.append((modes(model.assemble(), 24).omega, body.total_mass))
    assert found[1][0][6:] == pytest.approx(found[0][0][6:], rel=1e-8)
    assert found[1][1] == pytest.approx(found[0][1], rel=1e-12)
    assert found[0][1] == pytest.approx(15 * A * RHO, rel=1e-9)
    flat = fm.Model()
    flat.add(fm.Beam("b", mesh=path, section=RECT, material=STEEL))  # bends in the plane of the mesh, wherever it is
    in_plane = modes(flat.assemble(), 6).omega[3:]
    assert all(np.min(np.abs(found[0][0] / w - 1.0)) < 1e-8 for w in in_plane)


def test_a_hinge_carries_no_moment_and_a_rigid_node_does(tmp_path: Path) -> None:
    x = np.linspace(0.0, 2.0, 9)
    points = np.column_stack([x, 0 * x, 0 * x])
    path = write(tmp_path / "line.msh", points, chain(points), {"middle": [4]})
    keys = {
        "section": RECT,
        "material": STEEL,
        "orientation": (0.0, 0.0, 1.0),
        "supports": [{"node": "first", "kind": "clamped"}, {"node": "last", "kind": "clamped"}],
    }
    P, EI = -100.0, E * INERTIA
    for bending in ("planar", "spatial"):
        rigid = fm.Beam("b", mesh=path, bending=bending, **keys)
        hinged = fm.Beam("b", mesh=path, bending=bending, hinges=["middle"], **keys)
        for body, exact in ((rigid, P * 2.0**3 / (192.0 * EI)), (hinged, P / (6.0 * EI))):
            system = static(body, "b.middle", (0.0, 0.0, P))
            assert place(system, body, "middle")[2] == pytest.approx(exact, rel=1e-9)
            forces = SectionForces(system.layout).values(system.q0[None])
            stored = np.sum(forces["energy_density"][0] * system.layout.sections.length)
            assert stored == pytest.approx(0.5 * P * exact, rel=1e-9)
            # moments at the middles of the elements: of the hinged beam P/2 times the distance to the hinge
            moment = np.linalg.norm(forces["bending_moment"][0], axis=1)
            if body is hinged:
                assert moment == pytest.approx(abs(P) / 2 * np.abs(x[:-1] + 0.125 - 1.0), rel=1e-9)
        assert hinged._nodes.count == 9  # the copy at the hinge has no number of its own


def test_a_two_bar_truss_and_its_forces(tmp_path: Path) -> None:
    points = np.array([[-1.0, 0, 0], [1.0, 0, 0], [0, 0, -1.0], [0, -1.0, 0], [0, 1.0, 0]])
    lines = [[0, 2], [1, 2], [3, 2], [4, 2]]
    path = write(tmp_path / "truss.msh", points, lines, {"hung": [0, 1, 3, 4], "load": [2]})
    body = fm.Bar("t", mesh=path, area=1e-4, material=STEEL, supports=[{"node": "hung", "kind": "pinned"}])
    P = 1000.0
    system = static(body, "t.load", (0.0, 0.0, -P))
    N = P / (4.0 / np.sqrt(2.0))
    assert place(system, body, "load") == pytest.approx([0, 0, -N * 2.0 / (E * 1e-4)], rel=1e-12, abs=1e-18)
    assert SectionForces(system.layout).values(system.q0[None])["axial_force"][0] == pytest.approx(N, rel=1e-12)
    assert body.crossing_time == pytest.approx(np.sqrt(2.0) / np.sqrt(E / RHO), rel=1e-12)


def test_the_two_hinged_arch_gives_way_by_the_closed_form() -> None:
    arch = fm.Beam(
        "arch",
        mesh=MESHES / "arch.msh",
        section={"shape": "rectangle", "height": 0.005, "width": 0.05},
        material=STEEL,
        supports=[{"node": "supports", "kind": "pinned"}],
    )
    system = static(arch, "arch.crown", (0.0, 0.0, -1.0))
    EI = E * 0.05 * 0.005**3 / 12.0
    exact = (3.0 * np.pi / 8.0 - 1.0 - 1.0 / (2.0 * np.pi)) / EI
    # 48 chords: the arch of chords is lower by a part in 2000, and stretches a little
    assert place(system, arch, "crown")[2] == pytest.approx(-exact, rel=3e-3)
    assert arch._nodes.named["mid"] == arch._nodes.named["crown"]


def bend(tmp_path: Path, chords: int) -> fm.ExactBeam:
    """Return Bathe and Bolourchi's bend: an eighth of a circle of radius 100, clamped; its sections 1 x 1."""
    angle = np.linspace(0.0, np.pi / 4.0, chords + 1)
    points = 100.0 * np.column_stack([np.sin(angle), 1.0 - np.cos(angle), 0 * angle])
    path = write(tmp_path / "bend.msh", points, chain(points))
    stiffness = {"EA": 1e7, "GA": 5e6, "GJ": 5e6 / 6.0, "EI": 1e7 / 12.0}
    inertia = {"mass_per_length": 1.0, "rotary": 1.0 / 12.0}
    return fm.ExactBeam("bend", mesh=path, stiffness=stiffness, inertia=inertia, orientation=(0.0, 0.0, 1.0))


def test_the_curved_cantilever_of_bathe_and_bolourchi(tmp_path: Path) -> None:
    model = fm.Model()
    model.add(bend(tmp_path, 8))
    model.add(fm.Fixed("clamp", a="ground", b="bend.first"))
    system = model.assemble()
    assert np.abs(system.f(0.0, system.q0, np.zeros(system.nv))).max() < 1e-7  # curved, and without strain
    for load, published in ((300.0, (22.33, 58.84, 40.08)), (600.0, (15.79, 47.23, 53.37))):
        loaded = fm.Model()
        loaded.add(bend(tmp_path, 8))
        loaded.add(fm.Fixed("clamp", a="ground", b="bend.first"))
        loaded.add(fm.NodalForce("tip", node="bend.last", force=(0.0, 0.0, load)))
        system = loaded.assemble()
        rest = equilibrium(system)
        tip = system.layout.carriers.positions(rest.q[None])[0, -1]
        # Simo and Vu-Quoc 1986, 8 elements; their x is our y
        assert tip[[1, 0, 2]] == pytest.approx(published, abs=0.15)


def test_a_spinning_frame_keeps_energy_and_momentum() -> None:
    keys = {"section": RECT, "material": {"young": 2e9, "density": RHO}, "mesh": MESHES / "portal.msh"}
    model = fm.Model()
    model.add(fm.ExactBeam("f", angular_velocity=(1.0, 2.0, 20.0), about=(2.0, 0.0, 1.0), velocity=(0.3, 0, 0), **keys))
    result = fm.simulate(
        model, fm.MoreauJean(theta=0.5), step=5e-4, end=0.05, signals=["f.momentum", "f.left.position"]
    )
    assert result.summary["energy"]["residual_max"] < 1e-9
    p = result.signals["f.momentum"]
    assert np.ptp(p, axis=0) == pytest.approx(0.0, abs=1e-9 * np.abs(p).max())


def test_a_hinged_exact_beam_is_a_double_pendulum(tmp_path: Path) -> None:
    points = np.array([[0.0, 0, 0], [0.5, 0, 0], [1.0, 0, 0], [1.5, 0, 0], [2.0, 0, 0]])
    path = write(tmp_path / "two.msh", points, chain(points), {"knee": [2]})
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.ExactBeam("arm", mesh=path, section=RECT, material=STEEL, orientation=(0, 0, 1.0), hinges=["knee"]))
    model.add(fm.Spherical("pin", a="ground", b="arm.first"))
    result = fm.simulate(
        model, fm.GeneralizedAlpha(rho_inf=0.5), step=1e-3, end=0.1, signals=["arm.last.position", "arm.knee.position"]
    )
    t = 0.1
    # two uniform rods that fall from the level: angular accelerations 9/7 and -3/7 g over the length (small times)
    knee, tip = result.signals["arm.knee.position"][-1, 2], result.signals["arm.last.position"][-1, 2]
    assert knee == pytest.approx(-9.0 / 7.0 * 9.81 * t**2 / 2.0, rel=0.02)
    assert tip == pytest.approx(-(9.0 - 3.0) / 7.0 * 9.81 * t**2 / 2.0, rel=0.02)


SQUARE = np.array([[0.0, 0, 0], [1.0, 0, 0], [1.0, 0, 1.0], [0.0, 0, 1.0], [0.0, 1.0, 0.0]])
RING = [[0, 1], [1, 2], [2, 3], [3, 0]]


def beam(path: Path, **keys: object) -> fm.Beam:
    return fm.Beam("frame", mesh=path, **{"section": RECT, "material": STEEL, **keys})


@pytest.mark.parametrize(
    ("lines", "named", "keys", "words"),
    [
        ([[0, 1], [2, 3]], {}, {}, ("bad.msh", "2 separate pieces", "node 2")),
        ([*RING, [1, 1]], {}, {}, ("bad.msh", "element 4", "length")),
        ([*RING, [1, 0]], {}, {}, ("bad.msh", "element 4", "duplicate")),
        (RING, {}, {"supports": [{"node": "foot", "kind": "pinned"}]}, ("foot", "corner")),
        (RING, {}, {"hinges": ["foot"]}, ("hinges[0]", "foot", "corner")),
        (RING, {}, {"groups": {"beem": {"section": RECT}}}, ("bad.msh", "beem", "beam")),
        (RING, {}, {"groups": {"beam": {"colour": 1}}}, ("groups.beam", "colour")),
        (RING, {}, {"section": None, "groups": {"beam": {"section": RECT}}}, ("section", "element 2")),
        (RING, {}, {"direction": (1.0, 0, 0)}, ("direction",)),
        (RING, {}, {"points": {"tip": 0.3}}, ("points.tip", "0.3")),
        (RING, {}, {"points": {"tip": [0.5, 0, 0]}}, ("points.tip", "node(", "0.5 m away")),
        (RING, {"all": [0]}, {}, ("bad.msh", "group 'all'")),
        ([*RING, [0, 4]], {}, {}, ("bending", "spatial")),
        ([*RING, [0, 4]], {}, {"bending": "spatial"}, ("orientation", "element 0", "not round")),
        ([*RING, [0, 4]], {}, {"bending": "spatial", "orientation": (0, 1.0, 0)}, ("parallel", "element 4")),
        (RING, {"spare": [4]}, {}, ("bad.msh", "spare", "node 4")),
    ],
)  # fmt: skip
def test_meshes_and_keys_that_cannot_be_used(
    tmp_path: Path, lines: list, named: dict, keys: dict, words: tuple[str, ...]
) -> None:
    path = write(tmp_path / "bad.msh", SQUARE, lines, {"corner": [0], **named}, {"beam": [0, 1]})
    with pytest.raises(InputError) as caught:
        beam(path, **keys)
    for word in words:
        assert word in str(caught.value), word


def test_solids_where_lines_are_expected(tmp_path: Path) -> None:
    cells = [("line", np.array([[0, 1], [1, 2], [2, 0]])), ("triangle", np.array([[0, 1, 2]]))]
    meshio.Mesh(SQUARE, cells).write(tmp_path / "plate.vtu")
    with pytest.raises(InputError, match=r"plate\.vtu.*triangle"):
        beam(tmp_path / "plate.vtu")


def test_an_orientation_that_a_curve_passes_through_is_refused() -> None:
    keys = {"bending": "spatial", "section": RECT, "material": STEEL}
    with pytest.raises(InputError, match=r"orientation.*element \d+.*element \d+"):
        fm.Beam("arch", mesh=MESHES / "arch.msh", orientation=(1.0, 0.0, 0.02), **keys)
    y = np.array([axes[:, 1] for axes in fm.Beam("arch", mesh=MESHES / "arch.msh", **keys)._network.axes])
    assert np.all(np.einsum("mi,mi->m", y[1:], y[:-1]) > 0.99)  # the default turns with the curve, and never over


def test_contacts_supports_and_signals_by_group_in_both_kinds_of_motion() -> None:
    def model(large: bool) -> fm.Model:
        out = fm.Model(gravity=(0.0, 0.0, -9.81))
        out.add(
            fm.Bar(
                "t", mesh=MESHES / "truss.msh", area=1e-4, material={"young": 7e8, "density": 2700.0},
                position=(0, 0, 0.001), supports=[{"node": "all", "fix": ["y"]}], damping=(0.0, 1e-4),
            )
        )  # fmt: skip
        out.add(fm.NodePlane("floor", nodes="t.feet", normal=(0, 0, 1.0)))
        if large:
            out.add(fm.Rigid("far", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(50.0, 0, 0)))
        return out

    found = []
    for large in (False, True):
        result = fm.simulate(
            model(large), fm.GeneralizedAlpha(rho_inf=0.8), step=1e-3, end=0.05, signals=["t.node(2).position"]
        )
        found.append(result.signals["t.node(2).position"])
        assert result.summary["energy"]["residual_max"] < 1e-9
        assert result.contacts["floor"].impulse.shape[1] == 2
    assert found[1] == pytest.approx(found[0], abs=1e-9)
    defaults = model(False).assemble().probes
    assert defaults[0].name == "t.node(0).position"  # no single point of it has a name


def test_stations_put_nodes_where_they_are_asked_for() -> None:
    bar = fm.Bar(
        "b", length=2.0, elements=10, stations=[0.33, 1.234567], area=1.0, material=STEEL, points={"stop": 0.33}
    )
    x = bar._x
    assert x.size == 11
    assert np.all(np.diff(x) > 0)
    for s in (0.33, 1.234567):
        assert np.min(np.abs(x - s)) == 0.0
    assert bar._nodes.named["stop"] == int(np.argmin(np.abs(x - 0.33)))
    graded = fm.Beam("b", length=2.0, elements=10, grading=9.0, stations=[1.0], section=RECT, material=STEEL)._x
    near = int(np.flatnonzero(graded == 1.0)[0])
    ratios = np.diff(graded)[1:] / np.diff(graded)[:-1]
    assert np.delete(ratios, near - 1) == pytest.approx(9.0 ** (1 / 9), rel=1e-9)  # the grading is kept on both sides
    crowded = fm.ExactBeam("b", length=1.0, elements=4, stations=[0.01, 0.02, 0.03], section=RECT, material=STEEL)
    assert crowded._beam._x == pytest.approx([0.0, 0.01, 0.02, 0.03, 1.0])
    for bad, word in (
        ([2.0], "2"),
        ([0.5, 0.5], "0.5 m"),
        ([0.1, 0.2], "3 elements"),
        ("mid", "list"),
        ([0.0], "ends"),
    ):
        with pytest.raises(InputError, match="stations") as caught:
            fm.Bar("b", length=2.0, elements=2, stations=bad, area=1.0, material=STEEL)
        assert word in str(caught.value)
    with pytest.raises(InputError, match="stations"):
        fm.Bar("b", mesh=MESHES / "graded_rod.msh", stations=[1.0], area=1.0, material=STEEL)
    with pytest.raises(InputError, match="hinges"):
        fm.Bar("b", length=2.0, elements=2, hinges=["mid"], area=1.0, material=STEEL)


def test_floating_beams_and_quadratic_bars_stay_straight() -> None:
    with pytest.raises(InputError, match="mesh"):
        fm.FloatingBeam("b", mesh=MESHES / "arch.msh", section=RECT, material=STEEL)
    with pytest.raises(InputError, match="order"):
        fm.Bar("b", mesh=MESHES / "truss.msh", order=2, area=1.0, material=STEEL)
    with pytest.raises(InputError, match=r"arch\.msh.*not straight"):
        fm.Bar("b", mesh=MESHES / "arch.msh", area=1.0, material=STEEL)
