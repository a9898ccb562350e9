"""The price list in force: the operator's file, or the defaults."""

from functools import lru_cache
from pathlib import Path

from gatehouse.access.accounts import Account
from gatehouse.billing.price_list import MOST_BYTES, PriceList, read_price_list
from gatehouse.core.errors import SettingsError
from gatehouse.intel.places import minor_digits
from gatehouse.settings.settings import Settings


def price_list(settings: Settings) -> PriceList:
    """The list; `SettingsError` says what is wrong with the file."""
    path = settings.prices_file
    if path is None:
        return PriceList(minor_digits)
    try:
        found = path.stat()
        return _read(path, found.st_mtime_ns, found.st_size)
    except OSError as error:
        why = f"cannot read {path}: {error.strerror}"
    except ValueError as error:
        why = f"{path}: {error}"
    raise SettingsError(f"GATEHOUSE_PRICES_FILE: {why}")


@lru_cache(maxsize=1)
def _read(path: Path, _changed_ns: int, size: int) -> PriceList:
    if size > MOST_BYTES:
        raise ValueError(f"has more than {MOST_BYTES:,} bytes")
    return read_price_list(path.read_text(encoding="utf-8"), minor_digits)


def fees_of(settings: Settings, account: Account, at_ms: int) -> dict[str, int]:
    """What each function costs an account at a moment."""
    return dict(price_list(settings).schedule(account.currency, account.fees, at_ms))
