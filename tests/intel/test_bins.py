"""The BIN table: what it answers, what it refuses to load, and how it is packed."""

import hashlib
import json
import lzma

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scripts.build_bins import Row, compress, describe, gather, pack, prove

from gatehouse.intel.bins import MAGIC, BinFacts, BinTable, load_bins, read_bins
from gatehouse.intel.packed import PackedDataError

DAY = "2026-01-02"
GOLD = BinFacts(brand="visa", country="FR", funding="CREDIT", prepaid=False)
GIFT = BinFacts(brand=None, country="XK", funding="DEBIT", prepaid=True)
BARE = BinFacts(brand="amex", country=None, funding=None, prepaid=None)
SMALL = {"000000": GOLD, "424242": GIFT, "424243": GOLD, "999999": BARE}

facts = st.builds(
    BinFacts,
    brand=st.sampled_from([None, "visa", "private-label"]),
    country=st.sampled_from([None, "FR", "XK"]),
    funding=st.sampled_from([None, "CREDIT", "DEBIT", "CHARGE"]),
    prepaid=st.sampled_from([None, True, False]),
)
six_digits = st.integers(0, 999_999).map("{:06d}".format)


def row(
    digits: str = "424242",
    brand: str = "VISA",
    kind: str = "DEBIT",
    category: str = "CLASSIC",
    country: str = "FR",
) -> Row:
    return Row(bin=digits, brand=brand, type=kind, category=category, country_code=country)


def only(given_row: Row) -> BinFacts:
    [found] = gather([given_row]).table.values()
    return found


def repacked(payload: bytes) -> tuple[bytes, bytes]:
    packed = compress(payload)
    return packed, describe(packed, 4, DAY)


@pytest.fixture(scope="module")
def table() -> BinTable:
    return load_bins()


@pytest.fixture(scope="module")
def payload() -> bytes:
    return lzma.decompress(pack(SMALL))


def test_a_bin_from_the_table_gives_its_country(table: BinTable) -> None:
    found = table.facts("353011")
    assert found is not None
    assert found.country == "JP"


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("424242", BinFacts("visa", "GB", "CREDIT", False)),
        ("411111", BinFacts("visa", "PL", "DEBIT", False)),
        ("555555", BinFacts("mastercard", "BR", "DEBIT", True)),
        ("222300", BinFacts("mastercard", "JP", "DEBIT", None)),
        ("378282", BinFacts("amex", "US", "CREDIT", False)),
        ("601111", BinFacts("discover", "US", "CREDIT", False)),
        ("365200", BinFacts("diners", "PH", "CREDIT", False)),
        ("353011", BinFacts("jcb", "JP", "CREDIT", False)),
        ("004078", BinFacts("private-label", "US", "DEBIT", True)),
    ],
)
def test_well_known_bins_give_the_facts_of_the_source(
    table: BinTable, digits: str, expected: BinFacts
) -> None:
    assert table.facts(digits) == expected


def test_a_whole_card_number_is_looked_up_by_its_first_six_digits(table: BinTable) -> None:
    assert table.facts("4242424242424242") == table.facts("424242")


def test_an_unknown_bin_gives_nothing(table: BinTable) -> None:
    assert table.facts("620000") is None


@pytest.mark.parametrize("text", ["", "42424", "4242*2", "+42424", " 42424", "4_2424", "٤٢٤٢٤٢"])
def test_anything_but_six_plain_digits_gives_nothing(table: BinTable, text: str) -> None:
    assert table.facts(text) is None


@given(digits=st.text(alphabet=st.characters(categories=["Nd"])) | six_digits)
@example(digits="000000")
@example(digits="999999")
def test_any_digit_string_never_raises(table: BinTable, digits: str) -> None:
    found = table.facts(digits)
    assert found is None or isinstance(found, BinFacts)


@given(text=st.text())
def test_any_text_never_raises(table: BinTable, text: str) -> None:
    table.facts(text)


def test_the_table_knows_its_size_and_where_it_came_from(table: BinTable) -> None:
    assert table.source.rows == 327_012
    assert table.source.rows == sum(table.facts(f"{n:06d}") is not None for n in range(1_000_000))
    assert table.source.licence == "CC-BY-4.0"
    assert table.source.package == "bindb"


def test_a_packed_table_reads_back_as_it_was() -> None:
    packed = pack(SMALL)
    read = read_bins(packed, describe(packed, len(SMALL), DAY))
    assert {digits: read.facts(digits) for digits in SMALL} == SMALL
    assert read.facts("424244") is None
    assert read.source.rows == 4
    assert read.source.date == DAY


def test_packing_does_not_depend_on_the_order_of_rows() -> None:
    assert pack(SMALL) == pack(dict(reversed(SMALL.items())))


@settings(deadline=None, max_examples=20)
@given(rows=st.dictionaries(six_digits, facts, min_size=1, max_size=5), other=six_digits)
def test_packing_loses_nothing_and_invents_nothing(rows: dict[str, BinFacts], other: str) -> None:
    packed = pack(rows)
    read = read_bins(packed, describe(packed, len(rows), DAY))
    assert all(read.facts(digits) == rows.get(digits) for digits in [*rows, other])


def test_a_table_that_differs_from_its_rows_is_not_proven() -> None:
    packed = pack(SMALL)
    with pytest.raises(RuntimeError, match="wrong about 424242"):
        prove(packed, describe(packed, 4, DAY), SMALL | {"424242": GOLD})


@pytest.mark.parametrize("kept", [0, 1, 100, -1])
def test_a_truncated_data_file_is_refused(kept: int) -> None:
    packed = pack(SMALL)
    with pytest.raises(PackedDataError, match="not the file"):
        read_bins(packed[:kept], describe(packed, 4, DAY))


def test_a_truncated_data_file_with_a_fitting_digest_is_refused() -> None:
    cut = pack(SMALL)[:-20]
    with pytest.raises(PackedDataError, match="cannot be unpacked"):
        read_bins(cut, describe(cut, 4, DAY))


def test_an_index_that_is_too_short_or_too_long_is_refused(payload: bytes) -> None:
    for wrong in (payload[:-2], payload + b"\0\0", payload[:10]):
        with pytest.raises(PackedDataError, match="wrong length"):
            read_bins(*repacked(wrong))


def test_data_of_another_format_is_refused(payload: bytes) -> None:
    with pytest.raises(PackedDataError, match="does not open with"):
        read_bins(*repacked(b"GHBINS9\n" + payload[len(MAGIC) :]))


@pytest.mark.parametrize(
    ("good", "bad"), [(b'"FR"', b'"fr"'), (b'"CREDIT"', b'"CREDIX"'), (b"[[", b"{{")]
)
def test_malformed_facts_are_refused(payload: bytes, good: bytes, bad: bytes) -> None:
    with pytest.raises(PackedDataError, match="malformed facts"):
        read_bins(*repacked(payload.replace(good, bad, 1)))


@pytest.mark.parametrize(
    "change", [{"rows": "many"}, {"rows": 0}, {"date": "yesterday"}, {"colour": "red"}]
)
def test_a_malformed_description_is_refused(change: dict[str, object]) -> None:
    packed = pack(SMALL)
    description = json.loads(describe(packed, 4, DAY)) | change
    with pytest.raises(PackedDataError, match="malformed"):
        read_bins(packed, json.dumps(description).encode())


def test_the_description_carries_the_digest_of_the_data() -> None:
    packed = pack(SMALL)
    assert json.loads(describe(packed, 4, DAY))["sha256"] == hashlib.sha256(packed).hexdigest()


def test_bad_rows_are_refused_with_their_reason() -> None:
    found = gather(
        [
            row("BIN", "Brand", "Type", "Category", "isoCode2"),
            row("42424"),
            row("٤٢٤٢٤٢"),
            row("424242"),
            row("424242", country="DE"),
            row("424243", "LOCAL BRAND", "", "", "??"),
        ]
    )
    assert found.table == {"424242": BinFacts("visa", "FR", "DEBIT", False)}
    assert found.refused == {
        "the BIN is not six digits": 3,
        "the BIN came before": 1,
        "nothing in the row is understood": 1,
    }


def test_values_that_are_not_understood_leave_the_fact_empty_and_are_counted() -> None:
    found = gather([row("424242", brand="NEWDAY", kind="LOAN"), row("424243", country="ZZ")])
    assert found.table["424242"] == BinFacts(None, "FR", None, False)
    assert found.table["424243"] == BinFacts("visa", None, "DEBIT", False)
    assert found.unread == {"brand 'NEWDAY'": 1, "type 'LOAN'": 1, "country 'ZZ'": 1}


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("AMERICAN EXPRESS", "amex"),
        ("NSPK MIR", "mir"),
        ("JCB/RUPAY", "jcb"),
        ("UK FUEL CARD", "fuel"),
        ("LOCAL BRAND", None),
        ("", None),
    ],
)
def test_brand_names_become_slugs(name: str, slug: str | None) -> None:
    assert only(row(brand=name)).brand == slug


@pytest.mark.parametrize(
    ("kind", "category", "funding"),
    [
        ("CREDIT", "GOLD", "CREDIT"),
        ("CHARGE CARD", "", "CHARGE"),
        ("CREDIT", "PERSONAL GOLD CHARGE", "CHARGE"),
        ("DEBIT", "PERSONAL GREEN CHARGE", "DEBIT"),
        ("", "", None),
    ],
)
def test_funding_follows_the_type_unless_the_category_is_of_charge_cards(
    kind: str, category: str, funding: str | None
) -> None:
    assert only(row(kind=kind, category=category)).funding == funding


@pytest.mark.parametrize(
    ("kind", "category", "prepaid"),
    [
        ("DEBIT", "PREPAID RELOADABLE", True),
        ("DEBIT", "PERSONAL GREEN PREPAID", True),
        ("DEBIT", "GIFT VOUCHER", True),
        ("DEBIT", "TRAVEL MONEY", True),
        ("DEBIT", "CLASSIC", False),
        ("CREDIT", "", False),
        ("DEBIT", "", None),
        ("CREDIT", "ALIMENTACAO", None),
        ("", "", None),
    ],
)
def test_prepaid_is_said_only_where_the_source_settles_it(
    kind: str, category: str, prepaid: bool | None
) -> None:
    assert only(row(kind=kind, category=category)).prepaid is prepaid
