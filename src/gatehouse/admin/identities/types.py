"""What identity records are named by and shown as."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

from msgspec import Meta

from gatehouse.admin.jobs.types import FileFormat, ImportedFile
from gatehouse.core.api_values import CamelStruct, DryRunFlag, doc
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.hidden import Personal

_WAYS: Final = {"card_number": "cardNumber", "person_id": "personId", "reference": "reference"}

Named = Annotated[str, Meta(min_length=1, max_length=512)]


class IdentityFile(Personal, frozen=True, rename="camel"):
    """A file of identity records."""

    format: FileFormat
    content: Annotated[
        ImportedFile,
        Meta(
            examples=[
                "cardNumber,firstName,lastName,email\n4242424242424242,Ann,Archer,ann@example.com\n"
            ]
        ),
    ]


class IdentitySearch(Checked, Personal, frozen=True, rename="camel"):
    """Which records: of a card, of a person on record, or of a reference."""

    card_number: Annotated[CardNumber | None, doc("Give exactly one.", "4242424242424242")] = None
    person_id: Annotated[Named | None, doc("The `id` of a record.")] = None
    reference: Annotated[Named | None, doc("The reference of the import.")] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express."""
        given = [word for name, word in _WAYS.items() if getattr(self, name) is not None]
        if len(given) != 1:
            for word in given or _WAYS.values():
                yield word, f"give exactly one of {', '.join(_WAYS.values())}"


class IdentityErasure(IdentitySearch, frozen=True, rename="camel", kw_only=True):
    """Which records are erased, and why."""

    reason: Annotated[str, doc("Why.", "request of Ann", min_length=1, max_length=200)]


class IdentitiesFound(CamelStruct):
    """Records with their values masked."""

    records: Annotated[
        list[dict[str, Any]],
        doc(
            "Up to a hundred; of each value only enough to recognise it.",
            [{"id": "per_1", "names": ["A. A."], "emails": ["…@example.com"]}],
        ),
    ]
    total: Annotated[int, doc("How many there are.", 1)]


class IdentitiesErased(CamelStruct):
    """Records that are gone."""

    erased: Annotated[int, doc("How many.", 1)]
    dry_run: DryRunFlag
