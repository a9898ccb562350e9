"""Files that are sent while they are made, so that a large one is never in memory as a whole."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

from starlette.responses import Response, StreamingResponse

_LINES_AT_ONCE: Final = 200


def sent_by_lines(lines: Iterator[bytes], name: str, content_type: str) -> Response:
    """The lines as a file to keep; what goes wrong with the first ones becomes a page."""
    parts = iter(lambda: b"".join(islice(lines, _LINES_AT_ONCE)), b"")
    first = next(parts, b"")
    return StreamingResponse(
        chain([first], parts),
        headers={"content-disposition": f'attachment; filename="{name}"'},
        media_type=content_type,
    )
