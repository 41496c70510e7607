"""Flexible bodies in a floating frame: momentum, forces and tangents from the data of ``tables.Floating``.

Of a body with n = 6 + m unknowns: y = (V, omega, eta'), V = A^T x', and P = W(eta) y its momentum in body axes. W is
the polynomial of ``tables.Floating``; since only the part of Psi that goes with omega depends on eta, so do only the
omega-omega block of rr2, the omega rows of rf1 and the blocks of rr1 with omega in them: the rest is taken as zero.

The balance d(A P_V)/dt = F, d(A P_omega)/dt = A (torque) - x' x (A P_V), dP_eta/dt = dT/deta + ... leaves in F the
torque -V x P_V and the modal forces dT/deta_k = y^T W_k y / 2, W_k = dW/deta_k. The weight acts through the first
moment c(eta) = c0 + sum_k eta_k rf0_k[:3], its potential is -(m g . x + (A^T g) . c).

``scratch`` is a 1-D array of at least n^2 + m n + 2 n + 16 numbers, n and m those of the largest body.
"""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry.tables import CONSERVATIVE, DAMPING, INERTIA, Floating
from flexmb.state import Array


@kernel
def momentum(floating: Floating, A: Array, v: Array, q: Array, p: Array, scratch: Array) -> None:
    """Add the momentum of all bodies to p: linear in space, angular in body axes about the frame's origin, modal.

    Parameters
    ----------
    floating : Floating
    A : (nb, 3, 3) array
        Axes of the frames.
    v, q, p : (nv,), (nq,), (nv,) arrays
    scratch : 1-D array
        See the head of this file.
    """
    for b in range(floating.modes.size):
        n = 6 + floating.modes[b]
        W, y, P = scratch[: n * n], scratch[n * n : n * n + n], scratch[n * n + n : n * n + 2 * n]
        _mass(floating, b, q, n, W)
        _rates(floating, b, A, v, n, y)
        _product(W, y, n, P)
        iv, im = floating.frame_v[b], floating.mode_v[b]
        for i in range(3):
            p[iv + i] += A[b, i, 0] * P[0] + A[b, i, 1] * P[1] + A[b, i, 2] * P[2]
            p[iv + 3 + i] += P[3 + i]
        for k in range(n - 6):
            p[im + k] += P[6 + k]


@kernel
def forces(floating: Floating, A: Array, q: Array, v: Array, F: Array, scratch: Array) -> float:
    """Add the forces of all bodies to F (CLASSES, nv) and return their stored energy, elastic and of weight, J."""
    energy = 0.0
    for b in range(floating.modes.size):
        n = 6 + floating.modes[b]
        W, y, P = scratch[: n * n], scratch[n * n : n * n + n], scratch[n * n + n : n * n + 2 * n]
        _mass(floating, b, q, n, W)
        _rates(floating, b, A, v, n, y)
        _product(W, y, n, P)
        iv, im, m1 = floating.frame_v[b], floating.mode_v[b], floating.m1[b]
        F[INERTIA, iv + 3] -= y[1] * P[2] - y[2] * P[1]
        F[INERTIA, iv + 4] -= y[2] * P[0] - y[0] * P[2]
        F[INERTIA, iv + 5] -= y[0] * P[1] - y[1] * P[0]
        Z, S = scratch[:n], scratch[n * n + 2 * n : n * n + 2 * n + 16]  # W is not needed any more
        for k in range(n - 6):
            _slope(floating, b, k, q, y, n, S, Z)
            total = 0.0
            for i in range(n):
                total += y[i] * Z[i]
            F[INERTIA, im + k] += 0.5 * total
        energy += _elastic(floating, b, q, v, F)
        _weight(floating, b, A, q, S)
        mass = floating.rr0[b, 0, 0]
        gx, gy, gz, cx, cy, cz = S[0], S[1], S[2], S[3], S[4], S[5]
        for i in range(3):
            F[CONSERVATIVE, iv + i] += mass * floating.gravity[i]
            energy -= mass * floating.gravity[i] * q[floating.frame_q[b] + i]
        F[CONSERVATIVE, iv + 3] += cy * gz - cz * gy
        F[CONSERVATIVE, iv + 4] += cz * gx - cx * gz
        F[CONSERVATIVE, iv + 5] += cx * gy - cy * gx
        for k in range(n - 6):
            c = floating.rf0[m1 + k]
            F[CONSERVATIVE, im + k] += gx * c[0] + gy * c[1] + gz * c[2]
        energy -= gx * cx + gy * cy + gz * cz
    return energy


@kernel
def tangents(
    floating: Floating, b: int, A: Array, q: Array, v: Array, M: Array, N: Array, K: Array, C: Array, scratch: Array
) -> None:
    """Write M, N, K, C of body b, each (n, n) over its unknowns (3 positions, 3 rotations in body axes, m modes).

    M is the mass matrix, N the derivative of the momentum by the increments at fixed v, K and C those of all forces of
    ``forces`` with the sign changed, by the increments and by v.
    """
    n = 6 + floating.modes[b]
    e = n * n
    W, y, P, S, Z = (
        scratch[:e],
        scratch[e : e + n],
        scratch[e + n : e + 2 * n],
        scratch[e + 2 * n :],
        scratch[e + 2 * n + 16 :],
    )
    _mass(floating, b, q, n, W)
    _rates(floating, b, A, v, n, y)
    _product(W, y, n, P)
    for k in range(n - 6):
        _slope(floating, b, k, q, y, n, S, Z[k * n : (k + 1) * n])
    _by_rates(A[b], W, y, P, Z, n, M, C)
    _by_increments(A[b], W, y, P, Z, n, N, K)
    _modal_tangents(floating, b, y, n, K, C)
    _weight(floating, b, A, q, S)
    _weight_tangent(floating, b, S, n, K)


@inner
def _mass(floating: Floating, b: int, q: Array, n: int, W: Array) -> None:
    """Write the mass matrix W(eta) in body axes, (n, n) row by row."""
    m, m1, m2, iq = n - 6, floating.m1[b], floating.m2[b], floating.mode_q[b]
    for i in range(6):
        for j in range(6):
            W[i * n + j] = floating.rr0[b, i, j]
    for k in range(m):
        eta, rr1 = q[iq + k], floating.rr1[m1 + k]
        for i in range(3):
            for j in range(3, 6):
                W[i * n + j] += eta * rr1[i, j]
                W[j * n + i] += eta * rr1[j, i]
                W[(i + 3) * n + j] += eta * rr1[i + 3, j]
        for k2 in range(m):
            both, rr2 = eta * q[iq + k2], floating.rr2[m2 + k * m + k2]
            for i in range(3, 6):
                for j in range(3, 6):
                    W[i * n + j] += both * rr2[i, j]
    for k2 in range(m):
        for i in range(6):
            total = floating.rf0[m1 + k2, i]
            if i >= 3:
                for k in range(m):
                    total += q[iq + k] * floating.rf1[m2 + k * m + k2, i]
            W[i * n + 6 + k2] = total
            W[(6 + k2) * n + i] = total
        for k in range(m):
            W[(6 + k) * n + 6 + k2] = floating.ff[m2 + k * m + k2]


@inner
def _rates(floating: Floating, b: int, A: Array, v: Array, n: int, y: Array) -> None:
    """Write y = (A^T x', omega, eta')."""
    iv, im = floating.frame_v[b], floating.mode_v[b]
    for i in range(3):
        y[i] = A[b, 0, i] * v[iv] + A[b, 1, i] * v[iv + 1] + A[b, 2, i] * v[iv + 2]
        y[3 + i] = v[iv + 3 + i]
    for k in range(n - 6):
        y[6 + k] = v[im + k]


@inner
def _product(W: Array, y: Array, n: int, P: Array) -> None:
    """Write P = W y."""
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += W[i * n + j] * y[j]
        P[i] = total


@inner
def _slope(floating: Floating, b: int, k: int, q: Array, y: Array, n: int, S: Array, Z: Array) -> None:
    """Write Z = W_k y, (n,); S holds 9 numbers, sum_l eta_l of the rotational block of rr2_kl."""
    m, m2, iq = n - 6, floating.m2[b], floating.mode_q[b]
    rr1 = floating.rr1[floating.m1[b] + k]
    for i in range(9):
        S[i] = 0.0
    for i in range(6):
        Z[i] = 0.0
    for k2 in range(m):
        eta, rate = q[iq + k2], y[6 + k2]
        rr2, rf1 = floating.rr2[m2 + k * m + k2], floating.rf1[m2 + k * m + k2]
        for i in range(3):
            for j in range(3):
                S[3 * i + j] += eta * rr2[3 + i, 3 + j]
            Z[3 + i] += rate * rf1[3 + i]
        Z[6 + k2] = rf1[3] * y[3] + rf1[4] * y[4] + rf1[5] * y[5]
    for i in range(3):
        for j in range(3):
            Z[i] += rr1[i, 3 + j] * y[3 + j]
            # rr2_lk is the transpose of rr2_kl
            Z[3 + i] += rr1[3 + i, j] * y[j] + (rr1[3 + i, 3 + j] + S[3 * i + j] + S[3 * j + i]) * y[3 + j]


@inner
def _elastic(floating: Floating, b: int, q: Array, v: Array, F: Array) -> float:
    """Add -K eta and -C eta' to F and return the elastic energy."""
    m, m2, iq, iv = floating.modes[b], floating.m2[b], floating.mode_q[b], floating.mode_v[b]
    energy = 0.0
    for k in range(m):
        stiff, damp = 0.0, 0.0
        for k2 in range(m):
            stiff += floating.K[m2 + k * m + k2] * q[iq + k2]
            damp += floating.C[m2 + k * m + k2] * v[iv + k2]
        F[CONSERVATIVE, iv + k] -= stiff
        F[DAMPING, iv + k] -= damp
        energy += 0.5 * q[iq + k] * stiff
    return energy


@inner
def _weight(floating: Floating, b: int, A: Array, q: Array, S: Array) -> None:
    """Write A^T g to S[:3] and the first moment c(eta) to S[3:6]."""
    m1, iq, rr0 = floating.m1[b], floating.mode_q[b], floating.rr0[b]
    for i in range(3):
        S[i] = 0.0
        for j in range(3):
            S[i] += A[b, j, i] * floating.gravity[j]
    # the block of V and omega is -c~
    S[3], S[4], S[5] = rr0[1, 5], rr0[2, 3], rr0[0, 4]
    for k in range(floating.modes[b]):
        for i in range(3):
            S[3 + i] += q[iq + k] * floating.rf0[m1 + k, i]


@inner
def _by_rates(A: Array, W: Array, y: Array, P: Array, Z: Array, n: int, M: Array, C: Array) -> None:
    """Write M = B^T W B, B = diag(A^T, 1, 1), and C of the inertia forces: columns are rates dv_j, dy = B dv."""
    for j in range(n):
        for i in range(n):
            M[i, j] = _turned(A, W, n, i, j)
            C[i, j] = 0.0
        # dP_V and dV by the rate v_j
        px = A[0, 0] * M[0, j] + A[1, 0] * M[1, j] + A[2, 0] * M[2, j]
        py = A[0, 1] * M[0, j] + A[1, 1] * M[1, j] + A[2, 1] * M[2, j]
        pz = A[0, 2] * M[0, j] + A[1, 2] * M[1, j] + A[2, 2] * M[2, j]
        ux, uy, uz = (A[j, 0], A[j, 1], A[j, 2]) if j < 3 else (0.0, 0.0, 0.0)
        C[3, j] = uy * P[2] - uz * P[1] + y[1] * pz - y[2] * py
        C[4, j] = uz * P[0] - ux * P[2] + y[2] * px - y[0] * pz
        C[5, j] = ux * P[1] - uy * P[0] + y[0] * py - y[1] * px
        for k in range(n - 6):
            z = k * n
            C[6 + k, j] = -(Z[z + j] if j >= 3 else ux * Z[z] + uy * Z[z + 1] + uz * Z[z + 2])


@inner
def _turned(A: Array, W: Array, n: int, i: int, j: int) -> float:
    """Return entry (i, j) of B^T W B."""
    if i >= 3 and j >= 3:
        return W[i * n + j]
    if i >= 3:
        return W[i * n] * A[j, 0] + W[i * n + 1] * A[j, 1] + W[i * n + 2] * A[j, 2]
    total = 0.0
    for a in range(3):
        w = W[a * n + j]
        if j < 3:
            w = W[a * n] * A[j, 0] + W[a * n + 1] * A[j, 1] + W[a * n + 2] * A[j, 2]
        total += A[i, a] * w
    return total


@inner
def _by_increments(A: Array, W: Array, y: Array, P: Array, Z: Array, n: int, N: Array, K: Array) -> None:
    """Write N and K of the inertia forces: columns are increments; a rotation dTheta makes dV = V x dTheta."""
    for j in range(n):
        turns = 3 <= j < 6
        a, c = (j - 2) % 3, (j - 1) % 3  # e_j x e_a = e_c for j counted from 3: V x e_j = V_c e_a - V_a e_c
        ya, yc = (y[c], -y[a]) if turns else (0.0, 0.0)
        for i in range(n):
            N[i, j], K[i, j] = 0.0, 0.0
            if turns:
                N[i, j] = W[i * n + a] * ya + W[i * n + c] * yc
            elif j >= 6:
                N[i, j] = Z[(j - 6) * n + i]
        px, py, pz = N[0, j], N[1, j], N[2, j]
        K[3, j] = y[1] * pz - y[2] * py
        K[4, j] = y[2] * px - y[0] * pz
        K[5, j] = y[0] * py - y[1] * px
        if turns:
            # (V x e_j) x P = e_j (V . P) - V (e_j . P)
            for i in range(3):
                K[3 + i, j] -= y[i] * P[j - 3]
            K[j, j] += y[0] * P[0] + y[1] * P[1] + y[2] * P[2]
            for k in range(n - 6):
                K[6 + k, j] = -(Z[k * n + a] * ya + Z[k * n + c] * yc)
            # A turns too: dA P = A (e_j x P), e_j x P = P_a e_c - P_c e_a
            N[a, j] -= P[c]
            N[c, j] += P[a]
            px, py, pz = N[0, j], N[1, j], N[2, j]
        for i in range(3):
            N[i, j] = A[i, 0] * px + A[i, 1] * py + A[i, 2] * pz


@inner
def _modal_tangents(floating: Floating, b: int, y: Array, n: int, K: Array, C: Array) -> None:
    """Add stiffness, damping and -d2T/deta_k deta_l to K and C."""
    m, m2 = n - 6, floating.m2[b]
    for k in range(m):
        for k2 in range(m):
            e = m2 + k * m + k2
            twice = 0.0
            for i in range(3, 6):
                for j in range(3, 6):
                    twice += y[i] * floating.rr2[e, i, j] * y[j]
            K[6 + k, 6 + k2] += floating.K[e] - twice
            C[6 + k, 6 + k2] += floating.C[e]


@inner
def _weight_tangent(floating: Floating, b: int, S: Array, n: int, K: Array) -> None:
    """Add the tangent of the weight; S as ``_weight`` leaves it. A rotation makes d(A^T g) = (A^T g) x dTheta."""
    m1 = floating.m1[b]
    gx, gy, gz = S[0], S[1], S[2]
    dot = gx * S[3] + gy * S[4] + gz * S[5]
    for j in range(3):
        # c x (g x e_j) = g (c . e_j) - e_j (c . g)
        for i in range(3):
            K[3 + i, 3 + j] -= S[i] * S[3 + j]
        K[3 + j, 3 + j] += dot
    for k in range(n - 6):
        c = floating.rf0[m1 + k]
        tx, ty, tz = c[1] * gz - c[2] * gy, c[2] * gx - c[0] * gz, c[0] * gy - c[1] * gx
        K[3, 6 + k] -= tx
        K[4, 6 + k] -= ty
        K[5, 6 + k] -= tz
        K[6 + k, 3] -= tx
        K[6 + k, 4] -= ty
        K[6 + k, 5] -= tz
