"""What an account says about authentication: by program, by command and by hand."""

import json
from typing import Any

import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.authentication.types.settings import AuthenticationBody
from gatehouse.admin.authentication.use_cases.settings import (
    clear_authentication,
    get_authentication,
    kept_terms,
    set_authentication,
)
from gatehouse.core.errors import InvalidInput, NotFound, RequestRefused
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.operations.catalogue import read_policies
from gatehouse.sentry.authentication.terms import NAME, AuthenticationTerms
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from tests.console.harness import open_console
from tests.harness import Home, make_account

WANTED = AuthenticationBody("DE", tra_up_to=250, three_ds_data=True, ship_address_input="shipTo")


def test_what_is_said_is_shown_and_is_what_requests_see(session: AdminSession) -> None:
    account = make_account(session)
    assert get_authentication(session, account).settings is None
    shown = set_authentication(session, account, WANTED)
    assert (shown.settings, shown.regime) == (WANTED, "EEA")
    assert get_authentication(session, account) == shown
    with session.reading() as connection:
        policies = accounts.get(connection, account).policies
        assert read_policies(policies).find(AuthenticationTerms) == kept_terms(connection, account)
    assert clear_authentication(session, account).settings is None
    with session.reading() as connection:
        policies = accounts.get(connection, account).policies
    assert NAME not in policies
    assert read_policies(policies).find(AuthenticationTerms) is None
    assert get_authentication(session, account).settings is None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"exempt_from": 0.12345}, "exemptFrom"),
        ({"exempt_from": 0.4, "challenge_below": 0.5}, "must not fall"),
        ({"decline_below": 0.6}, "must not fall"),
    ],
)
def test_thresholds_that_cannot_be_used(
    session: AdminSession, change: dict[str, Any], why: str
) -> None:
    account = make_account(session)
    with pytest.raises(InvalidInput, match=why):
        set_authentication(session, account, AuthenticationBody("DE", **change))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"acquirerCountry": "de"},
        {"acquirerCountry": "DEU"},
        {"acquirerCountry": "DE", "traUpTo": -1},
        {"acquirerCountry": "DE", "exemptFrom": 1.1},
        {"acquirerCountry": "DE", "placement": "ELSEWHERE"},
        {"acquirerCountry": "DE", "shipAddressInput": "x" * 65},
    ],
)
def test_hostile_settings_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(RequestRefused):
        RequestReader(AuthenticationBody).read(json.dumps(body).encode())


def test_another_account_neither_sees_nor_sets(session: AdminSession) -> None:
    account = make_account(session)
    stranger = session.acting_as(Actor.key("key_1", make_account(session)))
    for call in (get_authentication, clear_authentication):
        with pytest.raises(NotFound):
            call(stranger, account)
    with pytest.raises(NotFound):
        set_authentication(stranger, account, WANTED)


def test_the_page_sets_measures_and_clears_for_those_who_may(home: Home) -> None:
    with open_console(home.migrated()) as console:
        page = f"/a/{console.account_id}/authentication"
        admin = console.as_role(UserRole.ADMINISTRATOR)
        assert "no advice" in admin.get(page).text
        sent = {"acquirer_country": "de", "tra_up_to": "100", "exempt_from": "0.8"}
        sent |= {"challenge_below": "0.4", "low_value": "yes"}
        assert admin.post(f"{page}/settings", sent).status_code in (302, 303)
        shown = admin.get(page).text
        assert "rules of EEA" in shown
        assert "0.1300" in shown
        assert admin.post(f"{page}/measure", {}).status_code in (302, 303)
        wrong = admin.post(f"{page}/settings", sent | {"exempt_from": "0.1"})
        assert wrong.status_code == 422
        assert "must not fall" in wrong.text
        assert admin.post(f"{page}/settings", {"acquirer_country": "x"}).status_code == 422
        assert admin.post(f"{page}/clear", {}).status_code in (302, 303)
        assert "no advice" in admin.get(page).text
        assert console.as_role(UserRole.VIEWER).get(page).status_code in (403, 404)


def test_commands(home: Home) -> None:
    home.migrated()
    assert home.run("authentication", "meter").code != 0
    done = home.run("authentication", "set", "--acquirer-country", "DE", "--tra-up-to", "100")
    assert done.code == 0, done
    shown = json.loads(home.run("authentication", "show", "--json").out)
    assert shown["settings"]["traUpTo"] == 100
    assert json.loads(home.run("authentication", "measure", "--json").out)["regime"] == "EEA"
    assert "2026" in home.run("authentication", "meter").out
    assert home.run("authentication", "clear").code == 0
