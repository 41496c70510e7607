"""``Result``: the recorded data of a run, from memory or from a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.checks.extras import require
from flexmb.errors import InputError
from flexmb.record.data_frames import result_to_pandas, result_to_xarray
from flexmb.record.io.disk_space import reason
from flexmb.record.io.finish_run import carry_out, decide
from flexmb.record.io.folder_lock import make_folder, remove_made, sole_writer
from flexmb.record.io.frames import PointMaps
from flexmb.record.io.grid import grid_of
from flexmb.record.io.result_h5 import H5Tree, write_tree
from flexmb.record.io.run_folder import (
    CASE,
    DATA,
    FIELDS,
    FIT,
    PART,
    RESULT,
    SUMMARY,
    clear_unfinished,
    remove_report,
    taken_by,
)
from flexmb.record.io.structure import Tree, split, static_arrays
from flexmb.record.io.summary_json import plain, read_summary
from flexmb.record.io.vtkhdf import write_fields
from flexmb.record.result_figures import ResultFigures
from flexmb.record.samples import Block, Checkpoint, RunInfo
from flexmb.record.series import Contacts, ContactSeries, EnergySeries, Joints, JointSeries, Signals
from flexmb.record.summary import Figures, summarize
from flexmb.record.unfinished import unfinished_summary
from flexmb.state import Array, IntArray
from flexmb.system.layout import Layout

if TYPE_CHECKING:
    import pandas
    import pyvista
    import xarray


class Result(ResultFigures):
    """The result of a run; arrays are read on demand.

    Parameters
    ----------
    tree : Tree
        Arrays by path, see ``flexmb.record.io.structure``.
    summary : dict
        Content of summary.json.
    case_text : str
        The case file as run, if there was one.
    folder : Path or None
        Folder from which it was read.
    """

    def __init__(self, tree: Tree, summary: dict[str, Any], case_text: str = "", folder: Path | None = None) -> None:
        self.tree = tree
        self.summary = summary
        self.case_text = case_text
        self.folder = folder

    def __repr__(self) -> str:
        place = f" in '{self.folder}'" if self.folder else ""
        s, t = self.summary, self.time
        title = f" {s['title']!r}" if s.get("title") else ""
        scheme = s.get("scheme", {}).get("name", "") if isinstance(s.get("scheme"), dict) else ""
        span = f"{len(t)} samples, t = {t[0]:g} to {t[-1]:g} s" if len(t) else "no samples"
        state = "" if self.complete else f", {s.get('status', 'not finished')}"
        count = f", {len(self.contacts)} contacts" if len(self.contacts) != 1 else ", 1 contact"
        return f"<Result{title}: {span}{f', {scheme}' if scheme else ''}{count}{state}{place}>"

    @property
    def complete(self) -> bool:
        """Whether the run reached its end; False if it failed or was cancelled."""
        return self.summary.get("status") == "complete"

    @property
    def time(self) -> Array:
        """Times of the samples, (n+1,), s."""
        return np.asarray(self.tree["/time"][()])

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the run; each was also issued as a ``RunWarning``."""
        return tuple(self.summary.get("notes") or ())

    @property
    def step(self) -> IntArray:
        """Step numbers of the samples, (n+1,)."""
        return np.asarray(self.tree["/step"][()])

    @property
    def signals(self) -> Signals:
        """Recorded signals by name."""
        return Signals(self.tree)

    @property
    def contacts(self) -> Contacts:
        """Contacts by name."""
        h = float(self.summary["h"])
        return Contacts(self.tree, lambda name: ContactSeries(self.tree, name, h))

    @property
    def joints(self) -> Joints:
        """Joints by name."""
        return Joints(self.tree, lambda name: JointSeries(self.tree, name))

    @property
    def energy(self) -> EnergySeries:
        """The energy ledger."""
        return EnergySeries(self.tree)

    @property
    def fields(self) -> Fields:
        """The full states, stored every ``fields_every`` steps."""
        return Fields(self.tree)

    @property
    def layout(self) -> Layout:
        """Positions of the unknowns in space."""
        return self.fields.maps.layout

    def mesh(self, time: float, *, warp: bool = False) -> pyvista.UnstructuredGrid:
        """Return the bodies at the stored state nearest to a time, as a pyvista mesh.

        Parameters
        ----------
        time : float
            s; must lie within the run. ``fields.times`` lists the stored states.
        warp : bool
            Move the points to their positions at that time; otherwise they are at their reference positions.

        Returns
        -------
        pyvista.UnstructuredGrid
            Lines, vertices for particles, and triangles for surfaces of bodies. Point data: ``body`` (index), and
            (n, 3): ``displacement`` (m), ``velocity`` (m/s), and where there are any ``rotation`` (rad) and
            ``contact_impulse`` (N s, since the previous state). Cell data: ``radius`` (m) and ``body`` (index), and
            of bars and beams ``axial_force`` (N), ``bending_moment`` (N m, a vector in space) and ``energy_density``
            (J/m), nan on other cells. Field data: ``time``, that of the state, s.
        """
        times = self.fields.times
        slack = 1e-9 * max(abs(times[0]), abs(times[-1]))
        if not times[0] - slack <= time <= times[-1] + slack:
            raise InputError(f"must lie within the run, {times[0]:g} to {times[-1]:g} s", key="time", value=time)
        k = int(np.argmin(np.abs(times - time)))
        fields = self.fields
        return grid_of(fields.maps.layout, fields.frame(k), fields.cell_frame(k), float(times[k]), warp)

    def to_pandas(self) -> pandas.DataFrame:
        """Return signals, contacts, joints and energies as a table: a row per sample, indexed by time.

        Columns are named as in case files: ``rod.first.position.x``, ``contacts.wall.force``, ``energy.total``.
        """
        return result_to_pandas(self)

    def to_xarray(self) -> xarray.Dataset:
        """Return the same as a dataset over ``time``, with units; vectors have a dimension ``axis``."""
        return result_to_xarray(self)

    def show(
        self,
        time: float | None = None,
        field: str = "displacement",
        scale: float = 1.0,
        backend: str | None = None,
    ) -> Any:
        """Show the result: in a notebook as an interactive page below the cell, else in a window.

        Parameters
        ----------
        time : float, optional
            s; the nearest stored state is shown (first). By default the middle of the contact with the largest impulse.
        field : str
            Field for coloring: ``displacement`` or ``velocity``, or a component such as ``velocity.x``.
        scale : float
            Factor on displacements.
        backend : str, optional
            ``html``, an interactive page; ``static``, an image; ``window``. If the requested one is not available, an
            image is returned with a warning.
        """
        require("view", "show")
        from flexmb.postproc.show import show

        return show(self, time, field, scale, backend)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write result.h5, fields.vtkhdf, summary.json (and case.toml) into a folder; return it."""
        folder = Path(folder)
        made: list[Path] = []
        try:
            made = make_folder(folder)
            with sole_writer(folder):
                self._save(folder, overwrite)
        except OSError as err:
            raise InputError(f"the result cannot be saved in '{folder}': {reason(err)}") from err
        finally:
            remove_made(made)  # if nothing was written to it
        return folder

    def _save(self, folder: Path, overwrite: bool) -> None:
        """Write the files under temporary names, then rename them."""
        if (names := taken_by(folder)) and not overwrite:
            what = "an unfinished run" if any(name.endswith(PART) for name in names) else "another run"
            ways = "save(..., overwrite=True) replaces it, or choose another folder"
            raise InputError(f"the folder '{folder}' holds {what} ({', '.join(names)}); {ways}")
        clear_unfinished(folder)
        parts = {name: folder / (name + PART) for name in DATA}
        try:
            write_tree(self.tree, parts[RESULT])
            write_fields(self.tree, parts[FIELDS])
            parts[CASE].write_text(self.case_text, encoding="utf-8")
            decide(folder, DATA, self.summary)
        except BaseException:
            clear_unfinished(folder)
            raise
        remove_report(folder)
        carry_out(folder, DATA)
        if not self.case_text:
            (folder / CASE).unlink()


class Fields:
    """Full states: ``step``, ``time`` in memory; ``q``, ``v``, ``impulse`` are read in slices."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._maps: PointMaps | None = None

    def __len__(self) -> int:
        return int(self._tree["/state/step"].shape[0])

    def __repr__(self) -> str:
        t = self.times
        return f"<Fields: {len(t)} states{f', t = {t[0]:g} to {t[-1]:g} s' if len(t) else ''}>"

    @property
    def steps(self) -> IntArray:
        """Step numbers, (f,)."""
        return np.asarray(self._tree["/state/step"][()])

    @property
    def times(self) -> Array:
        """Times, (f,), s."""
        return np.asarray(self._tree["/state/time"][()])

    @property
    def q(self) -> Any:
        """Coordinates, (f, nq), array-like; generalized displacements in small motion."""
        return self._tree["/state/q"]

    @property
    def v(self) -> Any:
        """Generalized velocities, (f, nv), array-like."""
        return self._tree["/state/v"]

    @property
    def impulse(self) -> Any:
        """Contact impulses since the previous state, (f, nc), array-like; in large motion vectors, (f, 3 nc)."""
        return self._tree["/state/impulse"]

    @property
    def maps(self) -> PointMaps:
        """Maps from the unknowns to vectors at the points."""
        if self._maps is None:
            self._maps = PointMaps.from_tree(self._tree)
        return self._maps

    def frame(self, k: int) -> dict[str, Array]:
        """Return displacement, velocity, ... at all points for the k-th state, each (n, 3)."""
        return self.maps.frame(self._tree, k)

    def cell_frame(self, k: int) -> dict[str, Array]:
        """Return axial force, bending moment, energy density on all cells for the k-th state; empty if unknown."""
        return self.maps.cell_frame(self._tree, k)


class MemorySink:
    """A sink that stores everything in memory."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, np.ndarray]] = []

    def begin(self, run: RunInfo) -> None:
        """Prepare for a run."""
        self.run = run
        self._blocks = []

    def append(self, block: Block) -> None:
        """Store the samples of a block (copied, since the loop may reuse its arrays)."""
        # in one statement, since an interrupt may come at any time
        self._blocks.append({name: np.array(values) for name, values in split(self.run, block).items()})

    @property
    def has_samples(self) -> bool:
        """Whether at least one sample was recorded."""
        return bool(self._blocks)

    def checkpoint(self, point: Checkpoint) -> None:
        """Do nothing, since data in memory is not kept after the process."""

    def tree(self) -> dict[str, np.ndarray]:
        """Return the tree of arrays recorded so far."""
        names = self._blocks[0] if self._blocks else ()
        whole = {name: np.concatenate([block[name] for block in self._blocks]) for name in names}
        return whole | static_arrays(self.run)

    def result(self, outcome: Figures, title: str = "", case_text: str = "") -> Result:
        """Return the recorded data with the summary."""
        tree = self.tree()
        return Result(tree, plain(summarize(tree, self.run, outcome, title=title)), case_text)

    def unfinished(self, err: BaseException, wall_time_s: float, title: str = "") -> Result:
        """Return the data recorded before ``err`` ended the run."""
        tree = self.tree()
        return Result(tree, plain(unfinished_summary(tree, self.run, err, wall_time_s, title=title)))


def _what_else(folder: Path) -> str:
    """Return a hint for a folder that is not a result: of an unfinished run, of a fit, or one that contains results."""
    if any(folder.glob("*" + PART)):
        return " (the run there is not finished)"
    if (folder / FIT).is_file():
        best = f"flexmb run {folder / 'best.toml'} computes the result with the best values"
        return f"; it is the folder of a fit: see {FIT}, table.csv and fit.pdf; {best}"
    inside = sorted(path.parent.name for path in folder.glob(f"*/{SUMMARY}"))
    more = f" and {len(inside) - 4} more" if len(inside) > 4 else ""
    return f"; it contains results: {', '.join(inside[:4])}{more}" if inside else ""


def load(folder: str | Path) -> Result:
    """Read a result folder; arrays are read on demand.

    Parameters
    ----------
    folder : str or Path
        As written by ``flexmb run`` or ``Result.save``. A failed run can be read as well.
    """
    folder = Path(folder)
    if folder.is_file():
        raise InputError(f"'{folder}' is a file; name the folder that a run was written to")
    if not folder.is_dir():
        raise InputError(f"there is no result folder '{folder}'")
    for name in (SUMMARY, RESULT):
        if not (folder / name).is_file():
            raise InputError(f"'{folder}' is not a result folder: it has no {name}{_what_else(folder)}")
    case = folder / CASE
    text = case.read_text(encoding="utf-8", errors="replace") if case.is_file() else ""
    tree = H5Tree(folder / RESULT)
    if missing := [name for name in ("/time", "/step") if name not in tree]:
        raise InputError(f"the result file in '{folder}' is damaged: it lacks {', '.join(missing)}")
    return Result(tree, read_summary(folder / SUMMARY), text, folder)
