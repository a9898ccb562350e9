"""One console for the tests of a module that do not mind each other."""

from collections.abc import Iterator

import pytest

from tests.console.harness import Console, open_console
from tests.harness import Home


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A console with two accounts."""
    home = Home(tmp_path_factory.mktemp("console") / "home").migrated()
    with open_console(home) as opened:
        yield opened
