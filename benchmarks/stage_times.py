"""Where the time of a step of large motion goes.

The stages of a step are called by address (``stages``), so each can be replaced by a stage that counts
and times its calls: this is what a real run spends. Two of them are then taken apart by calling their pieces in a loop,
at the state the run ended in. Times of a loop are a little smaller, its numbers being in the cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexmb_mechanisms import OWN_TOLERANCE, FlexmbMechanism, assemble
from mechanisms import Mechanism
from numba import cfunc, njit, types
from numba.extending import intrinsic

from flexmb.kernels.algebra.sparse_lu import lu_factor, lu_solve
from flexmb.kernels.compilation.stages import ACCOUNT, ASSEMBLE, PLACE, call
from flexmb.kernels.multibody import evaluate, tangents
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    B_,
    C1,
    C1_RATE,
    C_AXES,
    D1,
    INCREMENT,
    INDEX3,
    ITERATIONS,
    LEVEL,
    LU_,
    T_END,
    T_V,
    WEAK_MASS,
    X_,
)
from flexmb.kernels.multibody_steps.multibody_newton import residual

STAGES = {PLACE: "place: evaluate, residual", ASSEMBLE: "assemble, factor", ACCOUNT: "account: end of step, ledger"}
REPEATS = 7
WINDOWS, WINDOW = 200, 4e-3
"""Pieces of a run, and how long each takes, s."""


@intrinsic
def _cycles(typingctx: Any) -> Any:
    """Return the processor's cycle counter."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=kind), [])

    return types.int64(), codegen


@intrinsic
def _add(typingctx: Any, address: Any, value: Any) -> Any:
    """Add a value to the integer at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        place = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        builder.store(builder.add(builder.load(place), args[1]), place)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


def watched(address: int, counts: np.ndarray) -> Any:
    """Return a stage that does what the one at ``address`` does and adds calls and cycles to ``counts`` (2,)."""
    calls, cycles = counts.ctypes.data, counts.ctypes.data + 8

    def stage(at: int, flag: int) -> int:
        began = _cycles()
        result = call(address, at, flag)
        _add(cycles, _cycles() - began)
        _add(calls, 1)
        return result

    return cfunc(types.int64(types.int64, types.int64))(stage)


@dataclass(frozen=True)
class Share:
    """Calls of a stage per step and microseconds of one."""

    calls: float
    us: float


def stage_shares(run: FlexmbMechanism) -> tuple[float, float, dict[int, Share]]:
    """Return microseconds and iterations of a step, and what each stage has of them.

    They are those of the fastest of many short pieces of the run, all from its middle: the cycle counter goes on while
    another process has the processor.
    """
    engine, stages = run.engine, run.engine.workspace.machine.stages
    half = run.mechanism.steps // 2
    n = min(half, max(3, round(WINDOW / run.seconds_of_one())))
    engine.restore(run.beginning, 0)
    engine.advance(half)
    middle = engine.snapshot()
    plain = stages.copy()
    counts = np.zeros((stages.size, 2), dtype=np.int64)
    keep = [watched(int(plain[k]), counts[k]) for k in STAGES]  # as long as their addresses are used
    for k, watch in zip(STAGES, keep, strict=True):
        stages[k] = watch.address
    least, found = np.inf, counts.copy()
    try:
        for _ in range(WINDOWS):
            engine.restore(middle, half)
            counts[:] = 0
            began = time.perf_counter()
            engine.advance(n)
            seconds = time.perf_counter() - began
            if seconds < least:
                least, found = seconds, counts.copy()
    finally:
        stages[:] = plain
    done = engine.motion.numbers[ITERATIONS] - middle["numbers"][ITERATIONS]
    rate = _cycles_per_us()
    shares = {k: Share(found[k, 0] / n, found[k, 1] / rate / max(found[k, 0], 1)) for k in STAGES}
    return 1e6 * least / n, float(done / n), shares


def _cycles_per_us() -> float:
    @njit
    def now() -> int:
        return _cycles()

    now()
    began, first = time.perf_counter(), now()
    while time.perf_counter() - began < 0.1:
        pass
    last, ended = now(), time.perf_counter()
    return (last - first) / (1e6 * (ended - began))


@njit
def _evaluate(at: int, n: int) -> None:
    step, vec = part(at, "step"), part(at, "trial.vec")
    for _ in range(n):
        evaluate.evaluate(at, step[T_END], part(at, "trial.q"), vec[T_V])


@njit
def _joint_forces(at: int, n: int) -> None:
    for _ in range(n):
        evaluate.joint_forces(at, part(at, "trial.joint")[0])


@njit
def _residual(at: int, n: int) -> None:
    for _ in range(n):
        residual(at)


@njit
def _assemble(at: int, n: int) -> None:
    step, trial = part(at, "step"), part(at, "trial")
    vec, lam = trial.vec, trial.big[B_]
    for _ in range(n):
        tangents.assemble(at, step[T_END], trial.q, vec[T_V], vec[C_AXES], step[C1], lam)


@njit
def _step_matrix(at: int, n: int) -> None:
    step, vec = part(at, "step"), part(at, "trial.vec")
    for _ in range(n):
        tangents.step_matrix(at, step[D1], step[C1_RATE] / step[C1], step[LEVEL] != INDEX3, vec[INCREMENT])


@njit
def _factor(at: int, n: int) -> None:
    sym, mats, big = part(at, "sym"), part(at, "mats"), part(at, "trial.big")
    for _ in range(n):
        for k in range(mats.S.size):  # of the same matrix each time
            mats.J[k] = mats.S[k]
        lu_factor(sym, mats.J, big[LU_], big[WEAK_MASS])


@njit
def _solve(at: int, n: int) -> None:
    sym, mats, big = part(at, "sym"), part(at, "mats"), part(at, "trial.big")
    for _ in range(n):
        for k in range(big.shape[1]):
            big[X_, k] = 1.0
        lu_solve(sym, mats.J, big[X_], big[LU_])


PIECES: dict[str, Callable[[int, int], None]] = {
    "evaluate": _evaluate,
    "joint forces": _joint_forces,
    "residual": _residual,
    "tangents": _assemble,
    "step matrix": _step_matrix,
    "factor": _factor,
    "one solve": _solve,
}
"""In this order: the matrix that is factored is that of the piece before."""


def piece_times(run: FlexmbMechanism) -> dict[str, float]:
    """Return the microseconds of one call of each piece, at the end of the run."""
    at = run.engine.workspace.at
    found: dict[str, float] = {}
    for name, loop in PIECES.items():
        loop(at, 1)
        n, seconds = 1, 0.0
        while True:
            began = time.process_time()
            loop(at, n)
            seconds = time.process_time() - began
            if seconds > 5e-3:
                break
            n *= 2
        times = []
        for _ in range(REPEATS):
            began = time.process_time()
            loop(at, n)
            times.append(time.process_time() - began)
        found[name] = 1e6 * min(times) / n
    return found


def profile(mechanism: Mechanism, levels: list[str]) -> str:
    """Return where the time of a mechanism goes, as text."""
    system, lines = assemble(mechanism), [mechanism.name]
    for level in levels:
        run = FlexmbMechanism(mechanism, level, OWN_TOLERANCE, system)
        total, iterations, shares = stage_shares(run)
        sym, rows = run.engine.workspace.machine.sym, system.nv + system.nj
        lines.append(
            f"  {level}: {total:.1f} us/step, {iterations:.2f} iterations; "
            f"{rows} unknowns and multipliers, {sym.col.size} entries in L + U"
        )
        for k, name in STAGES.items():
            share = shares[k]
            lines.append(_share_line(name, share.calls * share.us, total, share.calls, share.us))
        rest = total - sum(share.calls * share.us for share in shares.values())
        lines.append(_share_line("rest: solves, updates, tests", rest, total))
        pieces = ", ".join(f"{name} {us:.2f}" for name, us in piece_times(run).items())
        lines.append(f"    pieces alone, us: {pieces}")
    return "\n".join(lines)


def _share_line(name: str, us: float, total: float, calls: float | None = None, each: float = 0.0) -> str:
    times = "" if calls is None else f"   {calls:5.2f} x {each:8.2f}"
    return f"    {name:32s}{us:9.2f} us {100 * us / total:5.1f} %{times}"
