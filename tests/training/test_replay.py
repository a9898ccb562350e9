"""Replays: what a request is told depends on nothing that came or became known later."""

import asyncio
import json
import random
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gatehouse.core.errors import InvalidInput
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.found.found_inputs import FoundInput, FoundInputs, InputKind
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from gatehouse.sentry.memory.reputation_store import LabelTarget
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.scorecard import Prior, Sheet, load_scorecard
from gatehouse.sentry.stage import SentryStage
from gatehouse.training import model_fitting
from gatehouse.training.examples import Examples, Rows
from gatehouse.training.model_fitting import FitOptions, Fitted
from gatehouse.training.replay.lines import BadLine
from gatehouse.training.replay.replay import DAY_MS, ReplayJudge, ReplayOptions, Summary, replay
from tests.sentry.visits import CHROME, GERMAN, HOME, HOSTING, PHONE, TOR, VPN, Book

START = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
WEEK_MS = 7 * DAY_MS

Scores = list[tuple[str, float]]


class Ears(LocalMemory):
    """A memory that remembers in which order it was told what."""

    def __init__(self) -> None:
        super().__init__(50_000)
        self.heard: list[tuple[str, bool | None]] = []
        self._users: dict[bytes, str] = {}

    def note(self, event: MemoryEvent) -> Any:
        self.heard.append((user_in(event), None))
        return super().note(event)

    def label_target(self, event: MemoryEvent) -> LabelTarget:
        target = super().label_target(event)
        self._users[target.keys.tobytes()] = user_in(event)
        return target

    def apply_label(
        self, target: LabelTarget, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        self.heard.append((self._users[target.keys.tobytes()], fraud))
        super().apply_label(target, fraud=fraud, previous=previous)


class Silent:
    """Watches and keeps what it is told."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.requests = 0

    def reached(self, requests: int) -> None:
        self.requests = requests

    def say(self, text: str) -> None:
        self.said.append(text)


def user_in(event: MemoryEvent) -> str:
    return next(value for kind, value in event.entities if kind is EntityKind.USER)


def moment(after: timedelta) -> str:
    return (START + after).isoformat().replace("+00:00", "Z")


def line(after: timedelta, user: str, label: str | None = None, **order: Any) -> bytes:
    at = moment(after)
    request = {"event": {"timestamp": at}, "account": {"userId": user}, "order": order}
    return json.dumps({"at": at, "request": request, "label": label}).encode() + b"\n"


def run(
    lines: Iterable[bytes],
    options: ReplayOptions,
    memory: LocalMemory | None = None,
    watcher: Silent | None = None,
) -> tuple[Scores, Summary]:
    memory = memory or LocalMemory(50_000)
    hasher = EntityHasher(b"a key for tests")
    stage = SentryStage(Book(), memory, load_scorecard(), hasher, time_limit_ms=1000)
    scores: Scores = []
    summary = replay(
        lines,
        ReplayJudge(stage, memory),
        lambda line, scored: scores.append((line.at, scored.confidence)),
        options,
        watcher or Silent(),
    )
    return scores, summary


def merchant(requests: int, step: timedelta, seed: int = 1) -> list[bytes]:
    """A stream in which a few affiliates send frauds, and large amounts are often fraud."""
    chance = random.Random(seed)
    lines = []
    for number in range(requests):
        affiliate = chance.randrange(60)
        amount = round(chance.lognormvariate(3.5, 1.0), 2)
        risk = 0.01 + 0.5 * (affiliate < 3) + 0.4 * (amount > 200)
        known = "fraud" if chance.random() < risk else "legitimate"
        label = None if chance.random() < 0.1 else known
        user = f"u{chance.randrange(200)}"
        lines.append(line(step * number, user, label, amount=amount, affiliateId=f"a{affiliate}"))
    return lines


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Examples, list[int], str]]:
    """Stands in for fitting: keeps what it was given, and trusts nobody from then on."""
    asked: list[tuple[Examples, list[int], str]] = []

    def fit(
        examples: Examples, rows: Rows, base: Sheet, version: str, options: FitOptions
    ) -> Fitted:
        del options
        asked.append((examples, rows.tolist(), version))
        if len(rows) < 2:
            raise InvalidInput("there is too little to learn from")
        quiet = tuple(
            # No term is worth anything.
            type(term)(term.code, (), (0.0,), "A test.")
            for term in base.terms
        )
        sheet = Sheet(version, Prior(0.01 * len(asked), "A test."), 0.1, quiet)
        frauds = sum(examples.labels[row] for row in rows.tolist())
        return Fitted(sheet, "test", frauds, len(rows) - frauds, ())

    monkeypatch.setattr(model_fitting, "fit", fit)
    return asked


# --- What comes out ---------------------------------------------------------------------------


def test_every_request_is_scored_in_order_with_its_time_as_it_was_given() -> None:
    times = ["2026-03-01T10:00:00+02:00", "2026-03-01t08:00:00.5z", "2026-03-01 08:00:01Z"]
    lines = [json.dumps({"at": at, "request": {}, "label": None}).encode() for at in times]
    watcher = Silent()
    scores, summary = run(lines, ReplayOptions(WEEK_MS), watcher=watcher)
    assert [at for at, _ in scores] == times
    assert all(0 < confidence < 1 for _, confidence in scores)
    assert summary.requests == 3
    assert summary.first_at == "2026-03-01T08:00:00.000Z"
    assert summary.last_at == "2026-03-01T08:00:01.000Z"
    assert watcher.requests == 3


async def _served(lines: Sequence[bytes]) -> Scores:
    """The same requests through the stage as a server runs it."""
    reader = RequestReader(SentryRequest)
    stage = SentryStage(
        Book(),
        LocalMemory(50_000),
        load_scorecard(),
        EntityHasher(b"a key for tests"),
        time_limit_ms=1000,
    )
    scores = []
    for each in lines:
        told = json.loads(each)
        at_ms = int(datetime.fromisoformat(told["at"]).timestamp() * 1000)
        request = reader.read(json.dumps(told["request"]).encode())
        case = Case("req_1", "acc_1", at_ms, ValuesByType.of(request))
        result = await stage.run(case)
        for tell in case.on_settled:
            tell(True)
        scores.append((told["at"], result.facts["requestConfidence"]))
    return scores


def test_without_labels_the_scores_are_those_that_a_server_gives() -> None:
    addresses = (HOME, TOR, VPN, HOSTING, PHONE, GERMAN)
    lines = [
        json.dumps(
            {
                "at": moment(timedelta(seconds=number)),
                "request": {
                    "event": {"transactionId": number // 2, "timestamp": moment(HOUR * -number)},
                    "device": {"ipAddress": addresses[number % 6], "userAgent": CHROME},
                    "account": {"userId": number % 7},
                },
                "label": None,
            }
        ).encode()
        for number in range(150)
    ]
    scores, summary = run(lines, ReplayOptions(0))
    assert scores == asyncio.run(_served(lines))
    assert len({confidence for _, confidence in scores}) > 10
    assert (summary.unlabelled, summary.labels_learned) == (150, 0)


def test_an_accounts_policy_counts() -> None:
    request = {"customInputs": {"branch": "b-7"}}
    lines = [
        json.dumps({"at": moment(HOUR * hour), "request": request, "label": None}).encode()
        for hour in range(3)
    ]
    memory = LocalMemory(50_000)
    run(lines, ReplayOptions(0, policy=SentryPolicy(("branch",))), memory)
    assert memory.state().entities == 1
    memory = LocalMemory(50_000)
    run(lines, ReplayOptions(0), memory)
    assert memory.state().entities == 0


def test_a_line_may_say_when_its_label_became_known() -> None:
    told = json.loads(line(HOUR, "a", "fraud"))
    early = json.dumps(told | {"at": moment(2 * HOUR), "labelAt": moment(5 * HOUR)}).encode()
    memory = Ears()
    lines = [line(HOUR, "b", "legitimate"), early, line(6 * HOUR, "c"), line(26 * HOUR, "d")]
    run(lines, ReplayOptions(DAY_MS), memory)
    assert [name for name, fraud in memory.heard if fraud is not None] == ["a", "b"]


def test_empty_lines_are_passed_over() -> None:
    scores, summary = run([b"\n", line(HOUR, "a"), b"  \r\n"], ReplayOptions(0))
    assert (len(scores), summary.requests) == (1, 1)
    assert run([], ReplayOptions(0, WEEK_MS))[1] == Summary()


# --- When labels become known -----------------------------------------------------------------


def test_a_label_is_learned_when_its_delay_has_passed_and_before_the_request_of_that_moment() -> (
    None
):
    memory = Ears()
    lines = [
        line(HOUR * 0, "a", "fraud"),
        line(HOUR * 1, "b", "legitimate"),
        line(HOUR * 2 - timedelta(milliseconds=1), "c"),
        line(HOUR * 2, "d"),
        line(HOUR * 9, "e", "fraud"),
    ]
    _, summary = run(lines, ReplayOptions(2 * 3_600_000), memory)
    assert memory.heard == [
        *(("a", None), ("b", None), ("c", None)),
        *(("a", True), ("d", None)),
        *(("b", False), ("e", None)),
    ]
    assert (summary.frauds, summary.legitimates, summary.unlabelled) == (2, 1, 2)
    assert summary.labels_learned == 2


def test_labels_of_one_moment_are_learned_together_and_in_order() -> None:
    memory = Ears()
    crowd = [line(HOUR, f"u{number}", "fraud") for number in range(50)]
    run([*crowd, line(HOUR * 2, "last")], ReplayOptions(3_600_000), memory)
    users = [f"u{number}" for number in range(50)]
    assert memory.heard == [
        *((user, None) for user in users),
        *((user, True) for user in users),
        ("last", None),
    ]


def test_without_a_delay_a_request_of_the_same_moment_knows_the_one_before() -> None:
    memory = Ears()
    run([line(HOUR, "a", "fraud"), line(HOUR, "b")], ReplayOptions(0), memory)
    assert memory.heard == [("a", None), ("a", True), ("b", None)]


def test_the_label_of_a_transaction_that_was_sent_twice_counts_once() -> None:
    request = {"event": {"transactionId": "t-1"}, "account": {"userId": "a"}}
    lines = [
        json.dumps({"at": moment(HOUR * hour), "request": request, "label": "fraud"}).encode()
        for hour in (0, 1)
    ]
    once, _ = run([lines[0], line(HOUR * 9, "a")], ReplayOptions(3_600_000))
    twice, summary = run([*lines, line(HOUR * 9, "a")], ReplayOptions(3_600_000))
    never, _ = run([line(HOUR * 0, "a"), line(HOUR * 9, "a")], ReplayOptions(3_600_000))
    assert summary.labels_learned == 2
    assert twice[-1] == once[-1]
    assert once[-1][1] < never[-1][1]


def test_a_label_moves_scores_after_its_delay_and_not_before() -> None:
    frauds = [
        line(HOUR * hour, f"u{hour}", "fraud", affiliateId="crooks", amount=30) for hour in range(6)
    ]
    later = [line(DAY * day, f"v{day}", affiliateId="crooks", amount=30) for day in range(1, 5)]
    known, _ = run([*frauds, *later], ReplayOptions(3 * DAY_MS))
    nobody, _ = run(
        [each.replace(b'"fraud"', b"null") for each in [*frauds, *later]], ReplayOptions(3 * DAY_MS)
    )
    honest, _ = run(
        [each.replace(b'"fraud"', b'"legitimate"') for each in [*frauds, *later]],
        ReplayOptions(3 * DAY_MS),
    )
    assert known[:8] == nobody[:8] == honest[:8]
    for (_, bad), (_, unknown) in zip(known[8:], nobody[8:], strict=True):
        assert bad < unknown
    for (_, bad), (_, good) in zip(known[8:], honest[8:], strict=True):
        assert bad < good


# --- When scorecards are fitted ---------------------------------------------------------------


def test_a_scorecard_is_fitted_at_set_times_counted_from_the_first_request(
    fits: list[tuple[Examples, list[int], str]],
) -> None:
    lines = [
        line(DAY * day + HOUR, f"u{day}", "fraud" if day % 3 == 0 else "legitimate")
        for day in (0, 1, 2, 3, 4, 5, 6, 13, 14, 20)
    ]
    watcher = Silent()
    scores, summary = run(lines, ReplayOptions(2 * DAY_MS, 3 * DAY_MS), watcher=watcher)
    # Due on days 3, 6, 9, 12, 15, 18; what was missed between two requests is made up for once.
    assert [version for _, _, version in fits] == ["replay-1", "replay-2", "replay-3", "replay-4"]
    assert [rows for _, rows, _ in fits] == [
        [0, 1],
        [0, 1, 2, 3, 4],
        [0, 1, 2, 3, 4, 5, 6],
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
    ]
    assert [each.at for each in summary.retrainings] == [
        f"2026-03-{1 + day:02d}T01:00:00.000Z" for day in (3, 6, 13, 20)
    ]
    assert [each.frauds for each in summary.retrainings] == [1, 2, 3, 3]
    assert len(watcher.said) == 4
    confidences = [confidence for _, confidence in scores]
    assert confidences[3:] == [0.01, 0.01, 0.01, 0.02, 0.03, 0.03, 0.04]
    assert min(confidences[:3]) > 0.2


def test_training_looks_back_no_further_than_its_window(
    fits: list[tuple[Examples, list[int], str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line(DAY * day, f"u{day}", "fraud") for day in range(11)]
    seen: list[list[float]] = []
    given = model_fitting.fit

    def fit(examples: Examples, rows: Rows, *others: Any) -> Fitted:
        seen.append([examples.at_s[row] for row in rows.tolist()])
        # What is too old is not kept either; the label of the newest is not known yet.
        assert len(examples) == 3
        return given(examples, rows, *others)

    monkeypatch.setattr(model_fitting, "fit", fit)
    run(lines, ReplayOptions(DAY_MS, 5 * DAY_MS, FitOptions(), 3 * DAY_MS))
    assert seen == [
        [(START + DAY * day).timestamp() for day in days] for days in ((2, 3, 4), (7, 8, 9))
    ]
    assert len(fits) == 2


def test_a_label_that_comes_after_its_request_was_forgotten_is_no_example(
    fits: list[tuple[Examples, list[int], str]],
) -> None:
    lines = [line(DAY * day, f"u{day}", "fraud") for day in range(12)]
    _, summary = run(lines, ReplayOptions(4 * DAY_MS, 3 * DAY_MS, FitOptions(), 2 * DAY_MS))
    assert [rows for _, rows, _ in fits] == [[], [], []]
    assert summary.labels_learned == 8


def test_requests_that_nobody_labelled_are_no_examples(
    fits: list[tuple[Examples, list[int], str]],
) -> None:
    lines = [
        line(DAY * day, f"u{day}", "fraud" if day % 2 else None, amount=day + 1)
        for day in range(11)
    ]
    _, summary = run(lines, ReplayOptions(0, 10 * DAY_MS))
    ((examples, rows, _),) = fits
    assert [examples.labels[row] for row in rows] == [1] * 5
    assert [examples.at_s[row] for row in rows] == [
        (START + DAY * day).timestamp() for day in (1, 3, 5, 7, 9)
    ]
    assert summary.unlabelled == 6


def test_too_few_labels_leave_the_scorecard_as_it_is_and_that_is_told(
    fits: list[tuple[Examples, list[int], str]],
) -> None:
    lines = [line(DAY * day, f"u{day}", "fraud") for day in range(4)]
    watcher = Silent()
    scores, summary = run(lines, ReplayOptions(90 * DAY_MS, DAY_MS), watcher=watcher)
    assert len(fits) == 3
    assert [each.skipped for each in summary.retrainings] == [
        "there is too little to learn from"
    ] * 3
    assert all(each.version is None for each in summary.retrainings)
    assert "not retrained: there is too little to learn from" in watcher.said[0]
    assert scores == run(lines, ReplayOptions(90 * DAY_MS))[0]


def test_nothing_of_the_future_is_known_to_any_score() -> None:
    lines = merchant(1500, HOUR / 4)
    options = ReplayOptions(3 * DAY_MS, 7 * DAY_MS, FitOptions(bags=1))
    whole, summary = run(lines, options)
    assert [each.skipped for each in summary.retrainings] == [None, None]
    # Just after the second new scorecard.
    due = 14 * 24 * 4
    part, _ = run(lines[: due + 1], options)
    assert part == whole[: due + 1]
    # What comes later may be anything, and what is not known yet as well.
    delay = 3 * 24 * 4
    flipped = [
        each.replace(b'"fraud"', b'"x"')
        .replace(b'"legitimate"', b'"fraud"')
        .replace(b'"x"', b'"legitimate"')
        for each in lines
    ]
    other, _ = run([*lines[: due - delay], *flipped[due - delay :]], options)
    # The label of the first request that differs is known to the one a delay later.
    assert other[:due] == whole[:due]
    assert other[due:] != whole[due:]


def test_new_scorecards_score_from_their_time_on() -> None:
    lines = merchant(400, HOUR / 2)
    begins = 7 * 24 * 2
    learning, summary = run(lines, ReplayOptions(DAY_MS, 7 * DAY_MS, FitOptions(bags=1)))
    assert [each.skipped for each in summary.retrainings] == [None]
    plain, _ = run(lines, ReplayOptions(DAY_MS))
    assert learning[:begins] == plain[:begins]
    changed = [one != other for one, other in zip(learning[begins:], plain[begins:], strict=True)]
    assert sum(changed) > len(changed) / 2


# --- What cannot be replayed ------------------------------------------------------------------


GOOD = '{"at": "2026-03-01T00:00:00Z", "request": {}, "label": null}'


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("nonsense", "is not one line of JSON"),
        ("[1, 2]", "a line looks like"),
        ('{"at": "2026-03-01T00:00:00Z", "request": {}}', "label"),
        ('{"request": {}, "label": null}', "at"),
        ('{"at": "2026-03-01T00:00:00Z", "label": null}', "request"),
        ('{"at": "2026-03-01", "request": {}, "label": null}', "at must be a date and time"),
        ('{"at": "1969-03-01T00:00:00Z", "request": {}, "label": null}', "since 1970"),
        ('{"at": 5, "request": {}, "label": null}', "at: Expected `str`"),
        ('{"at": "2026-02-28T23:59:59Z", "request": {}, "label": null}', "sort lines by at"),
        (
            '{"at": "2026-03-01T00:00:00Z", "request": {}, "label": "good"}',
            "label: must be fraud, chargeback, card_testing, abuse, legit",
        ),
        (GOOD.replace("{}", '{"order": {"amount": "5"}}'), "request.order.amount: Expected"),
        (GOOD.replace("{}", '{"event": {"timestamp": "now"}}'), "request.event.timestamp: must be"),
        (GOOD.replace("{}", '{"event": {"timestamp": 7}}'), "request.event.timestamp: must be"),
        (GOOD.replace("{}", '{"customInputs": {"a": null}}'), "request.customInputs"),
        (GOOD.replace("{}", "[" * 5000 + "]" * 5000), "request: Expected"),
        (GOOD.replace("{}", '{"order": {"amount": ' + "9" * 5000 + "}}"), ""),
        ("\x00", "is not one line of JSON"),
    ],
)
def test_a_line_that_cannot_be_replayed_is_named_with_the_reason(bad: str, reason: str) -> None:
    with pytest.raises(BadLine) as caught:
        run([GOOD.encode(), b"\n", bad.encode()], ReplayOptions(0))
    assert caught.value.number == 3
    assert reason in caught.value.reason
    assert str(caught.value) == f"line 3: {caught.value.reason}"


def test_what_a_bad_line_holds_is_not_repeated() -> None:
    for bad in (
        GOOD.replace("{}", '{"event": {"type": "4111111111111111"}}'),
        GOOD.replace("{}", '{"event": {"type": "amelia@example.com"}}'),
        GOOD.replace("null", '"amelia@example.com"'),
        GOOD.replace("{}", '{"customInputs": {"amelia@example.com": null}}'),
    ):
        with pytest.raises(BadLine) as caught:
            run([bad.encode()], ReplayOptions(0))
        assert "amelia" not in str(caught.value)
        assert "4111" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused_and_strange_text_is_not() -> None:
    with pytest.raises(BadLine):
        run([GOOD.encode().replace(b"{}", b'{"account": {"userId": "\xff"}}')], ReplayOptions(0))
    strange = GOOD.replace("{}", '{"account": {"userId": "\\u0000 \\u202e"}}')
    assert len(run([strange.encode()], ReplayOptions(0))[0]) == 1


def test_a_scorecard_that_knows_what_is_to_come_is_told_of() -> None:
    for until, told in (("2026-02-28T23:59:59.000Z", 0), ("2026-03-01T00:00:00.000Z", 1)):
        watcher = Silent()
        run([GOOD.encode(), GOOD.encode()], ReplayOptions(0, learned_until=until), watcher=watcher)
        assert len(watcher.said) == told
        assert all(f"learned from requests up to {until}" in said for said in watcher.said)


def test_a_custom_input_that_nobody_declared_is_found_on_the_way() -> None:
    lines = [_with_inputs(number) for number in range(300)]
    memory, watcher = LocalMemory(50_000), Silent()
    _, summary = run(lines, ReplayOptions(0), memory, watcher)
    assert {each.key: each.kind for each in summary.found} == {
        "branch": InputKind.CATEGORY,
        "device": InputKind.IDENTIFIER,
    }
    assert memory.state().entities == 90 + 3
    assert any("device looks like an identifier: remembered" in said for said in watcher.said)


def test_a_custom_input_that_the_account_refused_is_not_found_again() -> None:
    refused = FoundInputs((FoundInput("branch", 1, refused=True),))
    _, summary = run([_with_inputs(n) for n in range(300)], ReplayOptions(0, found=refused))
    assert [each.key for each in summary.found] == ["device"]


def test_what_is_found_moves_scores_as_what_is_declared() -> None:
    lines = [_with_inputs(number) for number in range(600)]
    declared = ReplayOptions(0, policy=SentryPolicy(("device",)), found=_found("branch"))
    found = ReplayOptions(0, found=_found("branch", device=InputKind.IDENTIFIER))
    assert run(lines, found)[0] == run(lines, declared)[0]


def _found(category: str, **kinds: InputKind) -> FoundInputs:
    keys = {category: InputKind.CATEGORY, **kinds}
    return FoundInputs(tuple(FoundInput(key, 0, kind) for key, kind in keys.items()))


def _with_inputs(number: int) -> bytes:
    """A request with the branch of a shop, a device that some of its frauds share, and a total."""
    device = number % 90
    inputs = {"branch": f"b-{number % 3}", "device": f"d-{device}", "total": number * 1.07}
    label = "fraud" if device < 5 else "legitimate"
    request = {"customInputs": inputs}
    line = {"at": moment(HOUR * number), "request": request, "label": label}
    return json.dumps(line).encode()
