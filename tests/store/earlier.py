"""Decisions as versions before the index kept them, and the work that indexes them."""

from gatehouse.core.cards.numbers import CardNumber
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.search.indexing import EarlierDecisions
from gatehouse.store.state import set_mark
from gatehouse.store.tables import DECISIONS
from tests.decisions.samples import SAMPLES
from tests.harness import CARD
from tests.store.deciding import keep_decision

PURCHASE = SAMPLES["pipeline_now"]
OLD_ID = PURCHASE.partition('"requestId":"')[2].partition('"')[0]
INNER = PURCHASE.partition('"fingerprint":"')[2].partition('"')[0]


def bought(session: AdminSession, account: str) -> str:
    """A purchase with the tests' card, as a version before the index kept it."""
    request = keep_decision(session, account, operation="pipeline")
    inner = session.fingerprints.inner(CardNumber.parse(CARD))
    text = PURCHASE.replace(OLD_ID, request).replace(INNER, inner)
    with session.database.writing() as connection:
        this = DECISIONS.c.request_id == request
        connection.execute(DECISIONS.update().where(this).values(record=text))
        set_mark(connection, "search-index", "")
    return request


def index_all(session: AdminSession) -> int:
    """How many steps there were."""
    earlier, steps = EarlierDecisions(session), 1
    while earlier.index_some():
        steps += 1
    return steps
