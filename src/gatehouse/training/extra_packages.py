"""What learning needs beyond what the service needs: packages with a lock of their own."""

import importlib
import warnings
from typing import Final

from gatehouse.core.errors import InvalidInput
from gatehouse.training.report.phrases import TRAINING_PACKAGES

_NEEDED: Final = ("numpy", "sklearn", "interpret", "matplotlib")


def require_extra() -> None:
    """Refuse, with what to do, when a package that learning needs is not installed."""
    for name in _NEEDED:
        try:
            # What a package says to those who develop it is nothing to an operator.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(name)
        except ImportError as error:
            raise InvalidInput(TRAINING_PACKAGES()) from error
