"""An account whose customers and people write hostile texts wherever a text can be written."""

from collections.abc import Iterator
from itertools import cycle
from typing import Any, Final

import httpx

from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.decisions.use_cases.decisions import get_decision
from gatehouse.admin.entities.types import Entity, entities_of
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import NewKey
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries
from gatehouse.admin.people.types import RoleContent
from gatehouse.admin.people.use_cases import roles, users
from gatehouse.admin.reviews.use_cases import review_desk
from gatehouse.admin.reviews.use_cases.reviews import ReviewSearch, ReviewState, list_reviews
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin.admin_session import AdminSession
from tests.console.browser.site import Site
from tests.console.trained import full_report, keep_model
from tests.harness.samples import CARD

TEXTS: Final = (
    "=1+\"'></textarea><img src=x onerror=pwned=1>{{1337*1337}}",
    "javascript:pwned=1//\u202e<script>pwned=1</script><b id=evil>",
)
"""Short enough for most fields; together they try a formula, markup, a scheme and a template."""
INNOCENT: Final = """() => globalThis.pwned === undefined
    && !document.querySelector("#evil, img[src=x], script:not([src])")
    && ![...document.querySelectorAll("[href], [src], [action], [formaction]")].some(each =>
        ["href", "src", "action", "formaction"].some(name =>
            /^\\s*javascript:/i.test(each.getAttribute(name) || "")))
    && ![...document.querySelectorAll("*")].some(each =>
        each.getAttributeNames().some(name => /^on[a-z]+$/.test(name)))
    && !document.body.innerText.includes("1787569")"""
"""Whether nothing on a page was made by one of the texts."""
_NEEDED: Final = {
    "cardNumber": CARD,
    "cardExpiryDate": "2035-12",
    "cardCvv2Value": "123",
    "type": "PURCHASE",
    "pipelineId": 1,
    "amount": 250,
    "currency": "USD",
}
"""What a request must say properly to be taken at all."""
_ROLE: Final = RoleContent(TEXTS[0], [])
_REVIEWED: Final = b"""\
rule_set: starter
rules:
  - name: everything
    condition: order.amount > 1
    outcome: REVIEW
"""


class HostileShop:
    """The account, and what its pages are about."""

    def __init__(self, site: Site, session: AdminSession) -> None:
        self._session = session
        made = accounts.create(session, TEXTS[0], "USD", 100_000_000)
        self.account_id = made.account.account_id
        rule_sets.apply(session, self.account_id, NewVersion(_REVIEWED, note=TEXTS[1]))
        key = keys.issue(session, self.account_id, NewKey(TEXTS[0])).key
        with site.server.client(key) as client:
            self.requests = list(self._sent(client))
        self._write()

    def _sent(self, client: httpx.Client) -> Iterator[str]:
        """Send every operation with a text in every field, each text once in each field."""
        document = client.get("/openapi.json").json()
        for name in ("precheck", "idverify", "sentry", "rules", "pipeline"):
            body = document["paths"][f"/api/v1/{name}"]["post"]["requestBody"]
            schema = body["content"]["application/json"]["schema"]
            for first in range(len(TEXTS)):
                texts = cycle(TEXTS[first:] + TEXTS[:first])
                yield _accepted(client, name, _filled(document, schema, "", texts))

    def _write(self) -> None:
        """What the shop's own people write."""
        session, account_id = self._session, self.account_id
        lists.create(session, account_id, NewList("evil", ListKind.USERS, TEXTS[0]))
        lists.add(session, account_id, "evil", GivenEntries(TEXTS), NewEntries(reason=TEXTS[0]))
        users.invite(session, account_id, "eve@evil.example", UserRole.VIEWER, TEXTS[0])
        keep_model(session, account_id, full_report(), TEXTS[1])
        self.role_id = roles.make_role(session, account_id, _ROLE).answer.role_id
        for each in self.reviews():
            for text in TEXTS:
                review_desk.add_note(session, account_id, each, text)

    def reviews(self) -> list[str]:
        """The requests that wait for a review."""
        search = ReviewSearch(ReviewState.OPEN, None, 50)
        return [
            each.review.request_id for each in list_reviews(self._session, self.account_id, search)
        ]

    def entities(self) -> list[Entity]:
        """Somebody or something of each kind that acted, by each kind of text."""
        session, account_id = self._session, self.account_id
        records = (get_decision(session, account_id, each) for each in self.requests)
        found = {
            (entity.kind, entity.value[:2]): entity
            for record in records
            for entity in entities_of(record)
        }
        return list(found.values())


def _filled(document: Any, schema: Any, name: str, texts: Iterator[str]) -> Any:
    """A value for a schema: all fields that there are, and a hostile text for each text."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if name in _NEEDED:
        return _NEEDED[name]
    for options in (schema.get("anyOf"), schema.get("oneOf")):
        if options:
            return _filled(document, options[0], name, texts)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "array":
        return [_filled(document, schema["items"], name, texts)]
    if kind == "string":
        return next(texts)[: schema.get("maxLength", 200)]
    if kind == "object" or "properties" in schema:
        fields = schema.get("properties") or {next(texts): {"type": "string"}}
        return {key: _filled(document, each, key, texts) for key, each in fields.items()}
    return {"integer": 1, "number": 1, "boolean": True}.get(str(kind), next(texts))


def _accepted(client: httpx.Client, name: str, body: Any) -> str:
    """Send a request, without the fields that are refused; its id."""
    for _ in range(5):
        answer = client.post(f"/api/v1/{name}", json=body).json()
        if answer["isSuccess"]:
            return str(answer["requestId"])
        for path in answer["errors"]["fieldErrors"]:
            _drop(body, path)
    raise AssertionError(answer["errors"])


def _drop(body: Any, path: str) -> None:
    *parents, last = path.replace("[", ".").replace("]", "").split(".")
    for part in parents:
        body = body[int(part)] if isinstance(body, list) else body[part]
    if isinstance(body, list):
        del body[int(last)]
    else:
        del body[last]
