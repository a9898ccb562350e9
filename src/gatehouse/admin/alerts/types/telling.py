"""What events tell of alerts."""

from typing import Any, Final

import msgspec

from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.shown import AlertFound
from gatehouse.core.clock import iso_time

_MOST_VALUES: Final = 20


def raised_data(alert_id: str, kind: AlertKind, found: AlertFound) -> dict[str, Any]:
    """Of an alert that was raised."""
    values = sorted(found.values, key=lambda each: -each.lift * each.count)[:_MOST_VALUES]
    return {
        "alertId": alert_id,
        "kind": kind.value,
        "windowMinutes": found.window_minutes,
        "requests": found.requests,
        "measures": msgspec.to_builtins(found.measures),
        "values": msgspec.to_builtins(values),
        "atStake": msgspec.to_builtins(found.at_stake),
    }


def ended_data(
    alert_id: str, kind: AlertKind, began_at_ms: int, ended_by: str | None
) -> dict[str, Any]:
    """Of an alert that ended, by itself or by a person."""
    about = {"alertId": alert_id, "kind": kind.value}
    return about | {"beganAt": iso_time(began_at_ms), "endedBy": ended_by}
