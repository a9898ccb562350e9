"""Builds the packed table of networks from the packages that hold its sources: merges countries and
autonomous systems into ranges, tells each system's class, proves the result, and then writes it.
"""

import argparse
import csv
import gzip
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from gatehouse.intel.addresses import Address
from gatehouse.intel.agents.claims import Claims
from gatehouse.intel.networks import (
    DATA_FILE,
    HOSTING,
    MAGIC,
    MOBILE,
    RELAY,
    SOURCE_FILE,
    VPN,
    Contents,
    NetworkPackage,
    NetworkSource,
    read_networks,
)
from gatehouse.intel.packed import LENGTH_BYTES

OUT: Final = Path(__file__).resolve().parents[1] / "src" / "gatehouse" / "intel" / "data"
RULES_FILE: Final = Path(__file__).with_name("networks.toml")
LICENCE: Final = "CC-BY-4.0"
LICENCE_URL: Final = "https://creativecommons.org/licenses/by/4.0/"
LONGEST_NAME: Final = 80
CLASSES: Final = {"hosting": HOSTING, "vpn": VPN, "relay": RELAY, "mobile": MOBILE}

# What holds at one range: a country and an autonomous system's number, None where unknown.
Value = tuple[str | None, int | None]
# A start and what holds from there on, ascending, from zero.
Merged = list[tuple[int, Value]]


class Package(msgspec.Struct, frozen=True):
    """A package of the npm registry, pinned."""

    name: str
    version: str
    sha256: str
    upstream: str
    attribution: str
    prefix: str

    @property
    def date(self) -> str:
        """The day in its version, which ends in year, month, day and hour."""
        stamp = self.version.rpartition(".")[2]
        return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"

    @property
    def file_name(self) -> str:
        """How npm calls the downloaded file."""
        return f"{self.name.lstrip('@').replace('/', '-')}-{self.version}.tgz"


COUNTRIES: Final = Package(
    name="@ip-location-db/dbip-country",
    version="2.3.2026060120",
    sha256="78a6009a9c18434e6b690d703431241900d6127ddcd7c26ed48852549ee0df4f",
    upstream="https://db-ip.com/db/download/ip-to-country-lite",
    attribution="IP Geolocation by DB-IP (https://db-ip.com), reduced and repacked for Gatehouse",
    prefix="dbip-country",
)
SYSTEMS: Final = Package(
    name="@ip-location-db/asn",
    version="2.3.2026061719",
    sha256="b9425daf2f011c28f8586685d4f89166e77627e2c15fd93c6262c3e2dead6153",
    upstream="https://github.com/sapics/ip-location-db/tree/main/asn",
    attribution="RouteViews (https://www.routeviews.org), DB-IP (https://db-ip.com) and the NRO "
    "(https://www.nro.net), classified, reduced and repacked for Gatehouse",
    prefix="asn",
)


class NameRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to tell a class from a holder's name and a system's number."""

    words: list[str] = []
    unless: list[str] = []
    brands: list[str] = []
    names: list[str] = []
    asns: frozenset[int] = frozenset()
    never: frozenset[int] = frozenset()


class Rule:
    """A rule with its patterns compiled."""

    def __init__(self, rule: NameRule) -> None:
        self._likely = any_of(rule.words + rule.names)
        self._unless = any_of(rule.unless)
        self._brands = any_of(rule.brands)
        self._asns = rule.asns
        self._never = rule.never

    def holds(self, asn: int, name: str) -> bool:
        """Whether the rule counts a system among its class."""
        if asn in self._never:
            return False
        if asn in self._asns or self._brands.search(name):
            return True
        return bool(self._likely.search(name)) and not self._unless.search(name)


def any_of(patterns: list[str]) -> re.Pattern[str]:
    """A pattern that finds any of the given ones, or nothing when there are none."""
    return re.compile("|".join(f"(?:{each})" for each in patterns) or r"(?!)", re.IGNORECASE)


def read_rules(text: str) -> dict[str, Rule]:
    """The rules by class."""
    rules = msgspec.convert(tomllib.loads(text), dict[str, NameRule])
    if rules.keys() != CLASSES.keys():
        raise ValueError(f"the rules are for {sorted(rules)}, not for {sorted(CLASSES)}")
    return {kind: Rule(rule) for kind, rule in rules.items()}


def class_of(rules: Mapping[str, Rule], asn: int, name: str) -> int:
    """The bits of a system's class; a relay is neither hosting nor VPN."""
    bits = sum(CLASSES[kind] for kind, rule in rules.items() if rule.holds(asn, name))
    return bits & ~(HOSTING | VPN) if bits & RELAY else bits


def tidy(name: str) -> str:
    """A holder's name without what the registries put around it."""
    name = " ".join(name.split())
    # Some names open with the system's handle: "HOSTMY-AS-AP - HOSTMY LIMITED".
    name = re.sub(r"^(?=[A-Z]*[-0-9])[A-Z0-9-]+ - (?=\S)", "", name)
    half = name[: len(name) // 2 - 1]
    return half if half and name == f"{half} - {half}" else name


def steps(rows: Iterable[Sequence[str]], version: int) -> Iterator[tuple[int, str | None]]:
    """Where a value starts to hold, and where none does, from rows of first, last and value.

    The rows ascend. A range ends where the next one starts, if not before. IPv6 counts by the
    upper half of addresses, and ranges that do not fill one such block are left out.
    """
    shift, total = (64, 1 << 64) if version == 6 else (0, 1 << 32)
    newest = free = 0
    for first, last, value, *_ in rows:
        start, stop = -(-int(first) >> shift), (int(last) + 1) >> shift
        if start < newest:
            raise ValueError(f"the range from {first} comes too late")
        if start >= stop:
            continue
        if free < start:
            yield free, None
        yield start, value
        newest, free = start, stop
    if free < total:
        yield free, None


def merge(
    countries: Iterable[tuple[int, str | None]], systems: Iterable[tuple[int, str | None]]
) -> Merged:
    """Put the steps of both sources into one ascending list, without steps that change nothing."""
    country_from, system_from = dict(countries), dict(systems)
    merged: Merged = []
    country = system = None
    for start in sorted({0} | country_from.keys() | system_from.keys()):
        country = country_from.get(start, country)
        system = system_from.get(start, system)
        value = (country, None if system is None else int(system))
        if not merged or merged[-1][1] != value:
            merged.append((start, value))
    return merged


def without_unannounced(merged: Merged) -> Merged:
    """Forget the country where no system is known.

    Nobody can call from there. The source fills these gaps of IPv6, which are most of it, with
    the seats of registries.
    """
    kept: Merged = []
    for start, (country, asn) in merged:
        value = (None if asn is None else country, asn)
        if not kept or kept[-1][1] != value:
            kept.append((start, value))
    return kept


class Table(msgspec.Struct, frozen=True):
    """Everything that is packed: ranges by version, names and classes by system."""

    v4: Merged
    v6: Merged
    names: dict[int, str]
    classes: dict[int, int]

    def row(self, value: Value) -> Claims:
        """What the packed table has to answer where a value holds."""
        country, asn = value
        if asn is None:
            return Claims(country)
        bits = self.classes[asn]
        return Claims(
            country,
            asn,
            self.names[asn],
            hosting=bool(bits & HOSTING),
            vpn=bool(bits & VPN),
            relay=bool(bits & RELAY),
            mobile=bool(bits & MOBILE),
        )


def pack(table: Table) -> bytes:
    """Pack a table into the format that gatehouse.intel.networks reads."""
    ranges = (table.v4, table.v6)
    countries = sorted({value[0] for each in ranges for _, value in each if value[0] is not None})
    asns = sorted(table.names)
    country_number = {None: 0} | {code: place for place, code in enumerate(countries, start=1)}
    holder_number = {None: 0} | {asn: place for place, asn in enumerate(asns, start=1)}
    names = "\n".join(table.names[asn] for asn in asns).encode()
    contents = Contents(
        countries=countries,
        systems=len(asns),
        names=len(names),
        v4=len(table.v4),
        v6=len(table.v6),
    )
    head = msgspec.json.encode(contents)
    columns = [
        MAGIC + len(head).to_bytes(LENGTH_BYTES, "little") + head + names,
        to_bytes("I", asns),
        bytes(table.classes[asn] for asn in asns),
    ]
    for code, each in (("I", table.v4), ("Q", table.v6)):
        starts = to_bytes(code, [start for start, _ in each])
        size = array(code).itemsize
        columns.append(b"".join(starts[place::size] for place in range(size)))
        columns.append(bytes(country_number[value[0]] for _, value in each))
        columns.append(to_bytes("I", [holder_number[value[1]] for _, value in each]))
    # Every start of a server unpacks this table: gzip takes a sixth of the time of xz.
    return gzip.compress(b"".join(columns), mtime=0)


def to_bytes(code: str, numbers: Sequence[int]) -> bytes:
    """Integers one after another, lowest bytes first."""
    packed: array[int] = array(code, numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def describe(packed: bytes, table: Table, packages: Sequence[NetworkPackage]) -> bytes:
    """Write the description that ships beside the packed table."""
    source = NetworkSource(
        packages=tuple(packages),
        licence=LICENCE,
        licence_url=LICENCE_URL,
        date=min(package.date for package in packages),
        rows=len(table.v4) + len(table.v6),
        sha256=hashlib.sha256(packed).hexdigest(),
    )
    return msgspec.json.format(msgspec.json.encode(source), indent=2) + b"\n"


def prove(packed: bytes, description: bytes, table: Table) -> None:
    """Fail unless the packed table answers as the given one at both ends of every range."""
    read = read_networks(packed, description)
    for version, shift, bits, ranges in ((4, 0, 32, table.v4), (6, 64, 128, table.v6)):
        ends = [start << shift for start, _ in ranges[1:]] + [1 << bits]
        for (start, value), end in zip(ranges, ends, strict=True):
            for number in (start << shift, end - 1):
                address = Address("", version, number, "", True)
                if read.find(address) != table.row(value):
                    raise RuntimeError(f"the packed table is wrong about {version} {number}")


def package_file(package: Package, folder: Path) -> Path:
    """The package's file in a folder, fetched from the registry when it is not there yet."""
    path = folder / package.file_name
    if not path.exists():
        command = ["npm", "pack", "--silent", f"{package.name}@{package.version}"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != package.sha256:
        sys.exit(f"{package.file_name} is not as expected: its digest is {digest}")
    return path


def source_rows(path: Path, prefix: str, version: int) -> list[list[str]]:
    """The rows of a package's table for a version of the protocol; none of its code is run."""
    with tarfile.open(path) as archive:
        member = archive.extractfile(f"package/{prefix}-ipv{version}-num.csv")
        if member is None:
            raise ValueError(f"{path.name} holds no table for version {version}")
        text = member.read().decode()
    return list(csv.reader(io.StringIO(text, newline="")))


def build(folder: Path, rules: Mapping[str, Rule]) -> tuple[Table, list[NetworkPackage]]:
    """Read the packages in a folder and make the table of them."""
    merged: dict[int, Merged] = {}
    names: dict[int, str] = {}
    read: Counter[str] = Counter()
    for version in (4, 6):
        country_rows = source_rows(package_file(COUNTRIES, folder), COUNTRIES.prefix, version)
        system_rows = source_rows(package_file(SYSTEMS, folder), SYSTEMS.prefix, version)
        read[COUNTRIES.name] += len(country_rows)
        read[SYSTEMS.name] += len(system_rows)
        names |= {int(row[2]): tidy(row[3]) for row in system_rows}
        merged[version] = merge(steps(country_rows, version), steps(system_rows, version))
    table = Table(
        v4=merged[4],
        v6=without_unannounced(merged[6]),
        names={asn: name[:LONGEST_NAME].rstrip() for asn, name in names.items()},
        classes={asn: class_of(rules, asn, name) for asn, name in names.items()},
    )
    packages = [
        NetworkPackage(
            package=f"npm {package.name}",
            version=package.version,
            upstream=package.upstream,
            attribution=package.attribution,
            date=package.date,
            rows=read[package.name],
        )
        for package in (COUNTRIES, SYSTEMS)
    ]
    return table, packages


def report(table: Table) -> None:
    """Print what was made, and the largest systems of each class."""
    sizes: Counter[int | None] = Counter()
    ends = [start for start, _ in table.v4[1:]] + [1 << 32]
    for (start, value), end in zip(table.v4, ends, strict=True):
        sizes[value[1]] += end - start
    print(f"ranges  {len(table.v4):>9,}  of IPv4, {len(table.v6):,} of IPv6")
    print(f"systems {len(table.names):>9,}")
    for kind, bit in CLASSES.items():
        members = [asn for asn, bits in table.classes.items() if bits & bit]
        space = sum(sizes[asn] for asn in members)
        print(f"{kind:<7} {len(members):>9,}  systems with {space:,} addresses of IPv4")
        for asn in sorted(members, key=lambda asn: (-sizes[asn], asn))[:8]:
            print(f"        {sizes[asn]:>11,}  AS{asn} {table.names[asn]}")


def main() -> None:
    """Build the table and write it beside the code that reads it."""
    options = argparse.ArgumentParser(description="Rebuild the packed table of networks.")
    options.add_argument("--packages", type=Path, help="a folder with the downloaded packages")
    options.add_argument("--out", type=Path, default=OUT, help="the folder to write to")
    chosen = options.parse_args()

    rules = read_rules(RULES_FILE.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        table, packages = build(chosen.packages or Path(scratch), rules)
    for package in packages:
        print(f"read    {package.rows:>9,}  rows of {package.package} {package.version}")
    report(table)

    packed = pack(table)
    description = describe(packed, table, packages)
    prove(packed, description, table)
    chosen.out.mkdir(parents=True, exist_ok=True)
    for name, content in ((DATA_FILE, packed), (SOURCE_FILE, description)):
        (chosen.out / name).write_bytes(content)
        print(f"wrote   {len(content):>9,}  bytes to {name}")


if __name__ == "__main__":
    main()
