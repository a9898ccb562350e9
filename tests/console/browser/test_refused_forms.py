"""Every form that people fill, refused: said once, beside the field, kept, and fit for everybody.

Each is sent with something that the server cannot use. The page that comes back must say so to
people who cannot see it, and keep what was typed except secrets. Forms of each kind are drawn:
their page must please axe in light and dark, and fit a phone.
"""

from typing import Final

import pytest
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import expect

from gatehouse.access.roles import UserRole
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.approvals.use_cases.proposed import AdjustBalance
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, resolve_review
from gatehouse.admin.webhooks.types.webhook import NewWebhook
from gatehouse.admin.webhooks.use_cases import endpoints
from gatehouse.console.pages import Action
from tests.admin.people.signing_in import PASSWORD
from tests.console.browser.holders import holder_of_an_app
from tests.console.browser.offered import CLOSED
from tests.console.browser.refusals import Refusal, refuse, refuse_undrawn
from tests.console.browser.reviewing import open_reviews
from tests.console.browser.site import Site, needs_chromium
from tests.console.paid import store_card
from tests.harness import make_account

pytestmark = needs_chromium
WORDS: Final = "what somebody wrote"
BUTTONS: Final = {
    *("sign-out", "decision-reveal", "entity-reveal", "decisions-forget", "decisions-export"),
    *("review-next", "review-leave", "review-claim", "outcome-rejoin"),
    *("rules-preview", "rules-rollback", "rules-build-start"),
    *("pipelines-check", "pipelines-rollback", "connectors-rollback"),
    *("list-remove", "list-drop", "list-export", "key-revoke", "model-roll-back", "model-promote"),
    *("model-try", "rule-switch"),
    *("training-cancel", "settings-told", "settings-found"),
    *("authentication-clear", "authentication-measure"),
    *("webhook-enable", "webhook-disable", "webhook-test", "webhook-delete"),
    *("find-typed", "bulk-change", "bulk-undo", "review-undo", "report-make", "report-zone"),
    *("audit-export", "installation-audit-export", "review-reveal"),
    *("begin-passkey", "add-passkey", "remove-passkey", "end-session"),
    *("proposals-choose", "proposal-approve", "proposal-withdraw"),
    *("disputes-keeping", "dispute-file", "dispute-file-delete", "stored-card-delete"),
    *("evidence-packet", "evidence-paper", "decisions-share", "invoices-close"),
    *("experiment-end", "model-shadow-start", "model-shadow-stop", "role-delete"),
    *("payment-void", "notification-apply", "notifications-again"),
    *(
        f"{prefix}person-{name}"
        for prefix in ("", "installation-")
        for name in ("reset", "disable", "enable", "end-sessions", "delete")
    ),
    "installation-person-role",
    "account-reopen",
}
"""Actions that take nothing a person could type wrongly; `account-reopen` is as `account-close`."""
DRAWN: Final = {
    *("decision-label", "review-resolve", "review-correct", "outcome-import", "dispute-decide"),
    *("rules-apply", "rules-build-add", "list-add", "money-prices", "key-issue", "key-rotate"),
    *("webhook-rotate", "settings-policy", "alert-acknowledge", "change-password"),
}
"""One or two of each kind: choices, files, tables, what asks first, an editor, several at once."""
DECIDING: Final = (
    Refusal("decision", "decision-label", {"label": "?"}, "label", forgotten=frozenset({"label"})),
    Refusal("decision", "decision-list", {"entry": "", "reason": WORDS, "days": "9"}, "entry"),
    Refusal(
        "decision",
        "decision-review",
        {"why": "", "verdict": "approve"},
        "why",
        forgotten=frozenset({"verdict"}),
    ),
    Refusal("decisions", "decisions-find", {"who": "email", "value": " "}, "value"),
    Refusal(
        "decisions", "decisions-save", {"name": " "}, "name", query="?decision=ACCEPT&rule=large"
    ),
    Refusal(
        "review",
        "review-resolve",
        {"why": "", "verdict": "decline"},
        "why",
        forgotten=frozenset({"verdict"}),
    ),
    *(
        Refusal(page, f"{page}-narrow", {"signal": "no.such", "value": WORDS}, "signal")
        for page in ("decisions", "explore")
    ),
    Refusal(
        *("explore", "explore-save", {"name": " "}),
        forgotten=frozenset({"name"}),
        query="?by=decision",
    ),
    Refusal("review", "review-note", {"note": " "}, "note"),
    Refusal("review", "review-assign", {"assignee": "x" * 200}),
    Refusal("entities", "entity-find", {"kind": "address", "value": WORDS}, "value"),
    Refusal(
        "outcomes",
        "outcome-tell",
        {"kind": "DISPUTE", "reference": "dp-1", "at": "2026-11-02", "amount": "much"},
        "amount",
    ),
    Refusal("outcomes", "outcome-import", {"mapping": "gatehouse"}, "file"),
    Refusal(
        "outcomes",
        "outcome-join",
        {"request_id": "req_1"},
        "request_id",
        query="?kind=DISPUTE&reference=past-d-0",
    ),
    Refusal("entity", "entity-list", {"list": "", "reason": WORDS, "days": "9"}, "list"),
    Refusal("dispute", "dispute-decide", {"decision": "REPRESENT", "comment": " "}, "comment"),
    Refusal(
        "dispute",
        "dispute-delivery",
        {"goods": "?", "carrier": "DHL"},
        "goods",
        forgotten=frozenset({"goods"}),
    ),
    Refusal("dispute", "dispute-end", {"result": "?"}, "result", forgotten=frozenset({"result"})),
    Refusal("dispute", "dispute-attach", {}, "file"),
)
CONFIGURING: Final = (
    Refusal("rules-new", "rules-apply", {"note": ""}, "note"),
    Refusal("programmes-what-if", "programmes-try", {"document": "rule_set: x"}, "document"),
    Refusal("rules-edit", "rules-apply", {"note": ""}, "note"),
    Refusal(
        "rules-build",
        "rules-build-add",
        {"signal0.0": "no.such", "value0.0": WORDS, "name": "mine", "description": WORDS},
        "signal0.0",
    ),
    Refusal("pipelines-new", "pipelines-apply", {"note": ""}, "note"),
    Refusal("pipelines-edit", "pipelines-apply", {"note": ""}, "note"),
    Refusal("lists", "list-find", {"value": " "}, "value"),
    Refusal("lists", "list-create", {"name": "no name!", "kind": "bins", "description": WORDS}),
    Refusal("list", "list-add", {"values": WORDS, "reason": WORDS, "days": "soon"}, "days"),
    Refusal("list", "list-import", {"skip_bad": "yes"}, "file"),
    Refusal(
        "experiments",
        "experiment-start",
        {
            **{"name": WORDS, "kind": "hold_out", "orders_per_day": "3", "currency": "USD"},
            **{"minor_units_per_day": "9000", "percent": "most", "rule_set": "starter"},
        },
        "percent",
    ),
    Refusal("models", "model-import", {"trust": "yes"}, "file"),
    Refusal("playground", "playground-send", {"amount": "much", "street": WORDS}, "amount"),
)
KEEPING: Final = (
    Refusal(
        "money", "money-top-up", {"amount": "much", "reference": "r-1", "note": WORDS}, "amount"
    ),
    Refusal("money", "money-adjust", {"amount": "much", "reason": WORDS}, "amount"),
    Refusal("top-ups", "top-up-create", {"amount": "much"}, "amount"),
    Refusal("top-ups", "top-up-limit", {"day_limit_minor": "much"}, "day_limit_minor"),
    Refusal("money", "money-credit", {"limit": "much"}, "limit"),
    Refusal("money", "money-prices", {"SENTRY": "much"}, "SENTRY"),
    Refusal("money", "money-prices", {"SENTRY": "-1"}),
    Refusal(
        "key-new",
        "key-issue",
        {"name": "till", "rate": "fast", "networks": "192.0.2.0/24", "scopes": "sentry"},
        "rate",
    ),
    Refusal("key-new", "key-issue", {"name": "till", "networks": "nowhere"}),
    Refusal("keys", "key-rotate", {"overlap": "7"}, "overlap", forgotten=frozenset({"overlap"})),
    Refusal(
        "webhook-new",
        "webhook-create",
        {"url": "gopher://shop.example", "description": WORDS, "everything": "yes"},
        "url",
    ),
    Refusal("webhook-new", "webhook-create", {"url": "https://shop.example", "description": WORDS}),
    Refusal(
        "webhook-form",
        "webhook-change",
        {"url": "gopher://shop.example", "description": WORDS, "everything": "yes"},
        "url",
    ),
    Refusal(
        *("webhook", "webhook-rotate", {"overlap_s": "900000"}, "overlap_s"),
        forgotten=frozenset({"overlap_s"}),
    ),
    Refusal("webhook", "webhook-replay", {"since": "", "until": ""}, "since"),
    Refusal("settings", "settings-name", {"name": " "}, "name"),
    Refusal("settings", "settings-threshold", {"threshold": "little"}, "threshold"),
    Refusal("settings", "settings-order", {"address": WORDS}, "address"),
    Refusal("settings", "settings-target", {"hours": "soon"}, "hours"),
    Refusal(
        "settings",
        "settings-policy",
        {"avs.NO_MATCH": "?"},
        forgotten=frozenset({"avs.NO_MATCH"}),
    ),
    Refusal("settings", "settings-entities", {"entities": "k" * 65}),
    Refusal(
        "settings",
        "settings-costs",
        {"preset": "protect", "currency": "USD", "margin": "half"},
        "margin",
    ),
    Refusal(
        "authentication",
        "authentication-settings",
        {"acquirer_country": "x", "exempt_from": "0.9", "tra_up_to": "100"},
        "acquirer_country",
    ),
    Refusal("ring", "ring-block", {"reason": " ", "days": "9"}, "reason"),
    Refusal("alert", "alert-block", {"hours": "0", "reason": WORDS}, "hours"),
    Refusal("alert", "alert-acknowledge", {"note": "x" * 201}, "note"),
    Refusal("invoice", "invoice-credit", {"reason": " "}, "reason"),
    Refusal("payment", "payment-capture", {"amount": "0"}, "amount"),
    Refusal("payment", "payment-refund", {"amount": "many"}, "amount"),
    Refusal("payment", "payment-settle", {"succeeded": ""}, "succeeded"),
    Refusal("billing-details", "billing-details-set", {"name": WORDS, "country": "de"}, "country"),
    Refusal("roles-new", "role-make", {"name": " "}, "name"),
    Refusal("role", "role-change", {"name": " ", "version": "1"}, "name"),
    Refusal("people", "invite", {"login": "nobody", "name": WORDS, "role": "finance"}),
    Refusal("person", "person-role", {"role": "king"}, "role", forgotten=frozenset({"role"})),
)
INSTALLING: Final = (
    Refusal(
        "installation-accounts", "account-create", {"name": WORDS, "currency": "?"}, "currency"
    ),
    Refusal("installation-accounts", "account-rename", {"name": " "}, "name"),
    Refusal("installation-accounts", "account-close", {"reason": " "}, "reason"),
    Refusal("installation-people", "installation-invite", {"login": "nobody", "name": WORDS}),
    Refusal("connectors-edit", "connectors-apply", {"document": "connectors: 7", "note": WORDS}),
)
OF_THE_PERSON: Final = (
    Refusal("profile", "save-profile", {"name": " "}),
    Refusal(
        "profile",
        "change-password",
        {"current": PASSWORD, "new": "a good long password", "again": "another one"},
        "again",
        forgotten=frozenset({"current", "new", "again"}),
    ),
    Refusal(
        "profile",
        "begin-totp",
        {"current": "not this one"},
        "current",
        forgotten=frozenset({"current"}),
    ),
)
ELSEWHERE: Final = (
    Refusal("models", "model-train", {"delay": "soon", "note": WORDS, "presume": ""}, "delay"),
    Refusal("models", "model-audit", {"delay": "soon", "note": WORDS}, "delay"),
    Refusal("proposals", "proposal-refuse", {"reason": " "}, "reason"),
    Refusal(
        "top-ups",
        "auto-top-up",
        {
            **{"floor_minor": "much", "amount_minor": "50", "monthly_limit_minor": "100"},
            "enabled": "yes",
        },
        "floor_minor",
    ),
)
"""Of an account where no training is under way, something is proposed, and a card is stored."""
OF_AN_APP: Final = tuple(
    Refusal(
        "profile",
        name,
        {"current": "not this one"},
        "current",
        forgotten=frozenset({"current"}),
    )
    for name in ("renew-recovery", "remove-totp")
)
CONFIRMED: Final = {"confirm-totp"}
RESOLVED: Final = Refusal(
    "review",
    "review-correct",
    {"why": "", "verdict": "decline"},
    "why",
    forgotten=frozenset({"verdict"}),
)


def test_every_form_of_the_console_is_refused_here() -> None:
    tables = (
        DECIDING,
        CONFIGURING,
        KEEPING,
        INSTALLING,
        OF_THE_PERSON,
        ELSEWHERE,
        OF_AN_APP,
        (RESOLVED,),
    )
    refused = {each.action for table in tables for each in table}
    actions = {each.name for each in CLOSED if isinstance(each, Action)}
    assert actions == refused | BUTTONS | CONFIRMED
    assert refused >= DRAWN


@pytest.fixture
def around(site: Site, known: dict[str, str]) -> dict[str, str]:
    """What is known, with a key and a webhook that are in use, and a review that is still open."""
    [waiting] = open_reviews(site, 1)
    with site.home.session() as session:
        key = next(
            each
            for each in keys.list_keys(session, site.account_id).keys
            if each.revoked_at is None and not each.is_of_playground
        )
        new = NewWebhook("https://shop.example/hooks", ["import.finished"])
        made = endpoints.create(session, site.account_id, new).answer
    places = {"key": key.key_id, "webhook": made.id}
    return {**known, **places, "id": waiting, "one": site.account_id}


def _refuse_all(
    site: Site,
    table: tuple[Refusal, ...],
    known: dict[str, str],
    token: str,
) -> None:
    found = []
    with site.visit(token) as visitor:
        visitor.is_refused = True
        visitor.open("/me")
        for each in table:
            try:
                (refuse if each.action in DRAWN else refuse_undrawn)(visitor, each, known)
            except (AssertionError, BrowserError) as problem:
                found.append(str(problem))
    assert found == [], "\n".join(found)


@pytest.mark.parametrize(
    "table",
    [DECIDING, CONFIGURING, KEEPING, INSTALLING, OF_THE_PERSON],
    ids=["deciding", "configuring", "keeping", "installing", "of_the_person"],
)
def test_a_refused_form_says_what_is_wrong_and_keeps_what_was_typed(
    site: Site, around: dict[str, str], table: tuple[Refusal, ...]
) -> None:
    _refuse_all(site, table, around, site.token(UserRole.OPERATOR))


def test_a_review_that_is_corrected_without_a_reason_is_refused(
    site: Site, around: dict[str, str]
) -> None:
    with site.home.session() as session:
        finding = ReviewFinding(approve=True, reason=WORDS)
        resolve_review(session, site.account_id, around["id"], finding)
    _refuse_all(site, (RESOLVED,), around, site.token(UserRole.OPERATOR))


def test_a_training_a_decision_about_a_proposal_and_automatic_top_ups_are_refused(
    site: Site, known: dict[str, str]
) -> None:
    with site.home.session() as session:
        account_id = make_account(session, "Other Shop")
        approvals.set_wanted(session, account_id, ("adjustments",))
        made = proposals.propose(session, account_id, AdjustBalance(1_000_000, WORDS))
        store_card(session, account_id)
    known = {**known, "account": account_id, "proposal": made.proposal_id}
    _refuse_all(site, ELSEWHERE, known, site.token(UserRole.OPERATOR))


def test_who_changes_an_app_with_the_wrong_password_is_refused(
    site: Site, known: dict[str, str]
) -> None:
    holder = holder_of_an_app(site, "changes@browser.example")
    _refuse_all(site, OF_AN_APP, known, holder.token)


def test_an_app_is_not_turned_on_with_a_wrong_code(site: Site) -> None:
    with site.visit(site.token(UserRole.VIEWER)) as visitor:
        visitor.is_refused = True
        page = visitor.open("/me")
        app = page.locator('form[action="/me/app"]')
        app.get_by_label("Current password").fill(PASSWORD)
        app.get_by_role("button").click()
        page.get_by_label("Code of the app").fill("000000")
        page.get_by_role("button", name="Turn on").click()
        expect(page.locator("[name=code]")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("[name=code]")).to_be_focused()
        visitor.fits()
        visitor.check()
