"""A run in large motion made by hand, without model or loop: two boxes that turn, a beam that bends, a floor.

``left`` spins about y where it is, ``right`` moves along x and spins about z, ``rod`` has ten frames along x and rolls
up to half a circle in the x-z plane. Contacts: ``floor`` (a corner of ``left`` and the tip of ``rod``), ``pair``
(``right`` against ``left``). Joints: ``hinge`` (five rows) and ``slot`` (one row).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from scipy import sparse

from flexmb.assembly.markers import BodyInfo, Marker, Picture, on_frame
from flexmb.kernels.geometry.tables import FRAME
from flexmb.record.result import MemorySink, Result
from flexmb.record.samples import ENERGY_COLUMNS, Block, RunInfo, Tally
from flexmb.system.contact_blocks import Blocks
from flexmb.system.layout import Layout, layout_of
from flexmb.system.probes import MultibodyProbe

NODES, LENGTH, RADIUS = 10, 3.0, 0.05
NQ, NV = 7 * (2 + NODES), 6 * (2 + NODES)
END, STEPS, H = 2.0, 40, 0.05
CORNERS = 0.5 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
SIDES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
TRIANGLES = np.concatenate([SIDES[:, [0, 1, 2]], SIDES[:, [0, 2, 3]]])
SIZE = {"left": np.array([0.8, 0.5, 0.3]), "right": np.array([0.4, 0.4, 1.0])}
PLACE = {"left": np.array([0.0, 0.0, 0.5]), "right": np.array([3.0, 1.5, 0.5])}
CASE = """title = "by hand"
[gravity]
acceleration = [0.0, 0.0, -9.81]
[contacts.floor]
kind = "node-plane"
normal = [0.0, 0.0, 2.0]
point = [7.0, 0.0, -0.6]
[contacts.pair]
kind = "node-plane"
normal = [1.0, 0.0, 0.0]
body = "left"
"""


@dataclass(frozen=True)
class Scheme:
    name: ClassVar[str] = "fake"

    def notes(self, jointed: bool, bounces: bool = False) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True)
class Groups:
    names: tuple[str, ...]
    start: np.ndarray

    @property
    def nc(self) -> int:
        return int(self.start[-1])

    nj = nc

    @property
    def e(self) -> np.ndarray:
        return np.zeros(self.nc)

    @property
    def blocks(self) -> Blocks:
        return Blocks.frictionless(self.nc)

    @property
    def labels(self) -> tuple[str, ...]:
        rows = zip(self.names, self.start[:-1], self.start[1:], strict=True)
        return tuple(f"{name}: {'xyz'[k] if k < 3 else f'turn {k}'}" for name, a, b in rows for k in range(b - a))


@dataclass(frozen=True)
class System:
    nq: int
    nv: int
    layout: Layout
    impulse_map: sparse.csr_array
    probes: tuple[MultibodyProbe, ...] = ()
    spins: bool = False
    contacts: Groups = field(default_factory=lambda: Groups(("floor", "pair"), np.array([0, 2, 3])))
    joints: Groups = field(default_factory=lambda: Groups(("slot", "hinge"), np.array([0, 1, 6])))


def state(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Return q and v at a time."""
    q, v = np.zeros(NQ), np.zeros(NV)
    q[:7] = [*PLACE["left"], np.cos(0.4 * t), 0.0, np.sin(0.4 * t), 0.0]
    v[:6] = [0.0, 0.0, 0.0, 0.0, 0.8, 0.0]
    q[7:14] = [*(PLACE["right"] + [0.3 * t, 0.0, 0.0]), np.cos(0.6 * t), 0.0, 0.0, np.sin(0.6 * t)]
    v[6:12] = [0.3, 0.0, 0.0, 0.0, 0.0, 1.2]
    bend = np.pi * t / END  # of the whole rod; it turns about -y, so that its tip rises
    s = np.linspace(0.0, 1.0, NODES)
    x, z = (s, 0 * s) if t == 0.0 else (np.sin(bend * s) / bend, (1 - np.cos(bend * s)) / bend)
    for i in range(NODES):
        half = -0.5 * bend * s[i]
        q[14 + 7 * i :][:7] = [LENGTH * x[i], -1.0, LENGTH * z[i], np.cos(half), 0.0, np.sin(half), 0.0]
        v[12 + 6 * i :][:6] = [0.0, 0.0, 0.0, 0.0, -np.pi / END * s[i], 0.0]
    return q, v


def bodies() -> dict[str, BodyInfo]:
    q, _ = state(0.0)
    out = {}
    for k, name in enumerate(("left", "right")):
        x = q[7 * k : 7 * k + 3]
        place = on_frame(7 * k, 6 * k, x, np.eye(3), np.zeros(3), name)
        picture = Picture(*_carried(8, 7 * k, 6 * k), CORNERS * SIZE[name], triangles=TRIANGLES)
        tip = on_frame(7 * k, 6 * k, x, np.eye(3), np.array([0.4, 0.0, 0.0]), f"{name}.tip")
        out[name] = _body(name, [place], {"tip": tip}, 6 * k + np.arange(6), picture)
    iq, iv = 14 + 7 * np.arange(NODES), 12 + 6 * np.arange(NODES)
    nodes = [
        on_frame(int(a), int(b), q[a : a + 3], np.eye(3), np.zeros(3), f"rod.node({i})")
        for i, (a, b) in enumerate(zip(iq, iv, strict=True))
    ]
    lines = np.column_stack([np.arange(NODES - 1), np.arange(1, NODES)])
    picture = Picture(np.full(NODES, FRAME), iq, iv, np.zeros((NODES, 3)), lines=lines, radius=RADIUS)
    named = {"first": nodes[0], "mid": nodes[4], "last": nodes[-1]}
    out["rod"] = _body("rod", nodes, named, np.arange(12, NV), picture)
    return out


def _carried(n: int, iq: int, iv: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.full(n, FRAME), np.full(n, iq), np.full(n, iv)


def _body(name: str, nodes: list[Marker], named: dict[str, Marker], unknowns: np.ndarray, picture: Picture) -> BodyInfo:
    rows = np.array([[p.iv, p.iv + 1, p.iv + 2] for p in nodes])
    return BodyInfo(name, nodes, named, len(nodes) == 1, 2.0, unknowns, picture, rows)


def system() -> System:
    layout = layout_of(bodies(), state(0.0)[0])
    # contacts: corner 0 of left, tip of the rod; corner 1 of right against corner 6 of left
    S = np.zeros((3 * len(layout.points), 9))
    for contact, point, sign in ((0, 0, 1.0), (1, 16 + NODES - 1, 1.0), (2, 9, 1.0), (2, 6, -1.0)):
        S[3 * point : 3 * point + 3, 3 * contact : 3 * contact + 3] = sign * np.eye(3)
    twist = MultibodyProbe("joints.hinge.angle", 1, lambda t, q, v, theta: 2 * np.arctan2(q[:, 5], q[:, 3]))
    place = MultibodyProbe("left.orientation", 4, lambda t, q, v, theta: q[:, 3:7])
    return System(NQ, NV, layout, sparse.csr_array(S), (twist, place))


def run_info() -> RunInfo:
    return RunInfo(system(), Scheme(), H, 0.0, STEPS, 1, 4, "by hand")


def block(run: RunInfo) -> Block:
    """Return all samples; the numbers of contacts and joints are random but the same every time."""
    rng = np.random.default_rng(3)
    step = np.arange(run.steps + 1)
    kept = step[step % run.fields_every == 0]
    states = [state(run.h * n) for n in step]
    q, v = np.array([s[0] for s in states]), np.array([s[1] for s in states])
    t, k = run.h * step, len(step)
    impulse = np.abs(rng.normal(size=(k, 3))) * (t > 1.0)[:, None]
    vectors = np.zeros((len(kept), 9))
    vectors[-1] = [0, 0, 1.5, 0, 0, 0.5, 2.0, 0.0, 0.0]
    return Block(
        step=step,
        time=t,
        probes=np.column_stack([p.evaluate(t, q, v, np.zeros((k, 6))) for p in run.system.probes]),
        gap=np.abs(rng.normal(size=(k, 3))),
        velocity=rng.normal(size=(k, 3)),
        impulse=impulse,
        energy=np.abs(rng.normal(size=(k, len(ENERGY_COLUMNS)))),
        field_step=kept,
        field_q=q[kept],
        field_v=v[kept],
        field_impulse=vectors,
        multiplier=rng.normal(size=(k, 6)),
        joint_g=1e-9 * rng.normal(size=(k, 6)),
        joint_gdot=1e-8 * rng.normal(size=(k, 6)),
        joint_impulse=rng.normal(size=(k, 6)),
    )


@dataclass(frozen=True)
class Reached:
    tally: Tally
    wall_time_s: float = 2.0
    stepping_time_s: float = 2.0
    cpu_time_s: float = 2.0


def result(case_text: str = CASE) -> Result:
    run = run_info()
    sink = MemorySink()
    sink.begin(run)
    whole = block(run)
    sink.append(whole)
    return sink.result(Reached(Tally(steps=run.steps, min_gap=0.0)), title="by hand", case_text=case_text)


def saved(folder: Path, case_text: str = CASE) -> Path:
    return result(case_text).save(folder)
