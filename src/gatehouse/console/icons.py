"""The icons: lines in a square of 16, coloured by the text around them."""

from typing import Final

ICONS: Final = {
    "overview": "M2.5 2.5h4.5v6h-4.5zM9 2.5h4.5v3.5H9zM9 8h4.5v5.5H9zM2.5 10.5h4.5v3h-4.5z",
    "decisions": "M2.5 4h11M2.5 8h11M2.5 12h7",
    "reviews": (
        "M8 4C4.5 4 2.3 6.6 1.5 8c.8 1.4 3 4 6.5 4s5.7-2.6 6.5-4C13.7 6.6 11.5 4 8 4z"
        "M8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z"
    ),
    "entities": (
        "M8 2.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z"
        "M3.5 9.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z"
        "M12.5 9.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z"
        "M7 6.3 4.5 9.6"
        "M9 6.3l2.5 3.3"
    ),
    "rules": "M3 3.5h4v3H3zM9 9.5h4v3H9zM7 5h3.5v4.5",
    "pipelines": (
        "M1.5 8h3"
        "M6.5 8h3"
        "M11.5 8h3"
        "M5.5 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z"
        "M10.5 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z"
    ),
    "lists": "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1",
    "models": "M2 13.5V9M6 13.5V5M10 13.5V7.5M14 13.5V2.5",
    "money": "M1.5 4h13v8h-13zM8 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4z",
    "keys": "M5.5 6a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.7 7 13 2.5M11 4.3l1.7 2",
    "webhooks": "M8 1.5v5M8 9.5v5M2.5 8h3M10.5 8h3M8 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z",
    "people": (
        "M6 3a2.3 2.3 0 1 0 0 4.6A2.3 2.3 0 0 0 6 3z"
        "M1.8 13c0-2.6 1.9-4 4.2-4s4.2 1.4 4.2 4"
        "M10.8 3.3a2.2 2.2 0 0 1 0 4"
        "M12 9.5c1.4.5 2.2 1.7 2.2 3.5"
    ),
    "proposals": "M3 8.5 6 11.5 9 6M7 11.5 13 4.5",
    "settings": "M2 4.5h6M11 4.5h3M2 11.5h3M8 11.5h6M9.5 3v3M6.5 10v3",
    "audit": "M4 1.5h5.5l3 3v10H4zM9.5 1.5v3h3M6 8h4.5M6 11h4.5",
    "playground": "M4.5 2.5 12.5 8l-8 5.5z",
    "installation-accounts": "M2 14V5.5L8 2l6 3.5V14zM6 14v-4h4v4",
    "installation-connectors": "M5.5 2v3.5M10.5 2v3.5M4 5.5h8v2.5a4 4 0 0 1-8 0zM8 12v2.5",
    "installation-prices": "M2.5 8.5v-6h6l5.5 5.5-6 6zM5.5 5.5h.1",
    "installation-people": (
        "M8 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM3 13.5c0-2.8 2.2-4.3 5-4.3s5 1.5 5 4.3"
    ),
    "installation-audit": "M4 1.5h5.5l3 3v10H4zM9.5 1.5v3h3M6 8h4.5M6 11h4.5",
    "person": "M8 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM3 13.5c0-2.8 2.2-4.3 5-4.3s5 1.5 5 4.3",
    "leave": "M6 2.5H2.5v11H6M6.5 8h7M11 5.5 13.5 8 11 10.5",
    "switch": "M5 6l3-3 3 3M5 10l3 3 3-3",
    "menu": "M2 4h12M2 8h12M2 12h12",
    "system": "M2 3h12v8H2zM6 13.5h4M8 11v2.5",
    "light": (
        "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"
        "M8 1v1.5"
        "M8 13.5V15"
        "M1 8h1.5"
        "M13.5 8H15"
        "M3 3l1 1"
        "M12 12l1 1"
        "M13 3l-1 1"
        "M4 12l-1 1"
    ),
    "dark": "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
    "search": "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3 14 14",
    "copy": "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
    "check": "M3 8.5 6.5 12 13 4.5",
    "warning": "M8 2 14.5 13.5h-13zM8 6.5v3.5M8 12h.1",
    "plus": "M8 3v10M3 8h10",
    "download": "M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
    "filter": "M2 3.5h12L9.5 9v4.5l-3-1.5V9z",
    "older": "M6 3l5 5-5 5",
    "newer": "M10 3 5 8l5 5",
}
