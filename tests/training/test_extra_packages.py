"""The packages of learning: what is missing is said, with what to do."""

import sys

import pytest

from gatehouse.cli.hints import hinted
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import said_by
from gatehouse.training.extra_packages import require_extra


def test_what_is_installed_is_not_complained_of() -> None:
    require_extra()


@pytest.mark.parametrize("name", ["numpy", "sklearn", "interpret", "matplotlib"])
def test_a_missing_package_is_named_by_what_brings_it(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InvalidInput) as refused:
        require_extra()
    assert hinted(said_by(refused.value)).endswith("--require-hashes -r requirements/learning.lock")
