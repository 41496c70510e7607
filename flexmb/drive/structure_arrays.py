"""The matrices of a constant system and their factors as the compiled loop takes them: bands, or sparse where wide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.kernels.arrays import Modes, Structure
from flexmb.kernels.arrays_at import Room
from flexmb.kernels.banded import Ldu, ldl_factor, ldu_factor
from flexmb.kernels.sparse_structure import SparseRows, SparseStructure, sparse_algebra
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
    return _in_bands(system, order, S) if in_bands(*system.patterns) else _sparse(system, order, S)


def _in_bands(system: LinearSystem, order: BandOrder, S: StepMatrix) -> StructureArrays:
    """Return the matrices as bands."""
    M, C, A = order.bands(system.M), order.bands(system.C), order.bands(S.matrix(system))
    gyro, cross = order.bands(system.gyro), order.bands(system.cross)
    resist = np.zeros((max(C.shape[0], gyro.shape[0]), system.nv))
    resist[: C.shape[0]] = C
    resist_up = resist.copy()
    resist[: gyro.shape[0]] += gyro
    resist_up[: gyro.shape[0]] -= gyro
    bands = {"M": M, "C": C, "K": order.bands(system.K), "gyro": gyro, "cross": cross}
    bands |= {"resist": resist, "resist_up": resist_up}
    factors = {
        "S": ldu_factor(A, order.bands(S.skew(system)))[0] if system.skew else ldl_factor(A)[0],
        "S_M": ldl_factor(M)[0],
    }
    strain = _modes(None if system.laplacian else system.strain, order)
    own = {"laplacian": int(system.laplacian), "strain": strain, "sparse": np.zeros(2, dtype=np.int64)}
    return StructureArrays(Structure(**bands, **factors, **own, **_numbers(system, order, S)), None)


def _sparse(system: LinearSystem, order: BandOrder, S: StepMatrix) -> StructureArrays:
    """Return the matrices as sparse rows behind an address; the stage is compiled when it is first called."""

    def placed(A: sparse.csr_array) -> sparse.csr_array:
        return sparse.csr_array(sparse.csr_array(A)[order.perm][:, order.perm])

    M, skew = placed(system.M), placed(S.skew(system))
    behind = Room(
        SparseStructure(
            M=_rows(M),
            K=_rows(placed(system.K if system.strain is None else sparse.csr_array(system.K.shape))),
            C=_rows(placed(system.C)),
            resist=_rows(placed(system.C + system.gyro)),
            cross=_rows(placed(system.cross)),
            gyro=_rows(placed(system.gyro)),
            S=SparseFactor(placed(S.matrix(system)), skew if system.skew else None).supernodes(),
            S_M=SparseFactor(M).supernodes(),
        )
    )
    address = np.array([0, behind.at], dtype=np.int64)
    address[0] = sparse_algebra.door(address, 0)
    none = {name: np.zeros((1, 1)) for name in ("M", "C", "K", "gyro", "cross", "resist", "resist_up")}
    factors = {name: Ldu(np.zeros((1, 0)), np.zeros((1, 0)), np.zeros(1)) for name in ("S", "S_M")}
    own = {"laplacian": 0, "strain": _modes(system.strain, order), "sparse": address}
    return StructureArrays(Structure(**none, **factors, **own, **_numbers(system, order, S)), behind)


def _numbers(system: LinearSystem, order: BandOrder, S: StepMatrix) -> dict[str, object]:
    """Return what is the same for bands and sparse rows."""
    return {
        "F0": system.F0[order.perm],
        "V0": float(system.V0),
        "damped": int(system.damped),
        "gyroscopic": int(bool(system.gyro.nnz)),
        "crossed": int(bool(system.cross.nnz)),
        "resists": int(bool(system.damped or system.gyro.nnz)),
        "heavy": int(bool(system.F0.any())),
        "c_C": float(S.c_C),
        "c_K": float(S.c_K),
        "refine": int(S.refine),
    }


def _rows(A: sparse.csr_array) -> SparseRows:
    """Return a matrix by rows, without zeros, columns rising."""
    A = A.copy()
    A.eliminate_zeros()
    A.sort_indices()
    return SparseRows(A.indptr.astype(np.int64), A.indices.astype(np.uint32), A.data.astype(np.float64))


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
