"""Rings of an account: listed, shown and blocked, by every face, and by nobody else."""

import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.approvals.use_cases.proposed import PutOnList
from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.audit.use_cases import LineSearch
from gatehouse.admin.lists.types import EntrySearch
from gatehouse.admin.lists.use_cases.entries import search_entries
from gatehouse.admin.lists.use_cases.lists import overview
from gatehouse.admin.rings import use_cases
from gatehouse.admin.rings.types import RingBlocking, RingMoney, RingOrder, RingSearch
from gatehouse.admin.search.use_cases.decisions import search_decisions
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
from gatehouse.api.manage.catalogue import all_endpoints
from gatehouse.core.errors import NotFound
from gatehouse.core.ids import derived_id
from gatehouse.core.wording.labels import Label
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback.statements import FeedbackStatement
from tests.admin.recorded import CARD, DAY_MS, OTHER_CARD, Recorder
from tests.console.harness import open_console
from tests.harness import Home, make_account
from tests.store.deciding import label

SMALL = derived_id("ring", 1_790_000_000_000, "small")
LARGE = derived_id("ring", 1_790_000_000_001, "large")
WHY = RingBlocking("stolen cards")
TESTED = FeedbackStatement(Label.CARD_TESTING)


def filled(recorder: Recorder) -> list[str]:
    """A person who was alone at first, then two rings; the ids of the decisions."""
    return [
        recorder.keep("u-first", device="d-large", email="#" + "a1" * 10, amount=5.0),
        recorder.keep("u-1", ring=LARGE, device="d-large", email="#" + "a2" * 10, amount=10.0),
        recorder.keep("u-2", ring=LARGE, device="d-large", email="#" + "a3" * 10, card=OTHER_CARD),
        recorder.keep("u-8", ring=SMALL, device="d-small", email="#" + "b1" * 10, card=CARD),
        recorder.keep("u-nobody", device="d-other", email="#" + "c1" * 10, card="4000056655665556"),
    ]


@pytest.fixture
def shop(session: AdminSession) -> Recorder:
    """An account with two rings."""
    recorder = Recorder(session, make_account(session))
    filled(recorder)
    return recorder


def test_rings_are_listed_by_people_frauds_or_time(session: AdminSession) -> None:
    shop = Recorder(session, make_account(session))
    kept = filled(shop)
    label(session, shop.account_id, [kept[3]], TESTED, session.clock())

    def listed(order: RingOrder) -> list[str]:
        found = use_cases.list_rings(session, shop.account_id, RingSearch(order.value))
        assert found.complete
        return [each.id for each in found.rings]

    assert listed(RingOrder.PEOPLE) == [LARGE, SMALL]
    assert listed(RingOrder.FRAUDS) == [SMALL, LARGE]
    assert listed(RingOrder.NEWEST) == [SMALL, LARGE]


def test_a_ring_shows_members_money_decisions_and_labels(session: AdminSession) -> None:
    shop = Recorder(session, make_account(session))
    kept = filled(shop)
    label(session, shop.account_id, [kept[1]], FeedbackStatement(Label.CHARGEBACK), session.clock())
    found = use_cases.get(session, shop.account_id, LARGE)
    users = {each.value: each for each in found.members if each.kind == "user"}
    assert set(users) == {"u-1", "u-2", "u-first"}
    assert (users["u-1"].frauds, users["u-2"].frauds) == (1, 0)
    assert [each.request_id for each in found.last_decisions] == kept[2::-1]
    assert found.ring.amounts == [RingMoney("USD", 65.0)]
    assert (found.ring.people, found.ring.frauds, found.labels) == (3, 1, {"CHARGEBACK": 1})


def test_strangers_who_share_a_device_with_a_ring_are_not_its_members(
    session: AdminSession,
) -> None:
    shop = Recorder(session, make_account(session))
    for number in range(10):
        card = "4000056655665556"
        shop.keep(f"u-guest-{number}", device="kiosk", email=f"#{number:020d}", card=card)
    shop.keep("u-1", ring=LARGE, device="kiosk", email="#" + "a2" * 10)
    found = use_cases.get(session, shop.account_id, LARGE)
    assert [each.value for each in found.members if each.kind == "user"] == ["u-1"]


def test_all_members_are_put_on_lists_with_one_line_about_it(shop: Recorder) -> None:
    session, account = shop.session, shop.account_id
    tried = use_cases.block(session, account, LARGE, WHY, dry_run=True)
    assert sum(each.entries for each in overview(session, account).lists) == 0
    done = use_cases.block(session, account, LARGE, WHY)
    assert {each.list: each.added for each in done.lists} == {
        **{"blocked-users": 3, "blocked-cards": 2, "blocked-emails": 3, "blocked-devices": 1}
    }
    assert tried.lists == done.lists
    entries = search_entries(session, account, "blocked-users", EntrySearch()).entries
    assert {each.value for each in entries} == {"u-1", "u-2", "u-first"}
    assert all(each.reason == "stolen cards" for each in entries)
    expires = [each.expires_at for each in entries]
    assert all(each is not None and each > session.clock() + 89 * DAY_MS for each in expires)
    lines = audit_log.search(session, account, LineSearch(limit=10, action="ring."))
    assert [each.details for each in lines] == [{"ringId": LARGE, "added": 9, "days": 90}]


def test_a_stranger_sees_and_blocks_nothing(shop: Recorder) -> None:
    stranger = shop.session.acting_as(Actor.key("key_1", make_account(shop.session)))
    own = stranger.actor.account_id or ""
    with pytest.raises(NotFound):
        use_cases.get(stranger, shop.account_id, LARGE)
    with pytest.raises(NotFound):
        use_cases.get(stranger, own, LARGE)
    with pytest.raises(NotFound):
        use_cases.block(stranger, own, LARGE, WHY)
    assert use_cases.list_rings(stranger, own, RingSearch()).rings == []


@pytest.mark.parametrize("name", ["", "ring_", "ring_x", "req_01kabcdefghjkmnpqrstvwxyz0"])
def test_what_is_no_ring_is_not_found(shop: Recorder, name: str) -> None:
    with pytest.raises(NotFound):
        use_cases.get(shop.session, shop.account_id, name)


def test_decisions_are_searched_by_their_ring(shop: Recorder) -> None:
    wanted = DecisionSearchRequest(ring=SMALL)
    assert len(search_decisions(shop.session, shop.account_id, wanted).records) == 1


def test_programs_have_an_operation_for_each_use_case() -> None:
    assert {each.operation for each in all_endpoints()} >= {"listRings", "getRing", "blockRing"}


def test_a_command_lists_shows_and_blocks_rings(home: Home) -> None:
    home.migrated()
    with open_console(home.migrated()) as console:
        filled(Recorder(console.session, console.account_id))
        account = ("--account", console.account_id)
    listed = home.run("rings", "list", *account).out
    assert LARGE in listed
    assert "{" not in listed, "amounts are told for people"
    shown = home.run("rings", "show", LARGE, *account).out
    # The ring, then its members and its newest decisions, a line for each.
    assert shown.startswith("ring.id ")
    assert any(line.split()[:2] == ["user", "u-first"] for line in shown.splitlines())
    assert "REQUEST ID" in shown
    assert "currency=" not in shown, "an amount is one value"
    done = home.run("rings", "block", LARGE, "--reason", "stolen", *account)
    assert (done.code, "blocked-users" in done.out) == (0, True)


def test_pages_show_rings_and_block_one(home: Home) -> None:
    with open_console(home.migrated()) as console:
        filled(Recorder(console.session, console.account_id))
        viewer, manager = console.as_role(UserRole.VIEWER), console.as_role(UserRole.MANAGER)
        path = f"/a/{console.account_id}/rings"
        assert LARGE in viewer.get(path).text
        assert LARGE in viewer.get(f"{path}?order=frauds").text
        page = viewer.get(f"{path}/{LARGE}").text
        assert "u-first" not in page
        assert "u-…st" in page
        assert viewer.post(f"{path}/{LARGE}/block", {"reason": "x"}).status_code == 403
        assert manager.post(f"{path}/{LARGE}/block", {"reason": ""}).status_code == 422
        done = manager.post(f"{path}/{LARGE}/block", {"reason": "stolen", "days": "7"})
        assert done.status_code == 303
        lists = overview(console.session, console.account_id).lists
        assert {each.name for each in lists} >= {"blocked-users", "blocked-cards"}


def test_where_two_pairs_of_eyes_are_wanted_blocking_a_ring_is_proposed(home: Home) -> None:
    with open_console(home.migrated()) as console:
        filled(Recorder(console.session, console.account_id))
        place = (console.session, console.account_id)
        approvals.set_wanted(*place, ["lists"])
        path = f"/a/{console.account_id}/rings/{LARGE}/block"
        done = console.as_role(UserRole.MANAGER).post(path, {"reason": "stolen", "days": "7"})
        assert done.headers["location"].startswith(f"/a/{console.account_id}/proposals")
        assert not any(each.entries for each in overview(*place).lists)
        made = proposals.listing(*place)
        names = [each.content.list for each in made if isinstance(each.content, PutOnList)]
        assert len(set(names)) == len(made) > 1
        for each in made:
            console.as_role(UserRole.OPERATOR).post(
                f"/a/{console.account_id}/proposals/{each.proposal_id}/approve"
            )
        filled_lists = {each.name for each in overview(*place).lists if each.entries}
        assert filled_lists >= {"blocked-users", "blocked-cards"}
