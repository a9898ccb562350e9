"""After the warm-up no request has to wait for something to be loaded."""

import subprocess
import sys

# In a process of its own: here everything has long been loaded.
SCRIPT = """
import sys
from gatehouse.idverify.source import Holders
from gatehouse.idverify.verdict import judge
from gatehouse.idverify.warmup import warm
from tests.idverify.asking import ANN, BEN, ask, name

warm()
before = set(sys.modules)
for phone in ("+14155550199", "020 7946 0958", "+49 30 901820", "(415) 555-0132"):
    for email in ("ann.a@example.com", "ann@bücher.example", "nobody"):
        ids = {"TAX": "987-65-4328", "NATIONALIDENTITY": "1"}
        request = ask(email=email, phone=phone, name=name("Annie", "Arcger"), ids=ids)
        judge(request, Holders((ANN, BEN)))
print(*sorted(set(sys.modules) - before))
"""


def test_comparing_loads_nothing_more() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == []
