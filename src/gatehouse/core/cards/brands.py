"""Card brands: which numbers are theirs, how long those are, and the check digit at their end.

The ranges are facts published by the networks and collected by payment libraries; where ranges
overlap, the longer prefix wins, as it does in the networks' own routing tables.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Brand:
    """What the rules of one card brand are."""

    name: str
    prefixes: str
    """What its numbers begin with: prefixes and ranges of them."""
    lengths: tuple[int, ...]
    code_length: int = 3
    uses_luhn: bool = True


# Doubling a digit and adding the digits of the result, for the bytes b"0" to b"9".
_DOUBLED: Final = bytes.maketrans(b"0123456789", bytes([0, 2, 4, 6, 8, 1, 3, 5, 7, 9]))
_PLAIN: Final = bytes.maketrans(b"0123456789", bytes(range(10)))

BRANDS: Final = (
    Brand("VISA", "4", (13, 16, 18, 19)),
    Brand("MASTERCARD", "51-55 2221-2720", (16,)),
    Brand("AMEX", "34 37", (15,), code_length=4),
    Brand("DINERS", "300-305 36 38 39", (14, 16, 19)),
    Brand("DISCOVER", "6011 644-649 65", (16, 19)),
    Brand("JCB", "1800 2131", (15,)),
    Brand("JCB", "3528-3589", (16, 17, 18, 19)),
    Brand("UNIONPAY", "62 81", (14, 15, 16, 17, 18, 19), uses_luhn=False),
    Brand(
        "MAESTRO",
        "493698 500000-504174 504176-506698 506779-508999 56-59 6",
        tuple(range(12, 20)),
    ),
    Brand("MIR", "2200-2204", (16, 17, 18, 19)),
    Brand(
        "ELO",
        "401178-401179 431274 438935 451416 457393 457631-457632 504175 506699-506778 "
        "509000-509999 627780 636297 636368 650031-650033 650035-650051 650405-650439 "
        "650485-650538 650541-650598 650700-650718 650720-650727 650901-650922 650924-650978 "
        "651652-651679 655000-655019 655021-655058",
        (16,),
    ),
    Brand("HIPER", "637095 63737423 63743358 637568 637599 637609 637612", (16,)),
    Brand("HIPERCARD", "606282", (16,)),
    Brand("NARANJA", "402918 527572 589562", (16,)),
    Brand(
        "RUPAY",
        "508500-508999 606985-607984 608001-608500 652150-653149 817200-820199",
        (16,),
    ),
    Brand(
        "TROY",
        "9792 650052 650082-650083 650092 650161 650170 650173 650175 650268 650271 "
        "650273-650274 650456-650457 650836 650846-650850 650923 650987 650990 654997 657366 "
        "657998 658758 658767-658768 65083700-65083704 65085800-65085804 65085900-65085901 "
        "65086000 65086100-65086105 65086200-65086203 65875000-65875003 65875009 "
        "65875101-65875104 65875200 65875501 65875601 65875900 65876000-65876002 "
        "65876100-65876103 65876110 65876115-65876116 65876200-65876201 65876500 "
        "65876504-65876505 65876600-65876602 65877100-65877101 65877600-65877602 65877700 "
        "65877801-65877802 65878200-65878202 65878300-65878311 65878400-65878405 "
        "65878500-65878505 65878600-65878601 65879800 65880800 65880900",
        (16,),
    ),
    Brand(
        "VERVE",
        "506099-506127 506129 506133-506150 506158-506163 506166 506168 506170 506173 "
        "506176-506180 506184 506187-506188 506191 506195 506197 507865-507866 507868-507877 "
        "507880-507888 507900 507941",
        (16, 18, 19),
    ),
)

BRAND_NAMES: Final = tuple(dict.fromkeys(brand.name for brand in BRANDS))


def _cut_points() -> tuple[list[int], list[Brand | None]]:
    """The eight-digit number line cut where the brand changes; later and longer ranges win."""
    spans = []
    for brand in BRANDS:
        for prefix in brand.prefixes.split():
            low, _, high = prefix.partition("-")
            scale = 10 ** (8 - len(low))
            spans.append((len(low), int(low) * scale, (int(high or low) + 1) * scale, brand))
    spans.sort(key=lambda span: span[0])
    edges = sorted({0, *(span[1] for span in spans), *(span[2] for span in spans)})
    owners: list[Brand | None] = [None] * len(edges)
    for _, low, high, brand in spans:
        for index in range(edges.index(low), edges.index(high)):
            owners[index] = brand
    return edges, owners


_EDGES, _OWNERS = _cut_points()


def brand_of(digits: str) -> Brand | None:
    """The brand a number belongs to by its first eight digits, or None for no known brand."""
    return _OWNERS[bisect_right(_EDGES, int(digits[:8])) - 1]


def passes_luhn(digits: str) -> bool:
    """Whether a string of ASCII digits ends in its own Luhn check digit."""
    raw = digits.encode("ascii")
    plain = raw[-1::-2].translate(_PLAIN)
    doubled = raw[-2::-2].translate(_DOUBLED)
    return (sum(plain) + sum(doubled)) % 10 == 0
