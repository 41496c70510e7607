"""Records of engines that step in Python: ledger, impulses since the last sample, friction, samples."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.laws.friction_law import falling_share, state_after
from flexmb.kernels.laws.friction_record import (
    COHESION,
    FALLING,
    R_T,
    RATE_T,
    ROLLING,
    SLIDING,
    STATUS,
    SURFACE,
    add_up_friction,
    friction_rows,
    take_friction,
)
from flexmb.kernels.laws.friction_status import SLIP, write_status
from flexmb.kernels.small_motion.ledger import (
    T_CLOSED,
    T_CROSS,
    T_DAMPING,
    T_DRIVE,
    T_EXTERNAL,
    T_ITERATIONS,
    T_NUMERICAL,
    T_PROJECTED,
    T_PROJECTION,
    T_SPIN,
    TERMS_SIZE,
    add_to_ledger,
    balance,
    empty_ledger,
)
from flexmb.record.samples import Block
from flexmb.state import Array, StepReport
from flexmb.system.linear_instant import LinearInstant
from flexmb.system.linear_system import LinearSystem, Probe
from flexmb.system.multibody_instant import MultibodyInstant
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.probes import MultibodyProbe

KEPT = ("ledger", "since", "since_field", "joints", "beside", "laws", "law_states")
"""Arrays that a snapshot holds."""


class StepRecords:
    """Records steps and takes samples.

    Parameters
    ----------
    system : LinearSystem or MultibodySystem
    response : (nc,) array
        Velocity a contact gains per unit of its impulse.
    h : float
        Step, for schemes that give impulses of joints in place of forces.
    response_T : (nc,) array, optional
        Mean velocity of its tangents per unit of their impulse; without it falling laws are not looked at.
    """

    def __init__(
        self, system: LinearSystem | MultibodySystem, response: Array, h: float, response_T: Array | None = None
    ) -> None:
        self.system, self.response, self.h, self.response_T = system, response, h, response_T
        self.ledger = empty_ledger()
        self.since, blocks = np.zeros(system.contacts.nc), system.contacts.blocks
        self.beside, self.laws = friction_rows(blocks.nc, blocks.nt, blocks.normals_only)
        self.law_states, self.slipped = blocks.friction[:, 6].copy(), np.zeros(blocks.nc)
        self.since_field = np.zeros(system.impulse_map.shape[1])
        self.joints = np.zeros((2, system.nj))  # forces at the end of the last step, impulses since the last sample

    def arrive(self, now: LinearInstant | MultibodyInstant) -> None:
        """Set the current state of the motion."""
        self.now = now
        if self.beside.size:
            self.slipped = self.system.contacts.blocks.slip(self.beside[RATE_T])
            self.beside[RATE_T] = now.U_T

    def book(self, report: StepReport, t: float) -> None:
        """Record a step that has ended at t, in the state set by ``arrive``."""
        terms = np.zeros(TERMS_SIZE)
        terms[T_EXTERNAL], terms[T_DRIVE], terms[T_DAMPING] = report.external, report.drive, report.damping
        terms[T_NUMERICAL], terms[T_PROJECTION] = report.numerical, report.projection
        terms[T_ITERATIONS], terms[T_CROSS] = report.iterations, report.cross
        terms[T_PROJECTED], terms[T_CLOSED], terms[T_SPIN] = report.drift, report.closing, report.spin
        self.since += report.P
        if report.Lam.size:
            self.joints[0] = report.lam if report.lam.size else report.Lam / self.h
            self.joints[1] += report.Lam
        if report.P.any() or report.R.any():
            self.since_field += self.now.impulse_vectors(report.P, report.R)
        self._book_friction(report)
        add_to_ledger(self.ledger, terms, report.P, report.contact, self.laws, self.response, self.now.g, t)

    def flew(self, now: MultibodyInstant, lam: Array) -> None:
        """Adopt the state after booked steps without contact; ``lam`` are the joint forces there."""
        self.arrive(now)
        self.joints[0] = lam
        self.laws[: STATUS + 1] = 0.0
        self.beside[R_T] = 0.0

    def _book_friction(self, report: StepReport) -> None:
        """Store the friction data of a step, and the status of the contacts."""
        if not self.laws.size:
            return
        blocks = self.system.contacts.blocks
        works = {SLIDING: report.sliding, ROLLING: report.rolling, COHESION: report.cohesion, SURFACE: report.surface}
        for row, values in works.items():
            self.laws[row] = values if values.size else 0.0
        self.beside[R_T] = report.R if report.R.size else 0.0
        mu = report.mu if report.mu.size else np.ascontiguousarray(blocks.friction[:, 0])
        P, R = report.P, self.beside[R_T]
        if report.bonds.size:  # the impulse of a bond is not friction
            P, R = P - report.bonds[: P.size], R - report.bonds[P.size :]
        write_status(P, R, blocks.start, blocks.slides, mu, self.laws[STATUS])
        if self.response_T is not None:
            self._look_at_falling(P, self.response_T)
        add_up_friction(self.beside, self.laws, report.contact)

    def _look_at_falling(self, P: Array, response: Array) -> None:
        """Write how steeply the laws fall at contacts that slip, and move their states on."""
        for i, row in enumerate(self.system.contacts.blocks.friction):
            speed, theta = float(self.slipped[i]), float(self.law_states[i])
            slips = self.laws[STATUS, i] == SLIP
            share = falling_share(row, speed, theta, self.h, float(response[i]), float(P[i])) if slips else 0.0
            self.laws[FALLING, i], self.law_states[i] = share, state_after(row, speed, theta, self.h)

    def sample(self, block: Block, k: int) -> None:
        """Write sample k of a block."""
        now, width = self.now, 0
        for probe in self.system.probes:
            block.probes[k, width : width + probe.size] = _signal(probe, now)
            width += probe.size
        block.gap[k], block.velocity[k], block.impulse[k] = now.g, now.U, self.since
        self.since[:] = 0.0
        if self.laws.size:
            take_friction(self.beside, self.laws, block.beside[k], block.laws[k])
        if isinstance(now, MultibodyInstant) and block.multiplier is not None:
            assert block.joint_g is not None
            assert block.joint_gdot is not None
            assert block.joint_impulse is not None
            block.multiplier[k], block.joint_impulse[k] = self.joints
            block.joint_g[k], block.joint_gdot[k] = now.joint_g, now.joint_rates
            self.joints[1] = 0.0
        balance(self.ledger, now.kinetic, now.potential, block.energy[k])

    def field(self, block: Block, k: int) -> None:
        """Write field sample k of a block."""
        block.field_q[k] = self.now.q[: self.system.nq]
        block.field_v[k] = self.now.v
        block.field_impulse[k] = self.since_field
        self.since_field[:] = 0.0

    def arrays(self) -> dict[str, Array]:
        """Return the arrays of a snapshot."""
        return {name: getattr(self, name) for name in KEPT}

    def restore(self, arrays: dict[str, Array]) -> None:
        """Continue from a snapshot."""
        for name in KEPT:
            setattr(self, name, arrays[name].copy())


def _signal(probe: Probe | MultibodyProbe, now: LinearInstant | MultibodyInstant) -> Array:
    """Return a signal in an instant, (size,)."""
    if isinstance(probe, Probe):
        return np.asarray(probe.offset + probe.B @ (now.v if probe.of == "v" else now.q))
    q = now.q[None, : now.system.nq]
    return np.asarray(probe.evaluate(np.array([now.t]), q, now.v[None, :], np.zeros((1, 0)), now.theta[None, :])[0])
