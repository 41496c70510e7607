"""Build wheel and sdist, install them into empty environments, and do there what the README promises of the core.

Needs nothing but Python: the build tools come into the environment that is made. Prints what was measured; a
non-zero exit code and the output of the command say what failed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_MEGABYTES, MOST_SECONDS = 500, 60


def run(*words: object, code: int = 0, cwd: Path | None = None) -> str:
    """Run a command; leave with its output unless it ends with ``code``."""
    # neither the source tree nor a user's packages may stand in for what is installed
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=cwd, env=env)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, words))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def environment(folder: Path) -> Path:
    """Make an empty environment; return its folder of commands."""
    venv.create(folder, with_pip=True)
    return folder / "bin"


def install(commands: Path, *words: object) -> None:
    """Install with pip, quietly."""
    run(commands / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words)


def built(work: Path) -> tuple[Path, Path]:
    """Build the sdist from the sources, the wheel from the sdist; return both."""
    commands = environment(work / "build")
    install(commands, "build")
    source = work / "source"
    tracked = run("git", "ls-files", "-z", cwd=ROOT).split("\0") if (ROOT / ".git").exists() else []
    for name in filter(None, tracked):  # what a clone has, and nothing that lies about
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
    run(commands / "python", "-m", "build", "--outdir", work / "dist", source if tracked else ROOT)
    return next((work / "dist").glob("*.tar.gz")), next((work / "dist").glob("*.whl"))


def megabytes(folder: Path) -> float:
    """Return what the files of a folder take."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def child_seconds() -> float:
    """Return the processor time of all commands so far."""
    return os.times().children_user + os.times().children_system


def check_core(wheel: Path, work: Path) -> None:
    """Install the wheel alone: a case runs and writes its fields, and what is missing is named."""
    began, busy = time.perf_counter(), child_seconds()
    commands = environment(work / "core")
    empty = megabytes(work / "core")  # pip itself
    install(commands, wheel)
    took, busy, size = time.perf_counter() - began, child_seconds() - busy, megabytes(work / "core") - empty
    print(
        f"core: adds {size:.0f} MB (at most {MOST_MEGABYTES}), installed in {took:.0f} s, {busy:.0f} s of the processor"
    )
    if size > MOST_MEGABYTES or busy > MOST_SECONDS:  # the clock also counts what else a machine does
        sys.exit("the core is too large or takes too long to install")
    flexmb, out = commands / "flexmb", work / "bar"
    run(flexmb, "run", "impacting_bar", "-o", out, "--quiet", cwd=work)
    if not (out / "fields.vtkhdf").is_file():
        sys.exit("the run of the core wrote no fields")
    for words, extra in ((("view", out), "view"), (("plot", out, "contact", "-o", work / "x.png"), "plot")):
        said = run(flexmb, *words, code=2, cwd=work)
        if f'pip install "flexmb[{extra}]"' not in said or "Traceback" in said:
            sys.exit(f"flexmb {words[0]} without its packages does not say what to install: {said}")
    print("core: impacting_bar runs and writes its fields; view and plot say what to install")


def check_sdist(sdist: Path, work: Path) -> None:
    """Install the sdist over the wheel: it has every shipped file that the wheel has."""
    commands = work / "core" / "bin"
    names = run(commands / "flexmb", "cases", cwd=work)
    install(commands, "--force-reinstall", "--no-deps", sdist)
    if run(commands / "flexmb", "cases", cwd=work) != names or "impacting_bar" not in names:
        sys.exit("the sdist does not ship the cases of the wheel")
    run(commands / "flexmb", "study", cwd=work)
    print("sdist: installs, with all shipped cases")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="flexmb-dist-") as name:
        sdist, wheel = built(Path(name))
        print(f"built {sdist.name} and {wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB)")
        check_core(wheel, Path(name))
        check_sdist(sdist, Path(name))
