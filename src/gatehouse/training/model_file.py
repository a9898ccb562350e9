"""A model as one file: its scorecard, and the card that says what it learned from and how it did.

A file that an account exported is signed, so that the account knows it again. What is made
elsewhere, such as in a notebook, is not.
"""

from itertools import chain
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import LONGEST_NOTE
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import parse_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import parse_amount
from gatehouse.core.wording.sentences import Phrase
from gatehouse.sentry.scorecard import Sheet
from gatehouse.training.report.report import ModelReport

MOST_BYTES: Final = 512 * 1024
_MOST: Final = 2**53
_ROUNDED: Final = 1e-9
_SIGNED: Final = ("log_loss", "cuts", "effects")
"""Numbers of a card that are neither counts nor shares."""
_UNREADABLE: Final = Phrase("refused.model_file", "the file is no model file: {why}")
_TOO_LARGE: Final = Phrase("refused.model_file_large", "a model file has at most {most} KiB")


class ExportedModel(
    msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """What such a file holds."""

    format: Literal["gatehouse-model-1"]
    made_at: Annotated[str, Meta(max_length=40)]
    made_with: Annotated[str, Meta(max_length=80)]
    """The version of gatehouse."""
    card: ModelReport
    scorecard: Sheet
    note: Annotated[str, Meta(max_length=LONGEST_NOTE)] | None = None
    maker: str | None = None
    """By which an account knows that a file is meant to be its own; it tells others nothing."""
    signature: str | None = None

    @property
    def signed(self) -> str:
        """What a signature is over; the same however the file is laid out."""
        return model_file_text(msgspec.structs.replace(self, signature=None))

    def as_strange(self) -> "ExportedModel":
        """What is kept of a file that somebody else wrote: no text that could mislead."""
        card = msgspec.structs.replace(
            self.card,
            method=recordable(self.card.method),
            current_version=recordable(self.card.current_version),
            warnings=tuple(map(recordable, self.card.warnings)),
            audit=None,
            outcomes=(),
        )
        return msgspec.structs.replace(self, card=card, made_with=recordable(self.made_with))


def read_model_file(text: str) -> ExportedModel:
    """The content of a file; `InvalidInput` says why it cannot be used."""
    if len(text.encode()) > MOST_BYTES:
        raise InvalidInput(_TOO_LARGE(most=MOST_BYTES // 1024))
    try:
        found = msgspec.json.decode(text, type=ExportedModel)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InvalidInput(_UNREADABLE(why=recordable(str(error)))) from None
    problems = found.scorecard.problems({term.code for term in found.scorecard.terms})
    if problems:
        raise InvalidInput(_UNREADABLE(why=problems[0]))
    try:
        _check_shown(found.card)
    except ValueError as error:
        raise InvalidInput(_UNREADABLE(why=recordable(str(error)))) from None
    return found


def _check_shown(card: ModelReport) -> None:
    """Refuse what no training tells, and no page could show; `ValueError`."""
    _check_numbers(card, "")
    for day in (card.since, card.until, card.holdout.since, card.holdout.until):
        parse_time(day)
    if card.training is not None:
        parse_time(card.training.since)
        parse_time(card.training.until)
    thresholds = (*card.candidate.thresholds, *card.current.thresholds)
    worth = [(each.fraud_stopped, each.legitimate_refused) for each in thresholds]
    for pair in (*worth, (card.holdout_fraud, card.holdout_legitimate)):
        for value in chain(*zip(*pair, strict=True)):
            parse_amount(bytes(value.amount).decode())
    sum(each.weight for each in card.terms)


def _check_numbers(value: object, name: str) -> None:
    if isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            _check_numbers(getattr(value, field), field)
    elif isinstance(value, tuple):
        for one in value:
            _check_numbers(one, name)
    elif isinstance(value, int | float):
        signed = name in _SIGNED
        most = 1 + _ROUNDED if isinstance(value, float) and not signed else _MOST
        if not (-most if signed else 0) <= value <= most:
            raise ValueError(f"{name} is out of reach")


def model_file_text(file: ExportedModel) -> str:
    """The file as it is written."""
    return msgspec.json.format(msgspec.json.encode(file), indent=1).decode() + "\n"
