"""How long an alert lasts, and what the watch keeps."""

from typing import Final

from gatehouse.admin.alerts.types.judging import AlertKind

_MINUTE_MS: Final = 60_000
_DAY_MS: Final = 86_400_000
STILL_MS: Final = 60 * _MINUTE_MS
"""An alert goes on while the last hour departs from the normal."""
CALM_MS: Final = {
    AlertKind.ATTACK: 30 * _MINUTE_MS,
    AlertKind.OUTAGE: 30 * _MINUTE_MS,
    AlertKind.FEAST: 720 * _MINUTE_MS,
}
"""It ends when nothing departed for so long. A feast sleeps at night."""
WEEKS_MS: Final = 28 * _DAY_MS
"""The normal is made of the hours of so many days."""
TAINTS_MS: Final = 3 * _DAY_MS
"""Hours of an attack or an outage are no part of the normal; after so long they are."""
ENDED_KEPT_MS: Final = 90 * _DAY_MS
ANSWERED_MS: Final = 6 * 3_600_000
"""What a person has ended is not raised again for so long."""
