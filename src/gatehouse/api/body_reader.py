"""Reads a body as a request, and notes the fields in it that nothing reads."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

from gatehouse.api.context import RequestContext
from gatehouse.api.preferences import wants_strict_handling
from gatehouse.api.problems import Problem
from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.reading.unread_fields import UnreadFields

T = TypeVar("T", bound=msgspec.Struct)


class BodyReader(Generic[T]):
    """Reads bodies of one kind of request; the answer's warnings go to the context."""

    def __init__(self, kind: type[T], documented: type[msgspec.Struct] | None = None) -> None:
        """`documented` has all the names that a body can have, where `kind` reads some later."""
        self._reader = RequestReader(kind)
        self._unread = UnreadFields(documented or kind)

    def read(self, context: RequestContext, body: bytes) -> T:
        """The request, or `RequestRefused` with everything that is wrong with it."""
        context.strict = wants_strict_handling(context)
        dropped: dict[str, str] = {}
        try:
            request = self._reader.read(body, dropped)
        except RequestRefused as refused:
            if refused.code == "invalid_request":
                context.warnings = self._unread.find(body)
            raise
        context.ignored = dropped
        context.warnings = self._unread.find(body, dropped)
        return request

    def leave_out(self, context: RequestContext, content: Any) -> list[str]:
        """Take the values of fields that nothing reads out of a body; the paths of these fields."""
        return self._unread.blank(content) if context.warnings else []

    def note_ignored(
        self, context: RequestContext, body: bytes, ignored: Mapping[str, str]
    ) -> None:
        """Warn also of known parts that nothing reads, each given with the reason."""
        if ignored:
            context.ignored = {**context.ignored, **ignored}
            context.warnings = self._unread.find(body, context.ignored)


def read_strictly(reader: BodyReader[T], context: RequestContext, body: bytes) -> T:
    """The request, where a field that nothing reads is an error whatever the caller prefers.

    A search would find too much without the filter that was meant.
    """
    try:
        request = reader.read(context, body)
        problem = Problem("invalid_request")
    except RequestRefused as refused:
        request, problem = None, Problem.of(refused)
    problem.add_warnings(context.warnings)
    if request is None or context.warnings:
        context.warnings = ()
        raise problem
    return request


def refuse_unread(context: RequestContext) -> None:
    """Refuse a request with fields that nothing reads, if its caller prefers that."""
    if context.strict and context.warnings:
        # The application turns the warnings into field errors, beside those of other refusals.
        raise RequestRefused("invalid_request")
