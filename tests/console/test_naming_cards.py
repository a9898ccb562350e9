"""Card numbers that people type into the console."""

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.store.admin import audit
from tests.console.harness import Console
from tests.harness import CARD
from tests.web.test_card_guessing import ALIKE

FORMS = {
    "decisions/find": {"who": "cardNumber", "value": CARD},
    "entities": {"kind": "card", "value": CARD},
    "lists/find": {"value": CARD},
}


@pytest.mark.parametrize("role", [UserRole.VIEWER, UserRole.FINANCE])
def test_who_may_not_reveal_cannot_look_for_a_card_number(console: Console, role: UserRole) -> None:
    browser = console.as_role(role)
    for path, form in FORMS.items():
        answer = browser.post(f"/a/{console.account_id}/{path}", form)
        assert answer.status_code == 403, path
        assert "only people who may reveal personal data" in answer.text.lower()
    found = browser.get(f"/a/{console.account_id}/decisions").text
    assert "cardFingerprint" in found
    assert "cardNumber" not in found


def test_who_may_reveal_is_counted_and_named_in_the_log(console: Console) -> None:
    browser = console.as_role(UserRole.ANALYST, login="ann@shop.test")
    assert "cardNumber" in browser.get(f"/a/{console.account_id}/decisions").text
    for path, form in FORMS.items():
        answer = browser.post(f"/a/{console.account_id}/{path}", form)
        assert answer.status_code in (200, 303), path
    with console.session.reading() as connection:
        lines = audit.read(connection, console.account_id, len(FORMS))
    assert {(line.actor, line.action) for line in lines} == {("user:ann@shop.test", "cards.lookup")}
    assert [line.details["for"] for line in lines] == ["decisions", "entities", "lists"]
    assert {line.details["card"] for line in lines} == {"42424242…4242"}


def test_guesses_over_all_forms_end_at_the_limit(console: Console) -> None:
    browser = console.as_role(UserRole.ANALYST)
    names = list(FORMS)
    said = []
    for place, number in enumerate(ALIKE[: console.session.settings.card_enumeration_limit + 3]):
        path = names[place % len(names)]
        form = FORMS[path] | {"value": number}
        said.append(browser.post(f"/a/{console.account_id}/{path}", form))
    refused = [each for each in said if each.status_code == 429]
    assert 3 <= len(refused) <= 4
    assert "how cards are guessed" in refused[0].text
