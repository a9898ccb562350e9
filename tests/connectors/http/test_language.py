"""The language of mappings: what requests are made of, and what answers come to mean."""

import os
import re
from typing import Any

import msgspec
import pytest

from gatehouse.connectors.http.answers import AnswerUnusable, WordKind, compile_reading
from gatehouse.connectors.http.asked import Asked
from gatehouse.connectors.http.bodies import compile_body
from gatehouse.connectors.http.compiled import SharedParts, compile_errors, compile_requests
from gatehouse.connectors.http.fields import FIELDS
from gatehouse.connectors.http.json_paths import UnexpectedShape, compile_path
from gatehouse.connectors.http.mapping import ErrorClass, ErrorRule, RequestMapping
from gatehouse.connectors.http.reader import Reader
from gatehouse.connectors.http.templates import Environment, compile_template, parse_template
from gatehouse.core.cards.numbers import CardNumber, SecurityCode
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.ids import new_id
from gatehouse.core.money import Payment
from tests.connectors.http.asking import EXPIRY, HOLDER, NUMBER

TABLES = {
    "brands": {"VISA": "001", "MASTERCARD": "002"},
    "others": {"AMEX": "amex", "*": "other"},
    "amex": {"D": "Z"},
}
ENVIRONMENT = Environment(
    {"option.merchant": "shop", "option.missing": None, "secret.key": "s3cret"}, TABLES
)


def asked(**more: Any) -> Asked:
    made = Asked("req_1", "acct_1")
    made.number, made.expiry = NUMBER, EXPIRY
    for name, value in more.items():
        setattr(made, name, value)
    return made


def rendered(template: str, about: Asked | None = None) -> Any:
    compiled = compile_template(parse_template(template), ENVIRONMENT)
    return compiled(about or asked()) if callable(compiled) else compiled


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("plain", "plain"),
        ("{{card.number}}", "{card.number}"),
        ("{card.number}", "4242424242424242"),
        ("{card.expiry.month}/{card.expiry.year|last:2}", "07/30"),
        ("{card.expiry.month|number}", 7),
        ("{card.security_code}", None),
        ("code {card.security_code}", None),
        ("{card.security_code|else:none}", "none"),
        ("{card.security_code|then:1}", None),
        ("{card.brand|then:1}", "1"),
        ("{card.brand|table:brands}", "001"),
        ("{card.brand|table:others}", "other"),
        ("{card.brand|lower}", "visa"),
        ("{option.merchant|upper}-{secret.key}", "SHOP-s3cret"),
        ("{option.missing}", None),
        ("{option.missing} x", None),
        ("{option.missing|else:x}", "x"),
    ],
)
def test_templates(template: str, value: Any) -> None:
    assert rendered(template) == value


@pytest.mark.parametrize(
    ("text", "formats", "value"),
    [
        ("Łódź Straße 7", "ascii|upper|max:6", "LODZ S"),
        ("1 Market Street ", "trim|max:9", "1 Market"),
        ("+1 (415)", "digits|pad:6", "001415"),
        ("A-1 b2", "letters", "A b"),
        ("SW1A 1AA", "compact|first:5", "SW1A1"),
        ("94105-1234", "alphanumeric|max:9", "941051234"),
        ("ann@example.com", "fits:15", "ann@example.com"),
        ("ann@example.com", "fits:14", None),
        ("1 Market Street", "house_number", "1"),
        ("1 Market Street", "street_name", "Market Street"),
        ("Hauptstraße 12b", "house_number", "12b"),
        ("Hauptstraße 12b", "street_name", "Hauptstraße"),
        ("221B, Baker Street", "house_number", "221B"),
        ("The Old Mill", "house_number", None),
        ("The Old Mill", "street_name", "The Old Mill"),
        ("7", "house_number", None),
        ("7 Both match", "word:1", "7"),
        ("7", "word:2", None),
        ("---", "digits", None),
        ("12ab", "number", None),
    ],
)
def test_formats(text: str, formats: str, value: Any) -> None:
    assert rendered(f"{{address.street|{formats}}}", asked(street=text)) == value


def test_fields_of_the_holder() -> None:
    about = asked(holder=HOLDER)
    assert rendered("{holder.name}", about) == "Ann Archer"
    assert rendered("{holder.name.middle}", about) is None
    assert rendered("{holder.phone.calling_code|pad:3}{holder.phone.national}", about) == (
        "0014155550132"
    )
    assert rendered("{holder.identifiers.passport}", about) == "543210987"


def test_amounts_have_the_decimals_of_their_currency() -> None:
    def both(minor: int, currency: str) -> tuple[Any, Any]:
        about = asked(payment=Payment(minor, currency))
        return rendered("{amount.minor}", about), rendered("{amount.major}", about)

    assert both(1050, "USD") == (1050, "10.50")
    assert both(5, "USD") == (5, "0.05")
    assert both(1050, "JPY") == (1050, "1050")
    assert both(1050, "KWD") == (1050, "1.050")


def test_the_moment_and_random_digits_are_the_same_in_all_of_a_request() -> None:
    about = asked()
    assert rendered("{random.digits|first:6}", about) == rendered("{random.digits|first:6}", about)
    assert rendered("{random.hex}", about) != rendered("{random.hex}", asked())
    moment = rendered("{now|time:%a, %d %b %Y %H:%M:%S GMT}", about)
    assert re.fullmatch(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", moment)
    trace = "{now|time:%y%j%H|last:6}{random.digits|first:6}"
    assert re.fullmatch(r"\d{12}", rendered(trace, about))
    assert rendered("{now.unix}", about) == int(about.now.timestamp())


def built(body: Any, **more: Any) -> Any:
    return compile_body(body, ENVIRONMENT)(asked(**more))


def test_a_part_without_any_of_its_fields_is_left_out() -> None:
    body = {
        "card": "{card.number}",
        "avs": {"street": "{address.street}", "zip": "{address.postal_code}", "version": 2},
        "list": [{"type": "TAX", "value": "{holder.identifiers.tax}"}],
        "merchant": {"id": "{option.merchant}", "city": "{option.missing}"},
    }
    assert built(body) == {"card": "4242424242424242", "merchant": {"id": "shop"}}
    assert built(body, street="1 Road")["avs"] == {"street": "1 Road", "version": 2}


def test_a_list_keeps_the_items_that_are_there() -> None:
    kinds = ("driverlicense", "passport", "tax")
    items = [{"type": kind, "value": f"{{holder.identifiers.{kind}}}"} for kind in kinds]
    body = {"card": "{card.number}", "identities": items}
    assert built(body, holder=HOLDER)["identities"] == [{"type": "passport", "value": "543210987"}]


def test_when_says_what_a_part_cannot_be_without() -> None:
    part = {"$when": ["address.postal_code"], "street": "{address.street}"}
    body = {"card": "{card.number}", "avs": part | {"zip": "{address.postal_code}"}}
    assert "avs" not in built(body, street="1 Road")
    assert built(body, postal_code="1")["avs"] == {"zip": "1"}
    mark = {"card": "{card.number}", "cvv": {"$when": "card.security_code", "sent": True}}
    assert "cvv" not in built(mark)
    assert built(mark, code=SecurityCode.parse("123"))["cvv"] == {"sent": True}


def test_constants_keep_their_types_and_their_order() -> None:
    body = {"a": 1, "b": "{card.brand}", "c": [True, None, 1.5], "d": {}, "e": []}
    assert msgspec.json.encode(built(body)) == (
        b'{"a":1,"b":"VISA","c":[true,null,1.5],"d":{},"e":[]}'
    )


def test_the_first_way_whose_fields_are_there_is_taken() -> None:
    by_id = RequestMapping(path="/payments/{payment.id}/cancels", when="payment.id")
    by_reference = RequestMapping(path="/cancels", body={"ref": "{reference}"})
    make = compile_requests((by_id, by_reference), ENVIRONMENT, SharedParts("/v1"))
    made = make(asked(payment_id="a/b?c"))
    assert (made.target, made.body) == (b"/v1/payments/a%2Fb%3Fc/cancels", b"")
    made = make(asked())
    assert (made.target, made.body) == (b"/v1/cancels", b'{"ref":"req_1"}')
    with pytest.raises(ConnectorFailed) as caught:
        compile_requests((by_id,), ENVIRONMENT, SharedParts())(asked())
    assert not caught.value.sent


def test_when_can_ask_for_an_option_or_a_secret() -> None:
    given = {"$when": ["option.merchant", "secret.key"], "number": "{card.number}"}
    missing = {"$when": ["card.brand", "option.missing"], "number": "{card.number}"}
    body = compile_body({"given": given, "missing": missing}, ENVIRONMENT)
    assert body(asked()) == {"given": {"number": "4242424242424242"}}
    ways = (RequestMapping(path="/a", when="option.missing"), RequestMapping(path="/b"))
    assert compile_requests(ways, ENVIRONMENT, SharedParts())(asked()).target == b"/b"
    with pytest.raises(ConnectorFailed, match="no request for these fields"):
        compile_requests(ways[:1], ENVIRONMENT, SharedParts())(asked())


def test_a_reversal_can_wait_for_its_payment_to_arrive() -> None:
    way = RequestMapping(path="/cancels", after_s=60)
    make = compile_requests(way, ENVIRONMENT, SharedParts())

    def about(age_s: float) -> Asked:
        made = Asked("req_1")
        made.request_id = new_id("req", round((made.now.timestamp() - age_s) * 1000), os.urandom)
        return made

    assert make(about(61)).target == b"/cancels"
    with pytest.raises(ConnectorFailed, match="60 s after its request") as caught:
        make(about(59))
    assert not caught.value.sent


def test_a_way_can_be_for_some_brands() -> None:
    ways = (RequestMapping(path="/mc", brands="MASTERCARD"), RequestMapping(path="/others"))
    make = compile_requests(ways, ENVIRONMENT, SharedParts())
    assert make(asked()).target == b"/others"
    assert make(asked(number=CardNumber.parse("5555555555554444"))).target == b"/mc"
    only = compile_requests(RequestMapping(path="/", brands=("VISA",)), ENVIRONMENT, SharedParts())
    assert only(asked()).target == b"/"
    with pytest.raises(ConnectorFailed, match="no request for these fields"):
        only(asked(number=CardNumber.parse("378282246310005")))


def test_a_header_takes_no_line_break() -> None:
    way = RequestMapping(path="/", headers={"X-Ref": "{reference}"})
    make = compile_requests(way, ENVIRONMENT, SharedParts(fixed=((b"x-ref", b"base"),)))
    assert make(asked()).headers == [(b"x-ref", b"req_1")]
    with pytest.raises(ConnectorFailed, match="line break"):
        make(asked(reference="a\r\nX-Evil: 1"))


ANSWER = {
    "a": {"b": "x", "key.with.dots": "dotted"},
    "list": [{"type": "TAX", "result": 1}, {"type": "PASSPORT", "result": 2}],
    "yes": True,
    "none": None,
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b", "x"),
        ('a."key.with.dots"', "dotted"),
        ("list[1].type", "PASSPORT"),
        ("list[7].type", None),
        ("list[type=TAX].result", "1"),
        ("list[type=OTHER].result", None),
        ("yes", "true"),
        ("none", None),
        ("a.b.c", None),
        ("list.b", None),
        ("a[0]", None),
    ],
)
def test_paths(path: str, found: str | None) -> None:
    assert compile_path(path)(ANSWER) == found


def test_an_object_is_no_value() -> None:
    with pytest.raises(UnexpectedShape):
        compile_path("a")(ANSWER)


def read(reader: Any, answer: Any, kind: WordKind = WordKind.LETTER, brand: str = "VISA") -> Any:
    return compile_reading(reader, kind, TABLES)(answer, brand)


def test_a_reader_looks_at_its_places_in_turn() -> None:
    reader = Reader(path=("raw.avs", "avs"))
    assert read(reader, {"avs": "Y", "raw": {}}) == "Y"
    assert read(reader, {"avs": "Y", "raw": {"avs": "Z"}}) == "Z"


def test_a_brand_can_have_a_table_of_its_own() -> None:
    reader = Reader(path="avs", table={"D": "Y", "1": "N"}, brands={"AMEX": "amex"})
    assert read(reader, {"avs": "D"}) == "Y"
    assert read(reader, {"avs": 1}) == "N"
    assert read(reader, {"avs": "D"}, brand="AMEX") == "Z"
    assert read(reader, {"avs": "1"}, brand="AMEX") is None


def test_unknown_and_missing_words() -> None:
    table = {"A": "00"}
    code = WordKind.RESPONSE_CODE
    assert read(Reader(path="c", table=table, missing="05"), {}, code) == "05"
    assert read(Reader(path="c", table=table, missing="05"), {"c": ""}, code) == "05"
    assert read(Reader(path="c", table=table, unknown="05"), {"c": "B"}, code) == "05"
    assert read(Reader(path="c", table=table, unknown="keep"), {"c": "51"}, code) == "51"
    assert read(Reader(path="c", table=table, unknown="keep"), {"c": "B"}, code) is None
    assert read(Reader(path="c", table=table, unknown="skip"), {"c": "B"}, code) is None
    assert read(Reader(path="c", table=table | {"*": "05"}), {"c": "B"}, code) == "05"
    with pytest.raises(AnswerUnusable, match="c holds a value"):
        read(Reader(path="c", table=table), {"c": "B"}, code)


def test_the_first_reader_that_finds_something_counts() -> None:
    readers = (
        Reader(path="reason", table={"2": "05"}, unknown="skip"),
        Reader(path="result", table={"Authorised": "00"}),
        Reader(value="96"),
    )
    code = WordKind.RESPONSE_CODE
    assert read(readers, {"reason": 2, "result": "Refused"}, code) == "05"
    assert read(readers, {"result": "Authorised"}, code) == "00"
    assert read(readers, {}, code) == "96"


def test_a_format_cuts_the_word_out_of_a_text() -> None:
    reader = Reader(path="avs", format="word:1", table={"7": "Y"})
    assert read(reader, {"avs": "7 Both postal code and address match"}) == "Y"


@pytest.mark.parametrize(
    ("status", "answer", "then"),
    [
        (200, {}, None),
        (200, {"result": "Error"}, ErrorClass.RETRY),
        (422, {"code": 101}, ErrorClass.DECLINED),
        (422, {"code": 7}, ErrorClass.MISTAKE),
        (422, None, ErrorClass.MISTAKE),
        (404, {}, ErrorClass.DONE),
        (409, {}, ErrorClass.RETRY),
        (599, {}, ErrorClass.MISTAKE),
        (408, {}, ErrorClass.RETRY),
        (500, {}, ErrorClass.RETRY),
        (400, {}, ErrorClass.MISTAKE),
    ],
)
def test_the_first_rule_that_fits_classes_an_error(
    status: int, answer: Any, then: ErrorClass | None
) -> None:
    rules = msgspec.convert(
        [
            {"where": {"path": "result", "equals": "Error"}, "then": "retry"},
            {
                "status": "422",
                "where": {"path": "code", "equals": ["101", "103"]},
                "then": "declined",
                "response_code": {"value": "14"},
            },
            {"status": "404", "then": "done"},
            {"status": ["409", "410-412"], "then": "retry"},
            {"status": "599", "then": "mistake", "say": "call them"},
        ],
        tuple[ErrorRule, ...],
    )
    classify = compile_errors(rules, WordKind.RESPONSE_CODE, ENVIRONMENT)
    refusal = classify(status, answer, "VISA")
    assert (refusal and refusal.then) == then
    if then is ErrorClass.DECLINED:
        assert refusal is not None
        assert refusal.response_code == "14"


def test_what_holds_secrets_is_never_shown() -> None:
    way = RequestMapping(path="/", headers={"X": "{secret.key}"}, body={"n": "{card.number}"})
    made = compile_requests(way, ENVIRONMENT, SharedParts())(asked())
    for each in (made, asked(), ENVIRONMENT):
        assert "4242" not in repr(each)
        assert "s3cret" not in repr(each)


def test_every_field_of_cards_and_people_is_private() -> None:
    public = {name for name, field in FIELDS.items() if not field.is_private}
    assert not [name for name in public if name.startswith(("holder.", "address."))]
    assert {name for name in public if name.startswith("card.")} == {
        "card.brand",
        "card.credential_type",
    }
