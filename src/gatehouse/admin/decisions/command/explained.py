"""Prints an explanation: the same text for decisions and for reviews."""

import textwrap
from typing import Final

from gatehouse.core.cards.redaction import recordable
from gatehouse.explanations.explanation import Explanation

_WIDTH: Final = 100


def explained(explanation: Explanation) -> str:
    """What decided, why, and what would have changed it, for people."""
    parts = [_paragraph(explanation.summary, "", "")]
    for heading, lines in (
        ("WHY", [each.text for each in explanation.reasons]),
        ("WHAT WOULD HAVE CHANGED IT", [each.text for each in explanation.changes]),
        ("NOTE", explanation.notes),
    ):
        if lines:
            parts.append("\n".join([heading, *(_paragraph(line, "- ", "  ") for line in lines)]))
    return "\n\n".join(parts)


def _paragraph(text: str, first: str, others: str) -> str:
    return textwrap.fill(
        recordable(text),
        _WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
