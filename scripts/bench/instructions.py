"""How many instructions of the processor a request takes, which a busy machine does not change.

`python -m scripts.bench.instructions rules` counts with callgrind, of Valgrind, while requests run
in a loop (`scripts.bench.request_loop`). With `--answers FILE` nothing is counted: what the loop
answers and records is written there, to be compared with that of another version.
"""

import argparse
import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from scripts.bench.request_loop import SUBJECTS, RequestLoop

_MODULE: Final = "scripts.bench.instructions"
_EARLIER: Final = 2000
_WARM_UP: Final = 300
_COUNTED: Final = 100
_COLLECTED: Final = re.compile(r"Collected : (\d+)")


def measure(name: str, keep: Path | None = None) -> float | None:
    """Thousands of instructions for each request of a subject; None without Valgrind."""
    valgrind = shutil.which("valgrind")
    if valgrind is None or shutil.which("callgrind_control") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = keep or Path(folder, "callgrind.out")
        done = subprocess.run(
            [
                *(valgrind, "--tool=callgrind", "--instr-atstart=no"),
                *(f"--callgrind-out-file={file}", sys.executable, "-m", _MODULE),
                *(name, "--inside"),
            ],
            # The order of sets and dictionaries must be the same in each run.
            env=os.environ | {"PYTHONHASHSEED": "0"},
            check=True,
            capture_output=True,
            text=True,
        )
    found = _COLLECTED.search(done.stderr)
    assert found is not None, done.stderr
    return int(found[1]) / _COUNTED / 1000


async def _run_counted(loop: RequestLoop) -> None:
    for body in loop.bodies(_WARM_UP):
        await loop.answer(body)
    bodies = list(loop.bodies(_COUNTED))
    _switch("on")
    for body in bodies:
        await loop.answer(body)
    _switch("off")


def _switch(state: str) -> None:
    command = ["callgrind_control", "-i", state, str(os.getpid())]
    subprocess.run(command, check=True, capture_output=True)


async def _write_answers(loop: RequestLoop, count: int, file: Path) -> None:
    with file.open("wb") as target:
        for body in loop.bodies(count):
            answer, row = await loop.answer(body)
            target.write(answer + b"\n" + repr(row).encode() + b"\n")


def main() -> None:
    """Count, or write what is answered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subject", choices=SUBJECTS)
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--keep", type=Path, help="where to leave callgrind's output")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        asyncio.run(_run_counted(RequestLoop(SUBJECTS[options.subject], _EARLIER)))
    elif options.answers is not None:
        loop = RequestLoop(SUBJECTS[options.subject], _EARLIER)
        asyncio.run(_write_answers(loop, options.requests, options.answers))
    else:
        thousands = measure(options.subject, options.keep)
        print("valgrind is missing" if thousands is None else f"{thousands:,.1f} thousand")


if __name__ == "__main__":
    main()
