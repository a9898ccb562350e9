"""What follows for a payment when a person accepts its request."""

from gatehouse.pipeline.definition import decode_program
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import PIPELINE, ConfigurationKey
from gatehouse.store.decisions import decisions
from gatehouse.store.payments import operations
from gatehouse.store.requests import intents


def capture_accepted(change: Change, account_id: str, request_id: str) -> bool:
    """Ask for the capture of the payment of an accepted request where its pipeline does that.

    As it stood when it authorized the payment; and unless somebody did something with it before.
    """
    connection = change.connection
    payment = operations.find_payment(connection, account_id, request_id, lock=True)
    if payment is None or operations.is_used(connection, account_id, request_id):
        return False
    if intents.states_of(connection, account_id, [request_id]):
        return False
    record = decisions.get(connection, account_id, request_id, change.session.fingerprints)
    if record is None or (by := record.pipeline) is None:
        return False
    key = ConfigurationKey(account_id, PIPELINE, str(by.id))
    program = configurations.program_of(change.signer, connection, key, by.version)
    if program is None or not decode_program(program).captures:
        return False
    asked = operations.whole_capture(payment, by.name, change.now_ms)
    operations.add(connection, asked)
    change.audit(
        "payment.capture",
        account_id,
        requestId=request_id,
        operationId=asked.id,
        amountMinor=asked.amount_minor,
        currency=payment.currency,
    )
    return True
