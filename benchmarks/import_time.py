"""Times `import numpy` and `import hassium`, each in fresh interpreters, and prints both.

The budget is 100 ms on top of NumPy's own import.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys

CODE = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def seconds(module: str) -> float:
    run = subprocess.run(
        [sys.executable, "-c", CODE.format(module)], capture_output=True, text=True, check=True
    )
    return float(run.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    # Alternating, so that a slow phase of the machine affects both.
    times = [(seconds("numpy"), seconds("hassium")) for _ in range(rounds)]
    numpy, hassium = (statistics.median(column) * 1e3 for column in zip(*times, strict=True))
    print(f"import numpy    {numpy:7.1f} ms   (median of {rounds})")
    print(f"import hassium  {hassium:7.1f} ms")
    print(f"added           {hassium - numpy:7.1f} ms   (budget 100 ms)")


if __name__ == "__main__":
    main()
