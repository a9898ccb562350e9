"""The reference host over ISO 8583, in both dialects that ship."""

from collections.abc import Iterator

import pytest

from gatehouse.connectors.iso8583.reading import shipped_names
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.connectors.sandbox.triggers import SILENT, all_triggers
from tests.connectors.reference_host.hosts import (
    CARD,
    HostThread,
    dialect,
    host_thread,
    trigger_cases,
)

_CARD = {"number": CARD, "expiry": "3512"}
_PAYMENT = {**_CARD, "amount": "000000005990", "currency": "840"}
_ORIGINAL = {
    "original_mti": "0100",
    "original_stan": "000001",
    "original_transmitted_at": "1116091500",
}
_REVERSAL = {"amount": "000000005990", "currency": "840", **_ORIGINAL}


@pytest.fixture(scope="module", params=shipped_names())
def host(request: pytest.FixtureRequest) -> Iterator[HostThread]:
    """A host for each dialect."""
    with host_thread(dialect=dialect(request.param)) as running:
        yield running


def test_every_trigger_of_the_sandbox_has_the_answer_of_the_sandbox(host: HostThread) -> None:
    with host.iso8583() as caller:
        for place, case in enumerate(trigger_cases()):
            answer = caller.ask(
                MessageKind.CHECK,
                rrn=f"CHECK{place:07d}",
                number=case.number,
                expiry="3512",
                security_code=case.code,
                street=case.street,
                postal_code=case.postal_code,
            )
            found = [answer.get(role) for role in (Role.AVS_RESULT, Role.CVV2_RESULT)]
            assert answer[Role.RESPONSE_CODE] == case.answer.response_code, case.effect
            assert found == [case.answer.avs_letter, case.answer.cvv2_letter], case.effect


def test_a_name_is_compared_where_the_dialect_has_a_place_for_it(host: HostThread) -> None:
    if not host.dialect.carries(MessageKind.CHECK, Role.LAST_NAME):
        return
    with host.iso8583() as caller:
        names = {"first_name": "Amelia", "last_name": "Whitfield"}
        answer = caller.ask(MessageKind.CHECK, rrn="NAME00000001", **_CARD, **names)
        assert (answer[Role.NAME_RESULT], answer[Role.NAME_MATCH]) == ("00", "01")
        other = {"first_name": "Boris", "last_name": "Ivanov"}
        answer = caller.ask(MessageKind.CHECK, rrn="NAME00000002", **_CARD, **other)
        assert (answer[Role.NAME_RESULT], answer[Role.NAME_MATCH]) == ("00", "99")
        whole = {"holder_name": "Amelia Jane Whitfield"}
        if host.dialect.carries(MessageKind.CHECK, Role.HOLDER_NAME):
            answer = caller.ask(MessageKind.CHECK, rrn="NAME00000003", **_CARD, **whole)
            assert answer[Role.LAST_NAME_MATCH] == "01"


def test_a_payment_is_authorized_once_and_reversed_for_good(host: HostThread) -> None:
    before = host.summary()
    with host.iso8583() as caller:
        first = caller.ask(MessageKind.AUTHORIZE, rrn="PAY000000001", **_PAYMENT)
        assert (first[Role.RESPONSE_CODE], len(first[Role.APPROVAL_CODE])) == ("00", 6)
        again = caller.ask(MessageKind.AUTHORIZE, rrn="PAY000000001", **_PAYMENT)
        assert again[Role.APPROVAL_CODE] == first[Role.APPROVAL_CODE]
        other = {**_REVERSAL, "amount": "000000000001"}
        wrong = caller.ask(_reversal(host), rrn="PAY000000001", **_CARD, **other)
        assert wrong[Role.RESPONSE_CODE] == "13"
        done = caller.ask(_reversal(host), rrn="PAY000000001", **_CARD, **_REVERSAL)
        assert done[Role.RESPONSE_CODE] == "00"
        late = caller.ask(MessageKind.AUTHORIZE, rrn="PAY000000001", **_PAYMENT)
        assert late[Role.RESPONSE_CODE] == "94"
    counted = {name: count - before[name] for name, count in host.summary().items()}
    wanted = ("authorizations", "approved", "reversed", "unreversed", "duplicates", "reversals")
    assert [counted[name] for name in wanted] == [1, 1, 1, 0, 2, 2]


def _reversal(host: HostThread) -> MessageKind:
    kinds = (MessageKind.REVERSE, MessageKind.REVERSE_ADVICE)
    return next(kind for kind in kinds if kind in host.dialect.kinds)


def test_what_was_reversed_before_it_arrived_is_never_approved(host: HostThread) -> None:
    with host.iso8583() as caller:
        unknown = caller.ask(_reversal(host), rrn="PAY000000002", **_CARD, **_REVERSAL)
        assert unknown[Role.RESPONSE_CODE] == "25"
        late = caller.ask(MessageKind.AUTHORIZE, rrn="PAY000000002", **_PAYMENT)
        assert late[Role.RESPONSE_CODE] == "94"


def test_every_kind_of_message_of_the_dialect_is_answered(host: HostThread) -> None:
    asked = [kind for kind in host.dialect.kinds if kind.answer is not None]
    assert len(asked) >= 6
    with host.iso8583() as caller:
        for place, kind in enumerate(sorted(asked)):
            values = {**_PAYMENT, **_ORIGINAL, "rrn": f"EVERY{place:07d}"}
            values["original_rrn"] = "NEVER0000001"
            assert caller.ask(kind, **values)[Role.RESPONSE_CODE] in ("00", "25")


def test_a_card_that_nobody_answers_for_stays_without_answer(host: HostThread) -> None:
    silent = next(row.value for row in all_triggers() if row.silent)
    at_gateway = next(row.value for row in all_triggers() if row.gateway == SILENT)
    with host.iso8583() as caller:
        caller.send(MessageKind.CHECK, rrn="SILENT000001", number=silent, expiry="3512")
        payment = {**_PAYMENT, "number": at_gateway}
        caller.send(MessageKind.AUTHORIZE, rrn="SILENT000002", **payment)
        assert caller.hears_nothing()


def test_a_number_that_is_none_is_refused(host: HostThread) -> None:
    with host.iso8583() as caller:
        wrong = {"number": "4242424242424241", "expiry": "3512"}
        answer = caller.ask(MessageKind.CHECK, rrn="WRONG0000001", **wrong)
        assert answer[Role.RESPONSE_CODE] == "14"


def test_what_is_no_message_is_dropped_and_what_has_no_length_ends_the_connection(
    host: HostThread,
) -> None:
    before = host.summary()["unreadable"]
    with host.iso8583() as caller:
        caller.send_framed(b"this is no message")
        assert caller.hears_nothing()
        caller.send_bytes(b"\xff" * 64)
        assert caller.receive_bytes() == b""
    assert host.summary()["unreadable"] == before + 2


def test_a_thousand_messages_on_one_connection_are_all_answered(host: HostThread) -> None:
    count = 1000
    with host.iso8583() as caller:
        sent = {
            caller.send(MessageKind.CHECK, rrn=f"MANY{place:08d}", **_CARD)
            for place in range(count)
        }
        assert {caller.receive().values[Role.STAN] for _ in range(count)} == sent
