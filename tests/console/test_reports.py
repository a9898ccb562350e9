"""A month on one page, as PDF and as CSV, for those who may read the audit log."""

import csv
import io
import threading
from datetime import UTC, datetime

from gatehouse.access.roles import UserRole
from gatehouse.core.ids import id_time_ms
from gatehouse.core.stages.outcomes import Outcome
from tests.admin.recorded import Recorder
from tests.console.harness import Console
from tests.harness import until


def test_a_month_is_read_made_and_taken_along(console: Console) -> None:
    shop = Recorder(console.session, console.account_id)
    moment_ms = id_time_ms(shop.keep(amount=20.0, decision=Outcome.ACCEPT))
    console.session.clock = lambda: moment_ms
    shop.keep(amount=90.0, decision=Outcome.DECLINE)
    console.desk.columns.catch_up(console.account_id)
    now = datetime.fromtimestamp(moment_ms / 1000, UTC)
    base = f"/a/{console.account_id}/reports"
    manager = console.as_role(UserRole.MANAGER, locale="de")
    assert "Noch nicht erstellt" in manager.get(base).text
    # The figures as of now are counted beside the page, after others, and meanwhile a file says so.
    others = threading.Event()
    console.desk.columns.answers.ask(console.other_id, "others", others.wait)
    waiting = manager.get(f"{base}/{now:%Y-%m}/pdf")
    assert (waiting.status_code, "every 3s" in waiting.text) == (200, True)
    others.set()
    until(lambda: "50,0" in manager.get(f"{base}/{now:%Y-%m}").text)
    assert "noch nicht erstellt" in manager.get(f"{base}/{now:%Y-%m}").text
    made = manager.post(f"{base}/make", {"month": f"{now:%Y-%m}"})
    assert made.status_code == 303
    assert "noch nicht erstellt" not in manager.get(f"{base}/{now:%Y-%m}").text
    pdf = manager.get(f"{base}/{now:%Y-%m}/pdf")
    assert pdf.content.startswith(b"%PDF")
    sheet = manager.get(f"{base}/{now:%Y-%m}/csv")
    rows = list(csv.reader(io.StringIO(sheet.text)))
    assert ["Abgewiesen", "USD", "1", "90.000000", "0.818182"] in rows
    assert sheet.headers["content-disposition"].endswith(f'report-{now:%Y-%m}.csv"')


def test_no_report_on_what_has_not_begun_or_for_others(console: Console) -> None:
    base = f"/a/{console.account_id}/reports"
    manager = console.as_role(UserRole.MANAGER)
    for month in ("2099-01", "nonsense", "2026-13"):
        refused = manager.post(f"{base}/make", {"month": month})
        assert refused.status_code in (400, 422), month
        assert manager.get(f"{base}/{month}").status_code == 404
    assert console.as_role(UserRole.ANALYST).get(base).status_code == 403
    other = console.as_role(UserRole.MANAGER, console.other_id)
    assert other.get(base).status_code == 404
    zone = console.as_role(UserRole.ADMINISTRATOR).post(f"{base}/zone", {"time_zone": "Moon/Sea"})
    assert zone.status_code in (400, 422)
