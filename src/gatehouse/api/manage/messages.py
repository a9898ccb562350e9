"""Values that several subjects of the management API share."""

from typing import Annotated

from msgspec import Meta

from gatehouse.core.api_values import Timestamp

Moment = Annotated[Timestamp, Meta(examples=["2026-11-16T09:30:00.000Z"])]
