"""The HTTP surface over a real server, on both databases where the store matters."""

from tests.harness import Home, precheck, sandbox_key


def test_a_new_user_gets_a_real_answer_with_real_billing(home: Home) -> None:
    with home.server() as server, server.client(sandbox_key(home)) as client:
        answer = precheck(client)
        body = answer.json()
    assert answer.status_code == 200
    assert body["isSuccess"] is True
    assert body["errors"] is None
    assert body["preCheckResponse"]["advice"] == "ACCEPT"
    assert body["billing"]["remainingBalance"] == {"currency": "USD", "amount": 99.95}
