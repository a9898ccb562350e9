"""Which requests are refused when there is no room, and which of them without a parser.

The parser calls Python for every header, which is most of what a refusal costs. What arrived at
once and is nothing but one request with a body of a known length can be skipped as a whole. Of
anything else the parser says where it ends.
"""

import re
from typing import Final

_SHED: Final = b"/api/"
_NEVER_SHED: Final = b"/api/v1/manage/"
_HEAD: Final = re.compile(
    rb"[A-Z]+ ([!-~]+) HTTP/1\.1\r\n"
    rb"(?:[-!#$%&'*+.^_`|~0-9A-Za-z]+:[\t -~\x80-\xff]*\r\n)+\r\n"
)
_LENGTH: Final = re.compile(rb"\ncontent-length:[ \t]*([^\r]*)")
_MOST_DIGITS: Final = 9
_ABOUT_THE_END: Final = re.compile(
    rb"\n(?:transfer-encoding|expect|upgrade|connection(?!: keep-alive\r)):"
)
"""Headers that say that a body ends elsewhere, or the connection."""


def is_shed(path: bytes) -> bool:
    """Whether a request of this path is refused when there is no room.

    Health, metrics, the console and management never are: they are needed to put things right.
    """
    return path.startswith(_SHED) and not path.startswith(_NEVER_SHED)


def is_whole_call(data: bytes) -> bool:
    """Whether this is exactly one request of the API after which the connection goes on."""
    found = _HEAD.match(data)
    if found is None or not is_shed(found[1]):
        return False
    head = found[0].lower()
    lengths = _LENGTH.findall(head)
    return (
        len(lengths) == 1
        and lengths[0].isdigit()
        and len(lengths[0]) <= _MOST_DIGITS
        and len(head) + int(lengths[0]) == len(data)
        and _ABOUT_THE_END.search(head) is None
    )
