"""Makes the shop of an operation: a program that runs with the packages of an earlier version.

Its database has to be made by the version that serves it, and by the benchmark of that version,
which knows its insides. So nothing is used here but what every version's benchmark has.
"""

import json
import sys
from pathlib import Path

from scripts.bench.subjects import SUBJECTS

if __name__ == "__main__":
    [subject] = [each for each in SUBJECTS if each.key == sys.argv[1]]
    shop = subject.shop(Path(sys.argv[2]))
    print(json.dumps({"account_id": shop.account_id, "key": shop.key}))
