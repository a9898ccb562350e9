"""What a file is by its content, whatever its name or its sender says."""

import re
import unicodedata
from typing import Final

MOST_FILE_BYTES: Final = 3 * 1024 * 1024
MOST_FILES: Final = 10
"""Of one dispute."""
MOST_BODY_BYTES: Final = MOST_FILE_BYTES * 4 // 3 + 4096
"""Of a request with a file in Base64."""
LONGEST_NAME: Final = 100

PDF: Final = "application/pdf"
PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
TEXT: Final = "text/plain"
_ENDS: Final = {PDF: ".pdf", PNG: ".png", JPEG: ".jpg", TEXT: ".txt"}
_SAME: Final = {".jpeg": ".jpg"}
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_UNFIT: Final = re.compile(r"[^\w .()+-]+")


def type_of(content: bytes) -> str | None:
    """What a file is; None for anything that may not be attached."""
    if content.startswith(b"%PDF-") and b"%%EOF" in content[-2048:]:
        return PDF
    if content.startswith(b"\x89PNG\r\n\x1a\n") and b"IEND" in content[-16:]:
        return PNG
    if content.startswith(b"\xff\xd8\xff") and b"\xff\xd9" in content[-64:]:
        return JPEG
    return TEXT if _is_text(content) else None


def _is_text(content: bytes) -> bool:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    begins = text.lstrip("\ufeff \t\r\n")[:1]
    # A browser that ignores the type must find neither markup nor a script.
    return bool(text.strip()) and begins != "<" and _CONTROLS.search(text) is None


def tidy_name(name: str, kind: str) -> str:
    """A name that is safe in headers and on disks, with the ending of what the file is."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    plain = _UNFIT.sub("_", last).strip(" ._")
    stem, dot, ending = plain.rpartition(".")
    suffix = f".{ending.casefold()}"
    known = dot and _SAME.get(suffix, suffix) == _ENDS[kind]
    base = (stem if known else plain).strip(" .") or "file"
    return base[: LONGEST_NAME - len(_ENDS[kind])] + _ENDS[kind]
