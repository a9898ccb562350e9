"""No operation keeps or shows a card number that was put where a text belongs."""

import copy
import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import httpx
import sqlalchemy as sa

from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.sign_in.use_cases import logins
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import METADATA
from tests.harness import Server
from tests.web import test_samples
from tests.web.merchant import Merchant
from tests.web.test_openapi import DOCUMENT
from tests.web.test_samples import Ground

shared, merchant = test_samples.shared, test_samples.merchant

FORMS: Final = ("4005519200000004", "4005 5192 0000 0004")
"""The number of no example."""
_HOOKS: Final = "/api/v1/manage/webhooks"
Place = tuple[str | int, ...]


class Sent(NamedTuple):
    """An operation with a body."""

    operation: str
    method: str
    path: str
    body: Any


def _operations() -> Iterator[Sent]:
    """Every operation with its example, each parameter of its path a value or a variable."""
    for path, item in DOCUMENT["paths"].items():
        for method, described in item.items():
            body = described.get("requestBody", {}).get("content", {}).get("application/json")
            if body is None:
                continue
            filled = path
            for one in described.get("parameters", ()):
                name = one["name"]
                [example] = one["schema"].get("examples", [_variable(name)])
                filled = filled.replace(f"{{{name}}}", example)
            yield Sent(described["operationId"], method, filled, body["example"])


def _variable(name: str) -> str:
    return "$" + re.sub(r"(?=[A-Z])", "_", name).upper()


def _texts(value: Any, place: Place = ()) -> Iterator[Place]:
    """Where texts stand in a body."""
    if isinstance(value, str):
        yield place
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(inner, (*place, key))


def _with_number(body: Any, place: Place, form: str) -> Any:
    """The body with the number at the end of one of its texts."""
    changed = inner = copy.deepcopy(body)
    for key in place[:-1]:
        inner = inner[key]
    written = inner[place[-1]]
    between = "\n# " if "\n" in written else "/" if "://" in written else " "
    inner[place[-1]] = written + between + form
    return changed


def _send(client: httpx.Client, sent: Sent, variables: dict[str, str]) -> str:
    """What is answered, and what is shown afterwards of what has no other answer."""

    def filled(text: str) -> str:
        return re.sub(r"\$([A-Z_]+)", lambda name: variables.get(name[1], name[0]), text)

    headers = {"Content-Type": "application/json", "If-Match": "*"}
    text = filled(json.dumps(sent.body))
    answer = client.request(sent.method, filled(sent.path), content=text, headers=headers)
    if "Webhook" not in sent.operation:
        return answer.text
    hooks = client.get(_HOOKS)
    for hook in hooks.json()["webhooksResponse"]["webhooks"]:
        client.delete(f"{_HOOKS}/{hook['id']}")
    return answer.text + hooks.text


def _holds_number(text: str) -> bool:
    return any(form in text for form in FORMS)


def test_no_operation_keeps_or_shows_a_card_number_in_a_text(
    shared: Server, session: AdminSession, merchant: Merchant
) -> None:
    shown, sent = [], 0
    with shared.client(merchant.key) as client:
        ground = Ground(client, session, merchant.account)
        for one in _operations():
            for place in _texts(one.body):
                for form in FORMS:
                    changed = one._replace(body=_with_number(one.body, place, form))
                    if _holds_number(_send(client, changed, ground.variables(one.operation))):
                        shown.append((one.operation, place))
                    sent += 1
    assert sent > 300
    assert shown == []
    assert _tables_with_number(session) == []


def test_neither_do_use_cases_that_only_people_have(
    session: AdminSession, merchant: Merchant
) -> None:
    account = merchant.account
    for form in FORMS:
        assert not _holds_number(logins.check_name(f"Ann {form}"))
        accounts.create(session, f"Shop {form}", "USD")
        accounts.rename(session, account, f"Shop {form}")
        money.top_up(session, account, 5_000_000, f"paid with {form}")
        money.adjust(session, account, -1_000_000, f"paid with {form}")
        accounts.close(session, account, f"paid with {form}")
        accounts.reopen(session, account, f"paid with {form}")
    assert _tables_with_number(session) == []


def _tables_with_number(session: AdminSession) -> list[str]:
    with session.reading() as connection:
        return [
            table.name
            for table in METADATA.sorted_tables
            if any(_holds_number(str(row)) for row in connection.execute(sa.select(table)))
        ]
