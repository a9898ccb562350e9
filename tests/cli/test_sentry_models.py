"""gatehouse sentry models, show, promote, rollback, run in this process."""

import functools
import json
from collections.abc import Callable

import msgspec
import pytest
from typer.testing import CliRunner

from gatehouse.admin.models.command import sentry as commands
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.sentry.scorecard import encode_sheet, load_sheet
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.training.report.report import (
    Figures,
    ModelComparison,
    ModelReport,
    ReportPeriod,
    TermShape,
    encode_report,
)
from tests.harness import invoking
from tests.harness.invoking import printed

run = functools.partial(printed, commands.app)
as_data = functools.partial(invoking.as_data, commands.app)


def report(auc: float | None) -> str:
    better = Figures(900, 30, auc, 0.6123, 0.4, 0.7, 0.0101, 0.09)
    worse = Figures(900, 30, 0.7654, 0.3, 0.2, 0.4, 0.2, 0.3)
    return encode_report(
        ModelReport(
            method="ebm",
            since="2026-01-02T03:04:05.000Z",
            until="2026-06-07T08:09:10.000Z",
            label_delay_ms=30 * 86_400_000,
            records=4321,
            frauds=98,
            presumed=4000,
            training=ReportPeriod("2026-01-02T03:04:05.000Z", "2026-05-01T00:00:00.000Z", 3000, 68),
            holdout=ReportPeriod("2026-06-01T00:00:00.000Z", "2026-06-07T08:09:10.000Z", 900, 30),
            figures=ModelComparison(better, worse),
            current_version="prior-2",
            terms=(TermShape("IP_TOR_EXIT", (0.5,), (0.25, -1.75), 77, "learned"),),
        )
    )


def keep(
    session: AdminSession,
    account: str,
    document: str,
    program: Callable[[int], str] | None = None,
    note: str | None = None,
) -> int:
    def shipped(version: int) -> str:
        return encode_sheet(msgspec.structs.replace(load_sheet(), version=f"mine-{version}"))

    with session.change() as change:
        return models.keep(change, account, lambda _: document, program or shipped, note=note)


def test_models_are_listed_with_what_they_learned_from_and_how_they_did(
    session: AdminSession, account: str
) -> None:
    keep(session, account, report(0.8765))
    keep(session, account, report(None), note="after the sale")
    keep(session, account, '{"from": "later"}')
    run("promote", "2")
    headings, *lines = run("models").splitlines()
    assert headings.split() == [
        *("VERSION", "MADE", "BY", "METHOD", "SINCE", "UNTIL", "FRAUDS"),
        *("AUC", "AP", "ECE", "STATE", "NOTE"),
    ]
    told = [line.split() for line in lines]
    note = ["after", "the", "sale"]
    assert [(line[0], line[2]) for line in told] == [
        *(("3", "test"), ("2", "test"), ("1", "test"), ("0", "-")),
    ]
    assert [line[3:] for line in told] == [
        ["-"] * 7,
        ["ebm", "2026-01-02", "2026-06-07", "98", "-", "0.6123", "0.0101", "live", *note],
        ["ebm", "2026-01-02", "2026-06-07", "98", "0.8765", "0.6123", "0.0101"],
        ["shipped", *["-"] * 6],
    ]
    third, second, first, shipped = as_data("models", "--account", account)
    assert (first["auc"], second["auc"], third["method"]) == (0.8765, None, None)
    assert first | {"createdAt": ""} == {
        "version": 1,
        "createdAt": "",
        "actor": "test",
        "note": None,
        "live": False,
        "method": "ebm",
        "since": "2026-01-02T03:04:05.000Z",
        "until": "2026-06-07T08:09:10.000Z",
        "records": 4321,
        "frauds": 98,
        "auc": 0.8765,
        "averagePrecision": 0.6123,
        "ece": 0.0101,
    }
    assert (second["live"], second["note"]) == (True, "after the sale")
    assert (shipped["version"], shipped["live"]) == (0, False)
    assert set(shipped) == set(first) == set(third)


def test_an_account_without_models_has_the_shipped_scorecard(account: str) -> None:
    assert [(line["version"], line["live"]) for line in as_data("models")] == [(0, True)]
    for arguments in (["show"], ["show", "0"]):
        text = run(*arguments)
        assert text.startswith(f"the shipped scorecard ({load_sheet().version}), live")
        assert all(term.code in text for term in load_sheet().terms)
    shown = as_data("show")
    assert shown["live"] is True
    assert len(shown["scorecard"]["term"]) == len(load_sheet().terms)
    term = load_sheet().terms[0]
    line = next(line for line in run("show").splitlines() if line.startswith(term.code))
    assert f"from {term.cuts[0]:g}: {term.effects[1]:+g}" in line


def test_a_model_is_shown_with_its_report(session: AdminSession, account: str) -> None:
    keep(session, account, report(0.8765), note="first try")
    text = run("show", "1")
    head, note, *_ = text.splitlines()
    assert head.startswith("model 1, made 20")
    assert head.endswith("by test, not live")
    assert note == "note: first try"
    for part in ("4,321 requests", "2026-01-02", "0.8765", "0.7654", "IP_TOR_EXIT", "-1.75"):
        assert part in text
    shown = as_data("show", "1")
    assert shown["report"] == json.loads(report(0.8765))
    assert shown["scorecard"]["version"] == "mine-1"
    assert run("show").startswith("the shipped scorecard")
    run("promote", "1")
    assert run("show").splitlines()[0].endswith("by test, live")
    assert as_data("show")["version"] == 1
    assert "not live" in run("show", "0").splitlines()[0]
    for missing in ("7", "99999999999"):
        with pytest.raises(NotFound, match=f"no model with version {missing}; see: gatehouse"):
            run("show", missing)


def test_a_model_of_a_later_version_is_shown_as_far_as_it_can_be_read(
    session: AdminSession, account: str
) -> None:
    keep(session, account, '{"from": "later"}')
    keep(session, account, '{"from": "later"}', lambda _: '{"from": "later"}')
    twisted = msgspec.structs.replace(load_sheet().terms[0], effects=())
    broken = msgspec.structs.replace(load_sheet(), terms=(twisted,))
    keep(session, account, '{"from": "later"}', lambda _: encode_sheet(broken))
    assert "its report cannot be read" in run("show", "1")
    assert load_sheet().terms[0].code in run("show", "1")
    assert "nor can its scorecard" in run("show", "2")
    assert "one more effect than cuts" in run("show", "3")
    for version, why in (("2", "cannot be read"), ("3", "one more effect than cuts")):
        with pytest.raises(Conflict, match=f"model {version} cannot be used by this.*{why}"):
            run("promote", version)
    assert as_data("models")[-1]["live"] is True
    # It came to be live all the same, by a later version: the way back to it is shut as well.
    with session.change() as change:
        models.promote(change, account, 2)
    run("promote", "1")
    with pytest.raises(Conflict, match="model 2 cannot be used"):
        run("rollback")
    assert as_data("show")["version"] == 1


def test_a_model_of_another_version_is_promoted_with_what_it_does_not_know(
    session: AdminSession, account: str
) -> None:
    sheet = load_sheet()
    fewer = encode_sheet(msgspec.structs.replace(sheet, terms=sheet.terms[1:]))
    keep(session, account, report(0.8), lambda _: fewer)
    remark = f"signals it does not know count as shipped: {sheet.terms[0].code}"
    assert as_data("promote", "1")["remarks"] == [remark]


def test_promoting_and_going_back_say_what_was_live_before(
    session: AdminSession, account: str
) -> None:
    for _ in range(2):
        keep(session, account, report(0.8))
    assert run("promote", "1") == "model 1 is live; before it was the shipped scorecard\n"
    assert as_data("promote", "2", "--account", account) == {
        "accountId": account,
        "version": 2,
        "before": 1,
        "remarks": [],
        "mapped": False,
        "thresholds": [],
    }
    with pytest.raises(Conflict, match="model 2 is live already"):
        run("promote", "2")
    with pytest.raises(NotFound, match="no model with version 3"):
        run("promote", "3")
    assert run("rollback") == "model 1 is live; before it was model 2\n"
    assert as_data("rollback", "--to", "0")["version"] == 0
    with pytest.raises(Conflict, match="nothing to go back from"):
        run("rollback")
    run("promote", "2")
    assert run("rollback") == "the shipped scorecard is live; before it was model 2\n"
    assert CliRunner().invoke(commands.app, ["rollback", "--to", "-1"]).exit_code == 2
    with session.reading() as connection:
        lines = [line for line in audit.read(connection, account, 100) if "model" in line.action]
    assert [line.action.partition(".")[2] for line in lines] == [
        *("train", "train", "promote", "promote"),
        *("rollback", "rollback", "promote", "rollback"),
    ]
    assert {line.actor.partition(":")[0] for line in lines[2:]} == {"cli"}


def test_a_model_made_for_other_signals_is_promoted_with_a_remark(
    session: AdminSession, account: str
) -> None:
    first, *others = load_sheet().terms
    unknown = msgspec.structs.replace(first, code="OF_LATER")
    another = msgspec.structs.replace(load_sheet(), terms=(unknown, *others))
    keep(session, account, report(0.8), lambda _: encode_sheet(another))
    assert run("promote", "1").splitlines()[1:] == [
        f"signals it does not know count as shipped: {first.code}",
        "it knows signals that are not measured: OF_LATER",
    ]
