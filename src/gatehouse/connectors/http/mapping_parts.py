"""The texts, names and tables that all parts of a mapping file are made of."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import doc

MOST_ENTRIES: Final = 200
LONGEST_TEXT: Final = 2_000

Name = Annotated[
    str,
    doc(
        "1 to 64 small letters, digits, - and _, beginning with a letter",
        pattern=r"[a-z][a-z0-9_-]{0,63}",
    ),
]
OptionName = Annotated[
    str,
    doc(
        "1 to 64 small letters, digits and _, beginning with a letter",
        pattern=r"[a-z][a-z0-9_]{0,63}",
    ),
]
Text = Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT)]
HeaderName = Annotated[
    str, doc("the name of a header", pattern=r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
]
Status = Annotated[
    str,
    doc(
        "a status such as 404, 5xx or 500-504",
        pattern=r"[1-5][0-9]{2}|[1-5]xx|[1-5][0-9]{2}-[1-5][0-9]{2}",
    ),
]
Table = Annotated[
    dict[Annotated[str, Meta(max_length=256)], Text], Meta(min_length=1, max_length=2_000)
]
"""What each word of the other side means; `*` stands for every other word."""


class MappingPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A base of all parts: strict, and short when it is kept."""
