"""Impulses and works of a step with several parts: smooth pieces and impacts, summed into one ``StepReport``."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.kernels.geometry.tables import CONSERVATIVE, CROSS, DAMPING, DRIVE, EXTERNAL, INERTIA
from flexmb.schemes.block_rows import BlockRows
from flexmb.state import Array, StepReport
from flexmb.system.protocol import System


class StepWorks:
    """Accumulated works of the parts of a step; ``mu`` (nc,) are the coefficients of friction."""

    def __init__(self, system: System, mu: Array) -> None:
        self.blocks, self.mu = system.contacts.blocks, mu
        nc, nt = self.blocks.nc, self.blocks.nt
        self.P, self.R, self.Lam = np.zeros(nc), np.zeros(nt), np.zeros(system.nj)
        self.contact, self.tangential, self.surface = np.zeros(nc), np.zeros(nt), np.zeros(nc)
        self.external = self.drive = self.spin = self.cross = self.damping = self.numerical = 0.0
        self.iterations = 0

    def add_forces(self, work: Array, dV: float) -> None:
        """Add the works of the forces by class, (CLASSES,), while the stored energy changed by ``dV``."""
        self.external += float(work[EXTERNAL])
        self.drive += float(work[DRIVE])
        self.spin += float(work[DRIVE])
        self.cross += float(work[CROSS])
        self.damping += float(work[DAMPING])
        self.numerical += dV + float(work[CONSERVATIVE] + work[INERTIA])

    def add_contacts(self, rows: BlockRows, P: Array, rates: Array, given: Array) -> None:
        """Add the impulses P (n,) of rows on their mean rates; ``given`` is the contribution of prescribed motions."""
        normal, beside = rows.spread(P)
        self.P += normal
        self.R += beside
        normal, beside = rows.spread(P * rates)
        self.contact += normal
        self.tangential += beside
        self.surface -= self.blocks.by_contact(np.concatenate(rows.spread(given * P)))
        self.drive -= float(given @ P)

    def add_joints(self, Lam: Array, rates: Array, given: Array) -> None:
        """Add the impulses of joints on their mean rates: all except the work of drives is numerical."""
        self.Lam += Lam
        self.numerical += float(rates @ Lam)
        self.drive -= float(given @ Lam)

    def report(self) -> StepReport:
        """Return the report of the whole step."""
        beside: dict[str, Any] = {}
        if self.blocks.nt:
            slides, by = self.blocks.tangent, self.blocks.owner
            works = np.zeros((2, self.blocks.nc))
            np.add.at(works, (np.where(slides, 0, 1), by), self.tangential)
            beside = {"R": self.R, "sliding": works[0], "rolling": works[1], "mu": self.mu}
        return StepReport(
            P=self.P,
            external=self.external,
            drive=self.drive,
            spin=self.spin,
            damping=self.damping,
            contact=self.contact,
            numerical=self.numerical,
            iterations=self.iterations,
            cross=self.cross,
            surface=self.surface,
            Lam=self.Lam,
            **beside,
        )
