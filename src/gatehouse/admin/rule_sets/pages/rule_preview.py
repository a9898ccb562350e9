"""What a draft of a rule set would change, and what it would have done to the last days."""

from typing import Final

import msgspec

from gatehouse.admin.configurations.pages import flaws_of
from gatehouse.admin.configurations.types import VersionApplied
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.figures.use_cases.overview import FiguresNotReady, FigureSpan
from gatehouse.admin.figures.use_cases.preview import Preview, PreviewOptions, preview
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.console.visit import Visit
from gatehouse.core.documents.yaml_document import Flaw
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.wording.sentences import said_by
from gatehouse.rules.authoring import read_rule_set

SPANS: Final = (7, 30, 90)
"""How many days back a preview can look."""
_DAY_MS: Final = 86_400_000
_EXAMPLES: Final = 8


class Draft(msgspec.Struct, frozen=True):
    """A document that somebody is writing: what is wrong in it, or what it would do."""

    flaws: list[Flaw] = []
    planned: VersionApplied | None = None
    seen: Preview | None = None
    unseen: str | None = None
    """Why there is nothing to see, for people."""


def rule_set_name(document: str) -> str:
    """The name of the rule set that a document holds."""
    return read_rule_set(document.encode()).name


def previewed(visit: Visit, document: str, days: int) -> Draft:
    """Check a draft against the account, and try it on the requests of the last days."""
    content = document.encode()
    try:
        new = NewVersion(content, dry_run=True)
        planned = rule_sets.apply(*visit.opened, new)
    except InvalidInput as error:
        return Draft(flaws=flaws_of(error))
    span = FigureSpan(visit.now_ms - days * _DAY_MS, visit.now_ms + 1, visit.formats.zone.key)
    options = PreviewOptions(_EXAMPLES, f"{visit.account_id}/{visit.visitor.session_id}")
    columns = visit.columns
    try:
        seen = preview(visit.session, columns, content, span, options)
    except NotFound:
        return Draft(planned=planned, unseen=visit.text("rules.preview.nothing"))
    except FiguresNotReady:
        return Draft(planned=planned, unseen=visit.text("rules.preview.not_ready"))
    except InvalidInput as error:
        return Draft(planned=planned, unseen=visit.said(said_by(error)))
    return Draft(planned=planned, seen=seen)


def amounts(visit: Visit, by_currency: dict[str, int]) -> str:
    """Amounts of several currencies in one line."""
    parts = [
        visit.money(micros, currency) if currency else visit.number(micros / 1_000_000)
        for currency, micros in sorted(by_currency.items(), key=lambda each: -each[1])
        if micros
    ]
    return " · ".join(parts)
