"""Choose a month, and hand out what it came to as a file."""

from datetime import UTC, date, datetime, timedelta

from starlette.responses import Response

from gatehouse.billing.statement import Period, PeriodRefused, read_period
from gatehouse.console.refusals import Told
from gatehouse.console.visit import Visit


def today(visit: Visit) -> date:
    """The day in UTC."""
    return datetime.fromtimestamp(visit.now_ms / 1000, UTC).date()


def chosen_month(visit: Visit) -> str:
    """The month that is asked for, as it is written; by default this one."""
    return visit.query.get("month") or f"{today(visit):%Y-%m}"


def chosen_period(visit: Visit) -> Period:
    """The month that is asked for; or a page that says how one is written."""
    try:
        return read_period(chosen_month(visit), None, None, visit.now_ms)
    except PeriodRefused:
        raise Told(visit.text("money.problems.month")) from None


def months(visit: Visit) -> list[str]:
    """The months that can be chosen: a year back, or since the account was made."""
    assert visit.account is not None
    made = datetime.fromtimestamp(visit.account.created_at_ms / 1000, UTC).date()
    day = today(visit).replace(day=1)
    found: list[str] = []
    while len(found) < 13 and (day >= made.replace(day=1) or not found):
        found.append(f"{day:%Y-%m}")
        day = (day - timedelta(days=1)).replace(day=1)
    return found


def sheet(
    visit: Visit, body: bytes, content_type: str, ending: str, kind: str = "statement"
) -> Response:
    """A file that is named after the account and the month."""
    name = f"{kind}-{visit.account_id}-{chosen_month(visit)}.{ending}"
    disposition = f'attachment; filename="{name}"'
    return Response(body, headers={"content-disposition": disposition}, media_type=content_type)
