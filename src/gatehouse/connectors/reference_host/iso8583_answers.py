"""What the reference host answers over ISO 8583, in whichever dialect it is asked."""

from typing import Final

from gatehouse.connectors.iso8583.dialect import Dialect, Unpacked
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.connectors.reference_host.host import (
    APPROVED,
    HostDecision,
    HostMessage,
    ReferenceHost,
    may_be_kept,
)
from gatehouse.connectors.reference_host.journal import HostKind, HostOutcome
from gatehouse.connectors.sandbox.parties import check_card, find_holders, network_id_of
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.core.secrets.hidden import Personal
from gatehouse.idverify.request import CardHolderName, IdVerifyRequest
from gatehouse.idverify.response import NameResult, Result
from gatehouse.idverify.verdict import judge
from gatehouse.precheck.issuer import CardEnquiry

INVALID_NUMBER: Final = "14"
FORMAT_ERROR: Final = "30"
_KINDS: Final = {
    MessageKind.CHECK: HostKind.CHECK,
    MessageKind.AUTHORIZE: HostKind.AUTHORIZE,
    MessageKind.REVERSE: HostKind.REVERSE,
    MessageKind.REVERSE_REPEAT: HostKind.REVERSE,
    MessageKind.REVERSE_ADVICE: HostKind.REVERSE,
    MessageKind.REVERSE_ADVICE_REPEAT: HostKind.REVERSE,
    MessageKind.CAPTURE: HostKind.CAPTURE,
    MessageKind.CAPTURE_REPEAT: HostKind.CAPTURE,
    MessageKind.REFUND: HostKind.REFUND,
    MessageKind.REFUND_REPEAT: HostKind.REFUND,
    MessageKind.SIGN_ON: HostKind.NETWORK,
    MessageKind.SIGN_OFF: HostKind.NETWORK,
    MessageKind.ECHO: HostKind.NETWORK,
}
_OPERATIONS: Final = (HostKind.CAPTURE, HostKind.REFUND)
_NOT_REPEATED: Final = frozenset(
    (
        *(Role.SECURITY_CODE, Role.POSTAL_CODE, Role.STREET, Role.HOLDER_NAME),
        *(Role.FIRST_NAME, Role.MIDDLE_NAME, Role.LAST_NAME),
        *(Role.AUTHENTICATION_VALUE, Role.AUTHENTICATION_VALUE_HEX, Role.DS_TRANSACTION_ID),
        *(Role.TRANSACTION_ID, Role.EARLIER_TRANSACTION_ID, Role.STORED_CREDENTIAL),
    )
)
"""What an answer never gives back."""
_MATCHES: Final = {Result.MATCH: "01", Result.PARTIAL_MATCH: "50", Result.NO_MATCH: "99"}
_PERFORMED: Final = {
    NameResult.PERFORMED: "00",
    NameResult.NOT_PERFORMED: "01",
    NameResult.NOT_SUPPORTED: "02",
}
_YEAR: Final = 2000
_MOST_STANS: Final = 1_000_000

Values = dict[Role, str]


class Iso8583Reply(Personal, frozen=True):
    """What was decided about a message, and the values of its answer."""

    kind: MessageKind
    message: HostMessage
    decision: HostDecision
    values: Values


class Iso8583Answers:
    """Answers messages of one dialect."""

    def __init__(self, host: ReferenceHost, dialect: Dialect) -> None:
        self._host = host
        self._dialect = dialect

    def reply(self, body: bytes) -> Iso8583Reply:
        """The answer to a message; or `MalformedMessage` when it is none that can be answered."""
        asked = self._dialect.unpack(body)
        kind, answer = _KINDS.get(asked.kind), asked.kind.answer
        if kind is None or answer is None:
            raise MalformedMessage("the message is an answer")
        message, values = _message(kind, asked), asked.values
        decision, found = self._decide(message, values)
        told = {role: value for role, value in values.items() if role not in _NOT_REPEATED}
        told.update(found)
        if decision.code is not None:
            told[Role.RESPONSE_CODE] = decision.code
        if decision.approval_code is not None:
            told[Role.APPROVAL_CODE] = decision.approval_code
        return Iso8583Reply(answer, message, decision, told)

    def pack(self, reply: Iso8583Reply, *, wrong_stan: bool = False) -> bytes:
        """The message of an answer."""
        values = reply.values
        if wrong_stan:
            stan = ((_whole(values.get(Role.STAN)) or 0) + 1) % _MOST_STANS
            values = {**values, Role.STAN: f"{stan:06d}"}
        return self._dialect.pack(reply.kind, values)

    def _decide(self, message: HostMessage, values: Values) -> tuple[HostDecision, Values]:
        if message.kind is HostKind.NETWORK:
            return HostDecision(HostOutcome.ANSWERED, APPROVED), {}
        if message.reference is None:
            return HostDecision(HostOutcome.REFUSED, FORMAT_ERROR), {}
        if message.kind is HostKind.REVERSE:
            return self._host.reverse(message), {}
        if message.kind in _OPERATIONS:
            if message.operation is None:
                return HostDecision(HostOutcome.REFUSED, FORMAT_ERROR), {}
            return self._host.operate(message), {}
        if message.number is None:
            return HostDecision(HostOutcome.REFUSED, INVALID_NUMBER), {}
        if message.kind is HostKind.AUTHORIZE:
            decision = self._host.authorize(message)
            if decision.outcome is not HostOutcome.APPROVED:
                return decision, {}
            return decision, {Role.TRANSACTION_ID: network_id_of(message.reference)}
        return _check(message.number, values)


def _message(kind: HostKind, asked: Unpacked) -> HostMessage:
    values = asked.values
    is_operation = kind in _OPERATIONS
    has_amount = is_operation or kind in (HostKind.AUTHORIZE, HostKind.REVERSE)
    return HostMessage(
        "iso8583",
        kind,
        _reference(kind, values),
        values.get(Role.STAN),
        _whole(values.get(Role.AMOUNT)) if has_amount else None,
        values.get(Role.CURRENCY),
        _number(values),
        _kept(values.get(Role.RRN)) if is_operation else None,
    )


def _reference(kind: HostKind, values: Values) -> str | None:
    """The retrieval reference number; where there is none, STAN and time of the authorization."""
    rrn = values.get(Role.ORIGINAL_RRN if kind in _OPERATIONS else Role.RRN)
    if rrn or kind is HostKind.NETWORK:
        return _kept(rrn)
    if kind is HostKind.REVERSE:
        stan, at = values.get(Role.ORIGINAL_STAN), values.get(Role.ORIGINAL_TRANSMITTED_AT)
    else:
        stan, at = values.get(Role.STAN), values.get(Role.TRANSMITTED_AT)
    return f"{stan}-{at}" if stan and at else None


def _kept(text: str | None) -> str | None:
    return text if text and may_be_kept(text) else None


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() else None


def _number(values: Values) -> CardNumber | None:
    try:
        return CardNumber.parse(values.get(Role.NUMBER, ""))
    except ValueError:
        return None


def _check(number: CardNumber, values: Values) -> tuple[HostDecision, Values]:
    try:
        code = values.get(Role.SECURITY_CODE)
        enquiry = CardEnquiry(
            "",
            number,
            _expiry(values),
            None if code is None else SecurityCode.parse(code),
            values.get(Role.POSTAL_CODE),
            values.get(Role.STREET),
        )
    except ValueError:
        return HostDecision(HostOutcome.REFUSED, FORMAT_ERROR), {}
    answer = check_card(enquiry)
    if answer is None:
        return HostDecision(HostOutcome.SILENT), {}
    found = _compare_name(number, enquiry.expiry, values)
    if answer.avs_letter is not None:
        found[Role.AVS_RESULT] = answer.avs_letter
    if answer.cvv2_letter is not None:
        found[Role.CVV2_RESULT] = answer.cvv2_letter
    return HostDecision(HostOutcome.ANSWERED, answer.response_code), found


def _expiry(values: Values) -> ExpiryDate:
    text = values.get(Role.EXPIRY, "")
    return ExpiryDate.parse(f"{_YEAR // 100}{text[:2]}-{text[2:]}")


def _compare_name(number: CardNumber, expiry: ExpiryDate, values: Values) -> Values:
    """How the name in a message compares with the sandbox's people; nothing without a name."""
    first, middle, last = (
        values.get(role) or None for role in (Role.FIRST_NAME, Role.MIDDLE_NAME, Role.LAST_NAME)
    )
    words = values.get(Role.HOLDER_NAME, "").split()
    if last is None and words:
        first, last = " ".join(words[:-1]) or None, words[-1]
    holders = None if last is None else find_holders(number)
    if holders is None:
        return {}
    claimed = CardHolderName(first, middle, last)
    request = IdVerifyRequest(number, expiry, card_holder_name=claimed)
    name = judge(request, holders).finding.name
    assert name is not None
    results = {
        Role.FIRST_NAME_MATCH: name.first,
        Role.MIDDLE_NAME_MATCH: name.middle,
        Role.LAST_NAME_MATCH: name.last,
        Role.NAME_MATCH: name.whole,
    }
    found = {
        role: _MATCHES[each.result] for role, each in results.items() if each.result in _MATCHES
    }
    return {**found, Role.NAME_RESULT: _PERFORMED[name.performed]}
