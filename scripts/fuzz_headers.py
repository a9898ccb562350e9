"""`python -m scripts.fuzz_headers N SEED`: N requests with hostile headers to a sandbox of its own.

Half of them go to the API and half to the console, over connections of this machine. Prints what
the servers answered. A defect, an error in the log or a connection that is neither answered nor
closed ends the run with the request; all keys and sessions are the sandbox's own.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from tests.harness import Home
from tests.resilience.hostile_headers import both_servers, send_hostile, troubles


def run(count: int, seed: int) -> Counter[str]:
    """All requests, and what came of them."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, both_servers(Home(Path(folder))) as (server, to):
        for name, target in to.items():
            for sent in send_hostile(target, count // len(to), seed):
                found[f"{name}: {sent.status or 'closed'}"] += 1
                assert not sent.failed, sent
        assert not (told := troubles(server.log())), told[0]
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    for what, times in sorted(run(options.count, options.seed).items()):
        print(f"{what:40} {times:9,}")
