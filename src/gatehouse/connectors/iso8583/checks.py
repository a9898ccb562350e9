"""Checks of cards and their holders' names: a 0100 with amount zero, which moves no money."""

from typing import Final

from gatehouse.connectors.iso8583.card_values import all_card_values, card_values
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.layout.numbers import rrn_of
from gatehouse.connectors.iso8583.link.exchange import Outgoing
from gatehouse.connectors.iso8583.link.pool import LinkPool
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.stages.case import ValuesByType
from gatehouse.idverify.people import ALL_IDENTIFIER_TYPES
from gatehouse.idverify.request import CardHolderName, IdVerifyRequest
from gatehouse.idverify.response import NameResult, Result
from gatehouse.idverify.source import HolderResults, IdentityEnquiry
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer

# Named once, as in `card_values`.
_CHECK: Final = MessageKind.CHECK
_AMOUNT: Final = Role.AMOUNT
_RRN: Final = Role.RRN
_RESPONSE_CODE: Final = Role.RESPONSE_CODE
_AVS_RESULT: Final = Role.AVS_RESULT
_CVV2_RESULT: Final = Role.CVV2_RESULT
_LAST_NAME: Final = Role.LAST_NAME
_NOTHING: Final = "000000000000"
_NAME_ROLES: Final = (Role.HOLDER_NAME, _LAST_NAME)
_PERFORMED: Final = {
    "00": NameResult.PERFORMED,
    "01": NameResult.NOT_PERFORMED,
    "02": NameResult.NOT_SUPPORTED,
}
_MATCHES: Final = {"01": Result.MATCH, "50": Result.PARTIAL_MATCH, "99": Result.NO_MATCH}
_UNANSWERED: Final = frozenset({"06", "19", "68", "91", "92", "96"})
"""Codes with which a host says that nobody could be asked."""


class Iso8583Checks:
    """Asks about cards, for PreCheck and, where the dialect has a place for names, ID Verify."""

    def __init__(self, pool: LinkPool, dialect: Dialect) -> None:
        self._pool = pool
        self.carries_names = any(dialect.carries(_CHECK, role) for role in _NAME_ROLES)

    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        """Ask about one card, and about its holder's name if that is wanted as well."""
        values = all_card_values(enquiry)
        if self.carries_names:
            name = _claimed_name(enquiry)
            if name is not None:
                values |= _name_values(name)
        answer = await self._ask(enquiry.request_id, b"check", values)
        code = answer.get(_RESPONSE_CODE)
        if code is None:
            raise ConnectorFailed("the host answered without a response code")
        also = None
        if _LAST_NAME in values and Role.NAME_RESULT in answer:
            also = ValuesByType.of(_holder_results(answer))
        return IssuerAnswer(code, answer.get(_AVS_RESULT), answer.get(_CVV2_RESULT), also)

    async def find(self, enquiry: IdentityEnquiry) -> HolderResults:
        """Compare a name with the holder's; nothing else can be asked in this way."""
        request = enquiry.request
        name = request.card_holder_name
        if name is None or name.last_name is None:
            return _holder_results({})
        values = card_values(enquiry.number, request.card_expiry_date) | _name_values(name)
        answer = await self._ask(enquiry.request_id, b"name", values)
        code = answer.get(_RESPONSE_CODE, "96")
        if code in _UNANSWERED:
            raise ConnectorFailed("the host could not ask the issuer", answered=code == "91")
        return _holder_results(answer)

    async def _ask(
        self, request_id: str, purpose: bytes, values: dict[Role, str]
    ) -> dict[Role, str]:
        values[_AMOUNT] = _NOTHING
        values[_RRN] = rrn_of(request_id, purpose)
        return (await self._pool.ask(Outgoing(_CHECK, values))).values


def _claimed_name(enquiry: CardEnquiry) -> CardHolderName | None:
    """The name that ID Verify will ask about, if it asks about the same card."""
    request = enquiry.inputs.find(IdVerifyRequest)
    if request is None or request.card_holder_name is None:
        return None
    name = request.card_holder_name
    return name if name.last_name and request.card_number == enquiry.number else None


def _name_values(name: CardHolderName) -> dict[Role, str]:
    parts = {
        Role.FIRST_NAME: name.first_name,
        Role.MIDDLE_NAME: name.middle_name,
        Role.LAST_NAME: name.last_name,
    }
    values = {role: part for role, part in parts.items() if part is not None}
    values[Role.HOLDER_NAME] = " ".join(values.values())
    return values


def _holder_results(answer: dict[Role, str]) -> HolderResults:
    def match(role: Role) -> Result | None:
        return _MATCHES.get(answer.get(role, ""))

    return HolderResults(
        email=Result.NOT_SUPPORTED,
        phone=Result.NOT_SUPPORTED,
        first_name=match(Role.FIRST_NAME_MATCH),
        middle_name=match(Role.MIDDLE_NAME_MATCH),
        last_name=match(Role.LAST_NAME_MATCH),
        name=match(Role.NAME_MATCH),
        name_result=_PERFORMED.get(answer.get(Role.NAME_RESULT, "")),
        identifiers=dict.fromkeys(ALL_IDENTIFIER_TYPES, Result.NOT_SUPPORTED),
    )
