"""What finance people ask the API: balances, statements, and what a closed account answers."""

from gatehouse.admin import accounts
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Server, precheck, until
from tests.web.merchant import Merchant


def test_the_keys_of_a_closed_account_stop_and_start_working(
    shared: Server, session: AdminSession
) -> None:
    merchant = Merchant(session)
    with shared.client(merchant.key) as client:
        assert precheck(client).status_code == 200
        accounts.close(session, merchant.account, "left us")
        refused = until(lambda: precheck(client), lambda answer: answer.status_code == 403)
        body = refused.json()
        assert body["errors"]["code"] == "account_closed"
        assert body["billing"]["remainingBalance"] == {"currency": "USD", "amount": 6.95}
        accounts.reopen(session, merchant.account, "came back")
        until(lambda: precheck(client), lambda answer: answer.status_code == 200)
