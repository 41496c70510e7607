"""Linearly implicit trapezoidal stepping with impacts (Potra, Anitescu, Gavrea, Trinkle 2006): order 2 with contacts.

With q_m = q_k (+) (h/2) v_k, directions G (contacts: normals and the edges of their pyramids) and G_J (joints) at q_m,

    M~ = M(q_m) + (h/2) C + (h^2/4) K,     C = -dF/dv,  K = -dF/dq
    M~ (v_{k+1} - v_k) = (h/2) [F(t_k, q_k, v_k) + F(t_{k+1}, q_k (+) h v_k, v_k)] + G P + G_J Lam
    q_{k+1} = q_m (+) (h/2) v_{k+1}
    G_J^T (v_k + v_{k+1})/2 + g_t = 0
    closed contacts: pyramids (``nonsmooth.pyramid``) with the rates of v_{k+1}, along the directions at q_k (+) h v_k
                     (variant I, eq 70), or with those of (v_k + v_{k+1})/2 at q_m (variant II, eq 68)

(eqs 61-70; corrected: M at q_m, h k_q v where h k_q v / 2 is printed, and rates of v_{k+1} where it is, not at q_m: all
three for order 2.) Joints have the mean velocity in both variants. Forces and momenta that are not linear, those of
bodies that turn above all, are corrected once with the same matrix.

Events. A gap that closes inside the step is found by its cubic Hermite polynomial, and the step is repeated up to there
(eq 73; the state is that of a step, not of the polynomial, so that the ledger holds). There, and where a step starts
with a closed contact that approaches, Poisson's impact on all closed contacts: compression, then decompression with
e times its normal impulses (eqs 76-80). A contact that comes back after less than a step stays (no restitution):
bounces shorter than that would never end. A contact that was pressed stays closed until it is not pressed.

Energy, with v = (v_k + v_{k+1})/2, momenta p and forces along the axes at q_m, and r what the correction leaves,

    dT = v . (p_{k+1} - p_k) + (v_{k+1} . p_k - v_k . p_{k+1})/2
    dE = h v . (F_external + F_drive + F_cross + F_damping) + (G^T v + g_t) . P - g_t . P + (G_J^T v + g_t) . Lam
         - g_t . Lam + dV + h v . (F_conservative + F_inertia) + (v_{k+1} . p_k - v_k . p_{k+1})/2 + v . r    numerical

For a constant system F is the mean of both ends, r = 0, and nothing is numerical; normals of variant II and joints do
no work, and friction of variant II dissipates energy in every step (theorem of section 9.1). In variant I impulses work
on the mean of the rates at both ends. Impacts: dT = P . (U^- + U^+)/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import InputError
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.block_rows import BlockRows, refuse_tangential_restitution
from flexmb.schemes.first_contact import first_contact
from flexmb.schemes.frictional import coefficients, laws_after, no_laws
from flexmb.schemes.scheme import ALL_LAWS, Memory, Responses, Scheme, check_choice
from flexmb.schemes.step_works import StepWorks
from flexmb.schemes.trapezoidal_piece import Piece, PoissonImpact, smooth_piece
from flexmb.state import Array, IntArray, State, StepReport
from flexmb.system.protocol import Instant, System

BoolArray = NDArray[np.bool_]
NEAR, REST = 1e-9, 1e-9
"""A contact that closes within this fraction of the step counts as closed; a relative rate this small counts as "
"zero."""
LANDINGS = 4
"""Maximum number of corrections of the impact time."""
EVENTS = 40
"""Number of impacts in a step after which gaps are no longer checked: closing contacts then stay closed."""


@dataclass(frozen=True)
class Potra(Scheme):
    """Linearly implicit trapezoidal rule, one complementarity problem per step; located impacts by Poisson's law.

    Parameters
    ----------
    variant : str
        Contact velocity: "I" at the end of the step; "II" the mean of both ends, with which friction never adds energy,
        but a sticking contact keeps its slip velocity with alternating sign.
    facets : int
        Facets of the pyramid that replaces the friction cone, at least 3; planar contacts are exact with any number.
    """

    variant: str = "I"
    facets: int = 8

    name: ClassVar[str] = "potra"
    any_system: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = ALL_LAWS - {"cohesion"}

    def __post_init__(self) -> None:
        check_choice("variant", self.variant, ("I", "II"))
        whole = isinstance(self.facets, (int, np.integer)) and not isinstance(self.facets, bool)
        if not whole or self.facets < 3:
            raise InputError("must be an integer >= 3", where="scheme", key="facets", value=self.facets)

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        return 2

    def notes(self, jointed: bool, bounces: bool = False) -> tuple[str, ...]:
        """Return a note that restitution is that of Poisson's law here."""
        if not bounces:
            return ()
        words = "restitution is the fraction of the compression impulse that a contact returns"
        return (f"scheme 'potra' has Poisson's impacts at all contacts, also without impact = \"poisson\": {words}",)

    def check_laws(self, system: System) -> None:
        """Raise InputError for tangential restitution, which Poisson's impacts do not have, and for cohesion."""
        super().check_laws(system)
        refuse_tangential_restitution(self.name, system)

    def prepare(self, system: System, h: float) -> Responses:
        """Return the responses of contacts at the start."""
        here = system.instant(0.0, system.start, system.v0)
        return Responses.of(system.factor(here, 1.0, 0.5 * h, 0.25 * h * h), here.G)

    def start(self, system: System, state: State, h: float, fixed: Responses, solver: ContactSolver) -> Memory:
        """Return the memory: impulses of the last smooth motion, and the times since the last impacts of contacts."""
        nc = system.contacts.nc
        contacts = np.stack([np.zeros(nc), np.full(nc, np.inf)])
        return Memory(np.zeros((0, system.nv)), contacts, np.zeros((1, 0)), np.zeros(0), **no_laws(system))

    def step(
        self, system: System, state: State, h: float, memory: Memory, fixed: Responses, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Advance from t_k to t_k + h, through impacts within the step."""
        now, left, blocks = system.instant(state.t, state.q, state.v), h, system.contacts.blocks
        slip, (P, since), R = blocks.slip(now.U_T), memory.contacts, memory.rows[0]
        works = StepWorks(system, coefficients(blocks, slip, memory.laws))
        pressed, hit = P > 0.0, np.zeros(P.size, dtype=bool)
        for event in range(EVENTS + 1):
            touching = pressed | hit | (now.g <= now.gap_noise + NEAR * h * np.maximum(-now.U, 0.0))
            closed = pressed | hit | (touching & (now.U <= 0.0))
            if (touching & ~pressed & (now.U < 0.0)).any():
                rate, e = np.abs(now.U[touching]).max(), np.where(since < h, 0.0, system.contacts.e)
                rows = BlockRows(blocks, np.flatnonzero(touching), works.mu)
                impact = PoissonImpact(system, now, rows, e, self.facets, solver)
                impact.book(works)
                now, since = impact.after, np.where(impact.pushed, 0.0, since)
                pressed = closed = touching & (now.U - REST * rate <= 0.0)
            if event == EVENTS:
                closed = closed | (now.g + left * now.U <= now.gap_noise)
            rows = BlockRows(blocks, np.flatnonzero(closed), works.mu)
            piece, hit = self._piece(system, now, left, rows, np.concatenate([P, R]), solver, event < EVENTS)
            if piece is not None:
                piece.book(works)
                now, since, left = piece.end, since + piece.s, left - piece.s
                P, R = rows.spread(piece.P)
                pressed = P > 0.0
            if not hit.any():
                break
        if blocks.friction[:, 1].any():
            memory = memory.with_(laws=laws_after(blocks, memory.laws, slip, h, now.g, np.zeros(blocks.nt)))
        after = memory.with_(contacts=np.stack([P, since]), rows=R[None, :])
        return State(state.t + h, now.q, now.v), after, works.report()

    def _piece(
        self,
        system: System,
        now: Instant,
        left: float,
        rows: BlockRows,
        guess: Array,
        solver: ContactSolver,
        looking: bool,
    ) -> tuple[Piece | None, BoolArray]:
        """Return the motion up to the first closing gap, or to the end, and the contact.

        There is no motion where a contact closes at once. The contacts of ``rows`` are closed; ``guess`` (nc + nt,) are
        impulses to start from.
        """

        def move(s: float) -> Piece:
            return smooth_piece(system, now, s, rows, guess, self.variant == "II", self.facets, solver)

        closed = np.zeros(now.g.size, dtype=bool)
        closed[rows.which] = True
        piece, hit = move(left), np.zeros(closed.size, dtype=bool)
        free: IntArray = np.flatnonzero(~closed)
        if not looking or not free.size:
            return piece, hit
        ends = piece.end
        s, at = first_contact((now.g[free], ends.g[free]), (now.U[free], ends.U[free]), left, now.gap_noise[free])
        if at < 0 or s >= (1.0 - NEAR) * left:
            return piece, hit
        i = int(free[at])
        hit[i] = True
        if s <= NEAR * left:
            return None, hit
        for _ in range(LANDINGS):
            piece = move(s)
            g, U = float(piece.end.g[i]), float(piece.end.U[i])
            if abs(g) <= 4.0 * piece.end.gap_noise[i] or not U < 0.0 or not 0.0 < s - g / U <= left:
                break
            s -= g / U
        return piece, hit

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q, h v): that of the trapezoidal rule."""
        S = 1.0 + 0.5 * c + 0.25 * k
        v = np.array([-k / S, 1.0 - (0.5 * k + c) / S])
        return np.stack([np.array([1.0, 0.5]) + 0.5 * v, v])
