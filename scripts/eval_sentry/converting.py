"""Turns published data sets into what `gatehouse sentry replay` reads: requests as JSON Lines.

Only what a data set says becomes part of a request. What Sentry has no field for goes into
`customInputs`, where nothing is declared: it is remembered if Sentry finds that it is worth it.
"""

import csv
import gzip
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

DAY: Final = timedelta(days=1)
WEEK: Final = timedelta(days=7)
BNP_BEGINS: Final = datetime(2024, 1, 1, tzinfo=UTC)
BNP_STEP: Final = timedelta(minutes=2)
HANDBOOK_COLUMNS: Final = (
    *("TX_DATETIME", "CUSTOMER_ID", "TERMINAL_ID"),
    *("TX_AMOUNT", "TX_FRAUD", "TRANSACTION_ID"),
)
PRODUCT_COLUMNS: Final = (
    *("basket_ID", "item", "cash_price", "make"),
    *("model", "goods_code", "Nbr_of_prod_purchas"),
)
BASKET_COLUMNS: Final = ("ID", "fraud_flag")
ECOMMERCE_COLUMNS: Final = (
    *("user_id", "signup_time", "purchase_time", "purchase_value"),
    *("device_id", "source", "browser", "class", "ip_address"),
)
_ECOMMERCE_TIME: Final = "%m/%d/%y %H:%M"
_BATCH: Final = 50_000

T = TypeVar("T")


class DataError(Exception):
    """A file that is not there, or is not what it should be."""


class Event(NamedTuple):
    """One request of a data set."""

    at: datetime
    request: dict[str, Any]
    fraud: bool
    customer: int | None = None
    """The customer; None where the data set has none that means anything."""
    chance: float | None = None
    """The true chance of fraud, where the data set is made up."""
    label: str | None = None
    """What it turned out to be, where more is known than whether it was fraud."""


class Known(NamedTuple):
    """What is known of the requests and not sent to Sentry; one entry per request, in order."""

    at_s: NDArray[np.int64]
    days: NDArray[np.int64]
    """Counted from the day of the first request, in UTC."""
    fraud: NDArray[np.bool_]
    customers: NDArray[np.int64] | None
    chances: NDArray[np.float64] | None = None
    """The true chances of fraud, where they are known."""

    @property
    def first_day(self) -> datetime:
        """The day of the first request."""
        return datetime.fromtimestamp(int(self.at_s[0] - self.at_s[0] % 86_400), UTC)


class Goal(NamedTuple):
    """The least that Sentry, retrained weekly, should reach."""

    auc: float = 0.0
    average_precision: float = 0.0


class DataSet(NamedTuple):
    """A published data set, and what one has to know about it."""

    name: str
    title: str
    notes: tuple[str, ...]
    """What a reader of the figures must know."""
    patterns: tuple[str, ...]
    """Names of its files, by what they hold; there may be several of each."""
    read: Callable[[Sequence[Sequence[Path]]], Iterator[Event]]
    """The requests in order of time."""
    from_week: int | None
    """Measured from this week on; None: in the last quarter of the weeks."""
    goal: Goal = Goal()
    beside_unknown: bool = False
    """Whether customers known to be compromised are left out beside others, as published."""

    def find(self, folder: Path) -> list[list[Path]]:
        """Its files in a folder."""
        found = [sorted(folder.glob(pattern)) for pattern in self.patterns]
        for pattern, paths in zip(self.patterns, found, strict=True):
            if not paths:
                raise DataError(f"{self.name}: {folder} has no file {pattern}")
        return found


def convert(events: Iterable[Event], path: Path, weeks: int | None = None) -> Known:
    """Write the requests, packed with gzip; with `weeks`, only those of the first weeks."""
    encode = msgspec.json.Encoder().encode
    at_s, fraud, customers, chances = array("q"), array("b"), array("q"), array("d")
    with gzip.open(path, "wb", compresslevel=1) as file:
        for event in _of_first_weeks(events, weeks):
            at_s.append(int(event.at.timestamp()))
            fraud.append(event.fraud)
            if event.customer is not None:
                customers.append(event.customer)
            if event.chance is not None:
                chances.append(event.chance)
            label = event.label or ("fraud" if event.fraud else "legitimate")
            line = {"at": moment(event.at), "request": event.request, "label": label}
            file.write(encode(line) + b"\n")
    if not at_s:
        raise DataError("there is no request in the files")
    seconds = np.array(at_s, dtype=np.int64)
    return Known(
        seconds,
        seconds // 86_400 - seconds[0] // 86_400,
        np.array(fraud, dtype=bool),
        np.array(customers, dtype=np.int64) if len(customers) == len(seconds) else None,
        np.array(chances, dtype=np.float64) if len(chances) == len(seconds) else None,
    )


def moment(at: datetime) -> str:
    """A time in the words of RFC 3339."""
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def _of_first_weeks(events: Iterable[Event], weeks: int | None) -> Iterator[Event]:
    order = iter(events)
    first = next(order, None)
    if first is None:
        return
    yield first
    if weeks is not None:
        begin = first.at.replace(hour=0, minute=0, second=0, microsecond=0)
        order = takewhile(lambda event: event.at < begin + weeks * WEEK, order)
    yield from order


def read_handbook(files: Sequence[Sequence[Path]]) -> Iterator[Event]:
    """Card transactions: the customer is the user, the terminal the affiliate."""
    import duckdb

    [paths] = files
    names = ", ".join(path.name for path in paths)
    statement = (
        f"SELECT {', '.join(HANDBOOK_COLUMNS)} FROM read_parquet(?) "
        "ORDER BY TX_DATETIME, TRANSACTION_ID"
    )
    with duckdb.connect() as database:
        try:
            database.execute(statement, [[str(path) for path in paths]])
        except duckdb.Error:
            raise DataError(
                f"{names}: is not Parquet with the columns {', '.join(HANDBOOK_COLUMNS)}"
            ) from None
        while rows := database.fetchmany(_BATCH):
            for local, customer, terminal, amount, fraud, _number in rows:
                at = local.replace(tzinfo=UTC)
                request = {
                    "event": {"type": "PURCHASE", "timestamp": moment(at)},
                    "account": {"userId": str(customer)},
                    "order": {"amount": float(amount), "affiliateId": str(terminal)},
                }
                yield Event(at, request, bool(fraud), customer)


def read_bnp(files: Sequence[Sequence[Path]]) -> Iterator[Event]:
    """Baskets with their goods, in order of number, one every two minutes."""
    products, labels = files
    goods: defaultdict[int, list[dict[str, str]]] = defaultdict(list)
    for basket, row in _rows(products, PRODUCT_COLUMNS, lambda row: (int(row["basket_ID"]), row)):
        goods[basket].append(row)
    baskets = _rows(labels, BASKET_COLUMNS, lambda row: (int(row["ID"]), int(row["fraud_flag"])))
    for basket, fraud in sorted(baskets):
        try:
            request = _basket(goods[basket])
        except ValueError:
            raise DataError(f"basket {basket}: a price or a quantity is not a number") from None
        yield Event(BNP_BEGINS + basket * BNP_STEP, request, bool(fraud))


def _basket(goods: Sequence[dict[str, str]]) -> dict[str, Any]:
    items = [
        {
            "itemId": each["goods_code"],
            "category": each["item"],
            "price": float(each["cash_price"]),
            "quantity": float(each["Nbr_of_prod_purchas"]),
        }
        for each in goods
    ]
    # A cart line has no place for the maker, so makers and models stand beside the cart.
    custom = {key: [each[key] for each in goods if each[key]] for key in ("make", "model")}
    return {"shoppingCart": {"items": items}, "customInputs": custom}


def read_ecommerce(files: Sequence[Sequence[Path]]) -> Iterator[Event]:
    """First purchases in a shop, each of a user of their own."""
    [paths] = files
    yield from sorted(_rows(paths, ECOMMERCE_COLUMNS, _purchase), key=lambda event: event.at)


def _purchase(row: dict[str, str]) -> Event:
    at, since = (
        datetime.strptime(row[key], _ECOMMERCE_TIME).replace(tzinfo=UTC)
        for key in ("purchase_time", "signup_time")
    )
    request: dict[str, Any] = {
        "event": {"type": "PURCHASE", "timestamp": moment(at)},
        "account": {"userId": row["user_id"]},
        "order": {"amount": float(row["purchase_value"]), "referralId": row["source"]},
        # A browser's name is no user agent, and a made-up one would be judged as if it were real.
        "customInputs": {
            "deviceId": row["device_id"],
            "browser": row["browser"],
            "accountAgeDays": round((at - since) / DAY, 4),
        },
    }
    if row["ip_address"]:
        request["device"] = {"ipAddress": str(IPv4Address(int(float(row["ip_address"]))))}
    return Event(at, request, bool(float(row["class"])))


def _rows(
    paths: Iterable[Path], columns: Sequence[str], read: Callable[[dict[str, str]], T]
) -> Iterator[T]:
    """What each line of packed CSV files says."""
    for path in paths:
        try:
            with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
                reader = csv.DictReader(file, restval="")
                if not set(columns) <= set(reader.fieldnames or ()):
                    raise DataError(f"{path.name}: must have the columns {', '.join(columns)}")
                for row in reader:
                    try:
                        found = read(row)
                    except (ValueError, OverflowError):
                        line = reader.line_num
                        raise DataError(f"{path.name}, line {line}: cannot be read") from None
                    yield found
        except (OSError, EOFError, zlib.error, csv.Error, UnicodeDecodeError):
            raise DataError(f"{path.name}: is not a CSV file packed with gzip") from None


HANDBOOK: Final = DataSet(
    "handbook",
    "Fraud Detection Handbook, simulated card transactions",
    (
        "Customers are users, terminals are affiliates. Published figures are means of four weeks, "
        "without customers that are known to be compromised.",
    ),
    ("handbook_*.parquet",),
    read_handbook,
    10,
    Goal(0.885, 0.76),
    beside_unknown=True,
)
BNP: Final = DataSet(
    "bnp",
    "BNP Paribas Personal Finance, baskets with real fraud (ENS challenge data 104)",
    (
        "The data have no time: baskets come in order of their number, one every two minutes from "
        f"{BNP_BEGINS:%Y-%m-%d} on. Weeks, days and hours are made up.",
        "Makers and models are lists in customInputs. There are no customers, so there is no card "
        "precision.",
    ),
    ("bnp_products_*.csv.gz", "bnp_baskets_*labels*.csv.gz"),
    read_bnp,
    None,
    Goal(0.80, 0.085),
)
ECOMMERCE: Final = DataSet(
    "ecommerce",
    "The first part of a set of e-commerce purchases",
    (
        "Only a part of the set is here: not to be held against figures for all of it.",
        "Device, browser and age of the account are in customInputs, the source is the referral. "
        "Every user buys once, so there is no card precision.",
    ),
    ("fraudecom_*.csv.gz",),
    read_ecommerce,
    10,
)
DATA_SETS: Final = (HANDBOOK, BNP, ECOMMERCE)
