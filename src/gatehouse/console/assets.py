"""Style sheets, scripts and pictures, held in memory and named with a hash of what they hold."""

import gzip
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

_FOLDER: Final = Path(__file__).parent / "static"
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
}
_KEPT: Final = "public, max-age=31536000, immutable"


class Asset(msgspec.Struct, frozen=True):
    """A file as it is sent."""

    content_type: str
    body: bytes
    packed: bytes
    version: str


@cache
def assets() -> dict[str, Asset]:
    """Every file by its path below `static/`."""
    return {
        str(path.relative_to(_FOLDER)): _read(path)
        for path in sorted(_FOLDER.rglob("*"))
        if path.suffix in _TYPES
    }


def asset_url(name: str) -> str:
    """Where browsers find a file; its address changes with its content."""
    return f"/static/{name}?v={assets()[name].version}"


async def serve_asset(request: Request) -> Response:
    """Answer with a file. They are the same for everybody, so compression gives nothing away."""
    request.scope["gatehouse.route"] = "/static"
    asset = assets().get(request.path_params["name"])
    if asset is None:
        return Response("not found", 404, media_type="text/plain")
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"vary": "accept-encoding", "content-type": asset.content_type}
    if request.query_params.get("v") == asset.version:
        headers["cache-control"] = _KEPT
    if packed:
        headers["content-encoding"] = "gzip"
    return Response(asset.packed if packed else asset.body, headers=headers)


def _read(path: Path) -> Asset:
    body = path.read_bytes()
    return Asset(
        _TYPES[path.suffix], body, gzip.compress(body, 9, mtime=0), sha256(body).hexdigest()[:12]
    )
