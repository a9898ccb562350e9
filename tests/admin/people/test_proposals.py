"""Two pairs of eyes: proposed by one, approved by another, and nothing gets around it."""

import dataclasses

import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import Permission, UserRole
from gatehouse.admin.accounts.types import (
    CostsBody,
    FoundInputChoice,
    PreCheckPolicyBody,
    SentryPolicyBody,
)
from gatehouse.admin.accounts.use_cases import accounts, costs, found_inputs, policies
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.approvals.use_cases.proposed import (
    AdjustBalance,
    ApplyPipeline,
    ApplyRules,
    ChangeRole,
    CreditInvoice,
    DropList,
    InvitePerson,
    PromoteModel,
    ProposedChange,
    PutOnList,
    RollBackPipeline,
    RollBackRules,
    SetApprovals,
    SetCreditLimit,
    SetPolicy,
    SetPrices,
    TakeOffList,
    TopUpBalance,
)
from gatehouse.admin.audit.use_cases import lines
from gatehouse.admin.authentication.types.settings import AuthenticationBody
from gatehouse.admin.authentication.use_cases import settings
from gatehouse.admin.configurations.types import VersionReturn
from gatehouse.admin.configurations.use_cases.configurations import (
    NewVersion,
    roll_back,
)
from gatehouse.admin.invoices.types.invoice import (
    BillingDetails,
    Party,
    Seller,
    TaxCategory,
    TaxTerms,
)
from gatehouse.admin.invoices.use_cases import closing, parties
from gatehouse.admin.lists.types import ListDropping
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries
from gatehouse.admin.models.use_cases import versions
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.people.use_cases import reveals, saved_searches, users
from gatehouse.admin.people.use_cases.saved_searches import ToSave
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.privacy.use_cases.erasure import ErasureOptions, erase_person
from gatehouse.admin.privacy.use_cases.person import PersonNamed
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.core.errors import (
    ApprovalNeeded,
    ConfigurationRefused,
    Conflict,
    GatehouseError,
    InvalidInput,
    NotFound,
)
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.list_plans import PlannedEntry
from gatehouse.store.people.tables import PROPOSALS, SAVED_SEARCHES
from tests.admin.people.signing_in import ADA, Entrance, MovedClock, shop_of
from tests.harness import make_account

RULES = "rule_set: mine\nrules:\n  - {name: much, condition: order.amount > 100, outcome: REVIEW}\n"

PIPELINE = b"pipeline: 9\nname: mine\nstages:\n  - stage: PreCheck\n"
WORDS = ListKind.WORDS
MANY = GivenEntries([f"word{number}" for number in range(lists.MOST_AT_ONCE + 1)])


PARTY = Party("Gatehouse GmbH", "Torweg 1", "Berlin", "DE", "10115", "DE123456789", "HRB 1")
LENIENT = PreCheckPolicyBody.read({}, {"NO_MATCH": "ACCEPT"})


def _details(commitment: str | None) -> BillingDetails:
    return BillingDetails(PARTY, TaxTerms(TaxCategory.STANDARD, "19"), commitment)


class TwoPeople:
    """An account that wants two pairs of eyes, and two people of it."""

    def __init__(self, session: AdminSession, *kinds: str) -> None:
        self.clock = MovedClock(session.clock())
        self.session = dataclasses.replace(session, clock=self.clock)
        self.account = shop_of(session)
        self.ada = self.session.acting_as(Actor.user("ada@shop.example", self.account))
        self.bob = self.session.acting_as(Actor.user("bob@shop.example", self.account))
        approvals.set_wanted(self.ada, self.account, kinds or approvals.CHOICES)

    def balance(self) -> int:
        return accounts.get(self.session, self.account).state.balance

    def last_lines(self, count: int) -> list[tuple[str, str]]:
        return [(each.actor, each.action) for each in lines(self.session, self.account, count)]


@pytest.fixture
def two(sqlite_session: AdminSession) -> TwoPeople:
    return TwoPeople(sqlite_session)


def test_a_proposal_counts_when_another_person_approves_it(session: AdminSession) -> None:
    two = TwoPeople(session)
    made = proposals.propose(two.ada, two.account, ApplyRules(RULES, note="less noise"))
    with pytest.raises(NotFound):
        rule_sets.get(two.ada, two.account, "mine")
    done = proposals.approve(two.bob, two.account, made.proposal_id).proposal
    assert (done.state, done.proposer) == ("approved", "user:ada@shop.example")
    assert rule_sets.get(two.ada, two.account, "mine").document == RULES
    both = "user:bob@shop.example approving user:ada@shop.example"
    assert two.last_lines(2) == [(both, "proposal.approve"), (both, "rules.apply")]


def test_who_proposed_cannot_approve(two: TwoPeople) -> None:
    made = proposals.propose(two.ada, two.account, AdjustBalance(5, "gift"))
    key = two.session.acting_as(Actor.key("key_1", two.account))
    terminal = two.session.acting_as(Actor.operator("ada@shop.example"))
    for own in (two.ada, key, terminal):
        with pytest.raises(Conflict):
            proposals.approve(own, two.account, made.proposal_id)
    assert two.balance() == 0


def test_whoever_a_key_acts_for_cannot_approve_what_it_proposed(two: TwoPeople) -> None:
    acting = Actor.key("key_1", two.account).acting_for("bob@shop.example")
    key = two.session.acting_as(acting)
    made = proposals.propose(key, two.account, AdjustBalance(5, "gift"))
    with pytest.raises(Conflict, match="cannot approve"):
        proposals.approve(two.bob, two.account, made.proposal_id)
    proposals.approve(two.ada, two.account, made.proposal_id)
    assert two.balance() == 5


def test_nobody_gets_around_it(sqlite_session: AdminSession) -> None:
    words = GivenEntries(["a"])
    lists.add(sqlite_session, shop_of(sqlite_session), "words", words, NewEntries(WORDS))
    two = TwoPeople(sqlite_session)
    key = two.session.acting_as(Actor.key("key_1", two.account))
    terminal = two.session.acting_as(Actor.operator("root"))
    for session in (two.ada, key, terminal):
        for attempt in (
            lambda s: rule_sets.apply(s, two.account, NewVersion(RULES.encode())),
            lambda s: roll_back(s, two.account, rule_sets.RULE_SETS, "default", VersionReturn(1)),
            lambda s: versions.promote_model(s, two.account, "1"),
            lambda s: versions.roll_back_model(s, two.account, VersionReturn()),
            lambda s: money.set_prices(s, two.account, {"PRECHECK": "0.01"}),
            lambda s: money.adjust(s, two.account, 5, "gift"),
            lambda s: money.top_up(s, two.account, 5, "gift"),
            lambda s: money.set_credit_limit(s, two.account, 10**12),
            lambda s: parties.set_billing_details(s, two.account, _details("1000")),
            lambda s: policies.set_precheck_policy(s, two.account, LENIENT),
            lambda s: policies.set_sentry_policy(s, two.account, SentryPolicyBody(["plan"])),
            lambda s: found_inputs.set_found_input(s, two.account, FoundInputChoice("a", False)),
            lambda s: costs.set_costs(s, two.account, CostsBody("USD", 0.25)),
            lambda s: costs.clear_costs(s, two.account),
            lambda s: settings.set_authentication(s, two.account, AuthenticationBody("DE")),
            lambda s: settings.clear_authentication(s, two.account),
            lambda s: pipelines.apply(s, two.account, NewVersion(PIPELINE)),
            lambda s: roll_back(s, two.account, pipelines.PIPELINES, "1", VersionReturn(1)),
            lambda s: lists.add(s, two.account, "words", GivenEntries(["b"]), NewEntries(WORDS)),
            lambda s: lists.add(s, two.account, "words", MANY, NewEntries(WORDS)),
            lambda s: lists.remove(s, two.account, "words", GivenEntries(["a"])),
            lambda s: lists.drop(s, two.account, "words", ListDropping(force=True)),
            lambda s: approvals.set_wanted(s, two.account, []),
        ):
            with pytest.raises(ApprovalNeeded):
                attempt(session)
    assert rule_sets.apply(two.ada, two.account, NewVersion(RULES.encode(), dry_run=True)).changed


def test_the_option_is_turned_off_through_itself_and_widened_freely(
    sqlite_session: AdminSession,
) -> None:
    two = TwoPeople(sqlite_session, "rules")
    money.adjust(two.ada, two.account, 5, "not under two pairs of eyes")
    approvals.set_wanted(two.ada, two.account, ["rules", "adjustments"])
    with pytest.raises(ApprovalNeeded):
        approvals.set_wanted(two.ada, two.account, ["rules"])
    made = proposals.propose(two.ada, two.account, SetApprovals(()))
    proposals.approve(two.bob, two.account, made.proposal_id)
    assert approvals.wanted(two.ada, two.account) == ()
    rule_sets.apply(two.ada, two.account, NewVersion(RULES.encode()))


def test_a_change_that_fails_leaves_the_proposal_open(two: TwoPeople) -> None:
    given = proposals.propose(two.ada, two.account, AdjustBalance(5, "a gift"))
    proposals.approve(two.bob, two.account, given.proposal_id)
    made, taken = (
        proposals.propose(two.ada, two.account, AdjustBalance(-5, "no gift")) for _ in "12"
    )
    proposals.approve(two.bob, two.account, taken.proposal_id)
    with pytest.raises(InvalidInput):
        proposals.approve(two.bob, two.account, made.proposal_id)
    assert proposals.get(two.bob, two.account, made.proposal_id).state == "open"
    assert two.balance() == 0


def test_a_rule_set_that_changed_meanwhile_is_not_overwritten(two: TwoPeople) -> None:
    first = proposals.propose(two.ada, two.account, ApplyRules(RULES))
    other = proposals.propose(two.ada, two.account, ApplyRules(RULES.replace("100", "200")))
    proposals.approve(two.bob, two.account, first.proposal_id)
    with pytest.raises(Conflict):
        proposals.approve(two.bob, two.account, other.proposal_id)
    more = proposals.propose(two.bob, two.account, ApplyRules(RULES.replace("100", "300")))
    proposals.approve(two.ada, two.account, more.proposal_id)
    back = proposals.propose(two.bob, two.account, RollBackRules("mine"))
    proposals.approve(two.ada, two.account, back.proposal_id)
    assert rule_sets.get(two.ada, two.account, "mine").version == 1


def test_top_ups_pipelines_and_lists_are_approved_too(two: TwoPeople) -> None:
    entries = lists.planned(two.ada, two.account, "words", GivenEntries(["a"]), NewEntries(WORDS))
    for content in (
        TopUpBalance(7, "March", "invoice 1"),
        ApplyPipeline(PIPELINE.decode()),
        PutOnList("words", entries, WORDS),
    ):
        made = proposals.propose(two.ada, two.account, content)
        proposals.approve(two.bob, two.account, made.proposal_id)
    assert two.balance() == 7
    assert pipelines.get(two.ada, two.account, 9).stored.document == PIPELINE.decode()
    assert lists.get(two.ada, two.account, "words").answer.entries == 1
    for less in (TakeOffList("words", entries), DropList("words")):
        made = proposals.propose(two.ada, two.account, less)
        proposals.approve(two.bob, two.account, made.proposal_id)
    with pytest.raises(NotFound):
        lists.get(two.ada, two.account, "words")


@pytest.mark.parametrize("kind", ["top-ups", "adjustments"])
def test_either_kind_of_money_covers_every_way_to_money_that_can_be_spent(
    sqlite_session: AdminSession, kind: str
) -> None:
    later = MovedClock(sqlite_session.clock() + 45 * 86_400_000)
    session = dataclasses.replace(sqlite_session, clock=later)
    shop = shop_of(session)
    parties.set_seller(session, Seller(PARTY))
    parties.set_billing_details(session, shop, _details("1000"))
    money.top_up(session, shop, 10**10, "")
    month = closing.months_to_close(session, shop)[0]
    made = closing.close_month(session, shop, month)
    assert made is not None
    two, before = TwoPeople(session, kind), accounts.get(session, shop).state
    for attempt in (
        lambda: money.top_up(two.ada, shop, 5, ""),
        lambda: money.adjust(two.ada, shop, 5, "gift"),
        lambda: money.set_credit_limit(two.ada, shop, 10**12),
        lambda: closing.credit_invoice(two.ada, shop, made.number, 700_000_000, "gift"),
    ):
        with pytest.raises(ApprovalNeeded):
            attempt()
    assert accounts.get(session, shop).state == before
    for content in (CreditInvoice(made.number, "too dear"), SetCreditLimit(10**12)):
        proposed = proposals.propose(two.ada, shop, content)
        proposals.approve(two.bob, shop, proposed.proposal_id)
        if isinstance(proposed.content, CreditInvoice):
            assert proposed.content.micros == made.net.micros
    state = accounts.get(session, shop).state
    assert state.balance == before.balance + made.net.micros
    assert state.credit == 10**12


def test_what_decides_is_proposed_as_the_management_api_takes_it(two: TwoPeople) -> None:
    body = {"cvv2": {"NO_MATCH": "ACCEPT"}}
    for wrong in (SetPolicy("setNothing"), SetPolicy("setPreCheckPolicy", {"cvv2": {"X": "Y"}})):
        with pytest.raises(GatehouseError):
            proposals.propose(two.ada, two.account, wrong)
    made = proposals.propose(two.ada, two.account, SetPolicy("setPreCheckPolicy", body))
    assert policies.get_policies(two.ada, two.account).precheck.cvv2 == {"NO_MATCH": "DECLINE"}
    proposals.approve(two.bob, two.account, made.proposal_id)
    assert policies.get_policies(two.ada, two.account).precheck.cvv2 == {"NO_MATCH": "ACCEPT"}
    both = "user:bob@shop.example approving user:ada@shop.example"
    assert two.last_lines(1) == [(both, "account.policies")]


def test_prices_are_approved_too(two: TwoPeople) -> None:
    fee = "PRECHECK"
    made = proposals.propose(two.ada, two.account, SetPrices({fee: "0.02"}))
    proposals.approve(two.bob, two.account, made.proposal_id)
    assert accounts.get(two.ada, two.account).account.fees == {fee: 20_000}


@pytest.mark.parametrize(
    "content",
    [
        ApplyRules("rule_set: mine\nrules: [{name: x, condition: nonsense ((, outcome: REVIEW}]"),
        RollBackRules("none of this name"),
        PromoteModel(7),
        SetPrices({"NO_FEE": "1"}),
        AdjustBalance(0, "nothing"),
        SetApprovals(("everything",)),
        ApplyPipeline("pipeline: 1\nstages: nonsense"),
        RollBackPipeline("77"),
        PutOnList("no such list", (PlannedEntry("a", "a"),)),
        PutOnList("words", (), WORDS),
        TakeOffList("no such list", (PlannedEntry("a", "a"),)),
        DropList("no such list"),
        TopUpBalance(0),
        InvitePerson("no address", UserRole.MANAGER),
        InvitePerson("eve@shop.example", UserRole.OPERATOR),
        ChangeRole("usr_nobody", "", UserRole.MANAGER),
    ],
    ids=lambda content: type(content).__name__,
)
def test_what_could_not_be_done_is_not_proposed(two: TwoPeople, content: ProposedChange) -> None:
    with pytest.raises(GatehouseError):
        proposals.propose(two.ada, two.account, content)
    assert proposals.listing(two.ada, two.account) == []


def test_a_proposal_ends_once(two: TwoPeople) -> None:
    made = proposals.propose(two.ada, two.account, AdjustBalance(5, "gift"))
    refused = proposals.refuse(two.bob, two.account, made.proposal_id, "why should we")
    assert (refused.state, refused.reason) == ("refused", "why should we")
    for late in (proposals.approve, proposals.withdraw):
        with pytest.raises(Conflict):
            late(two.bob, two.account, made.proposal_id)


def test_only_the_author_takes_a_proposal_back(two: TwoPeople) -> None:
    made = proposals.propose(two.ada, two.account, AdjustBalance(5, "gift"))
    with pytest.raises(Conflict):
        proposals.withdraw(two.bob, two.account, made.proposal_id)
    assert proposals.withdraw(two.ada, two.account, made.proposal_id).state == "withdrawn"


def test_a_proposal_expires_after_a_week(two: TwoPeople) -> None:
    made = proposals.propose(two.ada, two.account, AdjustBalance(5, "gift"))
    two.clock.move(hours=7 * 24)
    with pytest.raises(Conflict, match="expired"):
        proposals.approve(two.bob, two.account, made.proposal_id)
    assert [each.state for each in proposals.listing(two.bob, two.account)] == ["expired"]


def test_another_account_sees_no_proposal(two: TwoPeople) -> None:
    made = proposals.propose(two.ada, two.account, AdjustBalance(5, "gift"))
    other = make_account(two.session)
    eve = two.session.acting_as(Actor.user("eve@other.example", other))
    for account in (two.account, other):
        with pytest.raises(NotFound):
            proposals.approve(eve, account, made.proposal_id)


def test_the_name_of_the_author_cannot_be_changed_in_the_database(two: TwoPeople) -> None:
    made = proposals.propose(two.ada, two.account, AdjustBalance(5, "gift"))
    with two.session.database.writing() as connection:
        connection.execute(PROPOSALS.update().values(proposer="user:bob@shop.example"))
    with pytest.raises(ConfigurationRefused):
        proposals.approve(two.ada, two.account, made.proposal_id)


def test_a_look_at_personal_data_leaves_a_line(two: TwoPeople) -> None:
    request = "req_01m7gkqt91fjwbyay6v9mvenvs"
    reveals.note_reveal(two.ada, two.account, "email", request)
    [line] = lines(two.session, two.account, 1)
    assert (line.actor, line.action) == ("user:ada@shop.example", "data.reveal")
    assert line.details == {"what": "email", "requestId": request}
    for what, where in (("ada@shop.example", request), ("email", "4242424242424242")):
        with pytest.raises(InvalidInput):
            reveals.note_reveal(two.ada, two.account, what, where)


class TestSavedSearches:
    def test_a_search_is_kept_for_its_person_alone(self, session: AdminSession) -> None:
        at, account = Entrance(session), shop_of(session)
        ada, root = at.person(account).user_id, at.operator().user_id
        made = saved_searches.save(at.session, account, ada, "Risky", ToSave("email=eve@x.example"))
        assert [each.query for each in saved_searches.listing(at.session, account, ada)] == [
            "email=eve@x.example"
        ]
        assert saved_searches.listing(at.session, account, root) == []
        with pytest.raises(Conflict):
            saved_searches.save(at.session, account, ada, "Risky", ToSave("outcome=DECLINE"))
        with pytest.raises(NotFound):
            saved_searches.delete(at.session, account, root, made.search_id)
        with at.session.reading() as connection:
            assert "eve@x" not in str(connection.execute(SAVED_SEARCHES.select()).all())
        person = PersonNamed(email="Eve@x.example")
        saved_searches.save(at.session, account, ada, "All", ToSave("outcome=DECLINE"))
        saved_searches.save(at.session, account, ada, "Hers", ToSave("email=eve%40x.example"))
        erase_person(at.session, account, person, ErasureOptions())
        assert [each.name for each in saved_searches.listing(at.session, account, ada)] == ["All"]
        [left] = saved_searches.listing(at.session, account, ada)
        saved_searches.delete(at.session, account, ada, left.search_id)
        assert saved_searches.listing(at.session, account, ada) == []


def test_a_shared_search_is_found_by_all_and_changed_by_its_owner_and_administrators(
    at: Entrance, shop: str
) -> None:
    ada, bob = at.person(shop).user_id, at.person(shop, login="bob@shop.example").user_id
    as_bob = at.session.acting_as(Actor.user("bob@shop.example", shop))
    own = saved_searches.save(at.session, shop, ada, "Mine", ToSave("rule=a"))
    made = saved_searches.save(
        at.session, shop, ada, "Ours", ToSave("by=card.bin", "explore", True)
    )
    [found] = saved_searches.listing(as_bob, shop, bob)
    assert (found.name, found.page, found.owner) == ("Ours", "explore", "Ada Lovelace")
    with pytest.raises(NotFound):
        saved_searches.delete(as_bob, shop, bob, made.search_id)
    for wanted, shared in ((own, True), (made, False)):
        with pytest.raises(NotFound):
            saved_searches.share(as_bob, shop, bob, wanted.search_id, shared=shared)
    other = make_account(at.session)
    with pytest.raises(NotFound):
        saved_searches.listing(as_bob, other, bob)
    assert saved_searches.listing(at.session, other, bob) == []
    administers = at.session.acting_as(
        Actor.user("cy@shop.example", shop, may=frozenset({Permission.PEOPLE}))
    )
    with pytest.raises(NotFound):
        saved_searches.delete(administers, shop, "usr_cy", own.search_id)
    saved_searches.share(administers, shop, "usr_cy", made.search_id, shared=False)
    assert saved_searches.listing(as_bob, shop, bob) == []
    saved_searches.share(at.session, shop, ada, made.search_id, shared=True)
    users.set_role(at.session, shop, ADA, None)
    assert saved_searches.listing(as_bob, shop, bob) == []
