"""The fast pass and the thorough walk agree on what is valid, and the walk misses nothing."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import MORE_PROBLEMS, MOST_PROBLEMS, RequestReader
from gatehouse.core.reading.validation import Checked
from gatehouse.core.wording.sentences import Sentence
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.rules.authoring import RuleName

READER = RequestReader(PreCheckRequest)

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
good = {
    "cardNumber": st.sampled_from(["4242424242424242", "378282246310005", "6200000000000005"]),
    "cardExpiryDate": st.sampled_from(["2030-12", "1999-01"]),
    "cardCvv2Value": st.sampled_from(["123", "1234"]),
    "cardAddress": st.fixed_dictionaries(
        {}, optional={"postalCode": st.text(max_size=18), "street": st.text(max_size=3)}
    ),
    "clientReferenceId": st.text(max_size=130) | st.integers(-(2**64), 2**64),
}
requests = st.fixed_dictionaries({}, optional={name: v | json_values for name, v in good.items()})


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode()


@settings(max_examples=200)
@given(requests)
def test_a_request_is_accepted_or_told_which_fields_are_wrong(request: dict[str, Any]) -> None:
    try:
        accepted = READER.read(_dump(request))
    except RequestRefused as problem:
        if problem.code == "malformed_body":  # a lone surrogate, which is not JSON for us
            assert "\\ud" in _dump(request).decode().lower()
            return
        assert problem.code == "invalid_request"
        assert problem.fields, "a refusal must name a field"
        assert all(path.partition(".")[0] in PreCheckRequest.__struct_encode_fields__
                   for path in problem.fields)  # fmt: skip
    else:
        assert accepted.card_number.reveal() == request["cardNumber"]


@given(requests)
def test_leaving_out_the_named_fields_leaves_only_what_is_missing(request: dict[str, Any]) -> None:
    """All problems are reported at once: mending the named ones finds no new ones."""
    try:
        READER.read(_dump(request))
    except RequestRefused as first:
        if first.code != "invalid_request":
            return
        bad = {path.partition(".")[0] for path in first.fields}
        rest = {name: value for name, value in request.items() if name not in bad}
        try:
            READER.read(_dump(rest))
        except RequestRefused as second:
            assert all(messages == ["is required"] for messages in second.fields.values())


@given(json_values)
def test_any_json_is_an_answerable_body(value: Any) -> None:
    try:
        READER.read(_dump(value))
    except RequestRefused as problem:
        assert problem.code in {"invalid_request", "malformed_body"}
        assert problem.fields or problem.details


@given(st.binary(max_size=200))
def test_any_bytes_are_an_answerable_body(body: bytes) -> None:
    with pytest.raises(RequestRefused):
        READER.read(body)


class Part(Checked, msgspec.Struct):
    size: int

    def problems(self) -> Any:
        if self.size == 13:
            yield "size", "must not be 13"


class Whole(msgspec.Struct):
    parts: list[Part]
    spare: Part | None = None
    by_name: dict[str, int] = {}


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ({"parts": [{"size": 1}, {"size": 13}]}, {"parts[1].size"}),
        ({"parts": [{"size": "x"}, {}, 5]}, {"parts[0].size", "parts[1].size", "parts[2]"}),
        ({"parts": [], "spare": {"size": 13}}, {"spare.size"}),
        ({"parts": {}, "by_name": {"a": "x"}}, {"parts", "by_name.a"}),
    ],
)
def test_paths_lead_into_lists_and_maps(body: dict[str, Any], paths: set[str]) -> None:
    with pytest.raises(RequestRefused) as caught:
        RequestReader(Whole).read(_dump(body))
    assert set(caught.value.fields) == paths


def test_no_message_repeats_a_card_number_or_a_code() -> None:
    body = {"cardNumber": "4242424242424241", "cardExpiryDate": "x", "cardCvv2Value": "73912"}
    with pytest.raises(RequestRefused) as caught:
        READER.read(_dump(body))
    assert "4242424242424241" not in str(caught.value.fields)
    assert "73912" not in str(caught.value.fields)


@pytest.mark.parametrize(
    ("written", "read"),
    [("1.0", 1), ("1e3", 1000), ("-2.50E1", -25), ("9007199254740993.0", 9007199254740993)],
)
def test_a_whole_number_may_be_written_with_a_point_or_an_exponent(written: str, read: int) -> None:
    body = f'{{"parts": [{{"size": {written}}}], "by_name": {{"a": {written}}}}}'
    found = RequestReader(Whole).read(body.encode())
    assert [found.parts[0].size, found.by_name["a"]] == [read, read]
    assert type(found.parts[0].size) is int
    card = '"cardNumber": "4242424242424242", "cardExpiryDate": "2030-12"'
    reference = READER.read(f'{{{card}, "clientReferenceId": {written}}}'.encode())
    assert reference.client_reference_id == read


@pytest.mark.parametrize("written", ["1.5", "1e-1", "0.1e0", "true", '"1"'])
def test_what_is_not_whole_is_no_integer(written: str) -> None:
    with pytest.raises(RequestRefused) as caught:
        RequestReader(Whole).read(b'{"parts": [{"size": 2.0}, {"size": %s}]}' % written.encode())
    assert caught.value.fields == {"parts[1].size": ["must be an integer"]}


def test_a_number_beyond_all_numbers_is_no_integer() -> None:
    with pytest.raises(RequestRefused) as caught:
        RequestReader(Whole).read(b'{"parts": [{"size": 1.0}], "other": 1e999}')
    assert caught.value.code == "malformed_body"


def test_a_field_that_is_given_twice_is_told() -> None:
    with pytest.raises(RequestRefused) as caught:
        RequestReader(Whole).read(b'{"parts": 5, "parts": []}')
    assert caught.value.details == ["a field is given more than once"]


class Amounts(msgspec.Struct):
    amount: float | None = None
    amounts: list[float] = []
    anything: dict[str, str | int | float] = {}


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ('{"amount": %s}', {"amount"}),
        ('{"amount": -%s}', {"amount"}),
        ('{"amounts": [1, %s, 2]}', {"amounts[1]"}),
        ('{"amount": "x", "amounts": [%s]}', {"amount", "amounts[0]"}),
    ],
)
def test_a_whole_number_beyond_all_fractions_is_told_by_its_path(
    body: str, paths: set[str]
) -> None:
    with pytest.raises(RequestRefused) as caught:
        RequestReader(Amounts).read((body % ("9" * 400)).encode())
    assert set(caught.value.fields) == paths
    assert caught.value.fields[max(paths)] == ["is out of range"]


def test_where_whole_numbers_are_wanted_they_may_be_long() -> None:
    read = RequestReader(Amounts).read(b'{"anything": {"a": %s}}' % (b"9" * 400))
    assert read.anything["a"] == int("9" * 400)


def test_a_field_that_is_given_twice_is_told_as_that() -> None:
    with pytest.raises(RequestRefused) as caught:
        RequestReader(Amounts).read(b'{"amount": "x", "amount": 5}')
    assert caught.value.details == ["a field is given more than once"]


@pytest.mark.parametrize(
    "body",
    [
        {"amounts": ["x"] * 20_000},
        {"anything": {f"key {letter}{number}": None for letter in "ab" for number in range(999)}},
        {"anything": {f"{number:05d}": None for number in range(5000)}},
    ],
)
def test_after_the_problems_that_are_reported_the_walk_stops_and_says_so(body: Any) -> None:
    with pytest.raises(RequestRefused) as caught:
        RequestReader(Amounts).read(_dump(body))
    assert 0 < sum(map(len, caught.value.fields.values())) <= MOST_PROBLEMS
    assert caught.value.details == [MORE_PROBLEMS]


def test_as_many_problems_as_are_reported_are_not_called_more() -> None:
    with pytest.raises(RequestRefused) as caught:
        RequestReader(Amounts).read(_dump({"amounts": ["x"] * MOST_PROBLEMS}))
    assert len(caught.value.fields) == MOST_PROBLEMS
    assert caught.value.details == []


@pytest.mark.parametrize("count", [4094, 4095])
def test_a_body_of_very_many_objects_is_not_read_at_all(count: int) -> None:
    body = _dump({"parts": [{"size": 1}] * count})
    if count < 4095:
        assert len(RequestReader(Whole).read(body).parts) == count
        return
    with pytest.raises(RequestRefused) as caught:
        RequestReader(Whole).read(body)
    assert caught.value.code == "malformed_body"
    assert caught.value.details == ["the body has more than 4096 objects and arrays"]


@pytest.mark.parametrize(
    ("number", "most", "told"),
    [
        ("1e308", 32, "32 numbers with an exponent"),
        ("-1.5E-300", 32, "32 numbers with an exponent"),
        ("9007199254740993.0", 1024, "1024 long numbers"),
    ],
)
def test_a_body_of_very_many_numbers_that_are_slow_to_read_is_not_read_at_all(
    number: str, most: int, told: str
) -> None:
    def body(count: int) -> bytes:
        return f'{{"amounts": [{", ".join([number] * count)}]}}'.encode()

    assert len(RequestReader(Amounts).read(body(most)).amounts) == most
    with pytest.raises(RequestRefused) as caught:
        RequestReader(Amounts).read(body(most + 1))
    assert caught.value.code == "malformed_body"
    assert caught.value.details == [f"the body has more than {told}"]


def test_letters_in_texts_are_not_taken_for_exponents() -> None:
    text = "e" * 500 + "1e5" * 500
    read = RequestReader(Amounts).read(_dump({"anything": {"text": text}}))
    assert read.anything == {"text": text}


def test_a_form_that_a_phrase_describes_is_refused_with_that_phrase() -> None:
    class Named(msgspec.Struct):
        rule: RuleName

    with pytest.raises(RequestRefused) as caught:
        RequestReader(Named).read(b'{"rule": "two words"}')
    [[said]] = caught.value.fields.values()
    assert isinstance(said, Sentence)
    form = said.values["form"]
    assert isinstance(form, Sentence)
    assert form.key == "document.rule_name"
