"""Where the made-up customers of the demo account come from: names, streets, networks, browsers.

Nobody here exists. Names are common ones put together at random, mailboxes are of example.com, and
cards begin with the digits of test cards.
"""

from typing import Final, NamedTuple


class DemoCountry(NamedTuple):
    """A country that the demo shop sells to."""

    code: str
    weight: int
    """Its share of the customers, among the weights of all countries."""
    hours_ahead: int
    """Of UTC."""
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    streets: tuple[str, ...]
    towns: tuple[tuple[str, str], ...]
    """Postal codes with their towns."""
    networks: tuple[str, ...]
    """The first two numbers of networks of internet providers; addresses in them are made up."""
    languages: str
    cards: tuple[str, ...]
    """First digits of test cards."""


COUNTRIES: Final = (
    DemoCountry(
        "US",
        46,
        -5,
        ("Harper", "Owen", "Nora", "Caleb", "Ruth", "Miles", "Tessa", "Grant", "Ivy", "Dean"),
        ("Ellison", "Marsh", "Whitaker", "Boone", "Calloway", "Pruitt", "Sandoval", "Yates"),
        ("Juniper Street", "Lakeview Avenue", "Mill Road", "Orchard Lane", "Summit Drive"),
        (("60614", "Chicago"), ("78704", "Austin"), ("97214", "Portland"), ("02139", "Cambridge")),
        ("73.162", "98.200", "24.5", "68.100", "71.178"),
        "en-US,en;q=0.9",
        ("40000025", "40000077", "51051051", "40000566"),
    ),
    DemoCountry(
        "GB",
        22,
        0,
        ("Imogen", "Rhys", "Freya", "Alistair", "Poppy", "Gareth", "Beth", "Callum"),
        ("Hargreaves", "Ashdown", "Pryce", "Lockwood", "Thorne", "Kirkby", "Fenwick"),
        ("Station Road", "Church Lane", "Victoria Terrace", "Mill Hill", "The Crescent"),
        (("M21 9AA", "Manchester"), ("BS6 5QT", "Bristol"), ("EH9 1PL", "Edinburgh")),
        ("86.150", "82.3", "81.140"),
        "en-GB,en;q=0.9",
        ("42424242",),
    ),
    DemoCountry(
        "DE",
        14,
        1,
        ("Jonas", "Annika", "Lennart", "Merle", "Torben", "Frieda", "Henrik", "Paula"),
        ("Sommerfeld", "Brandis", "Kessler", "Wiegand", "Ahlers", "Reuter", "Lindner"),
        ("Gartenstraße", "Am Anger", "Lindenallee", "Bergstraße", "Kirchweg"),
        (("50674", "Köln"), ("04109", "Leipzig"), ("22765", "Hamburg")),
        ("84.140", "91.10", "93.200"),
        "de-DE,de;q=0.9,en;q=0.8",
        ("42424242",),
    ),
    DemoCountry(
        "PL",
        10,
        1,
        ("Zofia", "Marek", "Hanna", "Tomasz", "Jagoda", "Piotr"),
        ("Zielony", "Borek", "Malec", "Sokal", "Dudek"),
        ("ulica Lipowa", "ulica Polna", "ulica Ogrodowa"),
        (("30-059", "Kraków"), ("61-701", "Poznań")),
        ("83.20", "31.60"),
        "pl-PL,pl;q=0.9,en-US;q=0.8",
        ("41111111",),
    ),
    DemoCountry(
        "JP",
        8,
        9,
        ("Haruto", "Aoi", "Ren", "Yui", "Sora", "Mei"),
        ("Kitano", "Hayase", "Morikawa", "Tachibana", "Okuda"),
        ("Honmachi", "Sakuragaoka", "Midorigaoka"),
        (("604-8005", "Kyoto"), ("810-0001", "Fukuoka")),
        ("126.114", "60.94"),
        "ja-JP,ja;q=0.9",
        ("35301113",),
    ),
)

_CHROME: Final = "Mozilla/5.0 ({}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0{}"
AGENTS: Final = (
    _CHROME.format("Windows NT 10.0; Win64; x64", 155, " Safari/537.36"),
    _CHROME.format("Windows NT 10.0; Win64; x64", 154, " Safari/537.36 Edg/154.0.0.0"),
    _CHROME.format("Macintosh; Intel Mac OS X 10_15_7", 155, " Safari/537.36"),
    _CHROME.format("Linux; Android 10; K", 155, " Mobile Safari/537.36"),
    _CHROME.format("Linux; Android 10; K", 154, " Mobile Safari/537.36"),
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/26.3 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:156.0) Gecko/20100101 Firefox/156.0",
)

GOODS: Final = (
    ("sku-1001", "coffee", 14.5),
    ("sku-1002", "coffee", 32.0),
    ("sku-1010", "kitchen", 27.9),
    ("sku-1011", "kitchen", 64.0),
    ("sku-1012", "kitchen", 149.0),
    ("sku-1020", "books", 12.0),
    ("sku-1021", "books", 24.95),
    ("sku-1030", "garden", 19.9),
    ("sku-1031", "garden", 89.0),
    ("sku-1040", "toys", 17.5),
    ("sku-1041", "toys", 39.9),
    ("sku-1050", "shoes", 79.9),
    ("sku-1051", "shoes", 119.0),
    ("sku-1060", "tools", 45.0),
    ("sku-1070", "headphones", 189.0),
)
"""What the demo shop sells: article, category, price."""
VALUABLE: Final = (("sku-1080", "gift cards", 100.0), ("sku-1071", "phones", 649.0))
"""What is bought with other people's cards."""


class DemoHolder(NamedTuple):
    """Who claims to hold one of the sandbox's cards."""

    card: str
    first_name: str
    last_name: str
    email: str
    is_other: bool = False
    """Whether the card is somebody else's."""


HOLDERS: Final = (
    DemoHolder("5105105105105100", "Lukas", "Schaefer-Brandt", "lukas.brandt@example.com"),
    DemoHolder("4012888888881881", "Siobhan", "Byrne", "siobhan.byrne@example.com"),
    DemoHolder("5555555555554444", "Maria", "Petrova", "maria.petrova@example.com"),
    DemoHolder("6011111111111117", "Nelson", "Grubb", "nelson.grubb@example.org", is_other=True),
    DemoHolder("4012888888881881", "Siobhan", "O'Connor", "siobhan.oconnor@example.com"),
    DemoHolder("5105105105105100", "Lukas", "Schaefer-Brandt", "lukas.brandt@example.com"),
)
"""Customers of the pipeline that asks ID Verify, which knows the holders of the sandbox's cards."""

PEOPLE: Final = ("dana", "kofi", "mirela")
"""Who works on reviews at the demo shop."""
NOTES: Final = (
    "Called the customer; waiting for a call back.",
    "Asked for a second look: the goods are easy to sell on.",
    "The customer answered the mail and knows what was ordered.",
    "Same delivery address as in an earlier case.",
)
APPROVED: Final = (
    "known customer, ordered for a relative abroad",
    "the customer confirmed the order by phone",
    "nothing unusual besides the network",
    "paid and delivered twice before without trouble",
)
DECLINED: Final = (
    "the customer did not order this; account taken over",
    "device and network were never seen with this customer",
    "could not be reached, and the goods are easy to sell on",
)

HOURS: Final = (2, 1, 1, 1, 1, 2, 3, 5, 6, 7, 7, 7, 8, 7, 6, 6, 7, 8, 10, 11, 11, 9, 6, 4)
"""How busy the hours of a customer's day are."""
