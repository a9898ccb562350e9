"""User agents: who sent them, on what, how old they are, and which cannot exist."""

import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scripts import eval_agents

from gatehouse.intel.agents import agents
from gatehouse.intel.agents.agents import MAX_PLAUSIBLE, MAX_READ, REMEMBERED, Agent, read_agent
from gatehouse.intel.agents.browsers import load_releases
from gatehouse.intel.agents.programs import MAX_NAME

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
LINUX = "Mozilla/5.0 (X11; Linux x86_64)"
ANDROID = "Mozilla/5.0 (Linux; Android 10; K)"
WEB_VIEW = "Mozilla/5.0 (Linux; Android 16; SM-A155F Build/BP4A.251205.006; wv)"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X)"
IPAD = "Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X)"

Expected = tuple[str, str | None, int | None, str | None, str | None]


def chrome(start: str, version: str = "150.0.0.0", mobile: bool = False, more: str = "") -> str:
    return f"{start} {WEBKIT} Chrome/{version}{' Mobile' * mobile} Safari/537.36{more}"


def firefox(start: str, version: int) -> str:
    return f"{start.removesuffix(')')}; rv:{version}.0) Gecko/20100101 Firefox/{version}.0"


BROWSERS: dict[str, Expected] = {
    chrome(WINDOWS): ("browser", "Chrome", 150, "Windows", "desktop"),
    chrome(MAC): ("browser", "Chrome", 150, "Mac OS X", "desktop"),
    chrome(LINUX): ("browser", "Chrome", 150, "Linux", "desktop"),
    chrome("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0)"): (
        *("browser", "Chrome", 150, "Chrome OS", "desktop"),
    ),
    chrome(ANDROID, mobile=True): ("browser", "Chrome Mobile", 150, "Android", "mobile"),
    chrome(ANDROID): ("browser", "Chrome", 150, "Android", "tablet"),
    chrome(WINDOWS, more=" Edg/150.0.0.0"): ("browser", "Edge", 150, "Windows", "desktop"),
    chrome(ANDROID, mobile=True, more=" EdgA/150.0.0.0"): (
        *("browser", "Edge Mobile", 150, "Android", "mobile"),
    ),
    chrome(WINDOWS, more=" OPR/134.0.0.0"): ("browser", "Opera", 134, "Windows", "desktop"),
    chrome(WINDOWS, more=" Vivaldi/7.1"): ("browser", "Vivaldi", 7, "Windows", "desktop"),
    f"{ANDROID} {WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36": (
        *("browser", "Samsung Internet", 28, "Android", "mobile"),
    ),
    firefox(WINDOWS, 150): ("browser", "Firefox", 150, "Windows", "desktop"),
    firefox("Mozilla/5.0 (X11; Ubuntu; Linux x86_64)", 140): (
        *("browser", "Firefox", 140, "Linux", "desktop"),
    ),
    "Mozilla/5.0 (Android 17; Mobile; rv:156.0) Gecko/156.0 Firefox/156.0": (
        *("browser", "Firefox Mobile", 156, "Android", "mobile"),
    ),
    "Mozilla/5.0 (Android 13; Tablet; rv:150.0) Gecko/150.0 Firefox/150.0": (
        *("browser", "Firefox Mobile", 150, "Android", "tablet"),
    ),
    f"{MAC} {APPLE} Version/26.5 Safari/605.1.15": (
        *("browser", "Safari", 26, "Mac OS X", "desktop"),
    ),
    f"{IPHONE} {APPLE} Version/26.6.1 Mobile/15E148 Safari/604.1": (
        *("browser", "Mobile Safari", 26, "iOS", "mobile"),
    ),
    f"{IPAD} {APPLE} Version/18.6 Mobile/15E148 Safari/604.1": (
        *("browser", "Mobile Safari", 18, "iOS", "tablet"),
    ),
    f"{IPHONE} {APPLE} CriOS/151.0.7900.10 Mobile/15E148 Safari/604.1": (
        *("browser", "Chrome Mobile iOS", 151, "iOS", "mobile"),
    ),
    f"{IPHONE} {APPLE} FxiOS/140.0 Mobile/15E148 Safari/605.1.15": (
        *("browser", "Firefox iOS", 140, "iOS", "mobile"),
    ),
    chrome("Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 20)", mobile=True): (
        *("browser", "Chrome Mobile", 150, "Android", "mobile"),
    ),
    chrome("Mozilla/5.0 (Linux; Android 6.0; POWER BOT Build/MRA58K)", mobile=True): (
        *("browser", "Chrome Mobile", 150, "Android", "mobile"),
    ),
    chrome("Mozilla/5.0 (Linux; Android 11; moto g (2022) Scanner)", mobile=True): (
        *("browser", "Chrome Mobile", 150, "Android", "mobile"),
    ),
    chrome("Mozilla/5.0 (Linux; Android 7.0; KLIPAD_V355)", mobile=True): (
        *("browser", "Chrome Mobile", 150, "Android", "mobile"),
    ),
    "Mozilla/5.0 (Windows NT 6.1; Trident/7.0; Tablet PC 2.0; rv:11.0) like Gecko": (
        *("browser", "IE", 11, "Windows", "desktop"),
    ),
    "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; chromeframe/12.0.742.112)": (
        *("browser", "Chrome Frame", 12, "Windows", "desktop"),
    ),
    "Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.18": (
        *("browser", "Opera", 12, "Windows", "desktop"),
    ),
    "Mozilla/5.0 (Mobile; Windows Phone 8.1; Android 4.0; ARM; Trident/7.0; Touch; rv:11.0; "
    "IEMobile/11.0; NOKIA; Lumia 520) like iPhone OS 7_0_3 Mac OS X AppleWebKit/537 (KHTML, like "
    "Gecko) Mobile Safari/537": ("browser", "IE Mobile", 11, "Windows Phone", "mobile"),
    chrome("Mozilla/5.0 (Web0S; Linux/SmartTV)"): ("browser", "Chrome", 150, "webOS", None),
}

WEB_VIEWS: dict[str, Expected] = {
    f"{WEB_VIEW} {WEBKIT} Version/4.0 Chrome/150.0.7871.36 Mobile Safari/537.36 CamScanner/4.5.0": (
        *("webview", "Chrome Mobile WebView", 150, "Android", "mobile"),
    ),
    f"{WEB_VIEW} {WEBKIT} Version/4.0 Chrome/150.0.7871.36 Mobile Safari/537.36": (
        *("webview", "Chrome Mobile WebView", 150, "Android", "mobile"),
    ),
    f"{WEB_VIEW} {WEBKIT} Version/4.0 Chrome/150.0.7871.36 Mobile Safari/537.36 "
    "[FB_IAB/FB4A;FBAV/520.0.0.40;FBCR/vodafone.de;]": (
        *("webview", "Facebook", 520, "Android", "mobile"),
    ),
    f"{WEB_VIEW} {WEBKIT} Version/4.0 Chrome/150.0.7871.36 Mobile Safari/537.36 Instagram "
    "406.0.0.58 Android (35/15; 480dpi; 1080x2132; HTC; htc_bot; en_US)": (
        *("webview", "Instagram", 406, "Android", "mobile"),
    ),
    f"{IPHONE} {APPLE} Mobile/22H20 [FBAN/FBIOS;FBAV/530.0.0.30;FBDV/iPhone14,5;FBSN/iOS]": (
        *("webview", "Facebook", 530, "iOS", "mobile"),
    ),
    f"{IPHONE} {APPLE} Mobile/15E148": (
        *("webview", "Mobile Safari UI/WKWebView", None, "iOS", "mobile"),
    ),
    f"{IPHONE} {APPLE} GSA/440.2.984637025 Mobile/15E148 Safari/604.1": (
        *("webview", "Google", 440, "iOS", "mobile"),
    ),
    f"{WINDOWS} {WEBKIT} Shop/1.2.3 Chrome/142.0.7444.265 Electron/39.8.5 Safari/537.36": (
        *("webview", "Electron", 39, "Windows", "desktop"),
    ),
}

PROGRAMS: dict[str, tuple[str, str | None]] = {
    f"{LINUX} {WEBKIT} HeadlessChrome/150.0.0.0 Safari/537.36": ("headless", "HeadlessChrome"),
    f"{LINUX} AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1": (
        *("headless", "PhantomJS"),
    ),
    chrome(WINDOWS, more=" Selenium/4.1"): ("headless", "Selenium"),
    f"{LINUX} {WEBKIT} Cypress/13.6.0 Chrome/150.0.0.0 Electron/25.8.4 Safari/537.36": (
        *("headless", "Cypress"),
    ),
    "Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0": (
        *("headless", "jsdom"),
    ),
    "python-requests/2.32.3": ("library", "python-requests"),
    "Python-urllib/3.11": ("library", "Python-urllib"),
    "Python/3.11 aiohttp/3.9.5": ("library", "Python"),
    "python-httpx/0.27.0": ("library", "python-httpx"),
    "curl/8.5.0": ("library", "curl"),
    "Wget/1.21.4": ("library", "Wget"),
    "Go-http-client/2.0": ("library", "Go-http-client"),
    "okhttp/4.12.0": ("app", "okhttp"),
    "axios/1.7.2": ("library", "axios"),
    "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)": ("library", "node-fetch"),
    "undici": ("library", "undici"),
    "Java/17.0.9": ("library", "Java"),
    "Apache-HttpClient/4.5.14 (Java/17.0.9)": ("library", "Apache-HttpClient"),
    "libwww-perl/6.72": ("library", "libwww-perl"),
    "GuzzleHttp/7": ("library", "GuzzleHttp"),
    "Ruby": ("library", "Ruby"),
    "HTTPie/3.2.2": ("library", "HTTPie"),
    "Dart/3.3 (dart:io)": ("app", "Dart"),
    "Shop/774 CFNetwork/1494.0.5 Darwin/23.4.0": ("app", "CFNetwork"),
    "PostmanRuntime/7.37.3": ("library", "PostmanRuntime"),
    "RestSharp/110.2.0.0": ("library", "RestSharp"),
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": (
        *("bot", "Googlebot"),
    ),
    chrome(ANDROID, mobile=True, more=" (compatible; bingbot/2.0)"): ("bot", "bingbot"),
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2)": ("bot", "GPTBot"),
    "Mozilla/5.0 (compatible; ClaudeBot/1.0)": ("bot", "ClaudeBot"),
    "facebookexternalhit/1.1": ("bot", "facebookexternalhit"),
    "Baiduspider+(+http://www.baidu.com/search/spider.htm)": ("bot", "Baiduspider"),
    "Scrapy/2.11.2": ("bot", "Scrapy"),
    "Mozilla/5.0 (compatible; Yahoo! Slurp)": ("bot", "Slurp"),
    chrome(WINDOWS, more=" Chrome-Lighthouse"): ("bot", "Chrome-Lighthouse"),
    "Mozilla/5.0 (compatible; Quietly)": ("bot", None),
    f"{WEB_VIEW} {WEBKIT} Chrome/60.0.3112.107 Mobile Safari/537.36 https://example.com/bot": (
        *("bot", None),
    ),
    chrome(LINUX, more=" (+https://example.com/about)"): ("bot", None),
    "Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3; Storebot-Google/1.0) Chrome/81.0": (
        *("bot", "Storebot-Google"),
    ),
}

TELEVISIONS = [
    f"Mozilla/5.0 (SMART-TV; LINUX; Tizen 8.0) {WEBKIT} Version/8.0 TV Safari/537.36",
    "Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) "
    "SamsungBrowser/5.0 Chrome/94.0.4606.31 TV Safari/537.36",
    chrome("Mozilla/5.0 (Web0S; Linux/SmartTV)", "94.0.4606.128"),
    chrome("Mozilla/5.0 (Linux; Andr0id 9; BRAVIA 4K)", "93.0.4577.82", more=" OPR/46.0 OMI/4.21"),
    chrome("Mozilla/5.0 (Linux; Android 9; BRAVIA 4K UR2)", "138.0.0.0"),
    chrome("Mozilla/5.0 (Linux; Android 9; AFTKA)", "138.0.0.0"),
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) AppleWebKit/537.36 (KHTML, like "
    "Gecko) Chrome/140.0.0.0 Safari/537.36 Edge/44.18363.8131",
    f"Mozilla/5.0 (PlayStation; PlayStation 5/9.00) {APPLE} Version/16.0 Safari/605.1.15",
]

APPLICATIONS = [
    *("Booking.com/25.1", "Amazon.com/26.1", "otto.de/10", "bild.de/9", "GMX.de", "WEB.DE Mail"),
    *("Fetch/3.40", "QRScanner/3", "Feedly/90", "WhatsApp/25.12.73 i"),
    *("IKEA App/4.9 https://www.ikea.com", "KAKAOTALK/25.5.0 (INAPP)"),
]

MALFORMED = [
    "",
    " ",
    "-",
    "Mozilla/5.0",
    "null",
    "firefox",
    "Hello World",
    "Mozilla/5.0 Chrome/150.0.0.0",
    f'"{chrome(WINDOWS)}"',
    f"User-Agent: {chrome(WINDOWS)}",
    chrome(WINDOWS).replace(" ", "%20"),
    chrome(WINDOWS) + "\x00",
    "curl/8.5.0\r\nX-Injected: yes",
    chrome(WINDOWS) + "\ud800",
    "' OR 1=1 --",
    chrome(WINDOWS) + " " + "x" * MAX_PLAUSIBLE,
]

IMPOSSIBLE = {
    chrome("Mozilla/5.0 (Windows NT 10.0; iPhone; CPU iPhone OS 18_7 like Mac OS X)"): "on Windows",
    f"{IPHONE[:-1]}; Windows NT 10.0) {APPLE} Version/18.0 Safari/604.1": "on Windows",
    chrome("Mozilla/5.0 (Windows NT 10.0; Android 13; Pixel 7)"): "Android on Windows",
    chrome("Mozilla/5.0 (Windows NT 10.0; Macintosh)"): "Macintosh on Windows",
    f"Mozilla/5.0 (iPhone; Android 13) {APPLE} Version/18.0 Mobile/15E148 Safari/604.1": "Android",
    chrome("Mozilla/5.0 (Windows NT 11.0; Win64; x64)"): "a Windows that does not exist",
    f"{WINDOWS} {APPLE} Version/18.0 Safari/605.1.15": "Safari on Windows",
    f"Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) {WEBKIT} Chrome/100.0.0.0": "Explorer",
    chrome(WINDOWS, more=" Firefox/120.0"): "Firefox and Chrome",
    f"{IPHONE} {WEBKIT} Chrome/60.0.3112.10 Mobile Safari/537.36": "on iPhone or iPad",
    chrome(WINDOWS, more=" Edg/120.0.0.0"): "different versions",
    chrome(ANDROID, "60.0.8592.1626", mobile=True): "another version",
    chrome(ANDROID, "154.0.3112.90", mobile=True): "another version",
    chrome(ANDROID, "154.0.9990.90", mobile=True): "another version",
    chrome(WINDOWS, "999.0.0.0"): "future",
    chrome(WINDOWS, "99999999999.0.0.0"): "future",
    firefox(WINDOWS, 9999): "future",
    f"{WEB_VIEW} {WEBKIT} Version/4.0 Chrome/900.0.0.0 Mobile Safari/537.36": "future",
    f"{IPHONE} {APPLE} Version/22.0 Mobile/15E148 Safari/604.1": "never released",
    f"{IPHONE} {APPLE} Version/60.0 Mobile/15E148 Safari/604.1": "future",
}


def day(text: str) -> int:
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


@pytest.mark.parametrize(("agent", "expected"), (BROWSERS | WEB_VIEWS).items())
def test_what_people_use_is_read_and_not_doubted(agent: str, expected: Expected) -> None:
    found = read_agent(agent)
    assert (found.kind, found.family, found.major, found.system, found.form) == expected
    assert found.impossible is None


@pytest.mark.parametrize(("agent", "expected"), PROGRAMS.items())
def test_programs_are_told_by_kind_and_name(agent: str, expected: tuple[str, str | None]) -> None:
    found = read_agent(agent)
    assert (found.kind, found.family) == expected


@pytest.mark.parametrize("name", APPLICATIONS)
def test_what_an_application_is_called_makes_no_program_of_it(name: str) -> None:
    assert read_agent(f"{IPHONE} {APPLE} Mobile/15E148 {name}").kind == "webview"
    assert read_agent(f"{IPAD} {APPLE} Mobile/15E148 {name}").kind == "webview"


@pytest.mark.parametrize("names", ["Booking.com/1", "MyShop/1.0 Check/3", "my-shop.de/1.0b"])
def test_an_application_on_android_may_have_several_names(names: str) -> None:
    agent = f"{WEB_VIEW} {WEBKIT} Version/4.0 Chrome/150.0.7871.36 Mobile Safari/537.36 {names}"
    assert read_agent(agent).kind == "webview"


@pytest.mark.parametrize(
    "name",
    [
        *("Googlebot/2.1", "(compatible; Quietly)", "Examplecrawler/1", "Bytespider"),
        *("Check/1 (+https://example.com)", "Safari/604.1 QRScanner/3"),
    ],
)
def test_a_program_that_imitates_an_iphone_is_still_one(name: str) -> None:
    assert read_agent(f"{IPHONE} {APPLE} Mobile/15E148 {name}").kind == "bot"


@pytest.mark.parametrize("agent", TELEVISIONS)
def test_a_television_or_console_has_no_form(agent: str) -> None:
    assert read_agent(agent).form is None


def test_a_telephone_by_xiaomi_is_no_television() -> None:
    agent = chrome(ANDROID, mobile=True, more=" XiaoMi/MiuiBrowser/14.22.0-gn")
    assert read_agent(agent).form == "mobile"


@pytest.mark.parametrize("agent", MALFORMED)
def test_what_nobody_would_send_is_malformed(agent: str) -> None:
    assert read_agent(agent) == Agent("malformed")


@pytest.mark.parametrize(("agent", "reason"), IMPOSSIBLE.items())
def test_contradictions_are_named(agent: str, reason: str) -> None:
    found = read_agent(agent)
    assert found.kind in {"browser", "webview"}
    assert found.impossible is not None
    assert reason in found.impossible


@pytest.mark.parametrize(
    ("agent", "system", "form"),
    [
        ("Shop/5.2 (iPhone; iOS 18.1; Scale/3.00)", "iOS", "mobile"),
        ("Shop 5.2 (iPad; iOS 18.1)", "iOS", "tablet"),
        ("shop-app/3.1 Mobile (Linux; U; Android 14; Pixel 8)", "Android", "mobile"),
        ("Shop/2 Dalvik/2.1.0 (Linux; U; Android 9; FIG-LX1) Mobile", "Android", "mobile"),
        ("com.acme.shop/412 (Android 14; Pixel 8)", "Android", None),
    ],
)
def test_an_application_of_a_shop_is_unknown_but_not_malformed(
    agent: str, system: str, form: str | None
) -> None:
    assert read_agent(agent) == Agent("unknown", None, None, system, form)


@pytest.mark.parametrize(
    ("agent", "successor_came"),
    [
        (chrome(WINDOWS, "145.0.0.0"), "2026-03-10"),
        (chrome(ANDROID, "145.0.0.0", mobile=True), "2026-03-10"),
        (f"{IPHONE} {APPLE} CriOS/145.0.7632.10 Mobile/15E148 Safari/604.1", "2026-03-10"),
        (chrome(WINDOWS, "81.0.4044.138"), "2020-05-19"),
        (chrome(WINDOWS, "144.0.0.0", more=" Edg/144.0.0.0"), "2026-02-12"),
        (firefox(WINDOWS, 141), "2025-08-19"),
        (firefox(WINDOWS, 140), "2026-09-15"),
        (firefox(WINDOWS, 128), "2025-09-16"),
        (firefox("Mozilla/5.0 (Windows NT 6.1; Win64; x64)", 115), "2026-09-15"),
        (f"{LINUX} {WEBKIT} SamsungBrowser/27.0 Chrome/125.0.0.0 Safari/537.36", "2025-05-01"),
        (f"{IPHONE} {APPLE} FxiOS/40.0 Mobile/15E148 Safari/605.1.15", "2022-05-31"),
        (f"{MAC} {APPLE} Version/17.6 Safari/605.1.15", "2024-09-16"),
        (f"{IPHONE} {APPLE} Version/18.5 Mobile/15E148 Safari/604.1", "2025-09-15"),
        (f"{ANDROID} {WEBKIT} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile", "2025-05-01"),
        (chrome(WINDOWS, more=" OPR/134.0.0.0"), "2026-08-20"),
        (
            f"{WEB_VIEW} {WEBKIT} Version/4.0 Chrome/145.0.7632.79 Mobile Safari/537.36",
            "2026-03-10",
        ),
        ("Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko", "2015-07-29"),
    ],
)
def test_age_is_told_by_the_day_the_next_version_came(agent: str, successor_came: str) -> None:
    assert read_agent(agent).superseded_on == day(successor_came)


@pytest.mark.parametrize(
    "agent",
    [
        chrome(WINDOWS, "157.0.0.0"),
        chrome(WINDOWS, "160.0.0.0"),
        chrome(WINDOWS, more=" Vivaldi/7.1"),
        firefox(LINUX, 153),
        "Mozilla/5.0 (Linux; Tizen 2.3; SAMSUNG SM-Z130H) AppleWebKit/537.3 (KHTML, like Gecko) "
        "SamsungBrowser/1.0 Mobile Safari/537.3",
        f"{LINUX} {APPLE} Version/16.0 Safari/605.1.15",
        *TELEVISIONS,
        f"{IPHONE} {APPLE} Version/27.0 Mobile/15E148 Safari/604.1",
        f"{IPHONE} {APPLE} Mobile/22H20 [FBAN/FBIOS;FBAV/530.0.0.30;FBSN/iOS]",
        f"{WINDOWS} {WEBKIT} Chrome/100.0.4896.10 Electron/18.0.0 Safari/537.36",
    ],
)
def test_the_newest_and_those_without_known_releases_are_of_no_age(agent: str) -> None:
    found = read_agent(agent)
    assert found.superseded_on is None
    assert found.impossible is None


def test_two_more_years_of_releases_are_not_from_the_future() -> None:
    assert read_agent(chrome(WINDOWS, "205.0.0.0")).impossible is None
    assert read_agent(chrome(WINDOWS, "215.0.0.0")).impossible == "from the future"


def test_a_frozen_version_of_the_system_does_not_count() -> None:
    old, new = (
        read_agent(f"Mozilla/5.0 (Linux; Android {version}; K) {WEBKIT} Chrome/150.0.0.0 Mobile")
        for version in (4, 17)
    )
    assert old == new


def test_letters_beyond_ascii_do_not_hide_what_is_there() -> None:
    found = read_agent(chrome("Mozilla/5.0 (Linux; Android 13; 红米 Note)", mobile=True))
    assert (found.kind, found.family) == ("browser", "Chrome Mobile")
    assert read_agent("Gooğle-bot/1.0 café").kind == "bot"


@given(st.text(alphabet=st.characters(), max_size=700))
@example("\ud800\udfff")
@example("Mozilla/5.0 (" * 200)
@example("(" * 1_000)
@example("İ" * 600)
def test_no_text_breaks_the_reader(text: str) -> None:
    found = read_agent(text)
    assert found.family is None or len(found.family) <= MAX_NAME


PIECES = [
    *("Mozilla/5.0 (", "Linux; Android", "iPhone", "Chrome/", "bot", "999999999", ")", " ", ";"),
    *("Windows NT ", "Version/", "Edg/", ".0.", "Safari/", "compatible;", "http://", "é", "cubot"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_no_heap_of_pieces_breaks_the_reader(pieces: list[str]) -> None:
    assert read_agent("".join(pieces)).kind


def test_nothing_is_read_beyond_the_limit() -> None:
    long = chrome(WINDOWS).ljust(MAX_READ, "x")
    assert read_agent(long + " Googlebot/2.1").kind == "malformed"
    assert read_agent(long[:-20] + " Googlebot/2.1").kind == "bot"
    assert read_agent(chrome(WINDOWS) + "x" * 65_536) == Agent("malformed")


def test_the_name_of_a_program_is_short() -> None:
    found = read_agent("a" * 400 + "bot/1.0")
    assert found.kind == "bot"
    assert found.family is not None
    assert len(found.family) <= MAX_NAME


def test_what_is_remembered_is_bounded() -> None:
    remembered = agents._remembered
    assert remembered.cache_info().maxsize == REMEMBERED
    remembered.cache_clear()
    read_agent("x" * (MAX_PLAUSIBLE + 1))
    assert remembered.cache_info().currsize == 0
    assert read_agent("curl/8") is read_agent("curl/8")
    assert remembered.cache_info().currsize == 1


def test_the_measurement_says_when_its_collections_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "none.tgz")
    monkeypatch.setattr(sys, "argv", ["eval", "--browsers", missing, "--crawlers", missing])
    assert eval_agents.main() == 2
    assert "none.tgz is missing" in capsys.readouterr().out


def test_the_measurement_fails_when_a_browser_passes_for_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    browsers, crawlers = tmp_path / "browsers.txt", tmp_path / "crawlers.json"
    crawlers.write_text('[{"instances": ["Googlebot/2.1", "curl/8.5.0"]}]')
    argv = ["eval", "--browsers", str(browsers), "--crawlers", str(crawlers)]
    monkeypatch.setattr(sys, "argv", argv)
    browsers.write_text(chrome(WINDOWS))
    assert eval_agents.main() == 0
    assert "crawlers known as programs: 1.0000" in capsys.readouterr().out
    browsers.write_text("Googlebot/2.1")
    assert eval_agents.main() == 1


def test_a_version_beyond_the_newest_known_has_a_day_before_which_it_cannot_be_out() -> None:
    def expected_on(major: int) -> int | None:
        return read_agent(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 "
            f"(KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36"
        ).expected_on

    newest = load_releases()["Chrome"]
    known = next(n for n in range(100, 1000) if newest.superseded_on(n) is None)
    assert expected_on(known) is None
    assert expected_on(known + 3) is None
    soon, later = expected_on(known + 4), expected_on(known + 20)
    assert soon is not None
    assert later is not None
    assert soon < later
