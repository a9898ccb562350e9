"""gatehouse feedback, run in this process: files good and bad, single statements, looking back."""

import functools
import gzip
import io
import json
import random
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from gatehouse.admin.feedback import command as commands
from gatehouse.admin.feedback.use_cases import import_labels
from gatehouse.admin.feedback.use_cases.import_labels import ImportedFeedback, import_feedback
from gatehouse.admin.feedback.use_cases.statements import open_feedback_file
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound
from gatehouse.core.files.records import RecordFile, RecordFormat
from gatehouse.core.ids import new_id
from gatehouse.core.secrets.keyring import ENTITIES
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.feedback import feedback, feedback_history
from gatehouse.store.feedback.statements import (
    MOST_REQUESTS,
    MOST_STATEMENTS,
    FeedbackStatement,
    FeedbackSubject,
    LabelReport,
)
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import DECISIONS, FEEDBACK
from tests.harness import Home, invoking, make_account

CARD = "4242424242424242"
MOMENT_MS = 1_700_000_000_000
_NUMBERS = count()


@pytest.fixture(autouse=True)
def restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server waits for its turn here."""
    monkeypatch.setattr(import_labels, "Pace", lambda session: Pace(session, sleep=lambda _: None))


def decide(
    session: AdminSession,
    account_id: str,
    *,
    reference: str | None = None,
    transaction: str | None = None,
) -> str:
    """Insert the decision of a request; ids grow with every call."""
    number = next(_NUMBERS)
    at_ms = MOMENT_MS + number
    request_id = new_id("req", at_ms, lambda size: number.to_bytes(size, "big"))
    hasher = EntityHasher(session.ring.current(ENTITIES)[1])
    decision = {
        "account_id": account_id,
        "request_id": request_id,
        "at_ms": at_ms,
        "operation": "sentry",
        "client_reference": reference,
        "card": None,
        "record": "{}",
        "transaction_reference": None if transaction is None else hasher.kept(transaction),
    }
    with session.database.writing() as connection:
        connection.execute(DECISIONS.insert(), decision)
    return request_id


def take(
    session: AdminSession,
    account_id: str,
    file: Path,
    content: str | bytes,
    form: RecordFormat = "csv",
) -> ImportedFeedback:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return import_file(session, account_id, file, form)


class Quiet:
    """Shows no progress."""

    def reached(self, done: int, note: str) -> None: ...

    def say(self, text: str) -> None: ...


def import_file(
    session: AdminSession,
    account_id: str,
    file: Path | None,
    form: RecordFormat = "csv",
    *,
    dry_run: bool = False,
) -> ImportedFeedback:
    with closing(open_feedback_file(file, form)) as source:
        return import_feedback(session, account_id, source, Quiet(), dry_run=dry_run)


def rows_kept(session: AdminSession) -> int:
    with session.reading() as connection:
        return len(connection.execute(FEEDBACK.select()).all())


def labels_of(session: AdminSession, account_id: str, request_id: str) -> list[str]:
    with session.reading() as connection:
        return [said.label for said in feedback.history(connection, account_id, request_id)]


run = functools.partial(invoking.invoke, commands.app)
as_data = functools.partial(invoking.as_data, commands.app)


def test_a_file_is_kept_and_the_same_file_again_changes_nothing(
    session: AdminSession, tmp_path: Path
) -> None:
    account = make_account(session)
    by_id = decide(session, account)
    by_transaction = decide(session, account, transaction="t 1")
    by_reference = [decide(session, account, reference="order-7") for _ in range(2)]
    text = (
        "\N{ZERO WIDTH NO-BREAK SPACE}label, requestId ,transactionId,clientReferenceId,when,"
        "amount,Currency\r\n"
        f"fraud,{by_id},,,2023-12-01,12.50,usd\r\n"
        "Chargeback,,t 1,,2023-12-01T10:00:00+02:00,,\r\n"
        "\r\n"
        'LEGITIMATE,,," order-7 ",,,\r\n'
    )
    file = tmp_path / "chargebacks.csv"
    first = take(session, account, file, text)
    assert first.counts() == {"read": 3, "new": 4, "changed": 0, "unchanged": 0, "bad": 0}
    assert first.labels == {Label.FRAUD: 1, Label.CHARGEBACK: 1, Label.LEGITIMATE: 2}
    with session.reading() as connection:
        [said] = feedback.history(connection, account, by_id)
        [other] = feedback.history(connection, account, by_transaction)
    assert (said.label, said.amount, said.currency) == (Label.FRAUD, 12_500_000, "USD")
    assert (said.found_at_ms, other.found_at_ms) == (1_701_388_800_000, 1_701_417_600_000)
    assert (said.actor, said.source) == ("test", LabelSource.IMPORT)
    assert [labels_of(session, account, one) for one in by_reference] == [["LEGITIMATE"]] * 2

    again = take(session, account, file, text)
    assert again.counts() == {"read": 3, "new": 0, "changed": 0, "unchanged": 4, "bad": 0}
    assert rows_kept(session) == 4
    with session.reading() as connection:
        trail = [line for line in audit.read(connection, account, 10)
                 if line.action == "feedback.import"]  # fmt: skip
    assert [line.details["new"] for line in sorted(trail, key=lambda line: line.seq)] == [4, 0]


def test_json_lines_say_the_same_and_keep_amounts_exact(
    session: AdminSession, tmp_path: Path
) -> None:
    account = make_account(session)
    one, other = (
        decide(session, account, reference=" 77 "),
        decide(session, account, transaction="88"),
    )
    text = (
        '{"clientReferenceId": " 77 ", "label": "fraud", "amount": 999999999.999999}\n'
        '\n{"transactionId": 88, "label": "legitimate", "when": null, "amount": 12}\n'
    )
    packed = gzip.compress(text.encode())
    assert take(session, account, tmp_path / "told.jsonl.gz", packed, "jsonl").new == 2
    with session.reading() as connection:
        amounts = [feedback.history(connection, account, each)[0].amount for each in (one, other)]
    assert amounts == [999_999_999_999_999, 12_000_000]


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_what_a_file_says_later_counts_and_is_known_again(
    session: AdminSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(import_labels, "BATCH", batch)
    account = make_account(session)
    wavering, other, third = (decide(session, account) for _ in range(3))
    file = tmp_path / "told.csv"
    text = f"requestId,label\n{wavering},FRAUD\n{other},FRAUD\n{wavering},LEGITIMATE\n"
    text += "".join(f"{third},{label}\n" for label in ("FRAUD", "FRAUD", "WITHDRAWN", "FRAUD"))
    first = take(session, account, file, text)
    assert (first.new, first.changed, first.unchanged) == (4, 2, 1)
    assert labels_of(session, account, wavering) == ["LEGITIMATE", "FRAUD"]
    assert labels_of(session, account, third) == ["FRAUD", "WITHDRAWN", "FRAUD"]
    again = take(session, account, file, text)
    assert (again.new, again.changed, again.unchanged) == (0, 0, 7)
    # An older file is known as well. To report it again, a row needs another time.
    older = take(session, account, file, f"requestId,label\n{wavering},FRAUD\n")
    assert (older.changed, older.unchanged) == (0, 1)
    anew = take(session, account, file, f"requestId,label,when\n{wavering},FRAUD,2023-12-01\n")
    assert (anew.changed, anew.unchanged) == (1, 0)
    assert labels_of(session, account, wavering) == ["FRAUD", "LEGITIMATE", "FRAUD"]
    # A row that was added to a file is news, those before it are not.
    edited = take(session, account, file, f"{text}{other},FRAUD\n{other},CHARGEBACK\n")
    assert (edited.changed, edited.unchanged) == (1, 8)
    assert labels_of(session, account, other) == ["CHARGEBACK", "FRAUD"]


def say(session: AdminSession, account: str, request: str, label: Label) -> None:
    """Say something as the API does."""
    with session.database.writing() as connection:
        lock_changes(connection)
        feedback.record(
            connection,
            LabelReport(account, [request], FeedbackStatement(label), "key_1", LabelSource.API),
            MOMENT_MS,
        )


@pytest.mark.parametrize(
    ("before", "told", "kept"),
    [
        ([], ["FRAUD"], ["LEGITIMATE", "FRAUD"]),
        ([], ["FRAUD", "CHARGEBACK"], ["LEGITIMATE", "CHARGEBACK", "FRAUD"]),
        # A statement that changes nothing is recorded all the same, or it would be new later.
        (["FRAUD"], ["FRAUD"], ["LEGITIMATE", "FRAUD", "FRAUD"]),
        ([], ["WITHDRAWN"], ["LEGITIMATE", "WITHDRAWN"]),
        ([], ["WITHDRAWN", "FRAUD"], ["LEGITIMATE", "FRAUD", "WITHDRAWN"]),
    ],
)
def test_a_file_does_not_undo_what_others_said_since(
    session: AdminSession, tmp_path: Path, before: list[str], told: list[str], kept: list[str]
) -> None:
    account = make_account(session)
    request = decide(session, account)
    for label in before:
        say(session, account, request, Label(label))
    file = tmp_path / "told.csv"
    text = "requestId,label\n" + "".join(f"{request},{label}\n" for label in told)
    take(session, account, file, text)
    say(session, account, request, Label.LEGITIMATE)
    for _ in range(2):
        again = take(session, account, file, text)
        assert (again.new, again.changed, again.unchanged) == (0, 0, len(told))
        assert labels_of(session, account, request) == kept


def test_no_file_changes_anything_when_it_is_imported_again(
    session: AdminSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirty small files at random, with other words before them and after them."""
    dice = random.Random(11)
    account, file = make_account(session), tmp_path / "told.csv"
    for _ in range(30):
        monkeypatch.setattr(import_labels, "BATCH", dice.choice([1, 2, 3, 500]))
        requests = [decide(session, account) for _ in range(3)]
        for _ in range(dice.randrange(3)):
            say(session, account, dice.choice(requests), dice.choice([*Label]))
        told = [
            (dice.choice(requests), dice.choice([*Label]).value)
            for _ in range(dice.randrange(1, 9))
        ]
        text = "requestId,label\n" + "".join(f"{one},{label}\n" for one, label in told)
        file.write_text(text)
        rehearsed = import_file(session, account, file, dry_run=True)
        first = take(session, account, file, text)
        assert rehearsed.counts() == first.counts(), told
        for request, label in dict(told).items():
            assert labels_of(session, account, request)[0] == label, told
        if dice.random() < 0.5:
            say(session, account, dice.choice(requests), dice.choice([*Label]))
        kept = rows_kept(session)
        for dry_run in (True, False):
            again = import_file(session, account, file, dry_run=dry_run)
            assert (again.new, again.changed, again.unchanged) == (0, 0, len(told)), told
        assert rows_kept(session) == kept


def test_what_is_remembered_of_a_file_is_bounded_and_the_last_word_counts(
    session: AdminSession, account: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_labels, "BATCH", 2)
    monkeypatch.setattr(import_labels, "MOST_FOLLOWED", 0)
    request, other = decide(session, account), decide(session, account)
    rows = [(request, "FRAUD"), (other, "FRAUD"), (request, "LEGITIMATE"), (other, "FRAUD")]
    text = "requestId,label\n" + "".join(f"{one},{label}\n" for one, label in rows * 2)
    outcome = take(session, account, tmp_path / "told.csv", text)
    assert outcome.new + outcome.changed + outcome.unchanged == 8
    assert labels_of(session, account, request) == ["LEGITIMATE", "FRAUD"] * 2
    assert take(session, account, tmp_path / "told.csv", text).unchanged == 8


def test_a_request_of_which_too_much_was_said_is_a_bad_row(
    session: AdminSession, account: str, tmp_path: Path
) -> None:
    full, other = (decide(session, account, reference="order-7") for _ in range(2))
    days = [
        f"2023-11-{1 + number % 30:02}T{number // 30:02}:00:00Z"
        for number in range(MOST_STATEMENTS)
    ]
    text = "requestId,label,when\n" + "".join(f"{full},fraud,{day}\n" for day in days)
    file = tmp_path / "told.csv"
    assert take(session, account, file, text).counts() == {
        **{"read": 100, "new": 1, "changed": 99},
        **{"unchanged": 0, "bad": 0},
    }
    more = "clientReferenceId,label\norder-7,fraud\n"
    file.write_text(more)
    rehearsed = import_file(session, account, file, dry_run=True)
    outcome = take(session, account, file, more)
    assert outcome.counts() == rehearsed.counts()
    assert (outcome.new, outcome.bad) == (1, 1)
    [flaw] = outcome.flaws
    assert flaw.line == 2
    assert "100 statements about this request were kept" in flaw.message
    assert labels_of(session, account, other) == ["FRAUD"]
    assert take(session, account, file, text).unchanged == 100


def test_a_dry_run_tells_the_same_and_keeps_nothing(
    session: AdminSession, account: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_labels, "BATCH", 2)
    known, fresh = decide(session, account), decide(session, account)
    take(session, account, tmp_path / "before.csv", f"requestId,label\n{known},FRAUD\n")
    told = [*["LEGITIMATE", "legitimate", "WITHDRAWN"], "WITHDRAWN", "CHARGEBACK"]
    text = "requestId,label\n" + "".join(f"{known},{label}\n" for label in told)
    text += f"{fresh},WITHDRAWN\n{fresh},FRAUD\nreq_unknown,FRAUD\n"
    file = tmp_path / "told.csv"
    file.write_text(text)
    rehearsed = json.loads(run("import", str(file), "--dry-run", "--json").stdout)
    assert rows_kept(session) == 1
    assert rehearsed.pop("dryRun") is True
    done = run("import", str(file), "--json")
    assert json.loads(done.stdout) == {**rehearsed, "dryRun": False}
    assert rehearsed["new"] == 2
    assert rehearsed["changed"] == 2
    assert rehearsed["unchanged"] == 3
    with session.reading() as connection:
        trail = [line for line in audit.read(connection, account, 10)
                 if line.action == "feedback.import"]  # fmt: skip
    assert len(trail) == 2


def test_of_a_name_that_stands_for_many_only_as_many_are_read_as_count(
    session: AdminSession,
) -> None:
    account = make_account(session)
    for _ in range(MOST_REQUESTS + 5):
        decide(session, account, reference="web")
    one = decide(session, account, reference="order-7", transaction="t-1")
    subjects = [
        *(FeedbackSubject(client_reference=name) for name in ("web", "order-7", "none")),
        FeedbackSubject(request_id=one),
    ]
    asked: list[str] = []

    def look(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(statement)

    sa.event.listen(session.database.engine, "before_cursor_execute", look)
    with session.reading() as connection:
        found = feedback_history.find_all(connection, account, subjects)
        alone = feedback_history.find_all(connection, account, subjects[1:])
    # A query that numbers all rows of a name, to take the first ones, reads all of them.
    assert all("LIMIT" in each and "OVER" not in each for each in asked if "decisions" in each)
    assert alone == {subjects[1]: [one], subjects[3]: [one]}
    assert len(found[subjects[0]]) == MOST_REQUESTS + 1
    assert [found.get(each) for each in subjects[1:]] == [[one], None, [one]]


def test_bad_rows_are_told_by_number_and_the_others_are_kept(
    session: AdminSession, account: str, tmp_path: Path
) -> None:
    good, foreign = decide(session, account), decide(session, make_account(session))
    file = tmp_path / "told.csv"
    text = f"requestId,label\n{good},fraud\n{foreign},fraud\n{good},sure\n{CARD},fraud\n"
    text += f'"{good},fraud\n{good},legitimate\n'
    file.write_text(text)
    done = run("import", str(file), "--account", account)
    assert done.exit_code == 1
    assert done.stdout == (
        "read 6, new 1, changed 1, unchanged 0, bad 4\nby label: FRAUD 1, LEGITIMATE 1\n"
    )
    assert done.stderr.splitlines() == [
        "4 rows are left out:",
        "  line 3: no such request for this account",
        f"  line 4: label must be one of {', '.join(Label)}",
        "  line 5: requestId must be the id of an answered request (req_...)",
        "  line 6: has a quote that is not closed",
    ]
    assert labels_of(session, account, good) == ["LEGITIMATE", "FRAUD"]
    assert rows_kept(session) == 2


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"requestId": "REQ", "transactionId": "1", "label": "fraud"}', "needs exactly one of"),
        ('{"requestId": "", "label": "fraud"}', "needs exactly one of"),
        ('{"label": "fraud"}', "needs exactly one of"),
        ('{"requestId": "REQ", "label": "fraud", "lable": 1}', "has an unknown field"),
        ('{"requestId": true, "label": "fraud"}', "requestId must be text or a whole number"),
        ('{"transactionId": 1.5, "label": "fraud"}', "transactionId must be text or"),
        ('{"transactionId": "null", "label": "fraud"}', "is a placeholder"),
        ('{"clientReferenceId": "' + "9" * 129 + '", "label": "fraud"}', "is longer than 128"),
        ('{"clientReferenceId": "' + CARD + '", "label": "fraud"}', "is not kept as it is"),
        ('{"clientReferenceId": ' + CARD + ', "label": "fraud"}', "use requestId or transactionId"),
        ('{"transactionId": ' + CARD + ', "label": "fraud"}', "no such request"),
        ('{"clientReferenceId": "a\\u0000b", "label": "fraud"}', "is not kept as it is"),
        ('{"requestId": "REQ"}', "label must be one of"),
        ('{"requestId": "REQ", "label": ["fraud"]}', "label must be one of"),
        ('{"requestId": "REQ", "label": "fraud", "when": "soon"}', "when must be a day"),
        ('{"requestId": "REQ", "label": "fraud", "when": 7}', "when must be a day"),
        ('{"requestId": "REQ", "label": "fraud", "when": "1969-12-31"}', "when must be a day"),
        ('{"requestId": "REQ", "label": "fraud", "when": "9999-12-31"}', "when is in the future"),
        ('{"requestId": "REQ", "label": "fraud", "amount": -1}', "amount must not be negative"),
        ('{"requestId": "REQ", "label": "fraud", "amount": 1e3}', "an amount is a decimal"),
        ('{"requestId": "REQ", "label": "fraud", "amount": 1e99999999999999999999}', "decimal"),
        ('{"requestId": "REQ", "label": "fraud", "amount": true}', "amount must be a number"),
        ('{"requestId": "REQ", "label": "fraud", "amount": 0.1234567}', "at most six decimals"),
        ('{"requestId": "REQ", "label": "fraud", "currency": "ABC"}', "currency must be a code"),
        ('{"requestId": "REQ", "label": "fraud", "currency": 840}', "currency must be a code"),
        ('{"requestId": "\\ud800", "label": "fraud"}', "is not a JSON object in UTF-8"),
        ('["fraud"]', "must be a JSON object"),
        ("[" * 60_000, "is not a JSON object"),
        ("1" * 70_000, "is longer than 64 KiB"),
    ],
)
def test_each_flaw_has_its_sentence_and_repeats_nothing(
    decided: tuple[AdminSession, str, str], tmp_path: Path, line: str, says: str
) -> None:
    session, account, request = decided
    before = rows_kept(session)
    text = line.replace("REQ", request) + "\n"
    outcome = take(session, account, tmp_path / "told.jsonl", text, "jsonl")
    [flaw] = outcome.flaws
    assert (flaw.line, outcome.bad, says in flaw.message) == (1, 1, True), flaw
    assert "424242" not in outcome.report()
    assert request not in outcome.report()
    assert rows_kept(session) == before


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[AdminSession, str, str]]:
    """An account with one request, for tests that change nothing about it."""
    home = Home(tmp_path_factory.mktemp("feedback") / "home").migrated()
    with home.current(), home.session() as session:
        account = make_account(session)
        yield session, account, decide(session, account)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the header of the file is missing"),
        (b"\xff\xfer\x00", "UTF-16"),
        (b"requestId\n", "no column label"),
        (b"label,when\n", "no column requestId or transactionId or clientReferenceId"),
        (b"requestId,label,secret\n", "column 3 of the header is unknown"),
        (b"requestId,label,requestId\n", "twice"),
    ],
)
def test_a_file_that_is_something_else_is_refused(
    decided: tuple[AdminSession, str, str], tmp_path: Path, content: bytes, says: str
) -> None:
    session, account, _ = decided
    with pytest.raises(InvalidInput, match=says):
        take(session, account, tmp_path / "told.csv", content)


def test_what_was_read_before_a_file_breaks_off_is_kept(
    session: AdminSession, account: str, tmp_path: Path
) -> None:
    request = decide(session, account)
    packed = gzip.compress(f"requestId,label\n{request},FRAUD\n".encode())
    broken = gzip.compress(b"".join(f"{n},x\n".encode() for n in range(5000)))[:-4000]
    outcome = take(session, account, tmp_path / "told.csv.gz", packed + broken)
    assert outcome.new == 1
    assert "cannot be read after line" in str(outcome.error)
    with pytest.raises(InvalidInput, match="cannot be read after line"):
        run("import", str(tmp_path / "told.csv.gz"), "--account", account)
    assert labels_of(session, account, request) == ["FRAUD"]


def test_a_name_of_too_many_requests_is_refused(
    session: AdminSession, account: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(MOST_REQUESTS + 1):
        decide(session, account, reference="shared")
    outcome = take(session, account, tmp_path / "t.csv", "clientReferenceId,label\nshared,fraud\n")
    assert outcome.report() == "  line 2: more than 100 requests have this name; use requestId"
    with pytest.raises(Conflict, match="more than 100"):
        run("add", "--reference", "shared", "--label", "fraud")
    assert rows_kept(session) == 0


def test_twenty_thousand_rows_stream_a_batch_at_a_time(
    session: AdminSession, account: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(0, 20_000, 500):
        decide(session, account, reference=f"order-{number}")
    given_out, taken = count(), [0]
    really_rows, really_find = RecordFile.rows, feedback_history.find_all
    ahead: list[int] = []

    def rows(*arguments: Any) -> Iterator[Any]:
        for row in really_rows(*arguments):
            taken[0] = next(given_out) + 1
            yield row

    def find_all(connection: Any, account_id: str, subjects: Any) -> Any:
        # All rows before this batch have been stored.
        ahead.append(taken[0] - sum(ahead))
        assert len(subjects) == ahead[-1]
        return really_find(connection, account_id, subjects)

    monkeypatch.setattr(RecordFile, "rows", rows)
    monkeypatch.setattr(import_labels, "find_all", find_all)
    text = "clientReferenceId,label\n" + "".join(f"order-{n},fraud\n" for n in range(20_000))
    outcome = take(session, account, tmp_path / "told.csv", text)
    assert outcome.counts() == {
        **{"read": 20_000, "new": 40, "changed": 0},
        **{"unchanged": 0, "bad": 19_960},
    }
    assert ahead == [500] * 40
    assert len(outcome.flaws) == 20
    assert outcome.report().endswith("  and 19940 others")


def test_rows_come_from_standard_input_too(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = json.dumps({"requestId": decide(session, account), "label": "fraud"}).encode()
    typed = io.TextIOWrapper(io.BufferedReader(io.BytesIO(line)))
    monkeypatch.setattr("sys.stdin", typed)
    assert import_file(session, account, None, "jsonl").new == 1
    with pytest.raises(InvalidInput, match="add --format"):
        run("import", "-")


def test_an_interrupted_import_leaves_its_line_in_the_trail(
    session: AdminSession, account: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_labels, "BATCH", 1)
    requests = [decide(session, account) for _ in range(3)]
    file = tmp_path / "told.csv"
    file.write_text("requestId,label\n" + "".join(f"{one},FRAUD\n" for one in requests))
    kept = count()
    really = feedback.record_all

    def record_all(*arguments: Any) -> Any:
        if next(kept) == 2:
            raise KeyboardInterrupt
        return really(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(feedback, "record_all", record_all)
        done = run("import", str(file))
    assert done.exit_code == 130
    assert "import the file again" in done.stderr
    with session.reading() as connection:
        [line] = [line for line in audit.read(connection, account, 10)
                  if line.action == "feedback.import"]  # fmt: skip
    assert (line.details["read"], line.details["new"]) == (3, 2)
    assert as_data("import", str(file)) == {
        **{"read": 3, "new": 1, "changed": 0, "unchanged": 2, "bad": 0},
        **{"labels": {"FRAUD": 3}, "flaws": [], "dryRun": False},
    }


def test_a_later_label_replaces_an_earlier_one_and_both_are_shown(
    session: AdminSession, account: str
) -> None:
    request = decide(session, account, transaction="t-1")
    assert as_data("show", request) == {"requestId": request, "label": None, "history": []}
    assert run("show", request).stdout == f"{request}: no label\n"
    given = ["--when", "2023-12-01", "--amount", "12.50", "--currency", "usd"]
    said = as_data("add", "--transaction", "t-1", "--label", "chargeback", *given)
    assert said == [
        {"requestId": request, "label": "CHARGEBACK", "previousLabel": None, "changed": True}
    ]
    assert run("add", "--request", request, "--label", "legitimate").stdout.split()[-4:] == [
        *(request, "LEGITIMATE", "CHARGEBACK", "kept")
    ]
    assert "was known" in run("add", "--request", request, "--label", "LEGITIMATE").stdout
    shown = as_data("show", request)
    assert shown["label"] == "LEGITIMATE"
    newer, older = shown["history"]
    assert (newer["label"], newer["previousLabel"]) == ("LEGITIMATE", "CHARGEBACK")
    recorded, actor = older.pop("recordedAt"), older.pop("by")
    assert recorded.endswith("Z")
    assert actor.startswith("cli:")
    assert older == {
        "label": "CHARGEBACK",
        "previousLabel": None,
        "when": "2023-12-01T00:00:00.000Z",
        "amount": {"currency": "USD", "amount": 12.5},
        "source": "command",
    }
    plain = run("show", request).stdout
    assert plain.startswith(f"{request}: LEGITIMATE\n")
    assert plain.index("LEGITIMATE  CHARGEBACK") < plain.index("12.5")
    as_data("add", "--request", request, "--label", "withdrawn")
    assert as_data("show", request)["label"] is None
    with session.reading() as connection:
        actions = [line.action for line in audit.read(connection, account, 10)]
    assert actions.count("feedback.add") == 4


def test_the_list_is_newest_first_and_can_be_narrowed(session: AdminSession, account: str) -> None:
    assert run("list").stdout == "no feedback\n"
    one, other = decide(session, account), decide(session, account)
    stranger = make_account(session)
    foreign = decide(session, stranger)
    for whose, request, label, at_ms in (
        (account, one, Label.FRAUD, MOMENT_MS),
        (account, other, Label.LEGITIMATE, session.clock()),
        (stranger, foreign, Label.FRAUD, session.clock()),
        (account, one, Label.CHARGEBACK, session.clock()),
    ):
        with session.database.writing() as connection:
            feedback.record(
                connection,
                LabelReport(whose, [request], FeedbackStatement(label), "key_1", LabelSource.API),
                at_ms,
            )

    def listed(*arguments: str) -> list[tuple[str, str]]:
        found = as_data("list", "--account", account, *arguments)
        return [(said["requestId"], said["label"]) for said in found]

    assert listed() == [(one, "CHARGEBACK"), (other, "LEGITIMATE")]
    assert listed("--since", "2023-01-01") == [*listed(), (one, "FRAUD")]
    assert listed("--since", "2023-01-01", "--label", "fraud") == [(one, "FRAUD")]
    assert listed("--limit", "1") == [(one, "CHARGEBACK")]
    text = run("list", "--account", account, "--limit", "1").stdout
    headings, line, more = text.splitlines()
    assert headings.split()[:2] == ["REQUEST", "LABEL"]
    assert line.split()[:3] == [one, "CHARGEBACK", "FRAUD"]
    assert more == "there are more: raise --limit"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["add", "--label", "fraud"], InvalidInput),
        (["add", "--label", "fraud", "--request", "a", "--reference", "b"], InvalidInput),
        (["add", "--label", "fraud", "--request", CARD], InvalidInput),
        (["add", "--label", "fraud", "--transaction", CARD], NotFound),
        (["add", "--label", "fraud", "--reference", CARD], InvalidInput),
        (["add", "--label", "fraud", "--reference", "\udcff\x00"], InvalidInput),
        (["add", "--label", "fraud", "--reference", "o", "--amount", "much"], InvalidInput),
        (["add", "--label", "fraud", "--reference", "o", "--when", "3000-01-01"], InvalidInput),
        (["show", CARD], NotFound),
        (["show", "\udcff\x00"], NotFound),
        (["list", "--since", "soon"], InvalidInput),
        (["list", "--account", "acct_other"], NotFound),
        (["import", "/nowhere/told.csv"], InvalidInput),
    ],
)
def test_mistakes_are_refused_without_repeating_a_card_number(
    decided: tuple[AdminSession, str, str], arguments: list[str], error: type[GatehouseError]
) -> None:
    session, *_ = decided
    before = rows_kept(session)
    with pytest.raises(error) as refused:
        run(*arguments)
    assert "424242" not in str(refused.value)
    assert rows_kept(session) == before
