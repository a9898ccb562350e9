"""`python -m scripts.fuzz_iso8583 N SEED`: N damaged messages; each is a message or refused.

Prints what came of them, the slowest one by processor time and the memory at the end. Any other
exception than `MalformedMessage`, and any message that does not come back from what it says,
ends the run with the bytes in hexadecimal digits: all cards are test cards.
"""

import argparse
import random
import resource
import time
from collections import Counter
from collections.abc import Iterator

from tests.connectors.iso8583.samples import values_for

from gatehouse.connectors.iso8583.definition import FramingLayout
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.link.framing import Framing
from gatehouse.connectors.iso8583.reading import shipped_dialect, shipped_names


def seeds(dialect: Dialect) -> list[bytes]:
    """One message of each kind, with all the values that it can have."""
    return [dialect.pack(kind, values_for(dialect, kind)) for kind in sorted(dialect.kinds)]


def damaged(message: bytes, other: bytes, chance: random.Random) -> bytes:
    """A message with up to four kinds of damage."""
    data = bytearray(message)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(8):
            case 0:
                data[at : at + 1] = bytes((chance.randrange(256),))
            case 1:
                data[at : at + chance.randint(1, 8)] = b""
            case 2:
                data[at:at] = chance.randbytes(chance.randint(1, 8))
            case 3:
                data = data[:at]
            case 4:
                data[at:] = other[at:]
            case 5 if data:
                data[at % len(data)] ^= 1 << chance.randrange(8)
            case 6:
                data[2:20] = chance.randbytes(18)
            case 7:
                data += chance.randbytes(chance.randint(1, 64))
    return bytes(data)


def inputs(messages: list[bytes], count: int, chance: random.Random) -> Iterator[bytes]:
    """Damaged messages, and now and then bytes that never were one."""
    for _ in range(count):
        if chance.random() < 0.05:
            yield chance.choice(messages)[:2] + chance.randbytes(chance.randrange(300))
        else:
            yield damaged(chance.choice(messages), chance.choice(messages), chance)


def outcome(dialect: Dialect, data: bytes) -> str:
    """What came of one input; what a message says must come back, but for blanks around it."""
    try:
        read = dialect.unpack(data)
    except MalformedMessage as error:
        return str(error).split(" ", 2)[0]
    assert repr(read) == "Unpacked(…)"
    try:
        again = dialect.unpack(dialect.pack(read.kind, read.values))
    except MalformedMessage:
        return "read, but with values that are required left out"
    fixed = dialect.definition.messages[read.kind].values
    for role, value in read.values.items():
        if role not in fixed and dialect.carries(read.kind, role):
            assert again.values.get(role, "").strip() == value.strip(), role
    return "read"


def frames(layout: FramingLayout, data: bytes, chance: random.Random) -> str:
    """What a stream of these bytes comes to, however it is cut."""
    framing = Framing(layout)
    stream = (framing.frame(data[: layout.largest]) if chance.random() < 0.5 else b"") + data
    try:
        for at in range(0, len(stream), 97):
            framing.feed(stream[at : at + 97])
    except MalformedMessage:
        return "stream refused"
    return "stream read"


def run(count: int, seed: int) -> Counter[str]:
    """All inputs, spread over the dialects."""
    chance = random.Random(seed)
    found: Counter[str] = Counter()
    slowest = 0.0
    names = shipped_names()
    for name in names:
        dialect = Dialect(shipped_dialect(name))
        for data in inputs(seeds(dialect), count // len(names), chance):
            started = time.process_time()
            try:
                found[f"{name}: {outcome(dialect, data)}"] += 1
                found[f"{name}: {frames(dialect.framing, data, chance)}"] += 1
            except Exception:
                print(f"{name}: {data.hex()}")
                raise
            slowest = max(slowest, time.process_time() - started)
    found["slowest, in microseconds"] = round(slowest * 1_000_000)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    for what, times in sorted(run(options.count, options.seed).items()):
        print(f"{what:70} {times:9,}")
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")
