"""Orders that wait for a review."""

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.store.tables import REVIEWS
from tests.admin.recorded import Recorder
from tests.console.browser.site import Site


def open_reviews(site: Site, count: int) -> list[str]:
    """Have orders wait for a review that nobody is assigned to; of the demo's, all may be.

    Gives back the ids of their requests.
    """
    opened: list[str] = []
    with site.home.session() as session:
        shop = Recorder(session, site.account_id)
        for number in range(count):
            opened.append(shop.keep(decision=Outcome.REVIEW))
            row = {
                "account_id": site.account_id,
                "request_id": opened[-1],
                "at_ms": session.clock() + number,
                "state": "OPEN",
            }
            with session.database.writing() as connection:
                connection.execute(REVIEWS.insert(), row)
    return opened
