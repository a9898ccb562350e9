"""An issuer that answers nothing until a test lets it go on."""

import asyncio
import os
from pathlib import Path
from typing import Any, Final, NoReturn

from gatehouse.core.errors import ConnectorFailed

FILE: Final = "TESTS_LET_GO"
"""The variable with the path of a file: while there is none, nothing is answered."""


class HeldIssuer:
    """Fails every enquiry, once the file is there."""

    def __init__(self) -> None:
        self._file = Path(os.environ[FILE])

    async def check(self, _enquiry: Any) -> NoReturn:
        while not self._file.exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.02)
        raise ConnectorFailed("let go by the test", sent=True)
