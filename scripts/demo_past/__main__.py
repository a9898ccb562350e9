"""Writes the recorded past of the demo account that ships with the package, from its seed.

Run it after a change of the story; a test holds both together: make demo-past
"""

import lzma
from pathlib import Path

import msgspec

from gatehouse.admin.sandbox.use_cases import past
from scripts.demo_past.story import tell

OUT = Path(past.__file__).with_name(past.RECORDED)


def main() -> None:
    packed = lzma.compress(msgspec.msgpack.encode(tell()), preset=9 | lzma.PRESET_EXTREME)
    OUT.write_bytes(packed)
    print(f"{OUT.name}: {len(packed):,} bytes")


if __name__ == "__main__":
    main()
