"""Where the made-up customers and attackers come from, with which browsers and which cards."""

from typing import Final

HOMES: Final = {
    "US": ("73.12", "73.162", "98.200", "24.5", "68.100", "71.178", "108.28"),
    "GB": ("86.150", "82.3", "81.140"),
    "DE": ("84.140", "91.10", "93.200"),
    "FR": ("90.10", "82.65"),
    "CA": ("99.230", "70.50"),
}
"""Networks of internet providers at home; addresses in them are made up."""
CARRIERS: Final = {
    "US": ("172.56.10", "172.56.38", "174.192.3", "107.77.200"),
    "GB": ("92.40.1",),
    "DE": ("109.41.1",),
    "FR": ("92.184.1",),
    "CA": ("70.50.201",),
}
"""Networks of phone carriers; those of Germany, France and Canada are not known to be shared."""
CARRIER_ADDRESSES: Final = 24
"""How many addresses of such a network are in use: few, so that they are shared."""
RELAY: Final = "104.28.40"
"""Of a privacy relay."""
COMPANY: Final = "51.38.20"
"""Of a data centre through which a company lets its people out."""
CAMPUS: Final = "73.40.7.9"
"""The address of a university."""
LANGUAGES: Final = {
    "US": ("en-US,en;q=0.9", "en-US,en;q=0.9", "en-US", "en-US,en;q=0.9,es;q=0.8"),
    "GB": ("en-GB,en;q=0.9", "en-GB,en-US;q=0.9,en;q=0.8"),
    "DE": ("de-DE,de;q=0.9,en;q=0.8", "de", "en-US,en;q=0.9,de;q=0.8"),
    "FR": ("fr-FR,fr;q=0.9,en;q=0.7", "fr-FR,fr;q=0.9"),
    "CA": ("en-CA,en;q=0.9", "en-US,en;q=0.9", "fr-CA,fr;q=0.9,en;q=0.7"),
}
BINS: Final = {
    "US": ("41472019", "42668412", "40034457", "44006632", "54241800", "54661601", "55243322",
           "51780558", "44479610", "48331601", "44793500", "42322310"),
    "GB": ("46594210", "47512920", "45431301", "49218150", "53552211", "52993013"),
    "DE": ("45461811", "52323601"),
    "FR": ("40355010", "51310001"),
    "CA": ("45064401",),
}  # fmt: skip
"""Issuers' first digits by country, and two more digits that are made up."""
_WINDOWS: Final = "Windows NT 10.0; Win64; x64"
_MAC: Final = "Macintosh; Intel Mac OS X 10_15_7"


def _chrome(system: str, version: int, tail: str = "") -> str:
    """The user agent of a Chrome, or of a browser that is built on it."""
    phone = " Mobile" if "Android" in system else ""
    return (
        f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{version}.0.0.0{phone} Safari/537.36{tail}"
    )


def _safari(version: str) -> str:
    return (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 "
        f"(KHTML, like Gecko) Version/{version} Mobile/15E148 Safari/604.1"
    )


COMPUTERS: Final = (
    *[_chrome(_WINDOWS, version) for version in (155, 155, 155, 154, 153, 150)],
    *[_chrome(_MAC, version) for version in (155, 155, 154)],
    *[_chrome(_WINDOWS, version, f" Edg/{version}.0.0.0") for version in (155, 154)],
    *[
        f"Mozilla/5.0 ({system}; rv:{version}.0) Gecko/20100101 Firefox/{version}.0"
        for system, version in ((_WINDOWS, 157), (_WINDOWS, 156), ("X11; Linux x86_64", 157))
    ],
)
PHONES: Final = (
    *[_safari(version) for version in ("27.0", "27.0", "26.3", "26.0")],
    *[_chrome("Linux; Android 10; K", version) for version in (155, 155, 154)],
)
