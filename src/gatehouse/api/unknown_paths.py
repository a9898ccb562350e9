"""Answers requests that no route takes: a caller with a key is told what may have been meant."""

import re
from collections.abc import Iterable
from typing import Final

from starlette.exceptions import HTTPException

from gatehouse.api.context import RequestContext
from gatehouse.api.entry import Entry
from gatehouse.api.problems import Problem
from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.reading.spelling import letters, nearest

_API: Final = "/api/v1/"
_HEAD: Final = re.compile(r"\A/*(?:api/+)?(?:v\d+/+)?")
_LONGEST: Final = 200


class UnknownPaths:
    """Makes the refusals; strangers are told no more than that there is nothing."""

    def __init__(self, entry: Entry, paths: Iterable[str]) -> None:
        self._entry = entry
        fixed = (path for path in paths if path.startswith(_API) and "{" not in path)
        self._known = {letters(path.removeprefix(_API)): path for path in fixed}

    async def problem(self, context: RequestContext, error: HTTPException) -> Problem:
        """Why nothing answers; the balance is told to callers with a key, as in other refusals."""
        try:
            known = await self._entry.recognise(context)
        except StoreUnavailable:
            known = False
        if error.status_code == 405:
            allow = (error.headers or {}).get("Allow", "")
            return Problem("method_not_allowed", headers=((b"allow", allow.encode()),))
        return Problem("not_found", details=[self._hint(context.scope["path"])] if known else [])

    def _hint(self, path: str) -> str:
        tail = _HEAD.sub("", path[:_LONGEST], count=1)
        meant = nearest(tail, self._known)
        if meant is not None:
            return f"there is no such path; did you mean {self._known[meant]}?"
        return "there is no such path; all paths are in /openapi.json"
