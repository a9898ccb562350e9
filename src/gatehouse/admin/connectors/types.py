"""What connectors are to the accounts that they serve."""

from enum import StrEnum
from typing import Annotated

from gatehouse.core.api_values import CamelStruct, doc


class ConnectorCondition(StrEnum):
    """How a connector is, over all servers that run."""

    UP = "UP"
    DOWN = "DOWN"
    PARTLY = "PARTLY"
    """Some servers can ask it."""
    UNKNOWN = "UNKNOWN"
    """No server that runs has reported on it."""


class ConnectorShown(CamelStruct):
    """A connector that requests of the account can be given to."""

    function: Annotated[str, doc("What it is asked for.", "issuer")]
    name: Annotated[str, doc("Its name.", "main-processor")]
    state: Annotated[
        ConnectorCondition, doc("`UP`, `DOWN`, `PARTLY` or `UNKNOWN`, over all servers.", "UP")
    ]


class ConnectorPage(CamelStruct):
    """The connectors that serve an account."""

    connectors: Annotated[
        list[ConnectorShown], doc("By function, in the order in which they are asked.")
    ]
