"""Make the pictures of docs/studies_shipped.md: ``python docs/figures_shipped_studies.py [FOLDER [NAME ...]]``.

FOLDER has the study folders by name (default ``results``, where ``flexmb study NAME`` puts them); docs/images holds the
pictures.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gallery.study_run import picture
from PIL import Image

from flexmb.postproc.study.folder import open_study

IMAGES = Path(__file__).parent / "images"
WIDTH = 740
"""Of the pictures, pixels."""
SHOWN = {
    "dissipation_bar": "where_it_goes",
    "dissipation_friction": "where_it_goes",
    "dissipation_rho_inf": "numerical",
    "ggl_or_not": "penetration",
    "mesh_and_restitution": "lost",
    "order_bar_fixed_mesh": "orders",
    "orders_ball_oscillator": "moreau_jean",
    "orders_event_capturing": "captured",
    "performance_profiles": "evaluations",
    "stick_slip_orders": "orders",
    "theta_limits": "contact_work",
    "thesis_tables": "steps",
    "work_precision_all": "four_bar_evaluations",
    "work_precision_four_bar": "work_precision",
}
"""The figure of each study that the page shows."""


def main(folder: Path, names: list[str]) -> None:
    """Make the pictures named, or all."""
    for name in names or list(SHOWN):
        image = picture(open_study(folder / name), SHOWN[name])
        small = image.resize((WIDTH, round(WIDTH * image.height / image.width)), Image.Resampling.LANCZOS)
        path = IMAGES / f"shipped_{name}.png"
        small.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
        print(f"{name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    given = sys.argv[1:] or ["results"]
    main(Path(given[0]), given[1:])
