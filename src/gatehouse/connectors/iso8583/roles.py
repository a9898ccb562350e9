"""What a value in a message is, and what a message is for; where both stand is the dialect's."""

from enum import StrEnum


class Role(StrEnum):
    """What a value is. The comment says how it is written, whatever the dialect does with it."""

    NUMBER = "number"  # the card number, 12 to 19 digits
    EXPIRY = "expiry"  # YYMM
    SECURITY_CODE = "security_code"  # 3 or 4 digits
    AMOUNT = "amount"  # 12 digits, in the minor unit of the currency
    CURRENCY = "currency"  # ISO 4217, 3 digits
    PROCESSING_CODE = "processing_code"  # 6 digits
    STAN = "stan"  # 6 digits, the sender's number of the message
    RRN = "rrn"  # 12 letters and digits, the same for a payment and its reversal
    TRANSMITTED_AT = "transmitted_at"  # MMDDhhmmss, UTC
    LOCAL_TIME = "local_time"  # hhmmss
    LOCAL_DATE = "local_date"  # MMDD
    MERCHANT_CATEGORY = "merchant_category"  # 4 digits
    ACQUIRER_COUNTRY = "acquirer_country"  # ISO 3166, 3 digits
    ACQUIRER_ID = "acquirer_id"  # 1 to 11 digits
    TERMINAL_ID = "terminal_id"  # up to 8 characters
    MERCHANT_ID = "merchant_id"  # up to 15 characters
    MERCHANT_NAME = "merchant_name"  # up to 40 characters, name and place
    POS_ENTRY_MODE = "pos_entry_mode"  # 3 digits, at some hosts 4
    POS_CONDITION = "pos_condition"  # 2 digits
    POSTAL_CODE = "postal_code"
    STREET = "street"
    HOLDER_NAME = "holder_name"  # the whole name
    FIRST_NAME = "first_name"
    MIDDLE_NAME = "middle_name"
    LAST_NAME = "last_name"
    RESPONSE_CODE = "response_code"  # 2 characters, as precheck/networks.toml lists them
    APPROVAL_CODE = "approval_code"  # 6 characters
    AVS_RESULT = "avs_result"  # 1 letter of the network
    CVV2_RESULT = "cvv2_result"  # 1 letter of the network
    NAME_RESULT = "name_result"  # 00 names were compared, 01 they were not, 02 not supported
    NAME_MATCH = "name_match"  # the whole name: 01 match, 50 partial, 99 none
    FIRST_NAME_MATCH = "first_name_match"
    MIDDLE_NAME_MATCH = "middle_name_match"
    LAST_NAME_MATCH = "last_name_match"
    TRANSACTION_ID = (
        "transaction_id"  # the network's, of this payment; of a request, the earlier one's
    )
    EARLIER_TRANSACTION_ID = "earlier_transaction_id"  # the same, where it has another place
    SETTLEMENT_DATE = "settlement_date"  # MMDD, where the network's id needs it behind it
    POS_ENVIRONMENT = "pos_environment"  # 1 letter: how a stored card is used
    STORED_CREDENTIAL = "stored_credential"  # the kind in one word, such as MERCHANT_RECURRING
    ORIGINAL_MTI = "original_mti"  # of the message that is reversed
    ORIGINAL_STAN = "original_stan"
    ORIGINAL_TRANSMITTED_AT = "original_transmitted_at"
    ORIGINAL_RRN = "original_rrn"  # of the payment that is captured or refunded
    ORIGINAL_ACQUIRER_ID = "original_acquirer_id"  # 11 digits
    MESSAGE_REASON = "message_reason"  # 4 digits: why a message is sent
    NETWORK_CODE = "network_code"  # 3 digits: 001 sign-on, 002 sign-off, 301 echo
    ECI = "eci"  # 2 digits
    THREE_D_SECURE_VERSION = "three_d_secure_version"
    THREE_D_SECURE_STATUS = "three_d_secure_status"  # 1 letter
    EXEMPTION = "exemption"  # 2 characters
    AUTHENTICATION_VALUE = "authentication_value"  # CAVV or AAV, 28 characters of Base64
    AUTHENTICATION_VALUE_HEX = "authentication_value_hex"  # the same, 40 hexadecimal digits
    DS_TRANSACTION_ID = "ds_transaction_id"  # 36 characters, of the directory server
    PAR = "par"  # payment account reference, 29 characters
    CREDENTIAL_TYPE = "credential_type"


class MessageKind(StrEnum):
    """What a message is for. A dialect says which kinds it has, and by which type indicator."""

    CHECK = "check"
    CHECK_ANSWER = "check_answer"
    AUTHORIZE = "authorize"
    AUTHORIZE_ANSWER = "authorize_answer"
    REVERSE = "reverse"
    REVERSE_REPEAT = "reverse_repeat"
    REVERSE_ANSWER = "reverse_answer"
    REVERSE_ADVICE = "reverse_advice"
    REVERSE_ADVICE_REPEAT = "reverse_advice_repeat"
    REVERSE_ADVICE_ANSWER = "reverse_advice_answer"
    CAPTURE = "capture"
    CAPTURE_REPEAT = "capture_repeat"
    CAPTURE_ANSWER = "capture_answer"
    REFUND = "refund"
    REFUND_REPEAT = "refund_repeat"
    REFUND_ANSWER = "refund_answer"
    SIGN_ON = "sign_on"
    SIGN_ON_ANSWER = "sign_on_answer"
    SIGN_OFF = "sign_off"
    SIGN_OFF_ANSWER = "sign_off_answer"
    ECHO = "echo"
    ECHO_ANSWER = "echo_answer"

    @property
    def answer(self) -> "MessageKind | None":
        """The kind that answers this one; None for answers."""
        return _ANSWERS.get(self)


_ANSWERS = {
    MessageKind.CHECK: MessageKind.CHECK_ANSWER,
    MessageKind.AUTHORIZE: MessageKind.AUTHORIZE_ANSWER,
    MessageKind.REVERSE: MessageKind.REVERSE_ANSWER,
    MessageKind.REVERSE_REPEAT: MessageKind.REVERSE_ANSWER,
    MessageKind.REVERSE_ADVICE: MessageKind.REVERSE_ADVICE_ANSWER,
    MessageKind.REVERSE_ADVICE_REPEAT: MessageKind.REVERSE_ADVICE_ANSWER,
    MessageKind.CAPTURE: MessageKind.CAPTURE_ANSWER,
    MessageKind.CAPTURE_REPEAT: MessageKind.CAPTURE_ANSWER,
    MessageKind.REFUND: MessageKind.REFUND_ANSWER,
    MessageKind.REFUND_REPEAT: MessageKind.REFUND_ANSWER,
    MessageKind.SIGN_ON: MessageKind.SIGN_ON_ANSWER,
    MessageKind.SIGN_OFF: MessageKind.SIGN_OFF_ANSWER,
    MessageKind.ECHO: MessageKind.ECHO_ANSWER,
}
