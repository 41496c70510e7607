"""Cache of the results for a page between builds, with a key of everything the results depend on."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from flexmb.record.summary import versions

ROOT = Path(__file__).parents[2]
SOURCES = (".py", ".js", ".css", ".msh", ".vtu")
DONE = "made"
"""Name of the empty file that marks a complete folder."""


@cache
def code_key() -> str:
    """Return a key of the program: its version and, since versions change rarely, its sources."""
    digest = hashlib.sha256(repr(sorted(versions().items())).encode())
    folders = ("flexmb", "postproc", "meshes")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in SOURCES]
    gallery = ROOT / "docs" / "gallery"
    for path in sorted([*paths, *gallery.glob("*_run.py")]):  # pages are always rewritten
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


class Shelf:
    """A cache folder with one folder for each source file, of which only the latest is kept.

    Parameters
    ----------
    folder : Path
    needs : function, optional
        Returns other files on which the results of a source depend.
    """

    def __init__(self, folder: Path, needs: Callable[[Path], Iterable[Path]] = lambda source: ()) -> None:
        self.folder, self._needs = folder, needs

    def place(self, source: Path) -> Path:
        """Return the folder of the results of a source with its current content."""
        digest = hashlib.sha256(code_key().encode())
        for path in (source, *self._needs(source)):
            digest.update(path.read_bytes())
        return self.folder / f"{source.stem}-{digest.hexdigest()[:16]}"

    def get(self, source: Path, make: Callable[[Path], bool]) -> tuple[Path, bool]:
        """Return the folder of a source, filled if necessary, and whether it existed before.

        Parameters
        ----------
        source : Path
        make : function
            Fills a new folder; returns whether to keep it.
        """
        place = self.place(source)
        if (place / DONE).is_file():
            return place, True
        for old in self._of(source):
            shutil.rmtree(old)
        place.mkdir(parents=True)
        if make(place):
            (place / DONE).touch()
        return place, False

    def clear_others(self, sources: Iterable[Path]) -> None:
        """Remove the folders of sources that no longer exist."""
        known = {self.place(source).name for source in sources}
        for path in self.folder.glob("*-*"):
            if path.name not in known:
                shutil.rmtree(path)

    def _of(self, source: Path) -> list[Path]:
        return [path for path in self.folder.glob(f"{source.stem}-*") if path.name[: -len("-") - 16] == source.stem]
