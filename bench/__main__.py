"""Every measurement, one after another: `python -m bench`, or some: `python -m bench engine zones`.

Each prints ratios whose two sides were measured in the same run; a single figure of this machine means little.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MEASUREMENTS = {
    "http_fares": [],
    "engine": [],
    "zones": [],
    "roads": ["engine", "quotes", "rural"],
    "meter": [],
    "places": [],
    "importing": [],
    "limits": [],
}
"""The modules of this folder that measure, with the arguments they take."""


def main(wanted: list[str]) -> int:
    """Run each wanted measurement in a process of its own; the number of those that failed."""
    unknown = set(wanted) - set(MEASUREMENTS)
    if unknown:
        print(f"não há medida {', '.join(sorted(unknown))}; há {', '.join(MEASUREMENTS)}")
        return 2
    failed = 0
    for name in wanted or MEASUREMENTS:
        print(f"\n== {name} ==", flush=True)
        command = [sys.executable, "-m", f"bench.{name}", *MEASUREMENTS[name]]
        failed += subprocess.run(command, cwd=Path(__file__).parents[1], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
