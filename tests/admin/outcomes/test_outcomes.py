"""Outcomes of payments: told, joined to their decisions, and listed, by nobody else."""

import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.feedback.use_cases.record import feedback_of
from gatehouse.admin.outcomes.types.outcome import (
    DisputeStage,
    OutcomeFilter,
    OutcomeReceipt,
    PaymentOutcome,
    label_of,
)
from gatehouse.admin.outcomes.types.outcome import OutcomeKind as K
from gatehouse.admin.outcomes.use_cases.listing import list_outcomes
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.core.errors import NotFound, RequestRefused
from gatehouse.core.wording.labels import Label
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.outcomes.told import ARN, DISPUTE, FRAUD, SALE, batch, kept
from tests.admin.recorded import Recorder
from tests.console.harness import open_console
from tests.harness import Home, make_account


def test_the_same_again_changes_nothing_and_a_later_stage_replaces(session: AdminSession) -> None:
    account = make_account(session)
    won = {**DISPUTE, "result": "WON"}
    told = [tell(session, account, batch(each)) for each in (DISPUTE, DISPUTE, won)]
    assert [(each.new, each.changed, each.unchanged) for each in told] == [
        (1, 0, 0),
        (0, 0, 1),
        (0, 1, 0),
    ]
    [kept] = list_outcomes(session, account, OutcomeFilter()).outcomes
    assert kept.result == "WON"


FIRST = {"stage": "FIRST", "amount": 5, "currency": "EUR", "network": "VISA"}


@pytest.mark.parametrize(
    ("before", "again", "kept"),
    [
        ({**FIRST, "result": "WON"}, FIRST, ("FIRST", "WON", "5", "VISA")),
        ({**FIRST, "stage": "REPRESENTED"}, FIRST, ("REPRESENTED", None, "5", "VISA")),
        ({**FIRST, "result": "LOST"}, {}, ("FIRST", "LOST", "5", "VISA")),
        ({**FIRST, "result": "LOST"}, {"result": "WON"}, ("FIRST", "WON", "5", "VISA")),
        (
            {**FIRST, "result": "WON"},
            {"stage": "PRE_ARBITRATION"},
            ("PRE_ARBITRATION", None, "5", "VISA"),
        ),
        ({"stage": "INQUIRY", "result": "WITHDRAWN"}, FIRST, ("FIRST", None, "5", "VISA")),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_what_is_not_said_again_stays(
    session: AdminSession,
    before: dict[str, Any],
    again: dict[str, Any],
    kept: tuple[str | None, ...],
    at_once: bool,
) -> None:
    account = make_account(session)
    both = [{**DISPUTE, **before}, {**DISPUTE, **again}]
    for items in [both] if at_once else [[each] for each in both]:
        tell(session, account, batch(*items))
    [one] = list_outcomes(session, account, OutcomeFilter()).outcomes
    assert (one.stage, one.result, one.amount, one.network) == kept


_RESULTS = st.sampled_from((None, "WON", "LOST", "ACCEPTED", "WITHDRAWN", "RESOLVED_BEFORE"))


@given(
    results=st.dictionaries(st.sampled_from(list(DisputeStage)), _RESULTS, min_size=2),
    orders=st.lists(st.integers(0, 10**6), min_size=1, max_size=3),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_files_of_a_dispute_come_to_the_same_in_any_order_and_again(
    sqlite_session: AdminSession, results: dict[DisputeStage, str | None], orders: list[int]
) -> None:
    files = [
        {**DISPUTE, "at": f"2026-11-0{day}T10:00:00Z", "stage": stage, "amount": day}
        | {"currency": "EUR", "network": "VISA"}
        | ({} if results[stage] is None else {"result": results[stage]})
        for day, stage in enumerate(DisputeStage, 1)
        if stage in results
    ]

    def told(*sent: dict[str, Any]) -> PaymentOutcome:
        account = make_account(sqlite_session)
        for each in sent:
            tell(sqlite_session, account, batch(each))
        [one] = kept(sqlite_session, account)
        return one

    expected, mixed = told(*files), list[dict[str, Any]]()
    for order in orders:
        mixed += random.Random(order).sample(files, len(files))
    assert told(*mixed) == expected
    assert told(*files, *mixed) == expected


@pytest.mark.parametrize(
    ("sent", "known"),
    [
        (
            [
                {"stage": "INQUIRY", "result": "RESOLVED_BEFORE"},
                {"stage": "FIRST"},
                {"stage": "INQUIRY", "result": "RESOLVED_BEFORE"},
            ],
            ("FIRST", None),
        ),
        (
            [{"result": "WON"}, {"stage": "PRE_ARBITRATION", "result": "LOST"}, {"result": "WON"}],
            ("PRE_ARBITRATION", "LOST"),
        ),
        ([{"stage": "REPRESENTED"}, {"stage": "FIRST", "result": "LOST"}], ("REPRESENTED", "LOST")),
    ],
)
def test_an_earlier_stage_never_overwrites_a_later_result(
    sqlite_session: AdminSession, sent: list[dict[str, str]], known: tuple[str, str | None]
) -> None:
    account = make_account(sqlite_session)
    for each in sent:
        tell(sqlite_session, account, batch({**DISPUTE, **each}))
    [one] = kept(sqlite_session, account)
    assert (one.stage, one.result) == known


def test_every_row_is_new_changed_or_unchanged(sqlite_session: AdminSession) -> None:
    account = make_account(sqlite_session)
    won = {**DISPUTE, "result": "WON"}
    done = tell(sqlite_session, account, batch(DISPUTE, DISPUTE, won, {**won, "reference": "d-2"}))
    assert (done.new, done.changed, done.unchanged) == (2, 1, 1)


SALE_OF_IT = {**SALE, "arn": ARN, "network": "VISA", "merchantId": "M-1", "region": "EU"}
FRAUD_OF_IT = {**FRAUD, "arn": ARN, "fraudType": "6"}


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("first", ["sale", "fraud"])
def test_an_event_counts_where_the_settlement_with_its_arn_counts(
    session: AdminSession, first: str, at_once: bool
) -> None:
    account = make_account(session)
    other = {**DISPUTE, "arn": ARN, "merchantId": "M-2", "network": "VISA"}
    files = [[SALE_OF_IT], [FRAUD_OF_IT, other]]
    if first == "fraud":
        files.reverse()
    files = [[one for each in files for one in each]] if at_once else files
    for items in [*files, *files]:
        done = tell(session, account, batch(*items))
        assert done.new + done.changed + done.unchanged == len(items)
    assert done.changed == 0
    found = {
        each.reference: (each.network, each.merchant_id, each.region)
        for each in kept(session, account)
    }
    assert found == {
        "s-1": ("VISA", "M-1", "EU"),
        "f-1": ("VISA", "M-1", "EU"),
        "dp-1": ("VISA", "M-2", "EU"),
    }


@pytest.mark.parametrize(
    ("told", "kept_as"), [("eu", "EU"), ("Mena", "MENA"), ("GB", "UK"), ("uk", "UK")]
)
def test_a_region_is_one_of_a_list_however_it_is_written(
    sqlite_session: AdminSession, told: str, kept_as: str
) -> None:
    account = make_account(sqlite_session)
    tell(sqlite_session, account, batch({**SALE, "region": told}))
    assert [each.region for each in kept(sqlite_session, account)] == [kept_as]


@pytest.mark.parametrize(
    ("told", "known", "label", "unknown"),
    [
        ({"network": "VISA", "reason": "104"}, "10.4", Label.CHARGEBACK, 0),
        ({"reason": "1261"}, "12.6.1", None, 0),
        ({"network": "AMEX", "reason": "f29"}, "F29", Label.CHARGEBACK, 0),
        ({"network": "MASTERCARD", "reason": "4837"}, "4837", Label.CHARGEBACK, 0),
        ({"network": "MASTERCARD", "reason": "104"}, "104", None, 1),
        ({"network": "VISA", "reason": "fraudulent"}, "FRAUDULENT", None, 1),
        ({"network": "MASTERCARD", "reason": "COMPLIANCE"}, "COMPLIANCE", None, 0),
    ],
)
def test_a_reason_is_one_however_it_is_written_and_an_unknown_one_is_counted(
    sqlite_session: AdminSession,
    told: dict[str, str],
    known: str,
    label: Label | None,
    unknown: int,
) -> None:
    session, account = sqlite_session, make_account(sqlite_session)
    request_id = Recorder(session, account).keep()
    done = tell(session, account, batch({**DISPUTE, **told, "requestId": request_id}))
    [one] = kept(session, account)
    assert (one.reason, one.label, done.unknown_reasons) == (known, label, unknown)


def test_a_dispute_for_fraud_labels_the_decision_that_its_settlement_named(
    session: AdminSession,
) -> None:
    account = make_account(session)
    request_id = Recorder(session, account).keep()
    sale = {
        **{"kind": "SETTLED", "reference": "s-1", "at": "2026-11-01T00:00:00Z"},
        **{"arn": ARN, "requestId": request_id},
    }
    tell(session, account, batch(sale))
    told = tell(session, account, batch({**DISPUTE, "arn": ARN}))
    assert told == OutcomeReceipt(1, 0, 0, 1, 1)
    assert [each.label for each in feedback_of(session, account, request_id)] == [Label.CHARGEBACK]


@pytest.mark.parametrize(
    ("kind", "reason", "fraud_type", "label"),
    [
        (K.DISPUTE, "10.4", None, Label.CHARGEBACK),
        (K.DISPUTE, "4837", None, Label.CHARGEBACK),
        (K.DISPUTE, "13.1", None, None),
        (K.DISPUTE, None, None, None),
        (K.FRAUD_REPORT, None, "6", Label.FRAUD),
        (K.FRAUD_REPORT, None, "57", Label.ABUSE),
        (K.FRAUD_REPORT, None, "10", Label.CARD_TESTING),
        (K.SETTLED, None, None, None),
    ],
)
def test_labels_follow_from_reason_and_type(
    kind: K, reason: str | None, fraud_type: str | None, label: Label | None
) -> None:
    assert label_of(kind, reason, fraud_type) is label


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"arn": "12"}, "items[0].arn"),
        ({"amount": 5}, "items[0].amount"),
        ({"amount": 5, "currency": "XYZ"}, "items[0].currency"),
        ({"fraudType": "6"}, "items[0].fraudType"),
        ({"maskedCard": "4242424242424242"}, "items[0].maskedCard"),
        ({"region": "Europe"}, "items[0].region"),
    ],
)
def test_what_cannot_be_true_is_refused_by_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(RequestRefused) as refused:
        batch({**DISPUTE, **change})
    assert field in refused.value.fields


def test_numbers_that_look_like_cards_are_kept_as_hashes(session: AdminSession) -> None:
    account = make_account(session)
    number = "4242424242424242"
    names = {"reference": number, "paymentId": number, "clientReferenceId": number}
    told = [tell(session, account, batch({**DISPUTE, **names})) for _ in range(2)]
    assert [each.new for each in told] == [1, 0]
    [outcome] = list_outcomes(session, account, OutcomeFilter()).outcomes
    assert outcome.reference.startswith("#")
    with session.database.reading() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM outcomes").all()
    assert number not in str(rows)


def test_a_stranger_neither_tells_nor_sees(session: AdminSession) -> None:
    account, other = make_account(session), make_account(session)
    tell(session, account, batch(DISPUTE))
    stranger = session.acting_as(Actor.key("key_1", other))
    with pytest.raises(NotFound):
        list_outcomes(stranger, account, OutcomeFilter())
    with pytest.raises(NotFound):
        tell(stranger, account, batch(DISPUTE))
    assert list_outcomes(stranger, other, OutcomeFilter()).outcomes == []


def test_an_acquirers_file_is_imported_and_bad_rows_are_reported(home: Home) -> None:
    home.migrated()
    file = home.path / "frauds.csv"
    file.write_text(
        "ISO,MID,referenceID,transactionID,ARN,Amount,Reported Fraud Date,Network,Fraud Type Code\n"
        f"x,M1,f-1,t-1,{ARN},59.90,11/02/2026,Visa,6\n"
        f"x,M1,f-2,t-2,{ARN[:-1]}3,ten,11/02/2026,Visa,6\n"
    )
    done = home.run("outcomes", "import", str(file), "--mapping", "tabapay-fraud", "--json")
    assert done.code == 1
    told = json.loads(done.out)
    assert (told["read"], told["new"], told["bad"]) == (2, 1, 1)
    assert "amount must be a number" in told["flaws"][0]["message"]
    assert "Fraud" not in home.run("outcomes", "list").out
    again = json.loads(
        home.run("outcomes", "import", str(file), "--mapping", "tabapay-fraud", "--json").out
    )
    assert (again["new"], again["unchanged"]) == (0, 1)


def test_a_page_lists_outcomes(home: Home) -> None:
    with open_console(home.migrated()) as console:
        tell(console.session, console.account_id, batch(DISPUTE))
        page = console.as_role(UserRole.VIEWER).get(f"/a/{console.account_id}/outcomes")
        assert page.status_code == 200
        assert "dp-1" in page.text


def test_an_amount_stays_exact(session: AdminSession) -> None:
    account = make_account(session)
    tell(session, account, batch({**DISPUTE, "amount": 12.5, "currency": "eur"}))
    [kept] = list_outcomes(session, account, OutcomeFilter()).outcomes
    assert (kept.amount, kept.currency) == ("12.5", "EUR")
