"""Tells from the words of a user agent whether a program sent it rather than a person's browser."""

import re
from functools import cache
from typing import Any, Final, Literal, NamedTuple

import re2

from gatehouse.intel.agents import words as agent_words

ProgramKind = Literal["headless", "library", "app", "bot"]

MAX_NAME: Final = 40
_ADDRESS: Final = re.compile(r"(?:https?|www\..*)?$")
_NAME_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")

# Only old browsers call themselves compatible, and none writes anything after "like Gecko".
# Crawlers do both.
_CRAWLER_PHRASES: Final = ("compatible;", "(compatible)", "like gecko;")
_APPLE: Final = ("mozilla/5.0 (iphone", "mozilla/5.0 (ipad", "mozilla/5.0 (ipod")
_NO_APPLICATION: Final = re.compile(r"safari/|compatible|bot|crawl|spider|\+http")
_OLD_BROWSERS: Final = ("msie", "konqueror", "netfront", "opera", "icab", "polaris", "viera")


_WORDS_BY_KIND: Final[dict[ProgramKind, str]] = {
    "headless": agent_words.HEADLESS,
    "library": agent_words.LIBRARIES,
    "app": agent_words.APPLICATIONS,
    "bot": agent_words.BOTS,
}


class Program(NamedTuple):
    """A program that names itself in an agent."""

    kind: ProgramKind
    name: str | None
    """The word as it is spelled in the agent; None for an address or a crawler's phrase."""


class _Words(NamedTuple):
    programs: Any
    by_kind: tuple[tuple[ProgramKind, Any], ...]
    traps: Any
    webviews: Any


@cache
def compiled_words() -> _Words:
    """The words, compiled. The first call costs some milliseconds."""
    return _Words(
        # Most agents are browsers, so one search for all words is usually the only one.
        programs=_any_of("".join(_WORDS_BY_KIND.values())),
        by_kind=tuple((kind, _any_of(words)) for kind, words in _WORDS_BY_KIND.items()),
        traps=_any_of(agent_words.TRAPS),
        webviews=_any_of(agent_words.WEBVIEWS),
    )


def find_program(text: str, lower: str) -> Program | None:
    """The program that an agent names, or None when it names none.

    The agent comes as it is and in lower case, in ASCII.
    """
    words = compiled_words()
    if words.programs.search(lower) is not None:
        bare = words.traps.sub(_blank, _without_application(lower))
        for kind, expression in words.by_kind:
            found = expression.search(bare)
            if found is not None:
                return Program(kind, _name_at(text, lower, *found.span()))
    if any(phrase in lower for phrase in _CRAWLER_PHRASES):
        old = any(name in lower for name in _OLD_BROWSERS)
        return None if old else Program("bot", None)
    return None


def is_webview(lower: str) -> bool:
    """Whether an agent, in lower case, comes from an application that shows web pages."""
    return compiled_words().webviews.search(lower) is not None


def _any_of(words: str) -> Any:
    options = re2.Options()
    options.never_capture = True
    options.log_errors = False
    return re2.compile("|".join(words.split()), options)


def _without_application(lower: str) -> str:
    """The agent without the names that an application on an iPhone or iPad gives itself.

    The names follow the build of the system. Shops name their applications after their sites, and
    customers pay in applications that scan, check or fetch something.
    """
    if not lower.startswith(_APPLE):
        return lower
    start, build, application = lower.partition(" mobile/")
    if _NO_APPLICATION.search(application) is not None:
        return lower
    return start + build + " " * len(application)


def _blank(found: Any) -> str:
    # The length stays, because places found in this text are used in the original.
    return " " * len(str(found.group()))


def _name_at(text: str, lower: str, start: int, end: int) -> str | None:
    while start < end and lower[start] not in _NAME_CHARACTERS:
        start += 1
    while end > start and lower[end - 1] not in _NAME_CHARACTERS:
        end -= 1
    least = max(0, end - MAX_NAME)
    while start > least and lower[start - 1] in _NAME_CHARACTERS:
        start -= 1
    most = min(len(text), start + MAX_NAME)
    while end < most and lower[end] in _NAME_CHARACTERS:
        end += 1
    name = text[start:end][:MAX_NAME].strip("-_.")
    return None if _ADDRESS.match(name.lower()) else name
