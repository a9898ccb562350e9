"""Compiles test files once for all workers of a run, in a checkout in which none was compiled.

pytest rewrites the assertions of a file that it imports for the first time, which takes longer
than everything else about collecting tests. Workers import the same files at the same time, so
that each would rewrite all of them.
"""

import os
import sys
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

_TESTS = Path(__file__).parent


def compile_own_share(config: pytest.Config) -> None:
    """Compile those files that are this worker's, unless they are; others do the rest meanwhile."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if not worker or sys.dont_write_bytecode:
        return
    workers = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for file in sorted(_TESTS.rglob("*.py"))[int(worker) :: workers]:
        compiled = rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}"
        # Whether it is out of date, pytest sees when it imports the file.
        if not compiled.exists():
            compiled.parent.mkdir(parents=True, exist_ok=True)
            source_hash, code = rewrite._rewrite_test(file, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source_hash, compiled)
