"""What became of the payments of an account: a list with forms, and the money of months."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

from starlette.responses import Response

from gatehouse.admin.acquirer_files.types.mapping import SHIPPED
from gatehouse.admin.acquirer_files.use_cases.import_jobs import OutcomeFile, import_file
from gatehouse.admin.jobs.types import MOST_IMPORT_BYTES, JobKind, JobResponse
from gatehouse.admin.jobs.use_cases import list_jobs, shown_job
from gatehouse.admin.outcomes.types.joining import OutcomeCandidates, OutcomeJoin, OutcomeNamed
from gatehouse.admin.outcomes.types.money import MoneyReportWanted
from gatehouse.admin.outcomes.types.outcome import (
    DisputeResult,
    DisputeStage,
    OutcomeBatch,
    OutcomeFilter,
    OutcomeKind,
    OutcomeNetwork,
    OutcomeReport,
)
from gatehouse.admin.outcomes.use_cases.joining import (
    candidates_of,
    join_outcome,
    rejoin_outcomes,
)
from gatehouse.admin.outcomes.use_cases.listing import list_outcomes
from gatehouse.admin.outcomes.use_cases.reporting import report_money
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.core.errors import InvalidFields, InvalidInput, NotFound
from gatehouse.core.files.records import guess_format
from gatehouse.core.money import MICROS_PER_UNIT, parse_amount
from gatehouse.core.wording.labels import LONGEST_ID

_ON_A_PAGE: Final = 50
_IMPORTS: Final = 3
_DAY: Final = len("2026-11-15")
_ALL: Final = "/a/{account}/outcomes"


def show_outcomes(visit: Visit) -> Response:
    """The newest ones, of all kinds or of one, and forms to add others."""
    asked = visit.query["kind"]
    kind = OutcomeKind(asked) if asked in OutcomeKind.__members__ else None
    waiting = bool(visit.query.get("waiting"))
    wanted = OutcomeFilter(
        kind,
        joined=False if waiting else None,
        limit=_ON_A_PAGE,
        cursor=visit.query.get("after") or None,
    )
    try:
        found = list_outcomes(*visit.opened, wanted)
    except InvalidFields:
        # An address that somebody changed begins at the first page.
        found = list_outcomes(*visit.opened, OutcomeFilter(kind, limit=_ON_A_PAGE))
    named = _named(visit.form if visit.problems else visit.query)
    return visit.render(
        "outcomes/outcomes.html",
        named=named,
        found=_found(visit, named),
        outcomes=found.outcomes,
        older=found.next_cursor,
        chosen=kind,
        waiting=waiting,
        shown=_money_of(visit),
        kind_tabs=[
            (_word(visit, "kinds", each), visit.url("outcomes", {"kind": each.value}), each is kind)
            for each in OutcomeKind
        ],
        kind_options=_options(visit, "kinds", OutcomeKind),
        network_options=[
            (each.value, "–" if each is OutcomeNetwork.OTHER else each.value)
            for each in OutcomeNetwork
        ],
        stage_options=[("", ""), *_options(visit, "stages", DisputeStage)],
        result_options=[("", ""), *_options(visit, "results", DisputeResult)],
        mapping_options=[(each, each) for each in SHIPPED],
        imports=_imports(visit),
    )


def _imports(visit: Visit) -> list[JobResponse]:
    """The newest imports, with what became of their rows."""
    kinds = (JobKind.OUTCOME_IMPORT,)
    found = list_jobs(*visit.opened, kinds, limit=_IMPORTS)
    return [shown_job(each) for each in found]


def _options(visit: Visit, names: str, values: Iterable[StrEnum]) -> list[tuple[str, str]]:
    return [(each.value, _word(visit, names, each)) for each in values]


def _word(visit: Visit, names: str, value: StrEnum) -> str:
    return visit.text(f"outcomes.{names}.{value}")


def show_money(visit: Visit) -> Response:
    """What became of the money, by month and currency."""
    found = report_money(*visit.opened, MoneyReportWanted(12))
    return visit.render("outcomes/money.html", report=found, shown=_money_of(visit))


def tell_outcome(visit: Visit) -> Response:
    """Keep one outcome that a person typed."""
    report = visit.given(OutcomeReport, **_typed(visit))
    tell(*visit.opened, OutcomeBatch([report]))
    return visit.redirect("outcomes", notice="outcomes.notices.told")


def import_outcomes(visit: Visit) -> Response:
    """Start the import of an acquirer's file."""
    upload = visit.upload("file")
    if upload is None or not upload.content:
        raise visit.refuse("file", "outcomes.problems.file")
    try:
        form, text = guess_format(upload.name), upload.content.decode("utf-8-sig")
    except (InvalidInput, UnicodeDecodeError):
        raise visit.refuse("file", "outcomes.problems.form") from None
    own = visit.entered("own")
    given = OutcomeFile(form, text, own or visit.form["mapping"])
    import_file(*visit.opened, given)
    return visit.redirect("outcomes", notice="outcomes.notices.importing")


def join(visit: Visit) -> Response:
    """Say which decision an outcome is about."""
    named = _named(visit.form)
    if named is None:
        raise visit.refuse("reference", "outcomes.problems.reference")
    try:
        join_outcome(*visit.opened, named)
    except NotFound:
        raise visit.refuse("request_id", "outcomes.problems.request") from None
    return visit.redirect("outcomes", notice="outcomes.notices.joined")


def rejoin(visit: Visit) -> Response:
    """Look again for the decisions of all outcomes that have none."""
    done = rejoin_outcomes(*visit.opened)
    notice = Notice("outcomes.notices.rejoined", {"count": done.joined})
    return visit.redirect("outcomes", notice=notice)


def _named(given: Mapping[str, str]) -> OutcomeJoin | None:
    """Which outcome a link or a form is about, and the decision that a person names."""
    kind, reference = given.get("kind", ""), given.get("reference", "")
    if kind not in OutcomeKind.__members__ or not 0 < len(reference) <= LONGEST_ID:
        return None
    return OutcomeJoin(OutcomeKind(kind), reference, given.get("request_id", "").strip() or None)


def _found(visit: Visit, named: OutcomeJoin | None) -> OutcomeCandidates | None:
    """The decisions that an outcome can be about."""
    if named is None:
        return None
    try:
        wanted = OutcomeNamed(named.kind, named.reference)
        return candidates_of(*visit.opened, wanted)
    except NotFound:
        return None


def _typed(visit: Visit) -> dict[str, Any]:
    """The fields of the form that people write in their own way."""
    found: dict[str, Any] = {}
    for name in ("at", "respond_by", "transaction_at"):
        day = visit.entered(name)
        found[name] = f"{day}T00:00:00Z" if len(day) == _DAY else day or None
    typed = visit.entered("amount")
    currency = visit.entered("currency").upper() or None
    found["currency"] = currency
    micros = visit.read_amount("amount", typed, currency) if typed else None
    found["amount"] = None if micros is None else micros / MICROS_PER_UNIT
    found["three_d_secure"] = True if visit.form.get("three_d_secure") else None
    return found


def _money_of(visit: Visit) -> Any:
    """Writes amounts as the person's locale has them."""
    return lambda amount, currency: visit.money(parse_amount(amount), currency)


PAGES: Final[Declarations] = (
    Page(_ALL, "outcomes", show_outcomes, group="account", does=list_outcomes),
    Page(f"{_ALL}/money", "outcomes-money", show_money, does=report_money),
    Action(f"{_ALL}/new", "outcome-tell", tell_outcome, again=show_outcomes, does=tell),
    Action(
        f"{_ALL}/import",
        "outcome-import",
        import_outcomes,
        again=show_outcomes,
        most_bytes=MOST_IMPORT_BYTES,
        takes_files=True,
        does=import_file,
    ),
    Action(f"{_ALL}/rejoin", "outcome-rejoin", rejoin, again=show_outcomes, does=rejoin_outcomes),
    Action(f"{_ALL}/join", "outcome-join", join, again=show_outcomes, does=join_outcome),
)
