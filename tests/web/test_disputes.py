"""Disputes over HTTP: evidence, files within bounds, and nothing for another account or scope."""

import base64
from typing import Final

import httpx
import pytest

from gatehouse.core.files.attachments import MOST_BODY_BYTES, MOST_FILE_BYTES
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.evidence.test_evidence import Shop
from tests.harness import Server, make_account

BASE: Final = "/api/v1/manage"


@pytest.fixture(scope="module")
def shop(session: AdminSession) -> Shop:
    return Shop(session)


def opened(shared: Server, account: str, scope: str = "manage:feedback") -> httpx.Client:
    return shared.client(shared.home.key(account, "--scope", scope, "--scope", "decisions"))


def test_a_merchant_answers_a_dispute_with_evidence(shared: Server, shop: Shop) -> None:
    disputed, *_ = shop.pair()
    reference = shop.dispute(disputed, respondBy="2099-01-01T00:00:00Z")
    one = f"{BASE}/disputes/{reference}"
    with opened(shared, shop.account) as client:
        listed = client.get(f"{BASE}/disputes").json()["disputesResponse"]["disputes"]
        assert [(each["reference"], each["winnable"]) for each in listed] == [(reference, True)]
        found = client.get(f"{BASE}/decisions/{disputed}/evidence").json()["evidenceResponse"]
        assert found["qualified"]
        assert "visa_compelling_evidence_3" in found["packet"]["enhanced_evidence"]
        paper = client.get(f"{BASE}/decisions/{disputed}/evidence/paper").json()
        content = base64.b64decode(paper["evidencePaperResponse"]["content"])
        assert content.startswith(b"%PDF-")
        large = base64.b64encode(b"a" * MOST_FILE_BYTES).decode()
        body = {"name": "../proof.txt", "content": large}
        kept = client.post(f"{one}/files", json=body).json()["disputeFileResponse"]
        assert (kept["name"], kept["size"]) == ("proof.txt", MOST_FILE_BYTES)
        got = client.get(f"{one}/files/{kept['fileId']}").json()["disputeFileResponse"]
        assert got["content"] == large
        huge = client.post(f"{one}/files", json="a" * (MOST_BODY_BYTES + 1))
        assert huge.status_code == 413
        given = {"decision": "REPRESENT", "comment": "Signed for."}
        done = client.post(f"{one}/decision", json=given).json()["disputeResponse"]
        assert done["dispute"]["stage"] == "REPRESENTED"


def test_another_account_and_another_scope_reach_nothing(shared: Server, shop: Shop) -> None:
    disputed = shop.order(10)
    reference = shop.dispute(disputed)
    paths = (f"{BASE}/decisions/{disputed}/evidence", f"{BASE}/disputes/{reference}")
    with opened(shared, make_account(shop.session)) as stranger:
        assert {stranger.get(each).status_code for each in paths} == {404}
    with opened(shared, shop.account, "manage:rules") as wrong:
        assert {wrong.get(each).status_code for each in paths} == {403}
