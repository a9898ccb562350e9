"""What PreCheck asks the issuer, and what it does not show of it."""

import asyncio

import msgspec

from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.intel.bins import load_bins
from gatehouse.intel.cards import CardMasker
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.precheck.stage import PreCheckStage
from tests.harness import BODY, FINGERPRINTS

PAR = "V0010013018036776997406844829"


class Listening:
    """An issuer that approves, and keeps what it was asked."""

    asked: CardEnquiry

    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        self.asked = enquiry
        return IssuerAnswer("00")


def test_the_issuer_is_told_of_the_account_and_the_kind_of_number() -> None:
    body = {**BODY, "paymentAccountReference": PAR, "credentialType": "DEVICE_TOKEN"}
    request = RequestReader(PreCheckRequest).read(msgspec.json.encode(body))
    assert isinstance(request, PreCheckRequest)
    case = Case("req_1", "acct_1", 0, ValuesByType.of(request))
    case.card = CardMasker(load_bins(), FINGERPRINTS).mask("acct_1", request.card())
    issuer = Listening()
    stage = PreCheckStage(issuer, time_limit_ms=1000, refuse_test_cards=False)
    result = asyncio.run(stage.run(case))
    assert issuer.asked.credential_type == "DEVICE_TOKEN"
    assert issuer.asked.account_reference is not None
    assert issuer.asked.account_reference.reveal() == PAR
    assert PAR not in f"{issuer.asked!r} {request!r} {result!r}"
