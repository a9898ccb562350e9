"""An alert that is kept as it would be found."""

from gatehouse.admin.alerts.queries import begin
from gatehouse.admin.alerts.types.hours import Measure
from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.observing import ValueKind
from gatehouse.admin.alerts.types.shown import AlertFound, MeasureDeparting
from gatehouse.admin.alerts.types.standing_out import AtStake, ProposedRule, StandingOut
from gatehouse.conditions.clicked import Clicked, Operator
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.recorded import Recorder


def keep_alert(session: AdminSession, account_id: str, alert_id: str) -> str:
    """Keep an alert about an attack; returns its id."""
    found = AlertFound(
        10,
        36,
        [MeasureDeparting(Measure.REFUSED, 34, 1.6, 52)],
        [
            StandingOut(ValueKind.ADDRESS, "203.0.113.7", 36, 1.0, 0.0001, 9999.0),
            StandingOut(ValueKind.DOMAIN, "mail.example", 36, 1.0, 0.1, 10.0),
        ],
        [AtStake("USD", "36", "2")],
        ProposedRule(
            "attack-2026-11-16-address-in-203-0-113",
            "ip.address = '203.0.113.7'",
            [Clicked("ip.address", Operator.EQUAL.value, "203.0.113.7")],
        ),
        [Recorder(session, account_id, days_ago=1).keep()],
    )
    with session.writing() as connection:
        begin(connection, account_id, alert_id, AlertKind.ATTACK, found, session.clock())
    return alert_id
