"""Accept-Language headers: how they are read, and how well languages fit a country."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gatehouse.intel.languages import MAX_CHARACTERS, MAX_TAGS, Languages, fit, read_languages


def share(header: str, country: str) -> float | None:
    return fit(read_languages(header), country)


@pytest.mark.parametrize(
    ("header", "tags"),
    [
        ("de", (("de", None, 1.0),)),
        (
            "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7",
            (("de", "DE", 1.0), ("de", None, 0.9), ("en", "US", 0.8), ("en", None, 0.7)),
        ),
        ("en;q=0.5, fr", (("fr", None, 1.0), ("en", None, 0.5))),
        ("zh-Hant-TW", (("zh", "TW", 1.0),)),
        ("en_US", (("en", "US", 1.0),)),
        ("zh_CN_#Hans", (("zh", "CN", 1.0),)),
        ("PT-br", (("pt", "BR", 1.0),)),
        ("es-419", (("es", "419", 1.0),)),
        ("en-UK", (("en", "GB", 1.0),)),
        ("de-1996", (("de", None, 1.0),)),
        ("en-u-ca-gregory", (("en", None, 1.0),)),
        ("ja ; q = 0.3", (("ja", None, 0.3),)),
        ("en;Q=.5", (("en", None, 0.5),)),
        ("de,*;q=0.1", (("de", None, 1.0),)),
        ("de,,\t,fr", (("de", None, 1.0), ("fr", None, 1.0))),
        ("de;q=7", (("de", None, 1.0),)),
        ("de;q=0,fr;q=-1,it", (("it", None, 1.0),)),
    ],
)
def test_a_header_is_read_heaviest_first(
    header: str, tags: tuple[tuple[str, str | None, float], ...]
) -> None:
    assert read_languages(header) == Languages(tags, True)


@pytest.mark.parametrize(
    "header",
    ["", "*", "*;q=0.5", "c", "english", "de;q=0", "<script>", "1", "de;q=much", "de;q=nan",
     "de;q=1e9", "de DE", "en_US.UTF-8", "-de", "de--DE", "de\x00", "\ud800", "дe", "de;level=1"],
)  # fmt: skip
def test_a_header_without_a_language_is_invalid(header: str) -> None:
    assert read_languages(header) == Languages((), False)


def test_rubbish_beside_a_language_makes_the_header_invalid_and_keeps_the_language() -> None:
    assert read_languages("de-DE, ${jndi}") == Languages((("de", "DE", 1.0),), False)


def test_no_more_than_twenty_languages_are_read() -> None:
    header = ",".join(["de"] * 19 + ["fr", "it", "garbage!"])
    found = read_languages(header)
    assert len(found.tags) == MAX_TAGS
    assert found.is_valid
    assert found.tags[-1][0] == "fr"


def test_a_tag_that_the_limit_cuts_through_is_not_read() -> None:
    start = "de-DE," + "it," * 5
    found = read_languages(start + " " * (MAX_CHARACTERS - len(start) - 3) + ",francophone")
    assert [language for language, _, _ in found.tags] == ["de"] + ["it"] * 5
    assert found.is_valid


@pytest.mark.parametrize(
    ("header", "country"),
    [
        ("de-DE,de;q=0.9", "DE"),
        ("en-US,en;q=0.9", "US"),
        ("en-GB", "UK"),
        ("ru-RU,ru;q=0.9,uk-UA;q=0.8", "UA"),
        ("fr-CA", "ca"),
    ],
)
def test_a_country_s_own_variety_of_a_language_fits_entirely(header: str, country: str) -> None:
    assert share(header, country) == 1.0


@pytest.mark.parametrize(
    ("header", "country", "low", "high"),
    [
        ("ja", "JP", 0.9, 1.0),
        ("pt-BR", "PT", 0.9, 1.0),
        ("es-419,es;q=0.9", "MX", 0.8, 1.0),
        ("fr-FR", "BE", 0.3, 0.5),
        ("ru-RU,ru;q=0.9", "UA", 0.3, 0.6),
        ("vi-VN,vi;q=0.9", "DE", 0.0, 0.01),
        ("ja-JP", "BR", 0.0, 0.01),
        ("th", "FR", 0.0, 0.0),
    ],
)
def test_otherwise_the_share_of_speakers_decides(
    header: str, country: str, low: float, high: float
) -> None:
    found = share(header, country)
    assert found is not None
    assert low <= found <= high


def test_a_language_counts_by_its_weight() -> None:
    full = share("nl", "NL")
    half = share("th,nl;q=0.5", "NL")
    assert full is not None
    assert half == pytest.approx(full / 2)


@pytest.mark.parametrize(
    ("alike", "country"),
    [
        (["no", "nb", "nn", "nb-SJ"], "NO"),
        (["he", "iw"], "IL"),
        (["id", "in"], "ID"),
        (["zh", "cmn", "yue", "zh-Hant"], "CN"),
        (["zh-CN", "yue", "zh-Hant-MO"], "HK"),
        (["fil", "tl", "tgl"], "PH"),
        (["sr", "hr", "bs", "sh", "cnr", "sr-Latn"], "RS"),
        (["hr-HR", "bs", "sr-Latn-RS"], "ME"),
        (["ro", "mo", "ron"], "MD"),
    ],
)
def test_codes_of_one_language_are_alike(alike: list[str], country: str) -> None:
    shares = {share(header, country) for header in alike}
    assert len(shares) == 1
    assert min(one for one in shares if one is not None) > 0.5


@pytest.mark.parametrize("country", ["DE", "GB", "US", "JP"])
def test_english_alone_says_nothing(country: str) -> None:
    assert share("en", country) is None
    assert share("en-AU,en;q=0.9", country) is None
    assert share("eng", country) is None


@pytest.mark.parametrize(
    ("header", "country"),
    [
        ("ja-JP,ja;q=0.9,en-US;q=0.8,en;q=0.7", "US"),
        ("th-TH,th;q=0.9,en;q=0.8", "IE"),
        ("th,en-GB;q=0.9", "GB"),
    ],
)
def test_english_behind_another_language_says_nothing(header: str, country: str) -> None:
    own = share(header.partition(",")[0], country)
    assert own is not None
    assert share(header, country) == own < 0.05


@pytest.mark.parametrize("header", ["en-GB,en-US;q=0.9,en;q=0.8", "en,en-US;q=0.5"])
def test_only_the_first_english_can_be_a_country_s_own(header: str) -> None:
    assert share(header, "US") is None


def test_english_counts_when_it_leads() -> None:
    leads = share("en,pl;q=0.8", "IE")
    assert leads is not None
    assert leads > 0.9
    assert share("en-US,pl;q=0.8", "US") == 1.0
    assert share("pl,de-DE;q=0.5", "DE") == 1.0


@pytest.mark.parametrize(
    ("header", "country"),
    [
        ("", "DE"),
        ("*", "DE"),
        ("!", "DE"),
        ("de", "ZZ"),
        ("de", ""),
        ("tlh", "DE"),
        ("eo", "DE"),
        ("ia,en", "US"),
    ],
)
def test_nothing_is_said_without_a_language_or_a_country(header: str, country: str) -> None:
    assert share(header, country) is None


@pytest.mark.parametrize("part", [",", "de,", "a-", "aa-a1", ";q=", " ", "de;q=1", "\ud800", "*,"])
def test_long_headers_are_read_within_limits(part: str) -> None:
    assert len(read_languages(part * 30_000).tags) <= MAX_TAGS


@given(header=st.text(max_size=80) | st.text(st.sampled_from("adeEnN-_,;=q.019 *#\t"), max_size=80))
@example(header="de;q=0.")
@example(header="de;q=999.999999999")
def test_any_header_is_read(header: str) -> None:
    found = read_languages(header)
    weights = [weight for _, _, weight in found.tags]
    assert weights == sorted(weights, reverse=True)
    assert all(0 < weight <= 1 for weight in weights)
    assert found.tags or not found.is_valid
    for country in ("DE", "US", "", "\ud800"):
        degree = fit(found, country)
        assert degree is None or 0 <= degree <= 1
