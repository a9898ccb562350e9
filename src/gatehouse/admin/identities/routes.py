"""Identity records over HTTP: imported as a job, shown masked, erased; people erased as a job."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.feedback.routes import Content, FileFormat
from gatehouse.admin.identities.use_cases import records
from gatehouse.admin.identities.use_cases.masking import described_record
from gatehouse.admin.identities.use_cases.selection import (
    IdentityQuery,
    ScopeSelection,
    select_records,
)
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import (
    ErasureOrder,
    ImportOrder,
    JobKind,
    JobResponse,
    NamedPerson,
)
from gatehouse.admin.jobs.use_cases import shown_job
from gatehouse.api.manage.endpoints import DRY_RUN, ManageCall, ManageEndpoint
from gatehouse.core.api_values import DryRunFlag
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.hidden import Personal
from gatehouse.store.admin.use_case import MOST_IMPORT_BYTES

_SCOPE: Final = "manage:identities"
_LONGEST: Final = 512
_MOST_SHOWN: Final = 100
_WAYS: Final = {"card_number": "cardNumber", "person_id": "personId", "reference": "reference"}

Named = Annotated[str, Meta(min_length=1, max_length=_LONGEST)]


class IdentityFile(Personal, frozen=True, rename="camel"):
    """A file of identity records."""

    format: FileFormat
    content: Annotated[
        Content,
        Meta(
            examples=[
                "cardNumber,firstName,lastName,email\n4242424242424242,Ann,Archer,ann@example.com\n"
            ]
        ),
    ]


class IdentitySearch(Checked, Personal, frozen=True, rename="camel"):
    """Which records: of a card, of a person on record, or of a reference."""

    card_number: Annotated[
        CardNumber | None, Meta(description="Give exactly one.", examples=["4242424242424242"])
    ] = None
    person_id: Annotated[Named | None, Meta(description="The `id` of a record.")] = None
    reference: Annotated[Named | None, Meta(description="The reference of the import.")] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express."""
        given = [word for name, word in _WAYS.items() if getattr(self, name) is not None]
        if len(given) != 1:
            for word in given or _WAYS.values():
                yield word, f"give exactly one of {', '.join(_WAYS.values())}"


class IdentityErasure(IdentitySearch, frozen=True, rename="camel", kw_only=True):
    """Which records are erased, and why."""

    reason: Annotated[
        str, Meta(min_length=1, max_length=200, description="Why.", examples=["request of Ann"])
    ]


class PersonErasure(Checked, Personal, frozen=True, rename="camel"):
    """A person to erase, by everything that names them."""

    user_id: Annotated[Named | None, Meta(description="As it was sent.")] = None
    username: Annotated[Named | None, Meta(description="As it was sent.")] = None
    email: Annotated[Named | None, Meta(description="A mailbox.", examples=["a@example.com"])] = (
        None
    )
    phone: Annotated[Named | None, Meta(description="A number.")] = None
    card_number: Annotated[CardNumber | None, Meta(description="A card.")] = None
    lists: Annotated[
        bool, Meta(description="Whether entries of lists go, too; a block may have to stay.")
    ] = False

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express."""
        names = (self.user_id, self.username, self.email, self.phone, self.card_number)
        if all(name is None for name in names):
            yield "userId", "name the person: userId, username, email, phone or cardNumber"


class IdentitiesFound(msgspec.Struct, frozen=True, rename="camel"):
    """Records with their values masked."""

    records: Annotated[
        list[dict[str, Any]],
        Meta(
            description="Up to a hundred; of each value only enough to recognise it.",
            examples=[[{"id": "per_1", "names": ["A. A."], "emails": ["…@example.com"]}]],
        ),
    ]
    total: Annotated[int, Meta(description="How many there are.", examples=[1])]


class IdentitiesErased(msgspec.Struct, frozen=True, rename="camel"):
    """Records that are gone."""

    erased: Annotated[int, Meta(description="How many.", examples=[1])]
    dry_run: DryRunFlag


def _import(call: ManageCall) -> JobResponse:
    wanted: IdentityFile = call.body
    order = ImportOrder(wanted.format, call.dry_run)
    kind, content = JobKind.IDENTITY_IMPORT, wanted.content.encode()
    return shown_job(queue.start_job(call.session, call.account_id, kind, order, content))


def _selected(call: ManageCall) -> list[ScopeSelection]:
    wanted: IdentitySearch = call.body
    query = IdentityQuery(wanted.card_number, wanted.person_id, wanted.reference)
    return select_records(call.session, call.account_id, query)


def _search(call: ManageCall) -> IdentitiesFound:
    selected = _selected(call)
    total = sum(each.number for each in selected)
    found = records.show_records(call.session, selected, reveal=False)
    shown = [described_record(each, reveal=False) for each in found[:_MOST_SHOWN]]
    return IdentitiesFound(msgspec.to_builtins(shown), total)


def _erase(call: ManageCall) -> IdentitiesErased:
    selected = _selected(call)
    if call.dry_run:
        return IdentitiesErased(sum(each.number for each in selected), True)
    # Clearing unused space locks the whole database, which is for the operator to choose.
    done = records.erase_records(call.session, selected, call.body.reason, False)
    return IdentitiesErased(done.erased, False)


def _erase_person(call: ManageCall) -> JobResponse:
    wanted: PersonErasure = call.body
    card = wanted.card_number
    number = None if card is None else card.reveal()
    person = NamedPerson(wanted.user_id, wanted.username, wanted.email, wanted.phone, number)
    order, content = ErasureOrder(wanted.lists, call.dry_run), msgspec.json.encode(person)
    started = queue.start_job(call.session, call.account_id, JobKind.ERASURE, order, content)
    return shown_job(started)


IDENTITY_ENDPOINTS: Final = (
    ManageEndpoint(
        method="POST",
        path="/identities/imports",
        scope=_SCOPE,
        operation="importIdentities",
        field="jobResponse",
        summary="Import identity records",
        about="Starts a job that imports a file of who holds which card, of up to 4 MiB, for "
        "this account alone. Known records are brought up to date. The file is kept sealed "
        "until the job ends; its result counts records and reports rows that cannot be used.",
        body=IdentityFile,
        query=(DRY_RUN,),
        answer=JobResponse,
        run=_import,
        most_bytes=MOST_IMPORT_BYTES,
    ),
    ManageEndpoint(
        method="POST",
        path="/identities/search",
        scope=_SCOPE,
        operation="searchIdentities",
        field="identitiesResponse",
        summary="Search identity records",
        about="The account's records of a card, a person or a reference, masked.",
        body=IdentitySearch,
        answer=IdentitiesFound,
        run=_search,
        names_cards=True,
        reads=True,
    ),
    ManageEndpoint(
        method="POST",
        path="/identities/erase",
        scope=_SCOPE,
        operation="eraseIdentities",
        field="identitiesErasedResponse",
        summary="Erase identity records",
        about="Erases the account's records of a card, a person or a reference.",
        body=IdentityErasure,
        query=(DRY_RUN,),
        answer=IdentitiesErased,
        run=_erase,
        names_cards=True,
    ),
    ManageEndpoint(
        method="POST",
        path="/privacy/erasures",
        scope=_SCOPE,
        operation="erasePerson",
        field="jobResponse",
        summary="Erase a person",
        about="Starts a job that makes a person anonymous in decisions, and erases them from "
        "reviews, kept answers, identity records and, if wanted, lists.",
        body=PersonErasure,
        query=(DRY_RUN,),
        answer=JobResponse,
        run=_erase_person,
    ),
)
