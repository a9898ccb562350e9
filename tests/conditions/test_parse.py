"""Reading conditions: what can be written, and what is said about what cannot."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatehouse.conditions.catalogue import SIGNALS, Catalogue
from gatehouse.conditions.compile_python import compile_condition
from gatehouse.conditions.compile_sql import to_sql
from gatehouse.conditions.nodes import (
    Both,
    Call,
    Compare,
    Condition,
    IsNull,
    Like,
    Listed,
    Literal,
    Node,
    Not,
    OneOf,
    Signal,
    Type,
)
from gatehouse.conditions.parse import (
    DEEPEST_CONDITION,
    LONGEST_CONDITION,
    MOST_NODES,
    ConditionRefused,
    Mistake,
    read_condition,
)
from tests.harness.rows import each

CATALOGUE = Catalogue(
    {"tier": Type.TEXT, "score": Type.NUMBER, "case": Type.BOOLEAN, "end": Type.NUMBER}
)

AMOUNT = Signal("order.amount", Type.NUMBER)
TOR = Signal("ip.tor", Type.BOOLEAN)
DOMAIN = Signal("email.domain", Type.TEXT)


class NoLists:
    def has(self, name: str, value: str, at_ms: int) -> bool:
        return False


def read(text: str) -> Condition:
    return read_condition(text, CATALOGUE)


def mistakes_of(text: str) -> tuple[Mistake, ...]:
    with pytest.raises(ConditionRefused) as refused:
        read(text)
    return refused.value.mistakes


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("ip.tor", TOR),
        ("order.amount > 100", Compare(">", AMOUNT, Literal(100.0))),
        ("order.amount == .5", Compare("=", AMOUNT, Literal(0.5))),
        ("order . amount != -1_000", Compare("<>", AMOUNT, Literal(-1000.0))),
        ('"order.amount" <> 1e3', Compare("<>", AMOUNT, Literal(1000.0))),
        ("NOT ip.tor", Not(TOR)),
        ("email.domain = '-- /* {#'", Compare("=", DOMAIN, Literal("-- /* {#"))),
        ("order.amount > - -3", Compare(">", AMOUNT, Literal(3.0))),
        ("ip.tor IS TRUE", Call("COALESCE", (TOR, Literal(False)), Type.BOOLEAN)),
        ("ip.tor IS NOT FALSE", Not(Call("COALESCE", (Not(TOR), Literal(False)), Type.BOOLEAN))),
        ("email.domain = 'it''s'", Compare("=", DOMAIN, Literal("it's"))),
        ("email.domain NOT LIKE '%!_' ESCAPE '!'", Not(Like(DOMAIN, "%!_", "!"))),
        ("email.domain NOT LIKE 'a'", Not(Like(DOMAIN, "a"))),
        ("email.domain NOT IN LIST('a')", Not(Listed(DOMAIN, "a"))),
        ("email.domain IS NOT NULL", Not(IsNull(DOMAIN))),
        ("email.domain NOT IN ('a')", Not(OneOf(DOMAIN, (Literal("a"),)))),
        ("email.domain in list('a-1')", Listed(DOMAIN, "a-1")),
        ("custom.case", Signal("custom.case", Type.BOOLEAN)),
        ("custom.end > 1", Compare(">", Signal("custom.end", Type.NUMBER), Literal(1.0))),
        (
            "order.amount BETWEEN 1 AND 2 AND ip.tor",
            Both(
                (
                    Both(
                        (
                            Compare(">=", AMOUNT, Literal(1.0)),
                            Compare("<=", AMOUNT, Literal(2.0)),
                        )
                    ),
                    TOR,
                )
            ),
        ),
        ("true", Literal(True)),
    ],
)
def test_a_condition_becomes_its_tree(text: str, root: Node) -> None:
    assert read(text).root == root


@pytest.mark.parametrize(
    "text",
    [
        "CASE WHEN ip.tor THEN 5 END > 1 + 2 * 3",
        "CASE card.country WHEN 'GB' THEN TRUE WHEN 'FR' THEN FALSE ELSE NULL END",
        "order.amount NOT BETWEEN -1 AND 1e3 IS TRUE",
        "order.amount / order.items % 7 >= ROUND(-order.amount)",
        "velocity.card.count_1h IN (1, order.items, 3)",
        "HAS(sentry.reasons, 'anything at all')",
        "card.country NOT IN LIST('home') OR custom.tier IN LIST('tiers')",
        "sentry.reasons IS NULL OR email.domain IS NOT NULL",
        "LEAST(custom.tier, 'b') < UPPER(email.domain)",
    ],
)
def test_every_form_of_the_language_can_be_read_run_and_queried(text: str) -> None:
    condition = read(text)
    assert compile_condition(condition)({}, NoLists(), 0) in (True, False)
    assert to_sql(condition)


def test_a_condition_tells_what_it_needs_to_know() -> None:
    condition = read(
        "user.id IN LIST('vip') OR order.amount > 5 AND order.amount < velocity.ip.count_1h"
    )
    assert condition.signals == ("user.id", "order.amount", "velocity.ip.count_1h")
    assert condition.lists == (("user.id", "vip"),)


@each(SIGNALS)
def test_every_signal_of_the_catalogue_can_be_spoken_of_as_its_example_shows(name: str) -> None:
    signal = SIGNALS[name]
    text = {
        Type.BOOLEAN: name,
        Type.WORDS: signal.example,
        Type.NUMBER: f"{name} > {signal.example}",
        Type.TEXT: f"{name} = {signal.example or repr('x')}",
    }[signal.type]
    assert read(text).signals == (name,)


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("amount > 5", 1, "did you mean order.amount?"),
        ("Order.Amount > 5", 1, "did you mean order.amount?"),
        ("order.amont > 5", 1, "did you mean order.amount?"),
        ("velocity.card.count_2h > 5", 1, "velocity.card.count_1h"),
        ("custom.teir = 'x'", 1, "did you mean custom.tier?"),
        ("custom.other = 1", 1, "under `inputs`"),
        ("order.currency = USD", 18, "single quotes"),
        ("order.amount > 'x'", 16, "this is a text and order.amount is a number"),
        ("order.currency + 1 > 2", 1, "must be a number, but this is a text"),
        ("ip.tor AND 5", 12, "must be true or false, but this is a number"),
        ("NOT order.amount", 5, "must be true or false"),
        ("order.amount", 1, "a condition must be true or false, but this is a number"),
        ("ip.tor > ip.vpn", 1, "use = or <>"),
        ("order.amount = NULL", 16, "write IS NULL"),
        ("order.amount IN (1, NULL)", 21, "write IS NULL"),
        ("NULL", 1, "write IS NULL"),
        ("precheck.advice = 'DECLIN'", 19, "did you mean DECLINE?"),
        ("'visa' = card.brand", 1, "did you mean VISA?"),
        ("precheck.avsResult IN ('RETRY', 'x')", 33, "it can be FULL_MATCH"),
        ("email.domain LIKE order.currency", 19, "must be a text in quotes"),
        ("order.amount LIKE '5%'", 1, "must be a text"),
        ("email.domain LIKE 'a!' ESCAPE '!'", 19, "ends with its escape character"),
        ("email.domain LIKE 'a' ESCAPE '!!'", 30, "exactly one character"),
        ("email.domain LIKE 'a' ESCAPE custom.tier", 30, "ESCAPE"),
        ("ip.tor ESCAPE '!'", 8, "does not fit here"),
        ("email.domain LIKE '" + "_" * 41 + "'", 19, "at most 40 wildcards"),
        ("HAS(card.country, 'x')", 5, "must be a set of words"),
        ("HAS(sentry.reasons, custom.tier)", 21, "must be a text in quotes"),
        ("sentry.reasons = 'x'", 1, "HAS(sentry.reasons, 'word')"),
        ("sentry.reasons", 1, "set of words"),
        ("order.amount BETWEEN 1 AND 'x'", 28, "must have the same type"),
        ("order.amount BETWEEN 1", 22, "BETWEEN needs two values"),
        ("CASE WHEN ip.tor THEN 1 ELSE 'a' END > 5", 30, "must have the same type"),
        ("CASE WHEN ip.tor THEN NULL END", 11, "something else than NULL"),
        ("CASE WHEN 5 THEN 1 END > 2", 11, "must be true or false"),
        ("COALESCE(order.amount, 'x') = 1", 24, "must have the same type"),
        ("COALESCE(order.amount) = 1", 1, "takes 2 to 20 values, not 1"),
        ("ABS() = 1", 1, "takes 1 value, not 0"),
        ("LEAST(ip.tor, ip.vpn)", 7, "does not take true or false"),
        ("ABSS(1) = 2", 1, "did you mean ABS?"),
        ("sleep(1) = 2", 1, "the functions are ABS"),
        ("order.currency IN LIST('abc')", 1, "cannot be looked up"),
        ("order.amount IN LIST('abc')", 1, "a text can be looked up"),
        ("LOWER(user.id) IN LIST('abc')", 1, "a text can be looked up"),
        ("user.id IN LIST('A b')", 12, "the name of one list in quotes"),
        ("user.id IN LIST('a', 'b')", 12, "the name of one list in quotes"),
        ("user.id = LIST('a')", 11, "only stand after IN"),
        ("order.amount > 1e999", 16, "not a number that can be used"),
    ],
)
def test_a_mistake_of_meaning_is_told_at_its_place(text: str, column: int, says: str) -> None:
    (mistake,) = mistakes_of(text)
    assert (mistake.line, mistake.column) == (1, column)
    assert says in mistake.message


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("", 1, "empty"),
        (" \n", 1, "empty"),
        (" -- nothing", 2, "comments go into the file with #"),
        ("ip.tor /* AND ip.vpn */", 8, "comments go into the file with #"),
        ("ip.tor {# AND ip.vpn #}", 8, "comments go into the file with #"),
        ("order.amount > 5--3", 17, "two minus signs need a blank"),
        ("email.domain = 'it''s' -- AND ip.vpn", 24, "comments go into the file with #"),
        ('"ip.tor" -- AND ip.vpn', 10, "comments go into the file with #"),
        ("ip.tor AND email.domain = 'a -- b", 27, "this text is not closed"),
        ("ip.tor # AND ip.vpn", 8, "comments stand above a condition"),
        ("ip.tor AND", 10, "ends too early"),
        ("AND ip.tor", 1, "missing before AND"),
        ("ip.tor ip.vpn", 8, "missing before ip.vpn"),
        ("(ip.tor", 1, "never closed, ) is missing"),
        ("ip.tor)", 7, "closes nothing"),
        ("CASE WHEN ip.tor THEN TRUE", 1, "END is missing"),
        ("CASE WHEN ip.tor 1 END", 18, "missing before 1"),
        ("(CASE WHEN ip.tor) THEN 1 END", 18, "closes nothing"),
        ("ip.tor THEN 1", 8, "inside CASE"),
        ("(ip.tor, ip.vpn)", 8, "comma"),
        ("order.amount IN (1,)", 20, "missing before )"),
        ("order.amount IN 5", 17, "after IN come values"),
        ("order.amount IN ()", 1, "after IN come one or more values"),
        ("ip.tor IS 5", 11, "after IS comes NULL, TRUE or FALSE"),
        ("ip.tor IS NOT 5", 15, "after IS comes NULL, TRUE or FALSE"),
        ("order.amount NOT 5", 18, "after NOT comes IN"),
        ("order. > 5", 6, "a word must follow this dot"),
        ("ip.tor AND 'a", 12, "this text is not closed"),
        ('ip.tor AND "a', 12, "this name is not closed"),
        ("ip.tor /* a", 8, "comments go into the file with #"),
        ("ip.tor AND $$a", 12, "single quotes"),
        ("ip.tor; ip.vpn", 7, "one condition only"),
        ("(SELECT 1) = 1", 2, "cannot hold a query"),
        ("EXISTS (SELECT 1)", 1, "cannot hold a query"),
        ("order.amount::int > 1", 13, "keep their types"),
        ("* > 1", 1, "missing before *"),
        ("$1 = 2", 1, "no parameters"),
        ("? = 2", 1, "no parameters"),
        (":x = 2", 1, "no parameters"),
        ("x -> x + 1", 3, "no functions of its own"),
        ("email.domain || 'a' = 'b'", 14, "cannot be joined"),
        ("email.domain ILIKE 'a'", 14, "LOWER"),
        ("order.amount > 1 ORDER BY 1", 18, "cannot be used"),
        ("email.domain LIKE 'a' 'b'", 23, "operator"),
        ("E'a' = email.domain", 1, "cannot be used"),
        ("[1][1] = 1", 1, "cannot be used"),
        ("ip.tor \0", 8, "U+0000"),
        ("ip.tor = '\ud800'", 11, "U+D800"),
        ("ip.tor -- \u202e", 11, "U+202E"),
    ],
)
def test_what_is_no_condition_is_refused_at_its_place(text: str, column: int, says: str) -> None:
    mistake = mistakes_of(text)[0]
    assert (mistake.line, mistake.column) == (1, column)
    assert says in mistake.message


def test_all_mistakes_are_told_at_once_with_their_lines() -> None:
    text = "ip.tor\n  AND order.amont > 5\n  AND (card.brand = 'VISO'\n       OR 7)"
    with pytest.raises(ConditionRefused) as refused:
        read(text)
    assert str(refused.value).splitlines() == [
        "line 2, column 7: there is no signal order.amont, did you mean order.amount?",
        "line 3, column 21: card.brand is never 'VISO', did you mean VISA?",
        "line 4, column 11: each side of OR must be true or false, but this is a number;"
        " compare it with something",
    ]
    assert [mistake.length for mistake in refused.value.mistakes] == [11, 6, 1]


def test_places_count_characters_whatever_they_are() -> None:
    assert mistakes_of("email.domain = '🙂é' AND oops")[0].column == 25


LEVELS = DEEPEST_CONDITION
TOO_LARGE = {
    "a long chain": "ip.tor" + " AND ip.tor" * 5000,
    "a chain of too many parts": "ip.tor" + " OR ip.tor" * MOST_NODES,
    "negations": "NOT " * 900 + "ip.tor",
    "minus signs": "1 = " + "- " * 900 + "1",
    "parentheses": "(" * (LEVELS + 1) + "ip.tor" + ")" * (LEVELS + 1),
    "choices": "CASE WHEN " * 100 + "ip.tor" + " THEN ip.tor END" * 100,
    "questions": "ip.tor" + " IS NULL" * 400,
    "equalities": "ip.tor" + " = ip.tor" * 300,
    "divisions": "1 = 1" + "/1" * 90,
    "doublings": "0 BETWEEN " + "CASE WHEN 0 BETWEEN 0 AND 1 + " * 10 + "1" + " THEN 1 END" * 10,
    "a sum": "1 = 1" + " + 1" * MOST_NODES,
    "brackets": "[" * 3000,
    "braces": "{" * 3000,
    "quotes": "'" * 3999,
    "dots": "a" + ".a" * 1900,
    "calls": "ABS(" * 900,
}


@pytest.mark.parametrize("shape", TOO_LARGE)
def test_a_condition_without_end_is_refused_and_never_recursed_into(shape: str) -> None:
    mistakes = mistakes_of(TOO_LARGE[shape])
    assert mistakes
    assert len(mistakes) <= 20
    assert all(len(mistake.message) < 500 for mistake in mistakes)


LARGE = {
    "parentheses": "(" * LEVELS + "ip.tor" + ")" * LEVELS,
    "negations": "NOT " * LEVELS + "ip.tor",
    "equalities": "(" * (LEVELS - 1) + "ip.tor" + " = ip.vpn)" * (LEVELS - 1),
    "questions": "ip.tor" + " IS NULL" * (LEVELS - 1),
    "alternatives": "COALESCE(ip.vpn, " * (LEVELS - 1) + "ip.tor" + ")" * (LEVELS - 1),
    "nullifs": "NULLIF(" * (LEVELS - 1) + "ip.tor" + ", ip.vpn)" * (LEVELS - 1),
    "choices": "CASE WHEN " * (LEVELS - 1) + "ip.tor" + " THEN ip.vpn ELSE ip.tor END" * 23,
    "values": "1 < " + "CASE WHEN ip.tor THEN 1 ELSE 1 / (" * 11 + "2" + ") END" * 11,
    "divisors": "1 = " + "1 / (order.amount + " * 11 + "1" + ")" * 11,
    "a sum": "1 = order.amount" + " + order.amount" * 90,
    "many values": "order.currency IN ('a'" + ", 'bcde'" * 400 + ")",
    "many branches": "1 = CASE" + " WHEN ip.tor THEN 2" * 60 + " END",
    "a long chain": "ip.tor" + " OR ip.vpn" * (MOST_NODES - 2),
}


@pytest.mark.parametrize("shape", LARGE)
def test_a_condition_at_the_limits_can_be_run_and_queried(shape: str) -> None:
    condition = read(LARGE[shape])
    signals = {"ip.tor": True, "ip.vpn": True, "order.amount": 5, "order.currency": "a"}
    assert compile_condition(condition)(signals, NoLists(), 0) in (True, False)
    assert len(to_sql(condition)) < 5 * LONGEST_CONDITION


_WORDS = (
    "order.amount|ip.tor|email.domain|custom.tier|1|-|.5|'a'|''|NULL|TRUE|(|)|,|=|<>|<|+|*|/|%|AND|OR"
    "|NOT|IN|BETWEEN|LIKE|ESCAPE|IS|CASE|WHEN|THEN|ELSE|END|ABS(|COALESCE(|LIST(|HAS(|foo(|SELECT|::"
    '|;|?|[|]|{|}|"|"a"|--|/*|*/|||->|.|..|é|🙂|@|#|!|~|^|\\|$$|$1|E\'x\'|INTERVAL|ANY(|OVER|AS|:|:='
    "|=>|1..2|0x1f|1e|\n|\0"
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(
    words=st.lists(st.sampled_from(_WORDS.split("|")), max_size=12),
    glue=st.sampled_from([" ", "", "\n"]),
)
def test_any_text_is_either_a_condition_or_refused_with_reasons(
    words: list[str], glue: str
) -> None:
    text = glue.join(words)
    try:
        condition = read(text)
    except ConditionRefused as refused:
        assert refused.mistakes
        for mistake in refused.mistakes:
            assert 1 <= mistake.line <= text.count("\n") + 1
            assert mistake.column >= 1
    else:
        compile_condition(condition)({}, NoLists(), 0)
