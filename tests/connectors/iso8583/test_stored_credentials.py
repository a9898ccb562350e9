"""A stored card and the proof of 3-D Secure over ISO 8583, in all dialects that are shown."""

from base64 import b64decode
from pathlib import Path

import msgspec
import pytest
import yaml  # type: ignore[import-untyped]  # it has no types

from gatehouse.connectors.iso8583.card_values import authentication_values, credential_values
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.reading import read_dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.errors import InvalidInput
from gatehouse.gateway.stored_credential import StoredCredential
from tests.connectors.http.asking import stored
from tests.connectors.http.providers import CAVV, proven
from tests.connectors.iso8583.playhost import PlayHost, connector_to, run, until
from tests.connectors.iso8583.samples import DIALECTS, values_for
from tests.connectors.iso8583.test_link_payments import authorization, gateway_of, referred
from tests.connectors.iso8583.test_link_reference_host import both
from tests.docs.pages import blocks

AUTHORIZE = MessageKind.AUTHORIZE
REFERENCE = Path("src/gatehouse/connectors/iso8583/dialects/reference.yaml")
OLD = "777718270854480"


def said(initiator: str, use: str, reason: str | None = None) -> StoredCredential:
    found = stored(initiator, use, reason).stored_credential
    assert found is not None
    return found


def heard(name: str, credential: StoredCredential) -> dict[Role, str]:
    """What a host reads of a payment."""
    dialect = DIALECTS[name]
    own = credential_values(credential, dialect.definition.stored_credentials)
    plain = {
        role: value
        for role, value in values_for(dialect, AUTHORIZE).items()
        if role in dialect.definition.messages[AUTHORIZE].requires
    }
    values = plain | own | authentication_values(proven())
    return dialect.unpack(dialect.pack(AUTHORIZE, values)).values


@pytest.mark.parametrize(
    ("credential", "entry", "environment", "reason"),
    [
        (said("CUSTOMER", "FIRST"), "0100", "C", None),
        (said("CUSTOMER", "FIRST", "RECURRING"), "0100", "R", None),
        (said("CUSTOMER", "FIRST", "UNSCHEDULED"), "0100", "C", None),
        (said("CUSTOMER", "LATER"), "1000", None, None),
        (said("MERCHANT", "LATER", "INSTALMENT"), "1000", "I", None),
        (said("MERCHANT", "LATER", "RESUBMISSION"), "1000", None, "3901"),
    ],
)
def test_base_one_says_it_by_entry_mode_environment_and_reason(
    credential: StoredCredential, entry: str, environment: str | None, reason: str | None
) -> None:
    values = heard("base-one", credential)
    assert values[Role.POS_ENTRY_MODE] == entry
    assert values.get(Role.POS_ENVIRONMENT) == environment
    assert values.get(Role.MESSAGE_REASON) == reason
    assert values.get(Role.TRANSACTION_ID) == (OLD if credential.is_merchants else None)
    assert values[Role.AUTHENTICATION_VALUE_HEX] == b64decode(CAVV).hex().upper()


def test_the_reference_dialect_says_it_in_one_word() -> None:
    values = heard("reference", said("MERCHANT", "LATER", "NO_SHOW"))
    assert values[Role.STORED_CREDENTIAL] == "MERCHANT_NO_SHOW"
    assert values[Role.EARLIER_TRANSACTION_ID] == OLD
    assert values[Role.AUTHENTICATION_VALUE] == CAVV
    assert values[Role.DS_TRANSACTION_ID] == proven().ds_transaction_id


@pytest.mark.parametrize("name", DIALECTS)
def test_the_host_names_each_payment_and_gives_no_proof_back(name: str) -> None:
    async def play() -> None:
        async with both(name) as (connector, _host):
            await until(lambda: connector.state().problem is None)
            gateway = gateway_of(connector)
            first = msgspec.structs.replace(
                authorization(referred(gateway)), three_d_secure=proven()
            )
            answer = await gateway.authorize(first)
            credential = said("MERCHANT", "LATER", "RECURRING")
            later = msgspec.structs.replace(
                authorization(referred(gateway, "req_2"), "req_2"),
                security_code=None,
                stored_credential=credential,
            )
            again = await gateway.authorize(later)
        assert answer.network_transaction_id != again.network_transaction_id
        for each in (answer, again):
            assert each.approved
            assert str(each.network_transaction_id).isdigit()
            assert CAVV not in repr(each)
            assert OLD not in repr(each)

    run(play)


def test_a_dialect_without_a_place_for_it_is_refused() -> None:
    text = REFERENCE.read_text("utf-8")
    with pytest.raises(InvalidInput, match="no field of authorize has this role"):
        read_dialect(f"{text}\nstored_credentials: {{LATER: {{pos_environment: C}}}}\n".encode())


def mastercard_like() -> Dialect:
    """The dialect `reference` with the keys of the page laid over it."""
    page = Path("docs/iso8583.md").read_text("utf-8").partition("### A Mastercard-like host")[2]
    [shown] = [block.text for block in blocks(page.partition("\n## ")[0]) if block.kind == "yaml"]
    whole = yaml.safe_load(REFERENCE.read_text("utf-8"))
    for key, laid in yaml.safe_load(shown).items():
        whole[key] = laid if key == "encoding" else {**whole.get(key, {}), **laid}
    own = yaml.safe_load(REFERENCE.read_text("utf-8"))["messages"]
    # Such a host clears by files.
    for kind in [each for each in own if each.startswith(("capture", "refund"))]:
        del whole["messages"][kind]
    for kind in ("check", "authorize"):
        whole["messages"][kind] = {**own[kind], **whole["messages"][kind]}
        whole["messages"][kind]["fields"] = [*own[kind]["fields"], 61]
    whole["messages"]["authorize_answer"]["fields"] += [15, 63]
    return Dialect(read_dialect(yaml.safe_dump(whole, sort_keys=False).encode()))


@pytest.mark.parametrize(
    ("credential", "entry", "presence", "subelements"),
    [
        (None, "810", "5", "T420701032109203123"),
        (said("CUSTOMER", "FIRST"), "810", "5", "T22080504C101420701032109203123"),
        (
            said("MERCHANT", "LATER", "RECURRING"),
            "100",
            "4",
            "T22080504M103420701032106315MCC01T1C00104  9203123",
        ),
        (
            said("MERCHANT", "LATER", "NO_SHOW"),
            "100",
            "5",
            "T22080504M207420701032106315MCC01T1C00104  9203123",
        ),
    ],
)
def test_a_mastercard_like_host_reads_who_initiates_and_the_first_payment(
    credential: StoredCredential | None, entry: str, presence: str, subelements: str
) -> None:
    dialect = mastercard_like()
    plain = {
        role: value
        for role, value in values_for(dialect, AUTHORIZE).items()
        if role in dialect.definition.messages[AUTHORIZE].requires
    }
    own: dict[Role, str] = {Role.SECURITY_CODE: "123"}
    if credential is not None:
        own |= credential_values(credential, dialect.definition.stored_credentials)
        if credential.is_merchants:
            own |= {Role.EARLIER_TRANSACTION_ID: "MCC01T1C00104"}
    text = dialect.pack(AUTHORIZE, plain | own).decode("cp037", "replace")
    assert f"{len(subelements):03}{subelements}" in text
    assert f"102{presence}100006600840" in text
    values = dialect.unpack(dialect.pack(AUTHORIZE, plain | own)).values
    assert values[Role.POS_ENTRY_MODE] == entry
    assert values.get(Role.EARLIER_TRANSACTION_ID) == own.get(Role.EARLIER_TRANSACTION_ID)


def test_the_id_of_a_mastercard_like_host_is_complete_with_the_date() -> None:
    async def play() -> None:
        async with PlayHost(mastercard_like()) as host:
            connector = connector_to(host)
            await connector.start()
            await until(lambda: connector.state().problem is None)
            host.behave = lambda side, asked: side.answer(
                asked, transaction_id="MCC01T1C0", settlement_date="0104"
            )
            gateway = gateway_of(connector)
            answer = await gateway.authorize(authorization(referred(gateway)))
            await connector.stop()
        assert answer.network_transaction_id == "MCC01T1C00104"

    run(play)
