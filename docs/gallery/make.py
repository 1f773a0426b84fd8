"""Draw the figures of the gallery: ``python docs/gallery/make.py [NAME ...]``.

Every other script in this folder is shown on docs/gallery.md as it stands, and leaves its Figure in ``figure``; it
becomes a PNG of the script's name.
"""

import io
import os
import runpy
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SCRIPTS = {path.stem: path for path in sorted(HERE.glob("*.py")) if path.name != "make.py"}
MOST = 150_000  # bytes of a picture
_DPI = 180


def draw(name: str) -> Any:
    """Return the Figure of a script."""
    return runpy.run_path(str(SCRIPTS[name]))["figure"]


def picture(figure: Any) -> bytes:
    """Return a figure as PNG; the same figure gives the same bytes."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=_DPI, metadata={"Software": None})
    return out.getvalue()


if __name__ == "__main__":
    os.environ.pop("FFBM_DATA", None)
    for name in sys.argv[1:] or SCRIPTS:
        data = picture(draw(name))
        if len(data) > MOST:
            sys.exit(f"{name}.png must be at most {MOST:,} bytes; it has {len(data):,}: draw less, or smaller")
        (HERE / f"{name}.png").write_bytes(data)
        sys.stdout.write(f"{name}.png: {len(data):,} bytes\n")
