"""The desk for disputes: by deadline, decided once, with files that are what they say."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.evidence.tables import DISPUTE_CASES, DISPUTE_FILES
from gatehouse.admin.evidence.types.desk import (
    DeliveryGiven,
    DisputeChoice,
    DisputeDecision,
    DisputeEnd,
    DisputeFilter,
    NewDisputeFile,
    dispute_id,
    reference_of,
)
from gatehouse.admin.evidence.types.packet import Goods
from gatehouse.admin.evidence.types.papers import papers_for
from gatehouse.admin.evidence.use_cases import dispute_desk as desk
from gatehouse.admin.evidence.use_cases import dispute_files as files
from gatehouse.admin.feedback.use_cases.record import feedback_of
from gatehouse.admin.outcomes.types.outcome import DisputeResult, OutcomeFilter
from gatehouse.admin.outcomes.use_cases.listing import list_outcomes
from gatehouse.core.errors import Conflict, InvalidFields, InvalidInput, NotFound, RequestRefused
from gatehouse.core.files.attachments import MOST_FILE_BYTES, MOST_FILES, tidy_name, type_of
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.wording.labels import Label
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.evidence.test_evidence import Shop
from tests.console.harness import open_console
from tests.harness import Home, make_account

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 40 + b"IEND\xaeB`\x82"
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n"
JPEG = b"\xff\xd8\xff\xe0" + b"\x01" * 30 + b"\xff\xd9"
WIN = DisputeDecision(DisputeChoice.REPRESENT, "Signed for.")
GIVE_UP = DisputeDecision(DisputeChoice.ACCEPT, "Too small.")


@pytest.fixture
def shop(session: AdminSession) -> Shop:
    return Shop(session)


def open_dispute(shop: Shop, **more: Any) -> str:
    return shop.dispute(shop.order(10), **more)


def test_the_queue_is_by_deadline_and_says_what_can_be_won(shop: Shop) -> None:
    disputed, *_ = shop.pair()
    late = shop.dispute(disputed, respondBy="2030-03-01T00:00:00Z", amount=50, currency="USD")
    never = open_dispute(shop, reason="13.1")
    soon = open_dispute(shop, respondBy="2030-02-01T00:00:00Z")
    found = desk.list_disputes(shop.session, shop.account, DisputeFilter()).disputes
    assert [each.reference for each in found] == [soon, late, never]
    assert [each.winnable for each in found] == [True, True, False]
    assert (found[1].amount, found[1].currency) == ("50", "USD")
    assert found[0].days_left is not None
    assert found[0].days_left > 300


def test_a_decision_counts_once_and_is_fed_back(shop: Shop) -> None:
    reference = open_dispute(shop)
    for _ in range(2):
        shown = desk.decide_dispute(shop.session, shop.account, reference, WIN)
    assert (shown.dispute.decision, shown.dispute.stage) == ("REPRESENT", "REPRESENTED")
    assert shown.comment == "Signed for."
    with pytest.raises(Conflict):
        desk.decide_dispute(shop.session, shop.account, reference, GIVE_UP)
    desk.end_dispute(shop.session, shop.account, reference, DisputeEnd(DisputeResult.WON))
    told = list_outcomes(shop.session, shop.account, OutcomeFilter()).outcomes
    assert [each.result for each in told if each.reference == reference] == ["WON"]
    assert desk.list_disputes(shop.session, shop.account, DisputeFilter()).disputes == []
    ended = DisputeFilter(ended=True)
    [one] = desk.list_disputes(shop.session, shop.account, ended).disputes
    assert one.result == "WON"


def test_a_case_that_costs_a_fee_is_contested_only_when_that_is_acknowledged(shop: Shop) -> None:
    reference = open_dispute(shop, network="MASTERCARD", reason="COMPLIANCE")
    place = (shop.session, shop.account, reference)
    assert desk.get_dispute(*place).fee_acknowledged is False
    with pytest.raises(InvalidFields) as refused:
        desk.decide_dispute(*place, WIN)
    assert "feeAcknowledged" in refused.value.fields
    assert desk.get_dispute(*place).dispute.decision is None
    shown = desk.decide_dispute(*place, msgspec.structs.replace(WIN, fee_acknowledged=True))
    desk.delivery_of_dispute(*place, DeliveryGiven(carrier="DHL"))
    shown = desk.get_dispute(*place)
    assert (shown.dispute.stage, shown.fee_acknowledged) == ("REPRESENTED", True)
    accepted = open_dispute(shop, network="MASTERCARD", reason="COMPLIANCE")
    desk.decide_dispute(shop.session, shop.account, accepted, GIVE_UP)
    other = open_dispute(shop)
    assert desk.get_dispute(shop.session, shop.account, other).fee_acknowledged is None


def test_a_dispute_in_arbitration_is_ended_by_hand(shop: Shop) -> None:
    reference = open_dispute(shop, stage="ARBITRATION")
    end = DisputeEnd(DisputeResult.LOST)
    assert desk.end_dispute(shop.session, shop.account, reference, end).dispute.result == "LOST"


def test_a_dispute_that_the_desk_won_takes_its_label_back_as_a_file_would(shop: Shop) -> None:
    request_id = shop.order(10)
    reference = shop.dispute(request_id)
    desk.end_dispute(shop.session, shop.account, reference, DisputeEnd(DisputeResult.WON))
    told = [each.label for each in feedback_of(shop.session, shop.account, request_id)]
    assert set(told) == {Label.CHARGEBACK, Label.WITHDRAWN}


@pytest.mark.parametrize(
    ("reason", "papers"),
    [
        ("10.4", ["AUTHENTICATION", "EARLIER_ORDERS", "DELIVERY"]),
        ("4837", ["AUTHENTICATION", "EARLIER_ORDERS", "DELIVERY"]),
        ("13.1", ["DELIVERY"]),
        ("13.3", ["DESCRIPTION", "DELIVERY", "TERMS"]),
        ("13.7", ["TERMS", "REFUND"]),
        ("4853", ["DELIVERY", "DESCRIPTION", "TERMS", "REFUND"]),
        ("11.3", ["AUTHORIZATION"]),
        ("12.6", ["INVOICE", "REFUND"]),
        ("0815", []),
        (None, []),
    ],
)
def test_a_reason_says_which_papers_answer_it(reason: str | None, papers: list[str]) -> None:
    assert list(papers_for(reason)) == papers


def test_a_dispute_says_which_of_its_papers_are_there(shop: Shop) -> None:
    reference = open_dispute(shop, reason="13.1")

    def known() -> list[tuple[str, bool]]:
        shown = desk.get_dispute(shop.session, shop.account, reference)
        return [(each.paper, each.known) for each in shown.papers]

    assert known() == [("DELIVERY", False)]
    given = DeliveryGiven(tracking_number="JD0140")
    desk.delivery_of_dispute(shop.session, shop.account, reference, given)
    assert known() == [("DELIVERY", True)]
    disputed, *_ = shop.pair()
    shown = desk.get_dispute(shop.session, shop.account, shop.dispute(disputed))
    assert [each.known for each in shown.papers] == [False, True, False]


def test_an_accepted_dispute_has_ended_and_cannot_be_represented(shop: Shop) -> None:
    reference = open_dispute(shop)
    shown = desk.decide_dispute(shop.session, shop.account, reference, GIVE_UP)
    assert shown.dispute.result == "ACCEPTED"
    assert desk.decide_dispute(shop.session, shop.account, reference, GIVE_UP) == shown
    with pytest.raises(Conflict):
        desk.decide_dispute(shop.session, shop.account, reference, WIN)


def test_two_decisions_at_once_are_one(shop: Shop) -> None:
    reference = open_dispute(shop)

    def decide(given: DisputeDecision) -> str:
        try:
            desk.decide_dispute(shop.session, shop.account, reference, given)
        except Conflict:
            return "refused"
        return given.decision

    with ThreadPoolExecutor(2) as threads:
        done = list(threads.map(decide, [WIN, GIVE_UP]))
    assert done.count("refused") == 1


def test_what_was_told_of_the_delivery_is_kept_without_card_numbers(shop: Shop) -> None:
    reference = open_dispute(shop)
    given = DeliveryGiven(carrier="DHL", delivered_to="4242424242424242", goods=Goods.MERCHANDISE)
    shown = desk.delivery_of_dispute(shop.session, shop.account, reference, given)
    assert shown.delivery is not None
    assert (shown.delivery.carrier, shown.delivery.goods) == ("DHL", "merchandise")
    assert "424242424242" not in (shown.delivery.delivered_to or "")
    desk.decide_dispute(shop.session, shop.account, reference, WIN)
    again = desk.get_dispute(shop.session, shop.account, reference)
    assert again.delivery == shown.delivery


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"trackingNumber": "JD\x070140"}, "trackingNumber"),
        ({"goods": "?", "carrier": "D\nHL"}, "carrier"),
        ({"deliveredOn": "soon"}, "deliveredOn"),
        ({"goods": "?"}, "goods"),
        ({"product": "x" * 1001}, "product"),
    ],
)
def test_a_delivery_that_cannot_be_is_refused_by_field(given: dict[str, str], field: str) -> None:
    with pytest.raises(RequestRefused) as refused:
        RequestReader(DeliveryGiven).read(json.dumps(given).encode())
    assert field in refused.value.fields


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PNG, "image/png"),
        (PDF, "application/pdf"),
        (JPEG, "image/jpeg"),
        ("Zustellung: Žofie".encode(), "text/plain"),
        (b"<script>alert(1)</script>", None),
        (b" \n<svg onload=x>", None),
        (b"MZ\x90\x00", None),
        (b"PK\x03\x04", None),
        (b"%PDF-1.4 without an end", "text/plain"),
        (b"\xff\xfe<\x00", None),
        (b"   ", None),
        (b"", None),
    ],
)
def test_a_file_is_what_its_content_is(content: bytes, kind: str | None) -> None:
    assert type_of(content) == kind


@pytest.mark.parametrize(
    ("name", "tidy"),
    [
        ("signature.png", "signature.png"),
        ("../../etc/passwd", "passwd.png"),
        ("C:\\temp\\a.PNG", "a.png"),
        ('a"; filename=x.html\r\nSet-Cookie: y', "a_ filename_x.html_Set-Cookie_ y.png"),
        ("evil.html", "evil.html.png"),
        ("", "file.png"),
        ("...", "file.png"),
        ("\x00\u202egnp.exe", "gnp.exe.png"),
        ("x" * 500, "x" * 96 + ".png"),
    ],
)
def test_a_hostile_name_becomes_a_tidy_one(name: str, tidy: str) -> None:
    assert tidy_name(name, "image/png") == tidy


def attach(shop: Shop, reference: str, content: bytes = PNG, name: str = "sign.png") -> str:
    given = NewDisputeFile(name, base64.b64encode(content).decode())
    return files.attach_file(shop.session, shop.account, reference, given).file_id


def test_a_file_is_kept_sealed_once_and_read_back(shop: Shop) -> None:
    reference = open_dispute(shop)
    file_id = attach(shop, reference)
    assert attach(shop, reference, name="again.png") == file_id
    [listed] = desk.get_dispute(shop.session, shop.account, reference).files
    assert (listed.name, listed.type, listed.size) == ("sign.png", "image/png", len(PNG))
    got = files.get_file(shop.session, shop.account, reference, file_id)
    assert base64.b64decode(got.content) == PNG
    with shop.session.reading() as connection:
        row = connection.execute(DISPUTE_FILES.select()).one()
        trail = [each.action for each in audit.read(connection, shop.account, 10)]
    assert PNG[:8] not in row.sealed
    assert b"sign" not in row.sealed_name
    assert "data.reveal" in trail
    files.delete_file(shop.session, shop.account, reference, file_id)
    assert desk.get_dispute(shop.session, shop.account, reference).files == []


def test_a_huge_a_wrong_and_one_file_too_many_are_refused(shop: Shop) -> None:
    reference = open_dispute(shop)
    with pytest.raises(InvalidInput, match="MiB"):
        attach(shop, reference, b"a" * (MOST_FILE_BYTES + 1))
    with pytest.raises(InvalidInput, match="plain text"):
        attach(shop, reference, b"MZ\x90\x00")
    with pytest.raises(InvalidInput, match="Base64"):
        files.attach_file(shop.session, shop.account, reference, NewDisputeFile("a", "****"))
    for number in range(MOST_FILES):
        attach(shop, reference, b"note %d" % number)
    with pytest.raises(Conflict):
        attach(shop, reference, b"one more")


def test_the_same_file_twice_at_once_is_one(shop: Shop) -> None:
    reference = open_dispute(shop)
    with ThreadPoolExecutor(2) as threads:
        ids = set(threads.map(lambda _: attach(shop, reference), range(2)))
    assert len(ids) == 1
    assert len(desk.get_dispute(shop.session, shop.account, reference).files) == 1


def test_a_stranger_reaches_no_dispute_and_no_file(shop: Shop) -> None:
    reference = open_dispute(shop)
    file_id = attach(shop, reference)
    other = make_account(shop.session)
    stranger = shop.session.acting_as(Actor.key("key_1", other))
    for account in (shop.account, other):
        for ask in (
            lambda a: desk.get_dispute(stranger, a, reference),
            lambda a: desk.decide_dispute(stranger, a, reference, WIN),
            lambda a: files.get_file(stranger, a, reference, file_id),
            lambda a: files.delete_file(stranger, a, reference, file_id),
            lambda a: files.keep_file(stranger, a, reference, "x", PNG),
        ):
            with pytest.raises(NotFound):
                ask(account)
    assert len(desk.get_dispute(shop.session, shop.account, reference).files) == 1


@pytest.mark.parametrize("reference", ["dp-1", "a/b", "~x", "..", "/", "a:b.c"])
def test_a_reference_is_found_by_its_path(reference: str) -> None:
    name = dispute_id(reference)
    assert "/" not in name
    assert name.strip(".")
    assert reference_of(name) == reference


def test_erasing_a_person_deletes_all_evidence(shop: Shop) -> None:
    from gatehouse.admin.privacy.use_cases.erasure import ErasureOptions, erase_person
    from gatehouse.admin.privacy.use_cases.person import PersonNamed
    from gatehouse.store.decisions.evidence_table import ORDER_EVIDENCE

    mine, theirs = shop.order(10), shop.order(9, user="u-other")
    for each in (mine, theirs):
        shop.keep(each, email="a@example.com")
    reference = shop.dispute(mine)
    attach(shop, reference)
    desk.decide_dispute(shop.session, shop.account, reference, WIN)
    person = PersonNamed(user_id="u-4711")
    erase_person(shop.session, shop.account, person, ErasureOptions(compact=False))
    with shop.session.reading() as connection:
        assert [row.request_id for row in connection.execute(ORDER_EVIDENCE.select())] == [theirs]
        assert connection.execute(DISPUTE_FILES.select()).all() == []
        assert connection.execute(DISPUTE_CASES.select()).all() == []


def test_a_person_gets_what_is_kept_for_disputes(shop: Shop) -> None:
    from gatehouse.admin.privacy.use_cases.export import export_person
    from gatehouse.admin.privacy.use_cases.person import PersonNamed

    mine = shop.order(10)
    shop.keep(mine, email="a@example.com")
    reference = shop.dispute(mine)
    attach(shop, reference)
    parts: list[bytes] = []
    person = PersonNamed(user_id="u-4711")
    counts = export_person(shop.session, shop.account, person, parts.append)
    assert counts.evidence == 2
    assert json.loads(b"".join(parts))["evidence"] == [
        {"requestId": mine, "email": "a@example.com"},
        {"dispute": reference, "files": ["sign.png"]},
    ]


def test_retention_deletes_evidence_after_485_days_and_with_its_decision(shop: Shop) -> None:
    from gatehouse.admin.privacy.use_cases.retention import (
        RetentionHooks,
        RetentionPolicy,
        run_retention,
    )
    from gatehouse.store.decisions.evidence_table import ORDER_EVIDENCE

    orders = {days: shop.order(days) for days in (486, 484, 100)}
    for each in orders.values():
        shop.keep(each, email="a@example.com")
    reference = shop.dispute(orders[100])
    for number in range(3):
        attach(shop, reference, b"note %d" % number)
    desk.decide_dispute(shop.session, shop.account, reference, WIN)
    with shop.session.database.writing() as connection:
        connection.execute(DISPUTE_FILES.update().values(at_ms=1))

    def left() -> set[str]:
        with shop.session.reading() as connection:
            return {row.request_id for row in connection.execute(ORDER_EVIDENCE.select())}

    hooks = RetentionHooks(rests=False)
    assert run_retention(shop.session, RetentionPolicy(evidence=485), hooks).evidence == 4
    assert desk.get_dispute(shop.session, shop.account, reference).files == []
    assert desk.get_dispute(shop.session, shop.account, reference).comment == "Signed for."
    assert left() == {orders[484], orders[100]}
    assert run_retention(shop.session, RetentionPolicy(decisions=200), hooks).evidence == 1
    assert left() == {orders[100]}


def test_the_pages_show_the_desk_and_refuse_a_wrong_role(home: Home) -> None:
    with open_console(home.migrated()) as console:
        shop = Shop(console.session)
        shop.account = console.account_id
        disputed, *_ = shop.pair()
        reference = shop.dispute(disputed, respondBy="2030-03-01T00:00:00Z")
        place = f"/a/{console.account_id}/disputes"
        viewer, analyst = console.as_role(UserRole.VIEWER), console.as_role(UserRole.ANALYST)
        assert reference in viewer.get(place).text
        assert viewer.get(f"{place}/{reference}").status_code == 200
        order = f"/a/{console.account_id}/decisions/{disputed}/evidence"
        page = viewer.get(order)
        assert page.status_code == 200
        assert "u-4711" not in page.text
        decision = viewer.get(f"/a/{console.account_id}/decisions/{disputed}")
        assert order in decision.text
        refused = analyst.post(f"{place}/{reference}/delivery", {"goods": "?", "carrier": "DHL"})
        assert refused.status_code == 422
        assert "DHL" in refused.text
        wrong = {"decision": "ACCEPT", "comment": "x"}
        assert viewer.post(f"{place}/{reference}/decide", wrong).status_code == 403
        assert viewer.post(f"{order}/packet").status_code == 403
        costly = open_dispute(shop, network="MASTERCARD", reason="COMPLIANCE")
        assert "costs a fee" in analyst.get(f"{place}/{costly}").text
        contest = {"decision": "REPRESENT", "comment": "x"}
        unsaid = analyst.post(f"{place}/{costly}/decide", contest)
        assert (unsaid.status_code, "costs a fee of the network" in unsaid.text) == (422, True)
        analyst.post(f"{place}/{costly}/decide", {**contest, "fee_acknowledged": "yes"})
        shown = desk.get_dispute(console.session, console.account_id, costly)
        assert shown.fee_acknowledged is True
        upload = {"file": ('a".html', PNG, "text/html")}
        done = analyst.post(f"{place}/{reference}/files", files=upload)
        assert done.status_code in (200, 303)
        [kept] = desk.get_dispute(console.session, console.account_id, reference).files
        got = analyst.post(f"{place}/{reference}/files/{kept.file_id}/download")
        assert got.headers["content-disposition"] == 'attachment; filename="a_22.html.png"'
        assert got.headers["x-content-type-options"] == "nosniff"
        assert got.content == PNG
        packet = json.loads(analyst.post(f"{order}/packet").content)
        assert "enhanced_evidence" in packet
        assert analyst.post(f"{order}/paper").content.startswith(b"%PDF-")
