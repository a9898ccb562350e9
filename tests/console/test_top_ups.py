"""Automatic top-ups in the console: who may set them, and what cannot be set."""

from gatehouse.access.roles import UserRole
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.top_ups.use_cases import auto_top_ups
from tests.console.harness import Console
from tests.console.paid import STORED_CARD, store_card

_SET = {"floor_minor": "20.00", "amount_minor": "50", "monthly_limit_minor": "1,000"}


def test_finance_sets_automatic_top_ups_and_deletes_the_card(console: Console) -> None:
    path = f"/a/{console.account_id}/money/top-ups"
    fay = console.as_role(UserRole.FINANCE)
    assert "Delete the stored card" not in fay.get(path).text
    store_card(console.session, console.account_id)
    page = fay.get(path).text
    assert "…cdef" in page
    assert STORED_CARD not in page
    assert fay.post(f"{path}/automatic", _SET).status_code == 303
    found = auto_top_ups.get_auto_top_up(console.session, console.account_id)
    assert (found.floor_minor, found.amount_minor) == (2000, 5000)
    assert (found.monthly_limit_minor, found.enabled) == (100_000, False)
    for wrong in ({"floor_minor": "-1"}, {"amount_minor": "0"}, {"monthly_limit_minor": "49.99"}):
        assert fay.post(f"{path}/automatic", _SET | wrong).status_code == 422
    refused = fay.post(f"{path}/automatic", _SET | {"enabled": "yes"})
    assert "takes no top-ups now" in refused.text
    german = console.as_role(UserRole.FINANCE, locale="de").get(path).text
    assert "Automatische Aufladung" in german
    assert fay.post(f"{path}/card/delete").status_code == 303
    found = auto_top_ups.get_auto_top_up(console.session, console.account_id)
    assert found.card_stored_at is None


def test_who_only_looks_at_money_is_shown_no_form_that_has_a_card_charged(
    console: Console,
) -> None:
    path = f"/a/{console.account_id}/money/top-ups"
    store_card(console.session, console.account_id)
    forms = [f"{path}/{name}" for name in ("automatic", "card/delete", "limit")]
    looks, moves = (console.as_role(each) for each in (UserRole.BILLING, UserRole.FINANCE))
    seen, all_of_it = looks.get(path).text, moves.get(path).text
    for form in forms:
        assert f'action="{form}"' not in seen
        assert f'action="{form}"' in all_of_it
        assert looks.post(form, _SET | {"day_limit_minor": "1"}).status_code == 403
    assert f'action="{path}/create"' in seen
    assert moves.post(f"{path}/limit", {"day_limit_minor": "1"}).status_code == 303
    assert f'action="{path}/create"' not in looks.get(path).text


def test_a_higher_limit_is_proposed_where_two_people_are_wanted(console: Console) -> None:
    path = f"/a/{console.account_id}/money/top-ups"
    fay = console.as_role(UserRole.FINANCE)
    assert fay.post(f"{path}/limit", {"day_limit_minor": "100"}).status_code == 303
    approvals.set_wanted(console.session, console.account_id, ["top-ups"])
    asked = fay.post(f"{path}/limit", {"day_limit_minor": "250.50"})
    assert asked.headers["location"].endswith("/proposals")
    bob = console.as_role(UserRole.FINANCE)
    shown = bob.get(f"/a/{console.account_id}/proposals").text
    assert "Raise the limit of top-ups in a day" in shown
    assert "250.50" in shown
    assert "100.00" in fay.get(path).text
    assert fay.post(f"{path}/limit", {"day_limit_minor": "1"}).status_code == 303


def test_who_may_not_see_money_can_neither_set_nor_delete(console: Console) -> None:
    path = f"/a/{console.account_id}/money/top-ups"
    store_card(console.session, console.account_id)
    viewer = console.as_role(UserRole.VIEWER)
    assert viewer.get(path).status_code == 403
    assert viewer.post(f"{path}/automatic", _SET).status_code == 403
    assert viewer.post(f"{path}/card/delete").status_code == 403
    found = auto_top_ups.get_auto_top_up(console.session, console.account_id)
    assert found.card_stored_at is not None
