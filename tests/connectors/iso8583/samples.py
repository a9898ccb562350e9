"""Values of messages, as a client or a host would send them."""

from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.reading import shipped_dialect, shipped_names
from gatehouse.connectors.iso8583.roles import MessageKind, Role

CARD = "4242424242424242"
DIALECTS = {name: Dialect(shipped_dialect(name)) for name in shipped_names()}

SAMPLES: dict[Role, str] = {
    Role.NUMBER: CARD,
    Role.EXPIRY: "2812",
    Role.SETTLEMENT_DATE: "0104",
    Role.SECURITY_CODE: "123",
    Role.AMOUNT: "000000012345",
    Role.CURRENCY: "826",
    Role.PROCESSING_CODE: "000000",
    Role.STAN: "000123",
    Role.RRN: "AB12CD34EF56",
    Role.TRANSMITTED_AT: "1116092000",
    Role.LOCAL_TIME: "102000",
    Role.LOCAL_DATE: "1116",
    Role.MERCHANT_CATEGORY: "5812",
    Role.ACQUIRER_COUNTRY: "826",
    Role.ACQUIRER_ID: "12345678901",
    Role.TERMINAL_ID: "TERM 1",
    Role.MERCHANT_ID: "MERCHANT-1",
    Role.MERCHANT_NAME: "A SHOP, LONDON",
    Role.POS_ENTRY_MODE: "012",
    Role.POS_CONDITION: "59",
    Role.POSTAL_CODE: "SW1A 1AA",
    Role.STREET: "10 Downing Street",
    Role.HOLDER_NAME: "Ann B O'Neill",
    Role.FIRST_NAME: "Ann",
    Role.MIDDLE_NAME: "B",
    Role.LAST_NAME: "O'Neill",
    Role.RESPONSE_CODE: "N7",
    Role.APPROVAL_CODE: "A1B2C3",
    Role.AVS_RESULT: "Y",
    Role.CVV2_RESULT: "M",
    Role.NAME_RESULT: "00",
    Role.NAME_MATCH: "50",
    Role.FIRST_NAME_MATCH: "01",
    Role.MIDDLE_NAME_MATCH: "99",
    Role.LAST_NAME_MATCH: "50",
    Role.TRANSACTION_ID: "123456789012345",
    Role.ORIGINAL_MTI: "0100",
    Role.ORIGINAL_STAN: "000122",
    Role.ORIGINAL_TRANSMITTED_AT: "1116091959",
    Role.ORIGINAL_RRN: "AB12CD34EF55",
    Role.ORIGINAL_ACQUIRER_ID: "12345678901",
    Role.MESSAGE_REASON: "4021",
    Role.NETWORK_CODE: "301",
    Role.ECI: "05",
    Role.THREE_D_SECURE_VERSION: "2.2.0",
    Role.THREE_D_SECURE_STATUS: "Y",
    Role.EXEMPTION: "TRA",
    Role.AUTHENTICATION_VALUE: "AAABBEg0VhI0VniQEjRWAAAAAAA=",
    Role.AUTHENTICATION_VALUE_HEX: "0000010448345612345678901234560000000000",
    Role.DS_TRANSACTION_ID: "f38e6948-5388-41a6-bca4-b49723c19437",
    Role.EARLIER_TRANSACTION_ID: "123456789012344",
    Role.POS_ENVIRONMENT: "R",
    Role.STORED_CREDENTIAL: "MERCHANT_RECURRING",
    Role.PAR: "V0010013018036777540023012345",
    Role.CREDENTIAL_TYPE: "NETWORK_TOKEN",
}


def values_for(dialect: Dialect, kind: MessageKind) -> dict[Role, str]:
    """A value for every role that messages of the kind have a place for."""
    values = {role: SAMPLES[role] for role in Role if dialect.carries(kind, role)}
    if Role.POS_ENTRY_MODE in values and dialect.name == "base-one":
        values[Role.POS_ENTRY_MODE] = "0120"
    return values | dict(dialect.definition.messages[kind].values)
