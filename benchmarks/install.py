"""How long ``pip install`` of the wheel takes and how much room it needs, package by package: results/install.json.

The wheel is built, and installed into an empty environment without a cache of pip's. Seconds are of the processor, so
that neither the network nor a busy machine troubles them; those of the clock stand beside them.
"""

import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import distributions
from pathlib import Path

from record import say, write

ROOT = Path(__file__).parent.parent
_LARGE = 10.0  # megabytes: packages from here on are listed by name


def main() -> None:
    """Build, install, measure."""
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        quiet = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", folder, str(ROOT)], **quiet)
        subprocess.run([sys.executable, "-m", "venv", str(room / "env")], **quiet)
        before = megabytes(room / "env")
        [wheel] = room.glob("*.whl")
        started, clock = of_children(), time.monotonic()
        pip = [str(room / "env" / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-cache-dir", str(wheel)]
        subprocess.run(pip, **quiet)
        seconds, clock = of_children() - started, time.monotonic() - clock
        [site] = (room / "env" / "lib").glob("python*/site-packages")
        sizes = by_package(site)
        results = {
            "wheel_megabytes": wheel.stat().st_size / 1e6, "seconds": seconds, "seconds_by_the_clock": clock,
            "megabytes": megabytes(room / "env") - before, "n_packages": len(sizes),
            "packages": [{"package": name, "megabytes": size} for name, size in sizes.items() if size >= _LARGE],
        }  # fmt: skip
    say(f"{results['megabytes']:.0f} MB in {len(sizes)} packages, {seconds:.0f} s of the processor")
    for one in results["packages"]:
        say(f"{one['package']:20} {one['megabytes']:6.0f} MB")
    write("install", ("ffbm", "pip"), results)


def by_package(site: Path) -> dict[str, float]:
    """Return the megabytes of each package with its own libraries, the largest first."""
    results = {}
    for package in distributions(path=[str(site)]):
        files = [package.locate_file(file) for file in package.files or ()]
        results[package.name.lower()] = sum(Path(file).stat().st_size for file in files if Path(file).is_file()) / 1e6
    for tool in ("pip", "setuptools"):
        results.pop(tool, None)  # these were there before
    return dict(sorted(results.items(), key=lambda item: -item[1]))


def megabytes(folder: Path) -> float:
    """Return the size of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def of_children() -> float:
    """Return the processor seconds of all programs that have been started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
