"""Acquirers' files: read by their mapping, imported in batches, resumed, and never twice."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from gatehouse.admin.acquirer_files.types.mapping import (
    LONGEST_MAPPING,
    SHIPPED,
    NotAnOutcome,
    OutcomeMapping,
    read_mapping,
    shipped_mapping,
)
from gatehouse.admin.acquirer_files.use_cases import import_files
from gatehouse.admin.acquirer_files.use_cases.import_files import (
    ImportedOutcomes,
    OutcomeImport,
    import_outcomes,
    open_outcome_file,
)
from gatehouse.admin.acquirer_files.use_cases.import_jobs import OutcomeFile, import_file
from gatehouse.admin.audit.use_cases import lines
from gatehouse.admin.jobs.worker.running import run_job
from gatehouse.admin.outcomes.use_cases.keeping import OutcomeKeeper
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.records import RecordFormat
from gatehouse.core.job_state import JobState
from gatehouse.store import jobs
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.outcomes.told import kept
from tests.harness import make_account

HEAD = "kind,reference,at,network,amount,currency,arn\n"


class Quiet:
    """Keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def reached(self, done: int, note: str) -> None:
        pass

    def say(self, text: str) -> None:
        self.said.append(text)


def imported(
    session: AdminSession, account: str, path: Path, mapping: str = "gatehouse", **options: Any
) -> ImportedOutcomes:
    chosen = shipped_mapping(mapping)
    with contextlib.closing(open_outcome_file(path, "csv", chosen)) as file:
        job = OutcomeImport(file, chosen, **options)
        return import_outcomes(session, account, job, Quiet())


def settlements(path: Path, number: int, bad: int = -1) -> Path:
    rows = [
        f"SETTLED,s-{one},{'soon' if one == bad else '2026-11-01'},VISA,9.99,EUR,\n"
        for one in range(number)
    ]
    path.write_text(HEAD + "".join(rows))
    return path


def test_an_interrupted_import_goes_on_where_it_was(
    session: AdminSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = make_account(session)
    file, rejects = settlements(tmp_path / "s.csv", 10, bad=1), tmp_path / "bad.csv"
    monkeypatch.setattr(import_files, "BATCH", 4)
    real, batches = OutcomeKeeper.store, list[int]()

    def once(self: Any, *given: Any) -> Any:
        if len(batches) == 2:
            raise KeyboardInterrupt
        batches.append(1)
        return real(self, *given)

    monkeypatch.setattr(OutcomeKeeper, "store", once)
    with pytest.raises(KeyboardInterrupt):
        imported(session, account, file, rejects=rejects)
    assert len(kept(session, account)) == 7
    monkeypatch.setattr(OutcomeKeeper, "store", real)
    done = imported(session, account, file, rejects=rejects)
    assert done.resumed
    assert {name: done.counts[name] for name in ("read", "new", "unchanged", "bad")} == {
        **{"read": 10, "new": 9, "unchanged": 0},
        "bad": 1,
    }
    assert rejects.read_text().splitlines()[1].startswith("3,at,")
    again = imported(session, account, file)
    assert (again.resumed, again.counts["new"], again.counts["unchanged"]) == (False, 0, 9)


def test_a_file_leaves_one_audit_line_and_one_event(session: AdminSession, tmp_path: Path) -> None:
    account = make_account(session)
    imported(session, account, settlements(tmp_path / "s.csv", 3))
    found = [each for each in lines(session, account, 50) if each.action.startswith("outcome")]
    assert [(each.action, each.details["new"]) for each in found] == [("outcome.import", 3)]


def test_a_dry_run_changes_nothing(session: AdminSession, tmp_path: Path) -> None:
    account = make_account(session)
    file = settlements(tmp_path / "s.csv", 3)
    assert imported(session, account, file, dry_run=True).counts["new"] == 3
    assert kept(session, account) == []
    imported(session, account, file)
    assert imported(session, account, file, dry_run=True).counts["unchanged"] == 3


@pytest.mark.parametrize(
    ("mapping", "row", "fields"),
    [
        (
            "tabapay-fraud",
            {
                **{"ISO": "1", "MID": "22", "Reference ID": "r-1", "Transaction ID": "T-1"},
                **{"ARN": "*74537604221222132710572", "Card Number": "411111******1111"},
                **{"Original Transaction Date": "10/30/2026", "Network": "Visa"},
                **{"Original Transaction Amount": "59.90", "Reported Fraud Date": "11/02/2026"},
                **{"Fraud Type": "6", "Fraud Description": "x"},
            },
            {
                **{"kind": "FRAUD_REPORT", "reference": "r-1", "clientReferenceId": "r-1"},
                **{"paymentId": "T-1", "arn": "74537604221222132710572", "fraudType": "6"},
                **{"maskedCard": "411111******1111", "amount": 59.9, "currency": "USD"},
                **{"at": "2026-11-02T00:00:00+00:00", "network": "VISA", "merchantId": "22"},
                "transactionAt": "2026-10-30T00:00:00+00:00",
            },
        ),
        (
            "adyen-settlement",
            {
                **{"Merchant Account": "Shop", "Psp Reference": "psp1", "Merchant Reference": "o"},
                **{"Payment Method": "mc", "Creation Date": "2026-11-01 10:00:00"},
                **{"Type": "Refunded", "Modification Reference": "mod1", "Gross Currency": "JPY"},
                **{"Gross Debit (GC)": "500", "Gross Credit (GC)": ""},
            },
            {
                **{"kind": "REFUNDED", "reference": "mod1", "at": "2026-11-01T10:00:00+00:00"},
                **{"merchantId": "Shop", "paymentId": "psp1", "clientReferenceId": "o"},
                **{"network": "MASTERCARD", "amount": 500.0, "currency": "JPY"},
            },
        ),
        (
            "adyen-disputes",
            {
                **{"Record Type": "Chargeback", "Dispute PSP Reference": "d1"},
                **{"Dispute Date": "2026-11-02 00:00:00", "Psp Reference": "psp1"},
                **{"Payment Method": "visa", "Dispute Amount": "12.5", "Dispute Currency": "EUR"},
                **{"CB Reason Code": "10.4", "NOF Reason Code": ""},
            },
            {
                **{"kind": "DISPUTE", "reference": "d1", "at": "2026-11-02T00:00:00+00:00"},
                **{"paymentId": "psp1", "network": "VISA", "amount": 12.5, "currency": "EUR"},
                **{"reason": "10.4", "stage": "FIRST"},
            },
        ),
        (
            "stripe-disputes",
            {
                **{"id": "du_1", "created": 1793613600, "charge": "ch_1", "amount": 1234},
                **{"currency": "kwd", "network_reason_code": "10.4", "status": "won"},
                "evidence_details": {"due_by": 1794823200},
                "payment_method_details": {"card": {"brand": "visa"}},
            },
            {
                **{"kind": "DISPUTE", "reference": "du_1", "at": "2026-11-02T10:00:00+00:00"},
                **{"paymentId": "ch_1", "amount": 1.234, "currency": "kwd", "reason": "10.4"},
                **{"result": "WON", "network": "VISA", "respondBy": "2026-11-16T10:00:00+00:00"},
            },
        ),
        (
            "stripe-early-fraud-warnings",
            {"id": "issfr_1", "created": 1793613600, "charge": "ch_1", "fraud_type": "misc"},
            {
                **{"kind": "FRAUD_REPORT", "reference": "issfr_1", "fraudType": "misc"},
                **{"at": "2026-11-02T10:00:00+00:00", "paymentId": "ch_1"},
            },
        ),
    ],
)
def test_a_shipped_mapping_reads_its_file(
    mapping: str, row: dict[str, Any], fields: dict[str, Any]
) -> None:
    assert shipped_mapping(mapping).fields(row) == fields


@pytest.mark.parametrize(
    ("status", "case", "said"),
    [
        ("needs_response", "chargeback", {"stage": "FIRST", "reason": "104"}),
        ("under_review", "chargeback", {"stage": "REPRESENTED", "reason": "104"}),
        ("lost", "chargeback", {"stage": "FIRST", "result": "LOST", "reason": "104"}),
        ("warning_closed", "inquiry", {"stage": "INQUIRY", "result": "WITHDRAWN", "reason": "104"}),
        ("warning_needs_response", "chargeback", {"stage": "FIRST", "reason": "104"}),
        ("prevented", "resolution", {"result": "RESOLVED_BEFORE", "reason": "104"}),
        ("needs_response", "compliance", {"stage": "FIRST", "reason": "COMPLIANCE"}),
        ("of 2027", "of 2027", {"reason": "of 2027"}),
    ],
)
def test_a_dispute_of_stripe_is_what_its_status_and_its_case_say(
    status: str, case: str, said: dict[str, str]
) -> None:
    row = {"id": "du_1", "created": 1793613600, "status": status, "network_reason_code": "104"}
    fields = shipped_mapping("stripe-disputes").fields(
        {**row, "payment_method_details": {"card": {"brand": "visa", "case_type": case}}}
    )
    names = ("stage", "result", "reason")
    assert {name: fields[name] for name in names if name in fields} == said


def test_rows_about_something_else_are_passed_over(session: AdminSession, tmp_path: Path) -> None:
    account = make_account(session)
    head = "Type,Modification Reference,Creation Date,Gross Currency,Gross Credit (GC)\n"
    file = tmp_path / "s.csv"
    rows = "Settled,m1,2026-11-01 00:00:00,EUR,5\nFee,m2,2026-11-01 00:00:00,EUR,1\n"
    file.write_text(head + rows)
    done = imported(session, account, file, "adyen-settlement")
    assert (done.counts["new"], done.counts["passedOver"], done.bad) == (1, 1, 0)


@pytest.mark.parametrize(
    ("zone", "at"),
    [("UTC", "2026-10-31T23:30:00+00:00"), ("America/New_York", "2026-10-31T23:30:00-04:00")],
)
def test_a_mapping_says_in_which_zone_its_days_are(zone: str, at: str) -> None:
    text = f"""
about = "Mine."
moments = "%d.%m.%Y %H:%M"
zone = "{zone}"
[columns]
at = "When"
"""
    assert read_mapping(text, "mine").fields({"When": "31.10.2026 23:30"}) == {"at": at}


@pytest.mark.parametrize(
    ("currency", "units"), [("JPY", 1234.0), ("EUR", 12.34), ("KWD", 1.234), ("XXQ", None)]
)
def test_smallest_units_are_those_of_the_currency(currency: str, units: float | None) -> None:
    mapping = OutcomeMapping("x", {"amount": "a", "currency": "c"}, amounts="minor")
    if units is None:
        with pytest.raises(ValueError, match="smallest unit"):
            mapping.fields({"a": "1234", "c": currency})
    else:
        assert mapping.fields({"a": "1234", "c": currency})["amount"] == units


@pytest.mark.parametrize(
    "text",
    [
        "",
        'about = "x"\n[columns]\ncard = "y"\n',
        'about = "x"\nzone = "Nowhere/At_All"\n[columns]\nat = "y"\n',
        'about = "x"\nsecret = 1\n[columns]\nat = "y"\n',
        "about = [",
        # What these cost the parser grows with the square of their parts, or is a defect of it.
        ".".join("a" * 30_000) + " = 1",
        "about = " + "[" * 1500,
        f"about = {'9' * 5000}",
        f'about = "x"\nzone = "{"a/" * 5000}a"\n[columns]\nat = "y"\n',
        f'about = "x"\n[columns]\nat = "{"y" * 30_000}"\n',
        # The console and the terminal build no request that would be checked.
        f'about = "x"\n[columns]\nat = "y"\n#{"#" * LONGEST_MAPPING}',
    ],
    ids=range(11),
)
def test_a_mapping_that_cannot_be_used_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_mapping(text, "mine")


@pytest.mark.parametrize("amount", ["inf", "nan", "1e400", 10**400, [], {}, True])
def test_one_hostile_cell_is_one_bad_row(amount: Any) -> None:
    mapping = OutcomeMapping("x", {"amount": "a", "currency": "c"}, amounts="minor")
    with pytest.raises(ValueError, match="smallest unit"):
        mapping.fields({"a": amount, "c": "EUR"})
    with pytest.raises(ValueError, match="at must be written"):
        OutcomeMapping("x", {"at": "t"}, moments="%d%d").fields({"t": "0101"})


def test_every_shipped_mapping_is_there() -> None:
    for name in SHIPPED:
        assert shipped_mapping(name).about.endswith(".")
    with pytest.raises(NotAnOutcome):
        shipped_mapping("adyen-disputes").fields({"Record Type": "Fee"})


def test_a_file_that_another_mapping_fits_is_refused_with_its_name(session: AdminSession) -> None:
    account = make_account(session)
    content = "Type,Psp Reference,Creation Date\nSettled,p-1,2026-11-01 00:00:00\n"
    with pytest.raises(InvalidInput, match=r"no column reference; .* adyen-settlement$"):
        import_file(session, account, OutcomeFile("csv", content))


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_job_imports_a_file(session: AdminSession, form: RecordFormat) -> None:
    account = make_account(session)
    row = {"kind": "SETTLED", "reference": "s-1", "at": "2026-11-01"}
    text = "\n".join((",".join(row), ",".join(row.values()), "SETTLED,s-2,soon"))
    content = text if form == "csv" else json.dumps(row)
    started = import_file(session, account, OutcomeFile(form, content))
    with session.writing() as connection:
        claimed = jobs.claim(connection, "me", session.clock())
    assert claimed is not None
    assert run_job(session, started.job_id, "me") is JobState.SUCCEEDED
    with session.reading() as connection:
        result = json.loads(jobs.get(connection, account, started.job_id).result or "")
    assert (result["new"], result["bad"]) == (1, 1 if form == "csv" else 0)
    with pytest.raises(InvalidInput):
        import_file(session, account, OutcomeFile(form, content, "no = mapping"))
