"""The galleries of the site; a new gallery is a new entry of ``GALLERIES``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flexmb.case.shipped import shipped_cases, shipped_studies
from gallery import case_run, study_run, validation_run
from gallery.case_page import case_page
from gallery.case_run import THUMB, passed, read_facts
from gallery.index_page import Exhibit, grouped, index_page
from gallery.plain import lettered
from gallery.shelf import DONE, Shelf
from gallery.study_page import study_page
from gallery.validation_page import validation_page

Tell = Callable[[str], None]

CASE_WORDS = """
Every shipped case, run when this site was built: figures, expected and computed values, and the case file.
The pages are generated from the case files; [shipped cases](../cases.md) describes all of them on one page, and
[how to write a case](../write_case.md) how to add one.
""".strip()
STUDY_WORDS = """
Every shipped study, run when this site was built: figures, expected and computed values, all numbers, and the
study file. [Shipped studies](../studies_shipped.md) has their findings on one page, and
[Studies](../studies.md) describes how to write one.
""".strip()
VALIDATION_WORDS = """
Curves computed by flexmb, overlaid on published figures, closed forms and independent integrations,
when this site was built. The error of a curve is its largest distance from the reference, relative to the range of the
reference; if velocities or forces jump it is the mean distance, since a jump may fall between two samples. Sources
are in the [bibliography](../bibliography.md); each page has the command that reproduces the run.
""".strip()


@dataclass(frozen=True)
class Gallery:
    """A gallery: its sources, and the functions that make a page of a source.

    Parameters
    ----------
    name : str
        Folder of its pages.
    title, words : str
        Heading and first paragraph of its index.
    groups : sequence of str
        Groups in the order of the index.
    sources : function
        Returns the source files by name.
    make : function
        Fills a folder from a source; returns whether the folder can be kept for the next build.
    page : function
        Makes the page of a source, its facts and the text of its file.
    needs : function
        Returns the files, besides its own, that a source depends on.
    """

    name: str
    title: str
    words: str
    groups: Sequence[str]
    sources: Callable[[], dict[str, Path]]
    make: Callable[[Path, Path], bool]
    page: Callable[[dict[str, Any], str], str]
    needs: Callable[[Path], Iterable[Path]] = lambda source: ()

    def exhibit(self, source: Path, folder: Path) -> Exhibit:
        """Return the page of a source from the folder that was filled."""
        facts = read_facts(folder)
        text = self.page(facts, source.read_text(encoding="utf-8"))
        thumb = f"{source.stem}/{THUMB}" if (folder / THUMB).is_file() else ""
        return Exhibit(source.stem, lettered(facts["title"]), facts["group"], text, thumb, passed(facts))


@dataclass(frozen=True)
class Built:
    """A gallery with its pages.

    Parameters
    ----------
    gallery : Gallery
    groups : dict
        Exhibits by group.
    files : dict
        Other files by their paths in the site.
    """

    gallery: Gallery
    groups: dict[str, list[Exhibit]]
    files: dict[str, Path]

    @property
    def exhibits(self) -> list[Exhibit]:
        """Exhibits of all groups, in the order of the index."""
        return [one for members in self.groups.values() for one in members]

    @property
    def pages(self) -> dict[str, str]:
        """Pages in Markdown by their paths in the docs."""
        index = index_page(self.gallery.title, self.gallery.words, self.groups)
        return {f"{self.gallery.name}/index.md": index} | {self.place(one): one.text for one in self.exhibits}

    def place(self, one: Exhibit) -> str:
        """Return the path of a page in the docs."""
        return f"{self.gallery.name}/{one.name}.md"

    @property
    def failed(self) -> list[str]:
        """Names of the exhibits that failed or missed an expectation."""
        return [one.name for one in self.exhibits if not one.ok]


CASES = Gallery(
    name="gallery",
    title="Gallery of cases",
    words=CASE_WORDS,
    groups=("bars", "beams", "particles", "mechanisms", "rotors"),
    sources=shipped_cases,
    make=case_run.make,
    page=case_page,
)
STUDIES = Gallery(
    name="study_gallery",
    title="Gallery of studies",
    words=STUDY_WORDS,
    groups=study_run.GROUPS,
    sources=shipped_studies,
    make=study_run.make,
    page=study_page,
    needs=study_run.cases_of,
)
VALIDATION = Gallery(
    name="validation_manual",
    title="Validation manual",
    words=VALIDATION_WORDS,
    groups=(validation_run.GROUP,),
    sources=validation_run.families,
    make=validation_run.make,
    page=validation_page,
    needs=validation_run.needs,
)
GALLERIES: tuple[Gallery, ...] = (CASES, STUDIES, VALIDATION)


def build(gallery: Gallery, shelf_folder: Path, tell: Tell, only: Sequence[str] = ()) -> Built:
    """Make all pages of a gallery; unchanged results of the last build are reused.

    Parameters
    ----------
    gallery : Gallery
    shelf_folder : Path
    tell : function
        Called with a line for each page.
    only : sequence of str
        Names of the sources to build; all by default.
    """
    sources = {name: path for name, path in gallery.sources().items() if not only or name in only}
    shelf = Shelf(shelf_folder / gallery.name, gallery.needs)
    exhibits, files = [], {}
    for k, (name, source) in enumerate(sources.items(), 1):
        began = time.perf_counter()
        folder, kept = shelf.get(source, lambda place, source=source: gallery.make(source, place))
        one = gallery.exhibit(source, folder)
        exhibits.append(one)
        files |= {f"{gallery.name}/{name}/{path.name}": path for path in folder.iterdir() if path.name != DONE}
        how = "kept" if kept else f"{time.perf_counter() - began:.1f} s"
        tell(f"{gallery.name} {k}/{len(sources)}: {name} {'ok' if one.ok else 'FAILED'} ({how})")
    if not only:
        shelf.clear_others(sources.values())
    return Built(gallery, grouped(exhibits, gallery.groups), files)
