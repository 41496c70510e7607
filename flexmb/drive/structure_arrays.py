"""The matrices of a constant system and their factors as the compiled loop takes them: bands, or sparse where wide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.kernels.algebra.banded import Ldu, ldl_factor, ldu_factor
from flexmb.kernels.compilation.arrays_at import Room
from flexmb.kernels.small_motion.arrays import Bands, Modes, Structure
from flexmb.kernels.small_motion.sparse_structure import SparseStructure, sparse_algebra
from flexmb.linalg.bands import BandOrder
from flexmb.linalg.factor import SparseFactor, in_bands
from flexmb.linalg.strain import Strain, stack
from flexmb.schemes.scheme import StepMatrix
from flexmb.system.linear_system import LinearSystem


@dataclass(frozen=True)
class StructureArrays:
    """The arrays, and the memory that they refer to by its address; keep it as long as they are in use."""

    arrays: Structure
    behind: Room | None


def structure_arrays(system: LinearSystem, order: BandOrder, S: StepMatrix) -> StructureArrays:
    """Return the matrices, unknowns in band order, and the factors of S and M."""
    banded = in_bands(*system.patterns)
    laplacian = system.laplacian and banded
    behind = None if banded else _sparse(system, order, S)
    address = np.zeros(2, dtype=np.int64)
    if behind is not None:  # the stage is compiled when it is first called
        address[:] = 0, behind.at
        address[0] = sparse_algebra.door(address, 0)
    arrays = Structure(
        bands=_bands(system, order, S) if banded else NO_BANDS,
        sparse=address,
        F0=system.F0[order.perm],
        V0=float(system.V0),
        damped=int(system.damped),
        gyroscopic=int(bool(system.gyro.nnz)),
        crossed=int(bool(system.cross.nnz)),
        resists=int(bool(system.damped or system.gyro.nnz)),
        heavy=int(bool(system.F0.any())),
        laplacian=int(laplacian),
        strain=_modes(None if laplacian else system.strain, order),
        c_C=float(S.c_C),
        c_K=float(S.c_K),
        refine=int(S.refine),
    )
    return StructureArrays(arrays, behind)


def _bands(system: LinearSystem, order: BandOrder, S: StepMatrix) -> Bands:
    """Return the matrices as bands."""
    M, C, A = order.bands(system.M), order.bands(system.C), order.bands(S.matrix(system))
    gyro, cross = order.bands(system.gyro), order.bands(system.cross)
    resist = np.zeros((max(C.shape[0], gyro.shape[0]), system.nv))
    resist[: C.shape[0]] = C
    resist_up = resist.copy()
    resist[: gyro.shape[0]] += gyro
    resist_up[: gyro.shape[0]] -= gyro
    return Bands(
        M=M,
        K=order.bands(system.K),
        C=C,
        gyro=gyro,
        cross=cross,
        resist=resist,
        resist_up=resist_up,
        S=ldu_factor(A, order.bands(S.skew(system)))[0] if system.skew else ldl_factor(A)[0],
        S_M=ldl_factor(M)[0],
    )


_NONE, _NO_FACTORS = np.zeros((1, 1)), Ldu(np.zeros((1, 0)), np.zeros((1, 0)), np.zeros(1))
NO_BANDS = Bands(_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, _NONE, _NO_FACTORS, _NO_FACTORS)


def _sparse(system: LinearSystem, order: BandOrder, S: StepMatrix) -> Room:
    """Return the matrices as sparse rows in memory."""
    skew = order.placed(S.skew(system)) if system.skew else None
    return Room(
        SparseStructure(
            M=order.rows(system.M),
            K=order.rows(system.K if system.strain is None else sparse.csr_array(system.K.shape)),
            C=order.rows(system.C),
            resist=order.rows(system.C + system.gyro),
            cross=order.rows(system.cross),
            gyro=order.rows(system.gyro),
            S=SparseFactor(order.placed(S.matrix(system)), skew).supernodes(),
            S_M=SparseFactor(order.placed(system.M)).supernodes(),
        )
    )


def _modes(strain: Strain | None, order: BandOrder) -> Modes:
    """Return the deformation modes over the unknowns in band order."""
    nv = order.perm.size
    strain = stack([], nv) if strain is None else strain.placed(order.inverse, nv)
    i, j, c = strain.i, strain.j, strain.c
    # rows of K x: the entries of each unknown in the order of the terms
    mode = np.repeat(np.arange(strain.D.size), np.diff(strain.ptr))
    unknown, weight = np.stack([i, j], axis=1).ravel(), np.stack([c, -c], axis=1).ravel()
    there = unknown >= 0
    by_row = np.argsort(unknown[there], kind="stable")
    count = np.bincount(unknown[there], minlength=nv)
    return Modes(
        ptr=strain.ptr.astype(np.uint64),
        i=np.maximum(np.where(i >= 0, i, j), 0).astype(np.uint64),
        j=np.maximum(np.where(j >= 0, j, i), 0).astype(np.uint64),
        a=(i >= 0).astype(np.float64),
        b=(j >= 0).astype(np.float64),
        c=c,
        D=strain.D,
        row=np.concatenate([[0], np.cumsum(count)]).astype(np.uint64),
        mode=np.repeat(mode, 2)[there][by_row].astype(np.uint64),
        weight=weight[there][by_row],
        t=np.zeros(strain.D.size),
    )
