"""`python -m benchmarks [NAME ...]` runs the named benchmarks, all of them without a name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def names() -> list[str]:
    """Every benchmark: a file of this folder with a main program."""
    return sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))


def main(asked: list[str]) -> int:
    """Runs each in a process of its own, so that none warms another up."""
    known = names()
    unknown = [name for name in asked if name not in known]
    if unknown:
        print(f"no benchmark named {unknown[0]!r}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    failed = 0
    for name in asked or known:
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}"]
        failed += subprocess.run(command, cwd=HERE.parent, check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
